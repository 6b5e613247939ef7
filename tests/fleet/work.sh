#!/bin/sh
# One backlog for two hosts: one agent for an issue, and one hand-off.
. "${0%/*}/lib.sh"

# shellcheck source=tests/fleet/workers.sh
. "$ROOT/tests/fleet/workers.sh"

fleet_begin alpha beta
# A busy server answers late, and a lease is to outlast its restart.
backend alpha '"lease": 20'
backend beta '"lease": 20'

scenario 'an issue is submitted once, and seen by both hosts' <<'END'
>>> gives 0 '' on alpha "$FLEET" submit 1
>>> gives 3 "it waits in the backlog" on beta "$FLEET" submit 1
>>> printf '2\tTwo.\n1\tOne.\n' >"$T/list"
>>> gives 3 '' on alpha "$FLEET" submit --from "$T/list"
>>> no backlog_has 2 waiting
>>> like "$(on beta "$FLEET" backlog)" '^1 +waiting .* git.example/team/app'
END

scenario 'a host works on it and hands it off' <<'END'
>>> host_work alpha; wait_until 20 began 1 1
>>> wait_until 10 backlog_has 1 working
>>> : >"$T/agents.1"; wait_until 60 backlog_has 1 'done'; is "$(handoffs 1)" 1
>>> wait_until 10 no test -e "$(status_of alpha)/.paneward/1.lease"
>>> gives 3 '' on alpha "$FLEET" submit 1
END

scenario 'a host without the label leaves an issue alone' <<'END'
>>> on alpha "$FLEET" submit 5 --label gpu --prompt 'Do five.' --backend test \
... 	--base main >/dev/null; on alpha "$FLEET" submit 7 --base none >/dev/null
>>> kill "$(work_of alpha)"; wait_until 10 no kill -0 "$(work_of alpha)"
>>> on alpha "$FLEET" submit 6 >/dev/null; : >"$T/agents.6"
>>> on beta env JOURNAL="$T/agents" HOSTNAME_OF=beta "$FLEET" work --at-most 1 \
... 	--once >"$T/once" 2>&1
>>> wait_until 60 backlog_has 6 'done' beta; backlog_has 5 waiting beta
>>> backlog_has 7 failed; on beta "$FLEET" backlog --json >"$T/out"
>>> conforms backlog; covers backlog.issue backlog.repository backlog.prompt
>>> covers backlog.backend backlog.base backlog.by backlog.labels backlog.state
>>> covers backlog.since backlog.submitted backlog.number backlog.work
>>> covers backlog.failed backlog.handoff place
END

renewed() { [ "$(lease_of "$1" "$2")" != "$3" ]; }

# A worker that cannot look for its issues tries again, until it can.
scenario 'a worker that was killed goes on with its issue' <<'END'
>>> host_work alpha; host_work beta
>>> on alpha "$FLEET" submit 2 --prompt 'Do two.' >/dev/null
>>> wait_until 20 began 2 1; first=$(holder 2)
>>> wait_until 10 grep -qx '2 is asked: Do two.' "$T/agents"
>>> kill -9 "$(work_of "$first")"
>>> wait_until 5 no kill -0 "$(work_of "$first")"; was=$(lease_of "$first" 2)
>>> if strace -o "$T/trace" true >"$T/said" 2>&1; then
... 	WORK_UNDER="strace -o $T/trace -e trace=getdents64 -e \
... 		inject=getdents64:error=EIO:when=1..4" host_work "$first"
... 	wait_until 10 grep -q 'cannot read the status.*: Input' "$T/$first.work"
... 	wait_until 5 renewed "$first" 2 "$was"
... 	is "$(begun 2)" 1
... 	kill -9 "$(work_of "$first")"
... 	wait_until 5 no kill -0 "$(work_of "$first")"
... 	was=$(lease_of "$first" 2)
... fi
>>> host_work "$first"; wait_until 5 renewed "$first" 2 "$was"
>>> is "$(begun 2)" 1
>>> is "$(lease_of "$first" 2 | cut -d ' ' -f 2)" "$(echo "$was" |
... 	cut -d ' ' -f 2)"
END

scenario 'a lost store gives the issue to no other host' <<'END'
>>> server_kill; server_wipe; server_start
>>> wait_until 60 backlog_has 2 "working +$first"; is "$(begun 2)" 1
>>> : >"$T/agents.2"; wait_until 60 backlog_has 2 'done'; is "$(handoffs 2)" 1
END

goes_on() { grep -q "going on as $is, which replaced" "$1"; }
mkdir "$T/own" && cp "$PW" "$FLEET" "$T/own" && upgraded "$T/own/paneward-fleet"
ln -s "$ROOT/agents" "$ROOT/backends" "$ROOT/scripts" "$T/own"
scenario 'worker and agent become the program of an upgrade' <<'END'
>>> on alpha "$FLEET" agent >"$T/told" 2>&1 &
>>> wait_until 20 test -s "$T/hosts/alpha/.local/state/paneward/fleet.lock"
>>> on alpha "$FLEET" submit 3 >/dev/null; wait_until 20 began 3 1
>>> for host in alpha beta; do
... 	ln -sf "$T/own/paneward-fleet" "$T/own/paneward" "$T/hosts/$host/bin"
... done
>>> wait_until 20 goes_on "$T/$(holder 3).work"; wait_until 60 goes_on "$T/told"
>>> : >"$T/agents.3"; wait_until 60 backlog_has 3 'done'
>>> is "$(begun 3) $(handoffs 3)" '1 1'; grep -c paneward-fleet: "$T/told"
1
END
done_testing
