#!/bin/sh
# From a signal file, and from a marker printed in a pane, to the line that
# tells of it; beside `inotifywait -m` on the same directory, and beside
# `tail -F | grep -m1 -F` on the same log.  The sides take turns.

. "${0%/*}/lib.sh"

count=${QUICK:+40}
count=${count:-200}

need inotifywait inotify-tools
tools latency
server default

# What is usually written there, as commands for sh.
# shellcheck disable=SC2016
watch='exec "$PW" watch "$@" --status-dir "$D"'
# shellcheck disable=SC2016
inotify='exec inotifywait -m -q -e create -e moved_to --format %f "$D"'
# shellcheck disable=SC2016
tail='tail -n 0 -F "$D/output-$1.log" 2>/dev/null |
	grep -m1 -F "###TASK_COMPLETE_$1###"'

# runs COMMAND...: for all issues, from the beginning.
runs() {
	rm -rf "$D"
	for i in $(seq "$count"); do
		start "$i" "$@"
	done
}

# The panes' keeper stays.
end_runs() {
	tmux kill-session -a -t =keeper
}

# result WHAT FILE
result() {
	line "$1, median" us "$(median 1 "$2")" "$(median 2 "$2")" 'ratio <= 3'
	line "$1, 90 %" us "$(quantile 0.9 1 "$2")" \
		"$(quantile 0.9 2 "$2")" 'ratio <= 3'
}

runs sleep 100000
latency signal "$D" "$count" 20 one "$watch" one "$inotify" >"$T/one"
end_runs
result 'signal to verdict, one watch for 20' "$T/one"

runs sleep 100000
latency signal "$D" "$count" 20 each "$watch" one "$inotify" >"$T/each"
end_runs
result 'signal to verdict, 20 watchers' "$T/each"

# The agent tells where its terminal is.
mkdir "$T/panes"
# shellcheck disable=SC2016
agent='ln -s "$(tty)" "$0/$PANEWARD_ISSUE"; exec sleep 100000'

runs sh -c "$agent" "$T/panes"
latency marker "$T/panes" "$count" 20 one "$watch" each "$tail" >"$T/marker"
end_runs
result 'marker to verdict, one watch for 20' "$T/marker"

rm "$T/panes"/*
runs sh -c "$agent" "$T/panes"
latency marker "$T/panes" "$count" 20 each "$watch" each "$tail" >"$T/markers"
result 'marker to verdict, 20 watchers' "$T/markers"
