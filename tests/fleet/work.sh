#!/bin/sh
# One backlog for two hosts: one agent for an issue, and one hand-off.
. "${0%/*}/lib.sh"

# An agent that says when it begins and ends, and reports when it may.
script agent <<'END'
echo "$PANEWARD_ISSUE $HOSTNAME_OF $$ begins" >>"$JOURNAL"
trap 'echo "$PANEWARD_ISSUE $HOSTNAME_OF ends" >>"$JOURNAL"; exit 1' TERM
while ! [ -e "$JOURNAL.$PANEWARD_ISSUE" ]; do
	sleep 0.1
done
echo "$PANEWARD_ISSUE $HOSTNAME_OF reports" >>"$JOURNAL"
"$PANEWARD" signal complete
while :; do sleep 0.1; done
END
script handed <<'END'
echo "$1 $PANEWARD_ISSUE $PANEWARD_RUN" >>"$2"
END

# host_work HOST: its worker, process $worker.
host_work() {
	on "$1" env JOURNAL="$T/agents" HOSTNAME_OF="$1" "$FLEET" work \
		--at-most 2 >>"$T/$1.work" 2>&1 &
	worker=$!
}

backend() {
	mkdir -p "$T/hosts/$1/.config/paneward/backends"
	cat >"$T/hosts/$1/.config/paneward/backends/test.json" <<-END
		{ "command": "$T/agent" }
	END
	host_configure "$1" '' '"backend": "test",
		"handoff": ["'"$T/handed"'", "'"$1"'", "'"$T/handed.off"'"]'
	on "$1" git config remote.origin.url git@git.example:team/app.git
}

begun() {
	grep -c "^$1 .*begins" "$T/agents" 2>/dev/null
}

began() {
	[ "$(begun "$1")" = "$2" ]
}

handoffs() {
	grep -c " $1 " "$T/handed.off" 2>/dev/null
}

backlog_has() {
	on "${3:-alpha}" "$FLEET" backlog | grep -Eq "^$1 +$2"
}

holder() {
	sed -n "s/^$1 \([a-z]*\) .* begins$/\1/p" "$T/agents" | tail -n 1
}

fleet_begin alpha beta
backend alpha
backend beta

# ---- submitting --------------------------------------------------------------

exits 0 'an issue is submitted' on alpha "$FLEET" submit 1
exits 3 'not twice' on beta "$FLEET" submit 1
like "$(cat "$T/err")" "it waits in the backlog" 'and that is said'
printf '2\tTwo.\n1\tOne.\n' >"$T/list"
exits 3 'a list with one that is there is refused' \
	on alpha "$FLEET" submit --from "$T/list"
backlog_has 2 waiting && result 1 'nothing of it was submitted' ||
	result 0 'nothing of it was submitted'
like "$(on beta "$FLEET" backlog)" '^1 +waiting .* git.example/team/app' \
	'both hosts see it, by one name of the repository'

# ---- one host ----------------------------------------------------------------

host_work alpha
alpha=$worker
wait_until 20 began 1 1
wait_until 10 backlog_has 1 working
: >"$T/agents.1"
wait_until 30 backlog_has 1 'done'
is "$(handoffs 1)" 1 'it is handed off once'
wait_until 10 no test -e "$(status_of alpha)/.paneward/1.lease"
exits 3 'what is done is not submitted again' on alpha "$FLEET" submit 1

kill "$alpha"
wait "$alpha"
done_testing
