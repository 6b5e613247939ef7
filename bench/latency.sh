#!/bin/sh
# The time from a signal file, and from a marker printed in a pane, to the line
# that reports it; compared with `inotifywait -m` on the same directory, and
# with `tail -F | grep -m1 -F` on such a log.  The sides take turns.

. "${0%/*}/lib.sh"

count=${QUICK:+40}
count=${count:-200}

need inotifywait inotify-tools
tools latency
server default

# The sides, as commands for sh.
# shellcheck disable=SC2016
watch='exec "$PW" watch "$@" --no-handoff --status-dir "$D"'
# shellcheck disable=SC2016
inotify='exec inotifywait -m -q -e create -e moved_to --format %f "$D"'
# shellcheck disable=SC2016
tail='tail -n 0 -F "$D/output-$1.log" 2>/dev/null |
	grep -m1 -F "###TASK_COMPLETE_$1###"'

# The agent in this pane prints the path of its terminal.
panes=$T/panes
mkdir "$panes"
# shellcheck disable=SC2016
agent='ln -s "$(tty)" "$0/$PANEWARD_ISSUE"; exec sleep 100000'

# measure KIND COUNT BATCH OURS FOLDER THEIRS COMMAND: measures all issues;
# OURS and THEIRS are `one` or `each`.  Signals for THEIRS need no runs.
measure() {
	rm -rf "$D" "${panes:?}"/*
	runs=$2
	[ "$1" = signal ] || runs=$((2 * $2))
	for i in $(seq "$runs"); do
		start "$i" sh -c "$agent" "$panes"
	done
	latency "$1" "$5" "$2" "$3" "$4" "$watch" "$6" "$7" >"$T/times"
	tmux kill-session -a -t =keeper
	what="$1 to verdict, $3 by one watch"
	[ "$4" = one ] || what="$1 to verdict, $3 watchers"
	line "$what, median" us "$(median 1 "$T/times")" \
		"$(median 2 "$T/times")" 'ratio <= 3'
	line "$what, 90 %" us "$(quantile 0.9 1 "$T/times")" \
		"$(quantile 0.9 2 "$T/times")" 'ratio <= 3'
}

measure signal "$count" 40 one "$D" one "$inotify"
measure signal $((count / 2)) 20 each "$D" one "$inotify"
measure marker "$count" 40 one "$panes" each "$tail"
measure marker $((count / 2)) 20 each "$panes" each "$tail"
