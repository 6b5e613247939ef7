#!/bin/sh
# A task that has failed: the error marker, and why.
. "${0%/*}/lib.sh"

client claude
hooks claude
scenario '[ { "say": "I give up.\n\n###TASK_ERROR_42###\nThe tests fail." } ]'
begin 42
becomes 42 error
is "$(record 42 source)" record 'the agent itself has told'
is "$(record 42 message)" 'The tests fail.' 'and why'
done_testing
