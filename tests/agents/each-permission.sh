#!/bin/sh
# A tool that a person has to allow.
. "${0%/*}/lib.sh"

[ "$1" != pi ] || skip_all 'pi asks for no permission'
client "$1" ask
hooks
model '[ { "say": "I have to run something.", "run": "touch allowed",
		"ask": true },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" pane_shows "$PANE" "$ASKS"
wait_until "$LONG" why 42 'asks for permission'
becomes 42 asking
stays 42 asking
check 'it has not run it' test ! -e allowed
[ "$CLIENT" = gemini ] ||
	like "$(record 42 message)" '^[Bb]ash: touch allowed$' 'for what it asks'
press Enter
becomes 42 complete
check 'what was allowed has been run' test -e allowed
done_testing
