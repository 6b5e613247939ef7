#!/bin/sh
# A host orders another one to hand off an issue: once, with its result.
# shellcheck disable=SC1091,SC2317,SC2329
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

fleet_begin alpha beta
registered alpha
registered beta
agent_start alpha
there() {
	on beta "$BUILD/tests/fleet/dump" KV_PANEWARD_HOSTS \
		"\$KV.PANEWARD_HOSTS.$1" | grep -q .
}

wait_until 10 there alpha
exits 3 'an order for a host that is not there is refused' \
	on beta "$FLEET" handoff gamma:7
like "$(cat "$T/err")" "host 'gamma' is not there" 'with the reason'
exits 2 'and one without a host' on beta "$FLEET" handoff 7
exits 1 'an issue that the host has not' on beta "$FLEET" handoff alpha:7
like "$(cat "$T/out")" '^alpha: no project there has it' 'has that result'

echo 'done' >"$(status_of alpha)/signal-complete-7"
on alpha paneward sweep >/dev/null 2>&1
host_configure alpha '' '"handoff": ["sh", "-c", "echo 7 >>'"$T"'/handed"]'
exits 0 'an issue of it is handed off' on beta "$FLEET" handoff alpha:7
like "$(cat "$T/out")" '^alpha: 7 handed off' 'and it says so'
is "$(cat "$T/handed")" 7 'by the command of that host'
exits 0 'also with its project named' \
	on beta "$FLEET" handoff alpha:7 --project project
exits 1 'but not of another project' \
	on beta "$FLEET" handoff alpha:7 --project other
is "$(wc -l <"$T/handed")" 2 'so often it ran'

agent_kill
agent_start alpha
wait_until 10 there alpha
exits 1 'a restarted agent takes orders' \
	on beta "$FLEET" handoff alpha:8
is "$(wc -l <"$T/handed")" 2 'and repeats none'

# ---- one that is interrupted -------------------------------------------------

host_configure alpha '' '"handoff": ["sh", "-c", "echo 7 >>'"$T"'/handed; until [ -e '"$T"'/go ]; do sleep 0.05; done; echo over >'"$T"'/over"]'
rm "$T/handed"
on beta sh -c '"$0" handoff alpha:7 >"$1/result" 2>&1; echo $? >"$1/status"' \
	"$FLEET" "$T" &
wait_until 10 test -s "$T/handed"
agent_kill
agent_start alpha
wait_until 10 test -s "$T/status"
is "$(cat "$T/status")" 3 'an agent that is killed meanwhile says so'
like "$(cat "$T/result")" 'ended while it ran' 'in words'
: >"$T/go"
wait_until 10 test -s "$T/over"
result $? 'the hand-off goes on'
is "$(wc -l <"$T/handed")" 1 'and is not begun again'
done_testing
