#!/bin/sh
# One backlog for two hosts, one of which cannot reach the server.
. "${0%/*}/lib.sh"

# shellcheck source=tests/fleet/workers.sh
. "$ROOT/tests/fleet/workers.sh"

fleet_begin alpha beta
needs_netns
backend alpha
backend beta
host_work alpha
host_work beta
: >"$T/handed.off"
says() { on "$first" "$PW" status --all | grep -q "$1"; }

scenario 'a host without the server loses the issue' <<'END'
>>> on alpha "$FLEET" submit 3 >/dev/null; wait_until 60 began 3 1
>>> wait_until 10 backlog_has 3 working; first=$(holder 3)
>>> other=$([ "$first" = alpha ] && echo beta || echo alpha)
>>> link_cut "$first"; wait_until 60 agents_end 3 "$first"
>>> wait_until 120 began 3 2; is "$(holder 3)" "$other"; alone 3
>>> wait_until 10 says 'its lease is over'; link_heal "$first"
>>> on "$other" "$FLEET" release --done 3; backlog_has 3 'done' "$other"
END

withheld() {
	grep '"attempts":0' "$(status_of alpha)/.paneward/4.json" |
		grep -q '"state":"pending".*"last_exit":75'
}
lapsed() { grep -q "the lease of issue '4' is over" "$T/alpha.work"; }

scenario 'without a lease nothing is handed off, and that is no attempt' <<'END'
>>> kill "$(work_of beta)"; wait_until 10 no kill -0 "$(work_of beta)"
>>> : >"$T/alpha.work"; on beta "$FLEET" submit 4 >/dev/null
>>> wait_until 60 began 4 1; wait_until 10 backlog_has 4 working beta
>>> link_cut alpha; : >"$T/agents.4"; wait_until 60 withheld
>>> is "$(handoffs 4)" 0; wait_until 60 lapsed
>>> wait_until 60 backlog_has 4 'lost +alpha' beta; link_heal alpha
>>> wait_until 60 backlog_has 4 'done' beta; is "$(handoffs 4)" 1
>>> kill "$(work_of alpha)"
END
done_testing
