#!/bin/sh
# Without init, a marker that the agent shows and does not mean.  Some clients
# draw a code fence away, and all of them paint old text again: on the screen,
# which is new, it is a marker like any other.
. "${0%/*}/lib.sh"

client "$1"
[ "${alone:-}" = '' ] || no_session_hooks

# The second piece begins a line in the fence.
model '[ { "say": ["You would print:\n\n```",
		"\n###TASK_COMPLETE_42###\n```\n\nIt is not yet done."] },
	{ "status": 400, "text": "This model fails.", "before": "again" },
	{ "say": "Now it is done.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" pane_shows "$PANE" 'It is not yet done.'
wait_until "$LONG" why 42 'turn has ended|waits for a prompt'
becomes 42 waiting
like "$(pane_text "$PANE")" '###TASK_COMPLETE_42###' 'the marker is on the screen'
repaint
stays 42 waiting
prompt 'Go on.'
wait_until "$LONG" why 42 'its turn has failed'
becomes 42 asking
like "$(record 42 why) $(record 42 message)" 'This model fails' \
	'it is said how'
repaint
stays 42 asking
is "$(changes 42 complete)" 0 'it was never complete'
touch again
prompt 'Try again.'
becomes 42 complete

done_testing
