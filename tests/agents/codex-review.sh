#!/bin/sh
# Codex asks whether it may run the project's hooks; the prompt waits for that.
. "${0%/*}/lib.sh"

client codex
COMMAND=
hooks
model '[ { "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" pane_shows "$PANE" 'Hooks need review'
becomes 42 asking
like "$(record 42 why)" 'hooks' 'and it is said what'
stays 42 asking
press 2
wait_until "$LONG" pane_shows "$PANE" '› 2. Trust all'
press Enter
becomes 42 complete
told 42
done_testing
