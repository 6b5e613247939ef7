#!/bin/sh
# OpenCode is interrupted by two Escapes; after the first it works on.
. "${0%/*}/lib.sh"

client opencode
hooks
model '[ { "say": "I think about it.", "hold": true } ]'
begin 42
wait_until "$LONG" asked 1
wait_until "$LONG" pane_shows "$PANE" 'esc interrupt'
becomes 42 working
press Escape
wait_until "$LONG" pane_shows "$PANE" 'esc again to interrupt'
check 'it works on' recorded 42 working
interrupted() {
	press Escape
	sleep 1
	recorded 42 waiting
}
wait_until "$LONG" interrupted
becomes 42 waiting
stays 42 waiting
is "$(changes 42 complete)" 0 'it was never complete'
done_testing
