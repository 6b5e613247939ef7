#!/bin/sh
# A usage limit: Codex tries again by itself, and gives up.
. "${0%/*}/lib.sh"

client codex
hooks
scenario '[ { "status": 429, "before": "again" },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" pane_shows "$PANE" 'exceeded retry limit'
becomes 42 limited
stays 42 limited
touch again
prompt 'Go on.'
becomes 42 complete
done_testing
