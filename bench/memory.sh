#!/bin/sh
# What a watcher and the process that writes its log hold in memory, with 20 of
# each at rest; beside 20 loops (poll.sh) with `cat >>` for the logs.  What
# processes share is divided among them (PSS).

. "${0%/*}/lib.sh"

watchers=20

server default

# Adds what the processes on standard input hold, in KiB for each watcher.
held() {
	while read -r pid; do
		# A loop's sleep may just have ended.
		sed -n 's/^Pss: *\([0-9]*\).*/\1/p' \
			"/proc/$pid/smaps_rollup" 2>/dev/null || true
	done | awk -v n=$watchers '{ sum += $1 } END { print sum / n }'
}

# Waits until a file has something in it.
filled() {
	until [ -s "$1" ]; do
		sleep 0.1
	done
}

for i in $(seq $watchers); do
	"$PW" start "$i" --status-dir "$D" -- sleep 100000 >/dev/null
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
ours=$(cat "$T/watchers" "$T/writers" | held)
writer=$(held <"$T/writers")
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
theirs=$(cat "$T/loops" "$T/cats" | held)

line 'memory of a watcher and its writer' KiB "$ours" "$theirs" 'ours <= 500'
line '    of these, the writer' KiB "$writer" \
	"$(held <"$T/cats")" 'ours <= 500'
