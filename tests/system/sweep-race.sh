#!/bin/sh
# Three sweeps and two watchers at once on the same twenty finished issues, a
# hundred times, or as often as a minute allows; ROUNDS in the environment says
# how often instead.  In every third round one of the sweeps is killed.
[ $# -gt 0 ] || set -- "${ROUNDS:-}"
. "${0%/*}/lib.sh"

rounds=${1:-100}
issues=$(seq 20 | tr '\n' ' ')
cat >"$T/handoff" <<END
#!/bin/sh
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID \$PANEWARD_ATTEMPT" >>'$T/handed'
END
chmod +x "$T/handoff"
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >"$P/.paneward.json"

# Twenty agents have reported and are gone.
finish() {
	rm -rf "$S"
	mkdir -p -m 700 "$S"
	for issue in $issues; do
		: >"$S/signal-complete-$issue"
	done
	: >"$T/handed"
	: >"$T/said"
	: >"$T/ends"
}

# begin COMMAND...: one of the five; its process is in $T/pid.
begin() {
	{
		sh -c 'echo $$ >"$0"; exec "$@"' "$T/pid" "$PW" "$@" \
			>>"$T/said" 2>&1 </dev/null
		echo "status $?" >>"$T/ends"
	} 2>/dev/null &
}

all_ended() {
	[ "$(wc -l <"$T/ends")" -eq 5 ]
}

# shellcheck disable=SC2086
round() {
	finish
	[ $(($1 % 2)) -eq 0 ] || begin watch $issues
	begin sweep
	if [ $(($1 % 3)) -eq 0 ]; then
		wait_until 5 test -s "$T/handed"
		kill -KILL "$(cat "$T/pid")" 2>/dev/null
	fi
	begin sweep
	begin watch $issues
	begin sweep
	[ $(($1 % 2)) -eq 1 ] || begin watch $issues
	wait_until 30 all_ended
	wait
}

# What is wrong about it: anything but twenty hand-offs, each issue once, by
# its first attempt, each with an id of its own, and no signal left.
wrong() {
	grep -v -e '^status 0$' -e '^status 137$' "$T/ends"
	awk '{ n[$1]++; ids[$2]++; if ($3 != 1) print "again:", $0 }
		END {
			if (NR != 20) print NR, "hand-offs"
			for (issue in n)
				if (n[issue] != 1) print issue, n[issue], "times"
			for (id in ids)
				if (ids[id] != 1) print ids[id], "times", id
		}' "$T/handed"
	find "$S" -name 'signal-*'
	grep -v -e ' complete: signal-complete-[0-9]* is there$' \
		-e ' handed off$' "$T/said"
}

clock
limit=$((now + 6000))
n=0
while [ "$n" -lt "$rounds" ]; do
	clock
	[ "$1" = '' ] && [ "$now" -ge "$limit" ] && break
	n=$((n + 1))
	round "$n"
	wrong >"$T/wrongs"
	[ -s "$T/wrongs" ] || continue
	is "$(cat "$T/wrongs")" '' "round $n"
	break
done
echo "# $n rounds"
[ "$failed" -ne 0 ] ||
	check "in $n rounds each of twenty issues was handed off once" true
done_testing
