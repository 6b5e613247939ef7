#!/bin/sh
# What a worker does when the backlog, or the server, changes under it.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/fleet/workers.sh
. "$ROOT/tests/fleet/workers.sh"

fleet_begin alpha
backend alpha

no_longer() {
	[ "$(grep -c "issue '$1' is no longer this host's" "$T/alpha.work")" \
		= "$2" ]
}

ended() { [ "$(ends "$1" alpha)" -eq "$2" ]; }

scenario 'a released issue leaves its host' <<'END'
>>> host_work alpha; on alpha "$FLEET" submit 1 4 >/dev/null
>>> wait_until 20 began 1 1 && wait_until 10 backlog_has 1 working
>>> wait_until 20 began 4 1 && wait_until 10 backlog_has 4 working
>>> on alpha "$FLEET" release 1 && wait_until 10 no_longer 1 1
END

# The worker renews the lease, since it was stopped for less than that.
scenario 'an issue whose lease went is handed off' <<'END'
>>> freeze "$(work_of alpha)" && wait_until 15 ended 4 1
>>> kill -CONT "$(work_of alpha)" && wait_until 60 began 4 2
>>> wait_until 10 ended 1 1 && wait_until 60 began 1 2
>>> : >"$T/agents.4"; wait_until 60 backlog_has 4 'done'; is "$(handoffs 4)" 1
END

scenario 'its host may do it again' <<'END'
>>> host_configure alpha '' '"backend": "test", "handoff": ["false"],
... 	"handoff_attempts": 1'
>>> on alpha "$FLEET" submit 2 >/dev/null; wait_until 20 began 2 1
>>> : >"$T/agents.2"; wait_until 60 backlog_has 2 'hand-off-failed +alpha'
>>> backend alpha
>>> gives 0 '' on alpha "$PW" handoff 2; wait_until 10 backlog_has 2 'done'
END

# ticks PID: the time of the processor that it has had.
ticks() { sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 12,13 | tr ' ' '+'; }

pending() {
	grep -q '"state":"pending".*"last_exit":75' \
		"$(status_of alpha)/.paneward/3.json"
}

lapsed() { grep -q "the lease of issue '3' is over" "$T/alpha.work"; }

# Issue 1 is done for a person, and its agent ends meanwhile.
scenario 'a host that is back hands the issue off, once' <<'END'
>>> on alpha "$FLEET" submit 3 >/dev/null; wait_until 20 began 3 1
>>> wait_until 10 backlog_has 3 working
>>> wait_until 10 backlog_has 1 working
>>> on alpha "$FLEET" release --done 1 && wait_until 5 no_longer 1 2
>>> worker=$(work_of alpha); before=$(($(ticks "$worker"))); server_kill
>>> : >"$T/agents.3"; wait_until 60 pending && wait_until 60 lapsed
>>> after=$(($(ticks "$worker"))); [ $((after - before)) -lt 100 ]
>>> wait_until 10 ended 1 2 && server_start
>>> wait_until 60 backlog_has 3 'done'; is "$(handoffs 3)" 1
>>> backlog_has 1 'done'
>>> kill "$(work_of alpha)" && wait_until 10 no kill -0 "$(work_of alpha)"
END
done_testing
