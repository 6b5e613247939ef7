#!/bin/sh
# The memory of a watcher and its log writer, with 20 of each idle; compared
# with 20 loops (poll.sh) with `cat >>` for the logs.  Shared memory is divided
# among the processes (PSS).

. "${0%/*}/lib.sh"

watchers=20

server default

# held LEAST: the memory of the processes on standard input, in KiB for each
# watcher, if at least LEAST of them live.
held() {
	while read -r pid; do
		cat "/proc/$pid/smaps_rollup" 2>/dev/null || true
	done | awk -v least="$1" -v watchers=$watchers '
		/^Pss:/ { sum += $2; seen++ }
		END { if (seen < least) exit 1; print sum / watchers }'
}

# Waits until a file is not empty.
filled() {
	until [ -s "$1" ]; do
		sleep 0.1
	done
}

for i in $(seq $watchers); do
	"$PW" start "$i" --no-handoff --status-dir "$D" -- sleep 100000 >/dev/null
done
for i in $(seq $watchers); do
	filled "$D/.paneward/$i.pipe"
	filled "$D/.paneward/$i.lock"
done
sleep 5
for i in $(seq $watchers); do
	read -r _ writer _ <"$D/.paneward/$i.pipe"
	read -r watcher _ <"$D/.paneward/$i.lock"
	echo "$watcher" >>"$T/watchers"
	echo "$writer" >>"$T/writers"
done
ours=$(cat "$T/watchers" "$T/writers" | held $((2 * watchers)))
writer=$(held $watchers <"$T/writers")
stop_servers

server loop
TMUX=$(tmux -L loop display-message -p '#{socket_path},#{pid},0')
export TMUX
for i in $(seq $watchers); do
	tmux new-session -d -s "issue-$i" \
		'echo "at work"; exec sleep 100000' ';' \
		pipe-pane "echo \$\$ >>'$T/cats'; exec cat >>'$T/output-$i.log'"
	filled "$T/output-$i.log"
	"$BENCH_HERE/poll.sh" "$i" "$T" "issue-$i" >/dev/null &
	background="$background $!"
done
sleep 3
for pid in $background; do
	echo "$pid"
	cat "/proc/$pid/task/$pid/children"
done | xargs -n 1 >"$T/loops"
# A loop's sleep may just have ended.
theirs=$(cat "$T/loops" "$T/cats" | held $((2 * watchers)))

line 'memory of a watcher and its writer' KiB "$ours" "$theirs" 'ours <= 500'
line '    of these, the writer' KiB "$writer" \
	"$(held $watchers <"$T/cats")" 'ours <= 500'
