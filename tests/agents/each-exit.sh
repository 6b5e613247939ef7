#!/bin/sh
# The client ends, and paints on its way what it has said of the marker.
. "${0%/*}/lib.sh"

client "$1"
hooks
scenario '[ { "say": "You would print:\n\n```\n###TASK_COMPLETE_42###\n```\n" } ]'
begin 42
wait_until "$LONG" why 42 'turn has ended'
becomes 42 waiting
repaint
ended() {
	press C-c
	sleep 0.2
	recorded 42 dead
}
wait_until "$LONG" ended
becomes 42 dead
stays 42 dead
is "$(changes 42 complete)" 0 'it was never complete'
done_testing
