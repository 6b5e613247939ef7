#!/bin/sh
# A task that is completed: the marker is in the agent's last message.
. "${0%/*}/lib.sh"

client "$1"
hooks
model '[ { "say": "I look at it.", "run": "echo looked >looked" },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
becomes 42 complete
told 42
[ "$CLIENT" = kimi ] ||
	check 'its prompt told it how' grep -Fq 'after it the reason.' "$T/model.log"
is "$(cat looked)" looked 'its tool was run'
is "$(changes 42 complete)" 1 'once'
is "$(changes 42 asking) $(journal 42 state | grep -c 'not reported')" '0 0' \
	'and it never seemed to need a person'
done_testing
