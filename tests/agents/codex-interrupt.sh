#!/bin/sh
# A person presses Escape, of which no hook tells; then the next turn fails.
. "${0%/*}/lib.sh"

client codex
hooks
scenario '[ { "say": "I think about it.", "hold": true },
	{ "status": 400, "text": "This model fails.", "before": "never" } ]'
begin 42
wait_until "$LONG" asked 1
becomes 42 working
press Escape
wait_until "$LONG" why 42 'broken off|interrupted'
stays 42 "$(record 42 state)"
prompt 'Go on.'
wait_until "$LONG" why 42 "This model fails"
becomes 42 asking
stays 42 asking
done_testing
