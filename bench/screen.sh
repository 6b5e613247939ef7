#!/bin/sh
# From a signal file to what a person sees of it: the row of `top`, and the
# status segment of tmux.  Each is compared with the line that the same watch
# prints.  The sides take turns.

. "${0%/*}/lib.sh"

count=${QUICK:+20}
count=${count:-50}

tools latency
server default

mkdir -p "$HOME/.config/paneward"
echo '{ "handoff": null }' >"$HOME/.config/paneward/config.json"
export BENCH_FOLDER count

# The terminal of top: a pane of a server that is not found.
terminal=$T/terminal
tmux -S "$terminal" -f /dev/null new-session -d -x 100 -y 120 \
	'exec sleep 100000'
TTY=$(tmux -S "$terminal" display-message -p '#{pane_tty}')
export TTY terminal
terminal_server=$(tmux -S "$terminal" display-message -p '#{pid}')
background=$terminal_server

# The sides, as commands for sh.
# shellcheck disable=SC2016
watch='exec tail -n 0 -F "$BENCH_FOLDER/lines"'
# shellcheck disable=SC2016
top='while :; do tmux -S "$terminal" capture-pane -p; done |
	sed -unE "s|^[^0-9]*([0-9]+) +complete .*|project/\1 complete:|p"'
# Both sides complete an issue, theirs with the higher numbers.
# shellcheck disable=SC2016
segment='while :; do
		tmux display-message -p "#{PANEWARD_QUEUE}"
	done 2>/dev/null | sed -un "s/^\([0-9]*\) complete$/\1/p" | while read -r n; do
		echo "project/$((count + n / 2)) complete:"
	done'

# measure WHAT COMMAND
measure() {
	rm -rf "$D"
	for i in $(seq $((2 * count))); do
		start "$i" sh -c 'exec sleep 100000'
	done
	: >"$T/lines"
	"$PW" watch --everywhere >"$T/lines" 2>"$T/err" &
	watched=$!
	# shellcheck disable=SC2094
	"$PW" top <"$TTY" >"$TTY" 2>"$T/top.err" &
	watched="$watched $!"
	background="$terminal_server $watched"
	latency screen "$D" "$count" "$count" one "$watch" one "$2" >"$T/times"
	# shellcheck disable=SC2086
	kill $watched
	wait
	background=$terminal_server
	tmux kill-session -a -t =keeper
	awk '{ print $1 / 1000, ($2 - $1) / 1000 }' "$T/times" >"$T/later"
	line "signal to $1, behind the line of watch" ms \
		"$(median 2 "$T/later")" "$(median 1 "$T/later")" 'ours <= 50'
}

measure 'a row of top' "$top"
measure 'the segment' "$segment"
