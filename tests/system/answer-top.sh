#!/bin/sh
# A dialog is answered from the list of top.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
PATH=$T/bin:$PATH
export PATH
journal=$HOME/.local/state/paneward/panes/journal.ndjson
rule=────────────────────────────────────────
for job in one two; do
	printf '%s\n' "$rule" ' Bash command' '' "   job $job" '   its use' '' \
		' Do you want to proceed?' ' ❯ 1. Yes' '   2. No' '' \
		' Esc to cancel' >"$T/$job"
done
tmux_start
pane_run agent "exec claude $ROOT/tests/system/standin.pl $T/log \
	$T/one $T/two $T/two $T/two $T/two" -n w
wait_until 5 pane_shows agent 'job one'
pane_run top "PATH='$PATH' exec '$PW' top" -x 120 -y 40
wait_until 10 pane_shows top 'job one'
key() {
	tm send-keys -t =top: "$@"
}

ask() {
	key r
	wait_until 10 pane_shows top 'answer '
}

typed() {
	grep -v '^shown' "$T/log" | tr '\n' ' '
}

typed_all() {
	[ "$(typed)" = "$1" ]
}

ask
soon 'the dialog is on the screen beside it' pane_shows top '2. No'
key y Enter
wait_until 10 pane_shows top "agent:w.0: answered 'Yes' to: it asks for"
is "$(typed)" '1 ' 'the answer is typed'
wait_until 10 pane_shows agent 'job two'
ask
key Escape
wait_until 10 no pane_shows top 'answer '
is "$(typed)" '1 ' 'Esc types nothing'
ask
tm send-keys -t =agent: x
wait_until 10 eval '[ "$(grep -c ^shown "$T/log")" -ge 3 ]'
key 9 Enter
wait_until 10 pane_shows top 'cannot answer'
like "$(pane_text top)" 'it has no choice 9' 'a wrong answer is told'
is "$(typed)" '1 x ' 'and not typed'

# The agent shows the same dialog again, so the answer takes seconds.
ask
key 1 Enter
wait_until 10 pane_shows top 'answering agent:w.0'
key r
soon 'a second answer to it is refused' pane_shows top 'it is being answered'
key / n o t
soon 'the list takes keys' pane_shows top '/not'
check 'while an answer is given' no grep -q 'without effect' "$journal"
key Escape
wait_until 10 pane_shows top 'cannot answer'
like "$(pane_text top)" 'the dialog is still there' 'which then tells its end'
is "$(typed)" '1 x 1 ' 'and is typed once'
ask
key 2 Enter q
wait_until 10 no tm has-session -t =top
check 'nor does its end wait' no typed_all '1 x 1 2 '
soon 'nor is the answer lost then' typed_all '1 x 1 2 '
done_testing
