#!/bin/sh
# A loop inside one session: the Stop hook keeps the agent going until the
# channel says stop.  The client ends a turn that is kept going too often
# without a tool in between, so the agent uses one each time.
. "${0%/*}/lib.sh"

times=12
round='{ "run": "echo %d >>rounds" }, { "say": "Done, once more." }'
rounds=
i=0
while [ "$i" -lt "$times" ]; do
	rounds="$rounds$round, "
	i=$((i + 1))
done

client claude
hooks --loop
cat >stop <<'END'
mkdir -p temp/th-channel
date '+## %Y-%m-%d %H:%M:%S%n%nstop' >>"temp/th-channel/$(date +%Y-%m-%d).md"
END
model "[ $rounds{ \"run\": \"sh stop\" }, { \"say\": \"Stopped.\" } ]"
exits 0 'a loop is started' \
	"$PW" loop start --max 40 --prompt 'Take the next task.' || done_testing
begin 42
wait_until "$LONG" asked $((2 * times + 2))
wait_until "$LONG" why 42 'at its prompt'
becomes 42 waiting
is "$(grep -c 'Take the next task' "$T/model.log")" "$times" \
	'the agent was kept going twelve times'
is "$(wc -l <rounds)" "$times" 'and worked as often'
state=$(cat .claude/th-loop.local.md)
like "$state" "^iteration: $times\$" 'they were counted'
like "$state" '^status: stopped$' \
	'and the word in the channel has ended it'
is "$(journal 42 state | grep -c 'has ended without')" 1 \
	'between two rounds it never seemed to wait'
done_testing
