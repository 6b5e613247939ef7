#!/bin/sh
# A marker that the agent shows and does not mean.  The client draws a code
# fence away: on the screen it is a marker like any other.
. "${0%/*}/lib.sh"

client claude
hooks claude
scenario '[ { "say": "You would print:\n\n```\n###TASK_COMPLETE_42###\n```\n" },
	{ "say": "Now it is done.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" why 42 'turn has ended'
becomes 42 waiting
wait_until "$LONG" pane_shows project-issue-42 '###TASK_COMPLETE_42###'
unlike "$(pane_text project-issue-42)" '```' \
	'the marker is on the screen, and the fence is not'
let_pass
check 'the issue is still waiting' recorded 42 waiting
is "$(changes 42 complete)" 0 'and was never complete'
pane_type project-issue-42 'Go on.'
becomes 42 complete
is "$(record 42 source)" record 'by what the agent wrote the second time'
done_testing
