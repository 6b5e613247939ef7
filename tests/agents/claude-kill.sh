#!/bin/sh
# The agent is killed in the middle of a turn.
. "${0%/*}/lib.sh"

client claude
hooks
scenario '[ { "say": "I think about it.", "hold": true } ]'
begin 42
wait_until "$LONG" asked 1
becomes 42 working
kill -9 "$(record 42 agent.pid)"
becomes 42 dead
like "$(record 42 why)" 'signal 9' 'and it is said by what'
done_testing
