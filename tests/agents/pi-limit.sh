#!/bin/sh
# A usage limit: pi tries again by itself, and gives up.
. "${0%/*}/lib.sh"

client pi
hooks
scenario '[ { "status": 429, "times": 100,
	"text": "You have hit your limit, resets at 2038-01-19T03:14:07Z" } ]'
begin 42
wait_until "$LONG" pane_shows "$PANE" 'Retry failed'
becomes 42 limited
told 42
like "$(record 42 why)" '2038-01-19T03:14:07' 'until when'
done_testing
