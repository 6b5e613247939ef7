#!/bin/sh
# A session that is resumed shows its old report, which is none of the new run,
# while another agent works in the same project.  42 is without `init`, 43 with.
. "${0%/*}/lib.sh"

case $1 in
grok | aider) skip_all 'it shows no older session' ;;
esac
client "$1"
model '[
	{ "case": "work", "say": "I finished it.\n\n###TASK_COMPLETE_%i###" },
	{ "case": "other", "say": "That is done.\n\n###TASK_COMPLETE_42###" },
	{ "case": "think", "say": "I think about it.", "hold": true } ]'
touch "$T/work.go" "$T/other.go" "$T/think.go"
words=$COMMAND

# agent ISSUE CASE: starts it with that.
agent() {
	COMMAND=$words
	PROMPT="Please work on issue $1: [$2]"
	begin "$1"
}

ended() {
	press C-c
	sleep 0.2
	[ "$(pane_tell "$PANE" '#{pane_dead}')" = 1 ]
}

# resume ISSUE: ends its agent, and starts it again with the same session.
resume() {
	PANE=project-issue-$1
	old=$(record "$1" run)
	wait_until "$LONG" ended
	is "$(record "$1" state)" complete "$1 is complete when its agent ends"
	case $CLIENT in
	codex)  COMMAND="${words:-codex} resume --last" ;;
	gemini) COMMAND="${words:-gemini} -r latest" ;;
	*)      COMMAND="${words:-$CLIENT} --continue" ;;
	esac
	open "$1"
	wait_until "$LONG" pane_shows "$PANE" 'I finished it.'
	becomes "$1" waiting
	unlike "$(record "$1" run)" "$old" 'it is a new run'
	repaint
	stays "$1" waiting
	is "$(changes "$1" complete)" 1 'the old report is none of it'
}

# killed ISSUE: in the middle of a turn.
killed() {
	PANE=project-issue-$1
	prompt "Go on with issue $1: [think]"
	becomes "$1" working
	kill -9 "$(record "$1" agent.pid)"
	becomes "$1" dead
	like "$(record "$1" why)" 'signal 9' 'and it is said by what'
}

agent 42 work
becomes 42 complete
resume 42

hooks
agent 43 other
wait_until "$LONG" pane_shows "$PANE" 'That is done.'
becomes 43 waiting
stays 43 waiting
prompt 'Go on with issue 43: [work]'
becomes 43 complete
resume 43
is "$(record 42 state) $(changes 42 complete)" 'waiting 1' \
	'42 was not told of it'

killed 42
is "$(record 43 state)" waiting '43 was not killed'
killed 43
is "$(changes 42 complete) $(changes 43 complete)" '1 1' \
	'each has reported once'
done_testing
