#!/bin/sh
# Three sweeps and two watchers at once on the same twenty finished issues,
# sixty times, or as often as a minute allows; ROUNDS in the environment says
# how often instead.  In every third round a sweep is killed at work.  Since
# watchers mostly wait, several rounds go on side by side, each in a project of
# its own.
[ $# -gt 0 ] || set -- "${ROUNDS:-}"
. "${0%/*}/lib.sh"

lanes='1 2 3 4'
rounds=${1:-45}
issues=$(seq 20 | tr '\n' ' ')
# Twenty agents have reported and are gone.
finish() {
	rm -rf .worktrees
	mkdir .worktrees && mkdir -m 700 .worktrees/.status
	for issue in $issues; do
		: >".worktrees/.status/signal-complete-$issue"
	done
	: >handed
	: >said
	: >ends
}

# begin COMMAND...: one of the five; its process is in the file pid.
begin() {
	{
		sh -c 'echo $$ >pid; exec "$@"' sh "$PW" "$@" >>said 2>&1 \
			</dev/null
		echo "status $? $1" >>ends
	} 2>/dev/null &
}

all_ended() {
	for _ in 1 2 3 4 5; do
		read -r _ || return
	done <ends
}

# shellcheck disable=SC2086
round() {
	finish
	[ $(($1 % 2)) -eq 0 ] || begin watch $issues
	begin sweep
	if [ $(($1 % 3)) -eq 0 ]; then
		wait_until 10 test -s handed
		kill -KILL "$(cat pid)" 2>/dev/null
	fi
	begin sweep
	begin watch $issues
	begin sweep
	[ $(($1 % 2)) -eq 1 ] || begin watch $issues
	wait_until 120 all_ended && wait
}

# What is wrong about it: anything but twenty hand-offs, of each issue one, its
# first attempt, with an id of its own; a signal that is left, a word too much.
wrong() {
	grep -v -e '^status 0 ' -e '^status 137 ' ends
	awk '{ n[$1]++; ids[$2]++; if ($3 != 1) print "again:", $0 }
		END {
			if (NR != 20) print NR, "hand-offs"
			for (issue in n)
				if (n[issue] != 1) print issue, n[issue], "times"
			for (id in ids)
				if (ids[id] != 1) print ids[id], "times", id
		}' handed
	find .worktrees -name 'signal-*'
	grep -v -e ' complete: signal-complete-[0-9]* is there$' \
		-e ' handed off$' said
}

# lane N: rounds until there are enough of them, or something is wrong.
lane() {
	T=$T/lane$1
	mkdir "$T" && cd "$T" || return
	cat >handoff <<-END
		#!/bin/sh
		echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID \$PANEWARD_ATTEMPT" \
			>>'$T/handed'
	END
	chmod +x handoff
	printf '{ "handoff": ["%s/handoff"] }\n' "$T" >.paneward.json
	n=$1
	while [ "$n" -le "$rounds" ]; do
		clock
		[ "$limit" != '' ] && [ "$now" -ge "$limit" ] && break
		round "$n"
		wrong >faults
		[ ! -s faults ] || break
		echo "$n" >>rounds
		n=$((n + $(echo "$lanes" | wc -w)))
	done
}

clock
limit=$((now + 6000))
[ "$1" = '' ] || limit=
scenario 'each issue is handed off once in every round' <<'END'
>>> for number in $lanes; do (lane "$number" >"$T/lane$number.out" 2>&1) & done
>>> wait; played=$(cat "$T"/lane*/rounds 2>/dev/null | wc -l)
>>> for number in $lanes; do
... 	is "$(cat "$T/lane$number/faults" "$T/lane$number.out")" ''
... done
>>> test "$played" -ge "$(echo "$lanes" | wc -w)"
END
echo "# $played rounds"
done_testing
