#!/bin/sh
# One backlog for two hosts: one agent for an issue, and one hand-off.
. "${0%/*}/lib.sh"

# shellcheck source=tests/fleet/workers.sh
. "$ROOT/tests/fleet/workers.sh"

fleet_begin alpha beta
# A busy server answers late, and a lease is to outlast its restart.
backend alpha '"lease": 20'
backend beta '"lease": 20'

# ---- submitting --------------------------------------------------------------

exits 0 'an issue is submitted' on alpha "$FLEET" submit 1
exits 3 'not twice' on beta "$FLEET" submit 1
like "$(cat "$T/err")" "it waits in the backlog" 'and that is said'
printf '2\tTwo.\n1\tOne.\n' >"$T/list"
exits 3 'a list with one that is there is refused' \
	on alpha "$FLEET" submit --from "$T/list"
! backlog_has 2 waiting
result $? 'nothing of it was submitted'
like "$(on beta "$FLEET" backlog)" '^1 +waiting .* git.example/team/app' \
	'both hosts see it, by one name of the repository'

# ---- one host ----------------------------------------------------------------

host_work alpha
wait_until 20 began 1 1
wait_until 10 backlog_has 1 working
: >"$T/agents.1"
wait_until 60 backlog_has 1 'done'
is "$(handoffs 1)" 1 'it is handed off once'
wait_until 10 no test -e "$(status_of alpha)/.paneward/1.lease"
exits 3 'what is done is not submitted again' on alpha "$FLEET" submit 1


# ---- a worker that is killed -------------------------------------------------

host_work beta
on alpha "$FLEET" submit 2 --prompt 'Do two.' >/dev/null
wait_until 20 began 2 1
first=$(holder 2)
other=$([ "$first" = alpha ] && echo beta || echo alpha)
renewed() {
	[ "$(lease_of "$1" "$2")" != "$3" ]
}
soon 'the prompt arrives' grep -qx '2 is asked: Do two.' "$T/agents"
kill -9 "$(work_of "$first")"
wait_until 5 no kill -0 "$(work_of "$first")"
was=$(lease_of "$first" 2)
# One that cannot look for its issues tries again, until it can.
if strace -o "$T/trace" true >"$T/said" 2>&1; then
	WORK_UNDER="strace -o $T/trace -e trace=getdents64 -e \
		inject=getdents64:error=EIO:when=1..4" host_work "$first"
	soon 'a worker that cannot look for its issue says so' \
		grep -q 'cannot read the status.*: Input' "$T/$first.work"
	wait_until 5 renewed "$first" 2 "$was"
	is "$(begun 2)" 1 'and goes on with it once it can'
	kill -9 "$(work_of "$first")"
	wait_until 5 no kill -0 "$(work_of "$first")"
	was=$(lease_of "$first" 2)
fi
host_work "$first"
wait_until 5 renewed "$first" 2 "$was"
is "$(begun 2)" 1 'a worker that was killed goes on with its issue'
is "$(lease_of "$first" 2 | cut -d ' ' -f 2)" "$(echo "$was" |
	cut -d ' ' -f 2)" 'under the same lease'

# ---- the server's store is lost ----------------------------------------------

server_kill
server_wipe
server_start
wait_until 60 backlog_has 2 "working +$first"
is "$(begun 2)" 1 'a lost store gives the issue to no other host'

# ---- a host that stops for longer than its lease ----------------------------

# shellcheck disable=SC2046
freeze $(host_processes "$first")
wait_until 120 began 2 2
is "$(holder 2)" "$other" 'the other host takes the issue'
like "$(on "$other" "$FLEET" backlog --json)" \
	"\"before\":\[\{\"host\":\"$first\".*\"tree\":\"[^\"]*issue-2\"" \
	'it is told where the first one has left its work'
# What the first one has done would be handed off now.
run=$(sed -n 's/.*"run":"\([^"]*\)".*/\1/p' \
	"$(status_of "$first")/.paneward/2.json" | head -n 1)
on "$first" env PANEWARD_ISSUE=2 PANEWARD_RUN="$run" \
	PANEWARD_STATUS_DIR="$(status_of "$first")" "$PW" signal complete
