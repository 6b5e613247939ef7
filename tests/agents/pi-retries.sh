#!/bin/sh
# pi repeats a request by itself: the issue is working until it gives up.
. "${0%/*}/lib.sh"

client pi
[ "$(pi --version 2>&1)" != 0.73.1 ] ||
	skip_all 'a part of this version repeats it, and does not say so'
model '[ { "say": "Hello." },
	{ "status": 529, "text": "Overloaded", "times": 2 },
	{ "say": "It works again." },
	{ "status": 529, "text": "Overloaded", "before": "up" } ]'
begin 42
becomes 42 waiting

prompt 'Go on.'
wait_until "$LONG" pane_shows "$PANE" 'Retrying (2/3)'
becomes 42 working
wait_until "$LONG" pane_shows "$PANE" 'It works again'
becomes 42 waiting
is "$(changes 42 asking)" 0 'it never seemed to have failed'

prompt 'Go on again.'
wait_until "$LONG" pane_shows "$PANE" 'Retry failed after 3 attempts'
becomes 42 asking
like "$(record 42 why)" 'its turn failed' 'when it has given up'
is "$(changes 42 asking)" 1 'once'
done_testing
