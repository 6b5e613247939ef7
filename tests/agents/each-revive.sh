#!/bin/sh
# The machine restarts while two agents are in the middle of a turn: each comes
# back with its own conversation, as the same run, and is complete once.
. "${0%/*}/lib.sh"

client "$1"
hooks
cat >"$P/.paneward.json" <<END
{ "handoff": "echo \$PANEWARD_RUN >>'$T'/handed-\$PANEWARD_ISSUE" }
END
model '[ { "case": "work", "replies": [
	{ "say": "So it will end:\n\n```\n###TASK_COMPLETE_%i###\n```\n\nI go on." },
	{ "say": "I think.", "hold": true },
	{ "say": "I finished %i.\n\n###TASK_COMPLETE_%i###" } ] } ]'
touch "$T/work.go"
words=$COMMAND

# agent ISSUE: begins, and is in its second turn.
agent() {
	COMMAND=$words
	PROMPT="Please work on issue $1: [work]"
	begin "$1"
	wait_until "$LONG" pane_shows "$PANE" 'I go on'
	becomes "$1" waiting
	prompt "Please go on, $1"
	becomes "$1" working
	record "$1" run >"$T/run-$1"
}

handed() {
	[ "$(record "$1" handoff.state)" = 'done' ]
}

# finished ISSUE: as the run that it was.
finished() {
	becomes "$1" complete
	wait_until "$LONG" test -e "$T/handed-$1"
	wait_until "$LONG" handed "$1"
	is "$(record "$1" run)" "$(cat "$T/run-$1")" "$1 is the same run"
	is "$(cat "$T/handed-$1")" "$(cat "$T/run-$1")" 'and handed off, once'
	is "$(changes "$1" complete)" 1 'and was complete once'
	check 'by the words of its own conversation' \
		pane_shows "$PANE" "I finished $1"
}

# The name of Gemini's transcript has the minute of its start in it.
another_minute() {
	[ "$CLIENT" != gemini ] || [ "$(date +%M)" != "$minute" ]
}

agent 42
agent 43
machine_restarts 42 43
minute=$(date +%M)
wait_until 90 another_minute

exits 0 'one is revived' "$PW" revive 42
comment <"$T/out"
PANE=project-issue-42
becomes 42 waiting
wait_until "$LONG" pane_shows "$PANE" "So it will end"
stays 42 waiting
repaint
stays 42 waiting
is "$(changes 42 complete)" 0 'what it shows again is no report'
prompt 'Please finish it.'
finished 42

PANE=project-issue-43
case $CLIENT in
opencode)
	exits 0 'the other one, too' "$PW" revive 43
	becomes 43 waiting
	prompt 'Please finish it.' ;;
*)
	exits 0 'the other one, with a prompt' \
		"$PW" revive 43 --prompt 'Please finish it.' ;;
esac
finished 43
done_testing
