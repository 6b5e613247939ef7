#!/bin/sh
# One backlog for two hosts, one of which cannot reach the server.
. "${0%/*}/lib.sh"

# shellcheck source=tests/fleet/workers.sh
. "$ROOT/tests/fleet/workers.sh"

fleet_begin alpha beta
needs_netns
backend alpha '"labels": ["gpu"]'
backend beta
host_work alpha
: >"$T/handed.off"

withheld() {
	grep '"attempts":0' "$(status_of alpha)/.paneward/4.json" |
		grep -q '"state":"pending".*"last_exit":75'
}
lapsed() { grep -q "the lease of issue '4' is over" "$T/alpha.work"; }
says() { on alpha "$PW" status --all | grep -q "$1"; }

# Only alpha may take 4: without a lease nothing is handed off, and that is no
# attempt.
scenario 'a host without the server loses an issue, and hands none off' <<'END'
>>> on alpha "$FLEET" submit 3 >/dev/null
>>> on alpha "$FLEET" submit 4 --label gpu >/dev/null
>>> for issue in 3 4; do
... 	wait_until 60 began "$issue" 1
... 	wait_until 10 backlog_has "$issue" working
... done
>>> host_work beta; link_cut alpha; : >"$T/agents.4"
>>> wait_until 60 withheld && is "$(handoffs 4)" 0
>>> wait_until 60 agents_end 3 alpha && wait_until 60 lapsed
>>> wait_until 120 began 3 2 && is "$(holder 3)" beta && alone 3
>>> wait_until 10 says 'its lease is over'
>>> wait_until 60 backlog_has 4 'lost +alpha' beta && link_heal alpha
>>> wait_until 60 backlog_has 4 'done' beta && is "$(handoffs 4)" 1
>>> on beta "$FLEET" release --done 3 && backlog_has 3 'done' beta
>>> kill "$(work_of alpha)" "$(work_of beta)"
END
done_testing
