#!/bin/sh
# An issue of the backlog goes to another host: a host that is stopped loses it,
# and a person takes it from one.
. "${0%/*}/lib.sh"

# shellcheck source=tests/fleet/workers.sh
. "$ROOT/tests/fleet/workers.sh"

fleet_begin alpha beta
backend alpha
backend beta
host_work alpha
host_work beta

refused() {
	grep -q '"state":"refused"' "$(status_of "$first")/.paneward/2.json"
}

says() { on "$first" "$PW" status --all | grep -q "$1"; }

# What the first one has done would be handed off when it goes on.
scenario 'a host that stops for longer than its lease loses the issue' <<'END'
>>> on alpha "$FLEET" submit 2 >/dev/null; wait_until 60 began 2 1
>>> wait_until 10 backlog_has 2 working; first=$(holder 2)
>>> other=$([ "$first" = alpha ] && echo beta || echo alpha)
>>> freeze $(host_processes "$first"); wait_until 120 began 2 2
>>> is "$(holder 2)" "$other"
>>> like "$(on "$other" "$FLEET" backlog --json)" \
... 	"\"before\":\[\{\"host\":\"$first\".*\"tree\":\"[^\"]*issue-2\""
>>> on "$other" "$FLEET" backlog --json >"$T/out"
>>> conforms backlog; covers backlog.before
>>> run=$(sed -n 's/.*"run":"\([^"]*\)".*/\1/p' \
... 	"$(status_of "$first")/.paneward/2.json" | head -n 1)
>>> on "$first" env PANEWARD_ISSUE=2 PANEWARD_RUN="$run" \
... 	PANEWARD_STATUS_DIR="$(status_of "$first")" "$PW" signal complete
>>> kill -CONT $(host_processes "$first") 2>/dev/null || :
>>> wait_until 30 agents_end 2 "$first"
>>> wait_until 60 refused; wait_until 10 says "gave the issue to host '$other'"
>>> : >"$T/agents.2"; wait_until 60 backlog_has 2 'done' "$other"
>>> is "$(handoffs 2)" 1; like "$(cat "$T/handed.off")" "^$other 2 "
END

scenario 'a person takes an issue from its host' <<'END'
>>> kill "$(work_of beta)"; wait_until 10 no kill -0 "$(work_of beta)"
>>> on beta "$FLEET" submit 7 >/dev/null; wait_until 60 began 7 1
>>> wait_until 10 backlog_has 7 working beta
>>> host_work beta; on beta "$FLEET" release 7
>>> wait_until 120 began 7 2; alone 7
>>> test -d "$T/hosts/alpha/project/.worktrees/issue-7"
>>> : >"$T/agents.7"; wait_until 60 backlog_has 7 'done' beta
>>> is "$(handoffs 7)" 1; gives 1 '' on beta "$FLEET" release 77
END

done_testing
