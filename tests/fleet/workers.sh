# shellcheck shell=sh
# workers.sh - included by tests of the backlog, after lib.sh: hosts that work,
# with an agent that says what it does in $T/agents, and reports when the file
# $T/agents.ISSUE is there; $T/handed.off has their hand-offs.

: "${T:?is set by lib.sh}"

# It says when it begins, and beside whom, and reports when it may.  It does not say
# when it ends, since it may be killed.
script agent <<'END'
: >>"$JOURNAL"
while read -r issue _ pid what; do
	[ "$issue $what" = "$PANEWARD_ISSUE begins" ] || continue
	case $(ps -o stat= -p "$pid") in
	'' | Z*) ;;
	*) echo "$PANEWARD_ISSUE $pid is beside $$" >>"$JOURNAL" ;;
	esac
done <"$JOURNAL"
echo "$PANEWARD_ISSUE $HOSTNAME_OF $$ begins" >>"$JOURNAL"
echo "$PANEWARD_ISSUE is asked: $*" >>"$JOURNAL"
trap 'exit 1' TERM
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

# host_work HOST: its worker, under the program that WORK_UNDER names.
host_work() {
	# shellcheck disable=SC2086
	on "$1" env JOURNAL="$T/agents" HOSTNAME_OF="$1" ${WORK_UNDER:-} \
		"$FLEET" work \
		--at-most 2 >>"$T/$1.work" 2>&1 &
}

work_of() {
	read -r pid _ <"$(status_of "$1")/.paneward/.fleet-work.lock" &&
		echo "$pid"
}

# backend HOST [FLEET-KEYS]: its configuration.
backend() {
	mkdir -p "$T/hosts/$1/.config/paneward/backends"
	cat >"$T/hosts/$1/.config/paneward/backends/test.json" <<-END
		{ "command": "$T/agent", "prompt": ["<<prompt>>"] }
	END
	host_configure "$1" "${2:-}" '"backend": "test",
		"handoff": ["'"$T/handed"'", "'"$1"'", "'"$T/handed.off"'"]'
	on "$1" git config remote.origin.url git@git.example:team/app.git
}

begun() { grep -c "^$1 .*begins" "$T/agents" 2>/dev/null; }
began() { [ "$(begun "$1")" = "$2" ]; }
handoffs() { grep -c " $1 " "$T/handed.off" 2>/dev/null; }
backlog_has() { on "${3:-alpha}" "$FLEET" backlog | grep -Eq "^$1 +$2"; }
holder() { sed -n "s/^$1 \([a-z]*\) .* begins$/\1/p" "$T/agents" | tail -n 1; }

# Its processes, without those of this test.
host_processes() {
	grep -lszx "HOME=$T/hosts/$1" /proc/[0-9]*/environ | cut -d / -f 3
}
lease_of() { cat "$(status_of "$1")/.paneward/$2.lease"; }

# ends ISSUE HOST: how many of its agents there have ended.
ends() {
	sed -n "s/^$1 $2 \([0-9]*\) begins$/\1/p" "$T/agents" |
	while read -r agent; do
		kill -0 "$agent" 2>/dev/null || echo "$agent"
	done | wc -l
}

agents_end() {
	[ "$(ends "$1" "$2")" -eq "$(grep -c "^$1 $2 .* begins$" "$T/agents")" ]
}

# Had no agent of the issue begun before another one's end?
alone() { no grep "^$1 .* is beside" "$T/agents"; }
