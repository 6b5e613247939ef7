#!/bin/sh
# The cost of a watch while nothing happens, compared with a loop that polls
# every two seconds (poll.sh).  Each has a tmux server of its own; the work of
# the server and of the log writer is included.

. "${0%/*}/lib.sh"

seconds=${QUICK:+30}
seconds=${seconds:-300}
settle=5

tools idle
server default
server loop

start 1 sh -c 'echo "at work"; exec sleep 100000'
tmux -L loop new-session -d -s work-issue-1 -x 200 -y 50 \
	'echo "at work"; exec sleep 100000' ';' \
	pipe-pane "exec cat >>'$T/output-1.log'"
until [ -s "$T/output-1.log" ] && [ -s "$D/.paneward/1.pipe" ]; do
	sleep 0.1
done

pid_of() {
	tmux -L "$1" display-message -p '#{pid}'
}
read -r _ writer _ <"$D/.paneward/1.pipe"

# TMUX leads the loop's tmux calls to its server.
TMUX="$(tmux -L loop display-message -p '#{socket_path},#{pid},0')" \
	idle $settle "$seconds" "$(pid_of loop)" \
	"$BENCH_HERE/poll.sh" 1 "$T" work-issue-1 >"$T/loop" &
background=$!
idle $settle "$seconds" "$(pid_of default),$writer" \
	"$PW" watch 1 --no-handoff --status-dir "$D" >"$T/watch"
wait

read -r started _ cpu <"$T/watch"
read -r loop_started _ loop_cpu <"$T/loop"
line "processes started in $seconds s" '' "$started" "$loop_started" 'ours <= 1'
line "CPU time in $seconds s" s "$cpu" "$loop_cpu" 'ratio <= 0.00667'
