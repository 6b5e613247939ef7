#!/bin/sh
# A task that is completed, as pi's plugin tells it.
. "${0%/*}/lib.sh"

client pi
hooks pi
scenario '[ { "say": "I look at it.", "run": "echo looked >looked" },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42 --backend pi
becomes 42 complete
is "$(record 42 source)" record 'the agent itself has told'
is "$(cat looked)" looked 'its tool was run'
is "$(changes 42 complete)" 1 'once'
is "$(changes 42 waiting)" 0 'and it never seemed to wait for anybody'
done_testing
