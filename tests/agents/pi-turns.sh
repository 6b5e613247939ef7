#!/bin/sh
# While pi works the issue is working, and waiting when its turn is over.
. "${0%/*}/lib.sh"

client pi
hooks
model '[ { "say": "I wait for a file.",
		"run": "until [ -e go ]; do sleep 0.1; done" },
	{ "say": "What next?" },
	{ "say": "I think about it.", "hold": true } ]'
begin 42
wait_until "$LONG" asked 1
becomes 42 working
stays 42 working
touch go
wait_until "$LONG" why 42 'turn has ended'
becomes 42 waiting
is "$(record 42 message)" 'What next?' 'with what it said'

prompt 'Go on.'
wait_until "$LONG" asked 3
becomes 42 working
press Escape
becomes 42 waiting
is "$(changes 42 complete)" 0 'it was never complete'
done_testing
