#!/bin/sh
# A task that is completed: the marker is in the agent's last message.
. "${0%/*}/lib.sh"

client "$1"
hooks
run='"run": "echo looked >looked"'
[ "$CLIENT" != aider ] || run='"times": 1'       # a person runs its commands
model '[ { "say": "I look at it.", '"$run"' },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
[ "$CLIENT" != aider ] || prompt 'Go on.'
becomes 42 complete
told 42
case $CLIENT in
grok | kimi | aider) ;;                        # they are sent their first prompt
*) check 'its prompt told it how' \
	grep -Fq 'after it the reason.' "$T/model.log" ;;
esac
[ "$CLIENT" = aider ] || is "$(cat looked)" looked 'its tool was run'
is "$(changes 42 complete)" 1 'once'
is "$(changes 42 asking) $(journal 42 state | grep -c 'not reported')" '0 0' \
	'and it never seemed to need a person'
done_testing
