#!/bin/sh
# While the model thinks the issue is working, with hooks and without.
. "${0%/*}/lib.sh"

client "$1"
scenario '[ { "say": "I think about it.", "hold": true, "times": 2 } ]'
begin 42
wait_until "$LONG" asked 1
hooks
begin 43
wait_until "$LONG" asked 2
becomes 42 working
becomes 43 working
stays 42 working
stays 43 working
done_testing
