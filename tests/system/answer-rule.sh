#!/bin/sh
# The rules of a person answer dialogs, and nothing else.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/client"
PATH=$T/bin:$PATH
export PATH
cat >"$HOME/.config/paneward/config.json" <<'END'
{ "handoff": null, "answers": [
	{ "asks": "permission", "pattern": "(make|npm) test", "answer": "yes" },
	{ "asks": "permission", "pattern": "git .*", "answer": "no" },
	{ "asks": "question", "pattern": "Which way.*", "answer": "That" } ] }
END
rule=────────────────────────────────────────
line=╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌

# permission COMMAND-LINE...
permission() {
	printf '%s\n' "$rule" ' Bash command' ' what it is for' "$line"
	printf ' %s\n' "$@"
	printf '%s\n' "$line" ' Do you want to proceed?' ' ❯ 1. Yes' '   2. No' \
		'' ' Esc to cancel · Tab to amend'
}

permission 'make test' >"$T/make"
permission 'git status' >"$T/git"
permission 'git push' >"$T/push"
permission 'make test' 'rm -r x' >"$T/lines"
permission 'make test; ls' >"$T/joined"
printf '%s\n' "$rule" 'Which way is it?' '' '❯ 1. This' '  2. That' '' \
	'Enter to select · Esc to cancel' >"$T/question"
printf '❯ Go on.\n\n✻ Brewing… (5s · esc to interrupt)\n\n%s\n❯ \n%s\n' \
	"$rule" "$rule" >"$T/work"
tmux_start

# begins ISSUE FILE...: a stand-in that shows them, and its watcher.
begins() {
	issue=$1
	shift
	log=$T/log-$issue
	fails 0 '' start "$issue" --backend claude -- \
		client "$ROOT/tests/system/standin.pl" "$log" "$@"
}

typed() { [ "$(grep -v '^shown' "$log" | tr '\n' ' ')" = "$1" ]; }

scenario 'a rule answers a command or a question, and the journal says so' <<'END'
>>> begins 1 "$T/make" "$T/work"; wait_until 20 typed '1 '
>>> wait_until 20 recorded 1 working
>>> wait_until 20 journal 1 answer; like "$(journal 1 answer)" \
... 	"answered 'yes' to: it asks for permission: make test; by a rule of 'ans"
>>> begins 2 "$T/git" "$T/work"; wait_until 20 typed '2 '
>>> begins 3 "$T/question" "$T/work"; wait_until 20 typed '2 '
END

# What no rule allows is there when those that are allowed have been answered.
number=4
for file in push lines joined; do
	begins $number "$T/$file" "$T/work"
	wait_until 20 recorded $number asking
	let_pass
	wait_until 20 no pgrep -f "answer-run $number $T"
	check "nothing answers: $file" typed ''
	number=$((number + 1))
done
done_testing
