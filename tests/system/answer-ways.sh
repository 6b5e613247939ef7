#!/bin/sh
# A dialog is answered from the list of top, and by the rules of a person, which
# answer nothing else.
. "${0%/*}/lib.sh"

export PATH="$T/bin:$PATH"
mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
cp "$T/bin/claude" "$T/bin/client"
rule=────────────────────────────────────────
line=╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌

# permission COMMAND-LINE...
permission() {
	printf '%s\n' "$rule" ' Bash command' ' what it is for' "$line"
	printf ' %s\n' "$@"
	printf '%s\n' "$line" ' Do you want to proceed?' ' ❯ 1. Yes' '   2. No' \
		'' ' Esc to cancel · Tab to amend'
}

permission 'job one' >"$T/one"
permission 'job two' >"$T/two"
permission 'make test' >"$T/make"
permission 'git status' >"$T/git"
permission 'git push' >"$T/push"
permission 'make test' 'rm -r x' >"$T/lines"
permission 'make test; ls' >"$T/joined"
printf '%s\n' "$rule" 'Which way is it?' '' '❯ 1. This' '  2. That' '' \
	'Enter to select · Esc to cancel' >"$T/question"
printf '❯ Go on.\n\n✻ Brewing… (5s · esc to interrupt)\n\n%s\n❯ \n%s\n' \
	"$rule" "$rule" >"$T/work"

# typed: what the stand-in got.
typed() { grep -v '^shown' "$log" | tr '\n' ' '; }
typed_all() { [ "$(typed)" = "$1" ]; }
key() { tm send-keys -t =top: "$@"; }
ask() {
	key r
	wait_until 10 pane_shows top 'answer agent:'
}

log=$T/log
journal=$HOME/.local/state/paneward/panes/journal.ndjson
standin=$ROOT/tests/system/standin.pl
# The agent shows the same dialog again and again, so that an answer takes seconds.
scenario 'top answers the dialog that it shows, once' <<'END'
>>> tmux_start; pane_run agent \
... 	"exec claude $standin $log $T/one $T/two $T/two $T/two $T/two" -n w
>>> wait_until 5 pane_shows agent 'job one'
>>> pane_run top "PATH='$PATH' exec '$PW' top" -x 120 -y 40
>>> wait_until 10 pane_shows top 'job one'; ask
>>> wait_until 10 pane_shows top '2. No'; key y Enter
>>> wait_until 10 pane_shows top "agent:w.0: answered 'Yes' to: it asks for"; typed
1 
>>> wait_until 10 pane_shows agent 'job two'; ask; key Escape
>>> wait_until 10 no pane_shows top 'answer agent:'; typed; ask
1 
>>> tm send-keys -t =agent: x
>>> wait_until 10 eval '[ "$(grep -c ^shown "$log")" -ge 3 ]'; key 9 Enter
>>> wait_until 10 pane_shows top 'cannot answer'
>>> pane_shows top 'it has no choice 9'; typed; ask; key 1 Enter
1 x 
>>> wait_until 10 pane_shows top 'answering agent:w.0'; key r
>>> wait_until 10 pane_shows top 'a text is on its way to it'; key / n o t
>>> wait_until 10 pane_shows top '/not'; grep 'without effect' "$journal"
[1]
>>> key Escape; wait_until 10 pane_shows top 'cannot answer'
>>> pane_shows top 'the dialog is still there'; typed; ask; key 2 Enter q
1 x 1 
>>> # Neither does its end wait, nor is the answer lost then.
>>> wait_until 10 no tm has-session -t =top; no typed_all '1 x 1 2 '
>>> wait_until 10 typed_all '1 x 1 2 '; tm kill-session -t =agent
END

cat >"$HOME/.config/paneward/config.json" <<'END'
{ "handoff": null, "answers": [
	{ "asks": "permission", "pattern": "(make|npm) test", "answer": "yes" },
	{ "asks": "permission", "pattern": "git .*", "answer": "no" },
	{ "asks": "question", "pattern": "Which way.*", "answer": "That" } ] }
END

# begins ISSUE FILE...: a stand-in that shows them, and its watcher.
begins() {
	issue=$1
	shift
	log=$T/log-$issue
	fails 0 '' start "$issue" --backend claude -- \
		client "$standin" "$log" "$@"
}

# What no rule allows is there when those that are allowed have been answered.
scenario 'a rule answers a command or a question, and the journal says so' <<'END'
>>> begins 1 "$T/make" "$T/work"; wait_until 20 typed_all '1 '
>>> wait_until 20 recorded 1 working
>>> wait_until 20 journal 1 answer; like "$(journal 1 answer)" \
... 	"answered 'yes' to: it asks for permission: make test; by a rule of 'ans"
>>> begins 2 "$T/git" "$T/work"; wait_until 20 typed_all '2 '
>>> begins 3 "$T/question" "$T/work"; wait_until 20 typed_all '2 '; number=4
>>> for file in push lines joined; do
... 	begins $number "$T/$file" "$T/work"
... 	wait_until 20 recorded $number asking
... 	let_pass
... 	wait_until 20 no pgrep -f "answer-run $number $T"
... 	typed
... 	number=$((number + 1))
... done
END
done_testing
