#!/bin/sh
# A person presses Escape: of that no hook tells.
. "${0%/*}/lib.sh"

client claude
hooks
scenario '[ { "say": "I think about it.", "hold": true },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" asked 1
wait_until "$LONG" pane_shows "$PANE" 'esc to interrupt'
becomes 42 working
press Escape
becomes 42 waiting
done_testing
