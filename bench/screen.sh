#!/bin/sh
# From a signal file to what a person sees of it: the row of `top`, the status
# segment of tmux, and the command of `notify`.  Each is compared with the line
# that the same watch prints.  The sides take turns.

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

# The command of `notify`, which gets little of the environment, is followed
# where it writes.
# shellcheck disable=SC2016
notice='exec tail -n 0 -F "$BENCH_FOLDER/notes"'
cat >"$T/bin/note" <<END
#!/bin/sh
echo "\$PANEWARD_ISSUE complete:" >>'$T/notes'
echo "project/\$PANEWARD_ISSUE complete:" >>'$T/notes'
END
chmod +x "$T/bin/note"

# follow WORD...: new issues for both sides, and a watch of them.
follow() {
	rm -rf "$D"
	for i in $(seq $((2 * count))); do
		start "$i" sh -c 'exec sleep 100000'
	done
	: >"$T/lines"
	: >"$T/notes"
	"$PW" watch "$@" >"$T/lines" 2>"$T/err" &
	watched=$!
	background="$terminal_server $watched"
}

# show_top: beside it.
show_top() {
	# shellcheck disable=SC2094
	"$PW" top <"$TTY" >"$TTY" 2>"$T/top.err" &
	watched="$watched $!"
	background="$terminal_server $watched"
}

# measure KIND WHAT COMMAND
measure() {
	latency "$1" "$D" "$count" "$count" one "$watch" one "$3" >"$T/times"
	# shellcheck disable=SC2086
	kill $watched 2>/dev/null || true
	wait
	background=$terminal_server
	tmux kill-session -a -t =keeper
	awk '{ print $1 / 1000, ($2 - $1) / 1000 }' "$T/times" >"$T/later"
	line "signal to $2, behind the line of watch" ms \
		"$(median 2 "$T/later")" "$(median 1 "$T/later")" 'ours <= 50'
}

follow --everywhere
show_top
measure screen 'a row of top' "$top"
follow --everywhere
show_top
measure screen 'the segment' "$segment"

echo "{ \"handoff\": null, \"notify\": [\"$T/bin/note\"] }" \
	>"$HOME/.config/paneward/config.json"
follow --everywhere
measure screen 'a notice, everywhere' "$notice"
# shellcheck disable=SC2046
follow $(seq $((2 * count)))
measure notice 'a notice' "$notice"
