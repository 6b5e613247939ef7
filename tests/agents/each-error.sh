#!/bin/sh
# A task that has failed: the error marker, and why.
. "${0%/*}/lib.sh"

client "$1"
hooks
scenario '[ { "say": "I give up.\n\n###TASK_ERROR_42###\nThe tests fail." } ]'
begin 42
becomes 42 error
told 42
is "$(record 42 message)" 'The tests fail.' 'and why'
done_testing
