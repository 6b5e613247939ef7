#!/bin/sh
# A person presses Escape: of that no hook tells.
. "${0%/*}/lib.sh"

client claude
hooks claude
scenario '[ { "say": "I think about it.", "hold": true },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" asked 1
wait_until "$LONG" pane_shows project-issue-42 'esc to interrupt'
becomes 42 working
tm send-keys -t =project-issue-42: Escape
becomes 42 waiting
done_testing
