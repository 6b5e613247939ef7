#!/bin/sh
# The latency of a signal in one `watch --all` of 1,000 issues on one tmux
# server, compared with `inotifywait -m`; and the cost of that watch while
# nothing happens.

. "${0%/*}/lib.sh"

issues=1000
count=${QUICK:+40}
count=${count:-200}
seconds=${QUICK:+30}
seconds=${seconds:-300}

need inotifywait inotify-tools
tools latency idle
server default

seq $issues | sed "s|.*|new-window -d -t =keeper: -n work-issue-& \
'exec sleep 100000'|" >"$T/windows"
tmux source-file "$T/windows"

# The panes are adopted once, each with a pipe and a log.
"$PW" watch --all --no-handoff --status-dir "$D" >"$T/out" 2>"$T/err" &
background=$!
# shellcheck disable=SC2010
until [ "$(ls "$D/.paneward" | grep -c '\.pipe$')" -eq $issues ]; do
	sleep 1
done
kill "$background"
wait "$background" || true
line "warnings of a watch of $issues issues" '' "$(wc -l <"$T/err")" 0 \
	'ours <= 0'
cat "$T/err"

pid=$(tmux display-message -p '#{pid}')
idle 10 "$seconds" "$pid" "$PW" watch --all --no-handoff --status-dir "$D" \
	>"$T/idle"
read -r started _ cpu <"$T/idle"
line "processes started in $seconds s" '' "$started" 0 'ours <= 1'
line "CPU time in $seconds s" s "$cpu" 0 "ours <= 1"

# shellcheck disable=SC2016
watch='exec "$PW" watch --all --no-handoff --status-dir "$D" 2>"$BENCH_FOLDER/err"'
# shellcheck disable=SC2016
inotify='exec inotifywait -m -q -e create -e moved_to --format %f "$D"'
export BENCH_FOLDER
latency signal "$D" "$count" "$count" one "$watch" one "$inotify" >"$T/times"
what="signal to verdict, 1 of $issues"
line "$what, median" us "$(median 1 "$T/times")" "$(median 2 "$T/times")" \
	'ratio <= 3'
line "$what, 90 %" us "$(quantile 0.9 1 "$T/times")" \
	"$(quantile 0.9 2 "$T/times")" 'ratio <= 3'
[ "$("$PW" status --status-dir "$D" | grep -c working)" -eq \
	$((issues - count)) ]
