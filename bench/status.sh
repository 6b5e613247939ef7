#!/bin/sh
# `status` of a thousand issues, compared with grep for the states in the same
# files.

. "${0%/*}/lib.sh"

issues=1000
rounds=${QUICK:+11}
rounds=${rounds:-51}

tools stopwatch
server default

start 1 sh -c 'exec sleep 100000'
for i in $(seq 2 $issues); do
	sed "s/\"issue\":\"1\"/\"issue\":\"$i\"/" "$D/.paneward/1.json" \
		>"$D/.paneward/$i.json"
done
: >"$D/.paneward/sweep"         # else tmux is asked for what has no watcher
[ "$("$PW" status --status-dir "$D" | grep -c working)" -eq $issues ]

for _ in $(seq "$rounds"); do
	stopwatch "$PW" status --status-dir "$D" >>"$T/ours"
	stopwatch grep -rho --include='*.json' '"state":"[a-z]*"' \
		"$D/.paneward" >>"$T/theirs"
done

# The column of wall time, in ms.
ms() {
	median 2 "$1" | awk '{ print 1000 * $1 }'
}
line "status of $issues issues" ms "$(ms "$T/ours")" "$(ms "$T/theirs")" \
	'ours <= 10'
