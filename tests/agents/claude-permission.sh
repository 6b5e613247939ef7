#!/bin/sh
# A tool that a person has to allow.
. "${0%/*}/lib.sh"

client claude
claude_settings ''
hooks claude
scenario '[ { "say": "I have to run something.", "run": "touch allowed" },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" why 42 'asks for permission'
becomes 42 asking
is "$(record 42 source)" record 'the agent itself has told'
is "$(record 42 message)" 'Bash: touch allowed' 'for what it asks'
check 'it has not run it' test ! -e allowed
wait_until "$LONG" pane_shows project-issue-42 'Do you want to proceed?'
tm send-keys -t =project-issue-42: Enter
becomes 42 complete
check 'what was allowed has been run' test -e allowed
done_testing
