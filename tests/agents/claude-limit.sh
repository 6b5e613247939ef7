#!/bin/sh
# A usage limit: what the client tells of it, and when it ends.
. "${0%/*}/lib.sh"

client claude
hooks
scenario '[ { "status": 429, "headers": { "x-should-retry": "false" },
	"text": "You have hit your limit, resets at 2038-01-19T03:14:07Z" },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
becomes 42 limited
told 42
like "$(record 42 why)" '2038-01-19T03:14:07' 'until when'
prompt 'Go on.'
becomes 42 complete
done_testing
