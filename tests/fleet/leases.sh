#!/bin/sh
# What a worker does when the backlog, or the server, changes under it.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/fleet/workers.sh
. "$ROOT/tests/fleet/workers.sh"

fleet_begin alpha
backend alpha

# ---- a person releases an issue ------------------------------------------------

host_work alpha
on alpha "$FLEET" submit 1 >/dev/null
wait_until 20 began 1 1
wait_until 10 backlog_has 1 working
on alpha "$FLEET" release 1
no_longer() {
	[ "$(grep -c "issue '$1' is no longer this host's" "$T/alpha.work")" \
		= "$2" ]
}
ended() {
	[ "$(ends "$1" alpha)" -eq "$2" ]
}
soon 'a released issue leaves its host' no_longer 1 1
soon 'its agent ends within the time of a lease' ended 1 1
wait_until 60 began 1 2 &&
	result 0 'it is started again when the lease is over'
wait_until 10 backlog_has 1 working
on alpha "$FLEET" release --done 1
wait_until 5 no_longer 1 2
soon 'what is marked as done ends as well' ended 1 2
check 'and no host takes it' backlog_has 1 'done'

# ---- a hand-off that fails ------------------------------------------------------

host_configure alpha '' '"backend": "test", "handoff": ["false"],
	"handoff_attempts": 1'
on alpha "$FLEET" submit 2 >/dev/null
wait_until 20 began 2 1
: >"$T/agents.2"
wait_until 60 backlog_has 2 'hand-off-failed +alpha' &&
	result 0 'a hand-off that fails is seen in the backlog'
backend alpha
exits 0 'its host may do it again' on alpha "$PW" handoff 2
soon 'and it is done then' backlog_has 2 'done'

# ---- the server is away ---------------------------------------------------------

# ticks PID: the time of the processor that it has had.
ticks() {
	sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 12,13 | tr ' ' '+'
}
pending() {
	grep -q '"state":"pending".*"last_exit":75' \
		"$(status_of alpha)/.paneward/3.json"
}
lapsed() {
	grep -q "the lease of issue '3' is over" "$T/alpha.work"
}

on alpha "$FLEET" submit 3 >/dev/null
wait_until 20 began 3 1
wait_until 10 backlog_has 3 working
worker=$(work_of alpha)
before=$(($(ticks "$worker")))
server_kill
: >"$T/agents.3"
wait_until 60 pending
wait_until 60 lapsed
after=$(($(ticks "$worker")))
[ $((after - before)) -lt 100 ]
result $? 'a worker that waits for the server sleeps' ||
	echo "$((after - before)) ticks" | comment
server_start
wait_until 60 backlog_has 3 'done'
is "$(handoffs 3)" 1 'when it is back the issue is handed off, once'

# ---- an agent that was ended for its lease ------------------------------------------

# The worker renews it again, since it was stopped for less than that.
on alpha "$FLEET" submit 4 >/dev/null
wait_until 20 began 4 1
wait_until 10 backlog_has 4 working
freeze "$(work_of alpha)"
wait_until 15 ended 4 1
kill -CONT "$(work_of alpha)"
wait_until 60 began 4 2 && result 0 'it is not held without an agent'
: >"$T/agents.4"
wait_until 60 backlog_has 4 'done'
is "$(handoffs 4)" 1 'and it is handed off'

kill "$(work_of alpha)"
wait_until 10 no kill -0 "$(work_of alpha)"
done_testing