# shellcheck disable=SC2046
kill -CONT $(host_processes "$first")
wait_until 30 agents_end 2 "$first"
refused() {
	grep -q '"state":"refused"' "$(status_of "$first")/.paneward/2.json"
}
wait_until 60 refused
says() {
	on "$first" "$PW" status --all | grep -q "$1"
}
soon 'its hand-off is refused' says "gave the issue to host '$other'"
: >"$T/agents.2"
wait_until 60 backlog_has 2 'done' "$other"
is "$(handoffs 2)" 1 'the issue is handed off once'
like "$(cat "$T/handed.off")" "^$other 2 " 'by the other host'

# ---- the link is cut ----------------------------------------------------------

on alpha "$FLEET" submit 3 >/dev/null
wait_until 60 began 3 1
wait_until 10 backlog_has 3 working
first=$(holder 3)
other=$([ "$first" = alpha ] && echo beta || echo alpha)
if link_cut "$first"; then
	wait_until 60 agents_end 3 "$first"
	wait_until 120 began 3 2
	is "$(holder 3)" "$other" 'a host without the server loses the issue'
	check 'its agent ends before the other one begins' alone 3
	soon 'and the reason is told' says 'its lease is over'
	link_heal "$first"
	on "$other" "$FLEET" release --done 3
	check 'a person closes an issue' backlog_has 3 'done' "$other"
else
	skip 'a cut link' 'it needs network namespaces'
fi

# ---- complete, but without a lease --------------------------------------------

kill "$(work_of beta)"
wait_until 10 no kill -0 "$(work_of beta)"
: >"$T/alpha.work"
on beta "$FLEET" submit 4 >/dev/null
wait_until 60 began 4 1
wait_until 10 backlog_has 4 working beta
if link_cut alpha; then
	: >"$T/agents.4"
	withheld() {
		grep -q '"state":"pending".*"last_exit":75' \
			"$(status_of alpha)/.paneward/4.json"
	}
	wait_until 60 withheld
	is "$(handoffs 4)" 0 'without the server nothing is handed off'
	like "$(cat "$(status_of alpha)/.paneward/4.json")" '"attempts":0' \
		'that is no attempt'
	lapsed() {
		grep -q "the lease of issue '4' is over" "$T/alpha.work"
	}
	wait_until 60 lapsed
	wait_until 60 backlog_has 4 'lost +alpha' beta
	link_heal alpha
	wait_until 60 backlog_has 4 'done' beta
	is "$(handoffs 4)" 1 'with another lease it is handed off, once'
else
	: >"$T/agents.4"
	wait_until 60 backlog_has 4 'done' beta
	skip 'complete without a lease' 'it needs network namespaces'
fi

# ---- a person takes an issue from its host --------------------------------------

on beta "$FLEET" submit 7 >/dev/null
wait_until 60 began 7 1
wait_until 10 backlog_has 7 working beta
host_work beta
check 'an issue that is worked on is released' on beta "$FLEET" release 7
wait_until 120 began 7 2
result $? 'a host takes it again'
check 'after its agent has ended' alone 7
check 'the work tree stays' test -d \
	"$T/hosts/alpha/project/.worktrees/issue-7"
: >"$T/agents.7"
wait_until 60 backlog_has 7 'done' beta
is "$(handoffs 7)" 1 'and it is handed off once'
exits 3 'an issue that is not there cannot be' on beta "$FLEET" release 77
kill "$(work_of beta)"
wait_until 10 no kill -0 "$(work_of beta)"

# ---- until nothing is left ----------------------------------------------------

on alpha "$FLEET" submit 5 --label gpu >/dev/null
on alpha "$FLEET" submit 6 >/dev/null
: >"$T/agents.6"
on beta env JOURNAL="$T/agents" HOSTNAME_OF=beta "$FLEET" work --at-most 1 \
	--once >"$T/once" 2>&1
wait_until 60 backlog_has 6 'done' beta
check 'a host without the label leaves an issue alone' \
	backlog_has 5 waiting beta

kill "$(work_of alpha)"
wait_until 10 no kill -0 "$(work_of alpha)"
done_testing
