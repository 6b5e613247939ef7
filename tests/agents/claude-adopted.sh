#!/bin/sh
# A client that was started by hand in a pane: hooks find the issue by the pane.
. "${0%/*}/lib.sh"

client claude
hooks
model '[ { "until": "go", "say": "I look at it.", "run": "echo looked" },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
tmux_start
pane_run issue-42 "exec claude 'Please work on the issue.'"
wait_until "$LONG" asked 1
watch_begin watch 42
wait_until "$LONG" watch_holds watch 42
wait_until "$LONG" pane_shows issue-42 'esc to interrupt'
becomes 42 working
touch go
watch_ended watch 0 'the watch ends when the work is complete'
told 42
done_testing
