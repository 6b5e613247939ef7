#!/bin/sh
# A usage limit: pi tries again by itself, and gives up.
. "${0%/*}/lib.sh"

client pi
hooks pi
scenario '[ { "status": 429, "times": 100,
	"text": "You have hit your limit, resets at 2038-01-19T03:14:07Z" } ]'
begin 42 --backend pi
wait_until "$LONG" pane_shows project-issue-42 'Retry failed'
becomes 42 limited
is "$(record 42 source)" record 'the agent itself has told'
like "$(record 42 why)" '2038-01-19T03:14:07' 'until when'
done_testing
