#!/bin/sh
# One `watch --everywhere` of 500 issues in ten projects: its memory, what it
# costs while nothing happens, compared with the watcher of one issue, and the
# latency of a signal, compared with `inotifywait -m`.

. "${0%/*}/lib.sh"

projects=10
first=230                               # issues of this project
each=30                                 # of each other one
issues=500
count=${QUICK:+40}
count=${count:-200}
seconds=${QUICK:+60}
seconds=${seconds:-300}

need inotifywait inotify-tools
tools latency idle
server default

# windows FOLDER ISSUES: a pane for each issue in that project.
windows() {
	mkdir -p "$1/.worktrees/.status/.paneward"
	chmod 700 "$1/.worktrees/.status" "$1/.worktrees/.status/.paneward"
	(cd "$1" && "$PW" status >/dev/null)
	seq "$2" | sed "s|.*|new-window -d -t =keeper: -c '$1' -n work-issue-& \
'exec sleep 100000'|" >>"$T/windows"
}

mkdir -p "$HOME/.config/paneward"
echo '{ "handoff": null }' >"$HOME/.config/paneward/config.json"
windows "$P" $first
for i in $(seq 2 $projects); do
	windows "$T/project$i" $each
done
tmux source-file "$T/windows"

# The panes are adopted once, each with a pipe and a log.
"$PW" watch --everywhere >"$T/out" 2>"$T/err" &
background=$!
until [ "$(find "$T" -name '*.pipe' -path '*/.paneward/*' | grep -c .)" -eq \
	$issues ]; do
	sleep 1
done
sleep 5
pss=$(awk '/^Pss:/ { print $2 }' "/proc/$background/smaps_rollup")
line "memory of a watch of $issues issues, each" KiB \
	"$(awk -v pss="$pss" -v n=$issues 'BEGIN { print pss / n }')" 0 \
	'ours <= 20'
kill "$background"
wait "$background" 2>/dev/null || true
line "warnings of it" '' "$(wc -l <"$T/err")" 0 'ours <= 0'
cat "$T/err"

pid=$(tmux display-message -p '#{pid}')
idle 10 "$seconds" "$pid" "$PW" watch --everywhere >"$T/idle"
idle 10 "$seconds" "$pid" "$PW" watch 1 --status-dir "$D" >"$T/one"
read -r _ _ cpu <"$T/idle"
read -r _ _ one <"$T/one"
line "CPU time in $seconds s; of a watch of one issue" ms \
	"$(awk -v cpu="$cpu" 'BEGIN { print 1000 * cpu }')" \
	"$(awk -v one="$one" 'BEGIN { print 1000 * one }')" 'ratio <= 1.5'

# shellcheck disable=SC2016
watch='exec "$PW" watch --everywhere 2>"$BENCH_FOLDER/err"'
# shellcheck disable=SC2016
inotify='exec inotifywait -m -q -e create -e moved_to --format %f "$D"'
export BENCH_FOLDER
latency everywhere "$D" "$count" "$count" one "$watch" one "$inotify" \
	>"$T/times"
what="signal to verdict, everywhere"
line "$what, median" us "$(median 1 "$T/times")" "$(median 2 "$T/times")" \
	'ratio <= 3'
line "$what, 90 %" us "$(quantile 0.9 1 "$T/times")" \
	"$(quantile 0.9 2 "$T/times")" 'ratio <= 3'
