#!/bin/sh
# A sweep of 200 live sessions with logs, none of them finished: the first
# sweep, one after which nothing was printed, and one for which all screens are
# due.  Compared with a shell loop that greps each log twice, with its greps
# alone, and with one capture-pane for each pane.  The CPU time includes the
# tmux server.

. "${0%/*}/lib.sh"

sessions=200
rounds=${QUICK:+3}
rounds=${rounds:-9}

tools stopwatch genlog
server default

genlog 1 >"$T/log"
tmux set-option -g history-limit 2000
for i in $(seq $sessions); do
	tmux new-session -d -s "work-issue-$i" -x 120 -y 40 \
		"seq 100; exec sleep 100000"
	cp "$T/log" "$D/output-$i.log"
done
pid=$(tmux display-message -p '#{pid}')

# The usual script in place of a sweep: it searches each log twice, and the
# screen if nothing was found.
cat >"$T/loop" <<'END'
tmux list-sessions -F '#{session_name}' | while read -r name; do
	n=$(echo "$name" | grep -oE '[0-9]+$') || continue
	[ -f "$D/signal-complete-$n" ] || [ -f "$D/signal-error-$n" ] && echo "$n"
	log=$D/output-$n.log
	[ -f "$log" ] && { grep -qF "###TASK_COMPLETE_$n###" "$log" ||
		grep -qF "###TASK_ERROR_$n###" "$log"; } && echo "$n"
	screen=$(tmux capture-pane -p -S -500 -t "=$name:")
	echo "$screen" | grep -qF "###TASK_COMPLETE_$n###" ||
		echo "$screen" | grep -qF "###TASK_ERROR_$n###" || :
done
END
# The searching alone.
cat >"$T/greps" <<'END'
for log in "$D"/output-*.log; do
	n=${log##*output-}
	n=${n%.log}
	grep -qF "###TASK_COMPLETE_$n###" "$log" ||
		grep -qF "###TASK_ERROR_$n###" "$log"
done
END
cat >"$T/captures" <<'END'
for pane in $(tmux list-panes -a -F '#{pane_id}'); do
	tmux capture-pane -p -J -S -500 -t "$pane"
done
END

# took NAME COMMAND...
took() {
	name=$1
	shift
	stopwatch -p "$pid" "$@" >>"$T/$name.times"
}

sweep() {
	took "$1" "$PW" sweep --status-dir "$D"
}

# tmux counts whole seconds: output of the current second counts as new.
next_second() {
	sleep 1.1
}

for round in $(seq "$rounds"); do
	# Not removed: files made where others were just removed are slow.
	[ ! -e "$D/.paneward" ] || mv "$D/.paneward" "$T/before.$round"
	sweep first
	took loop sh "$T/loop"
	took greps sh "$T/greps"
	next_second
	"$PW" sweep --status-dir "$D"
	next_second
	sweep second
	tmux list-panes -a -F '#{pane_tty}' | while read -r tty; do
		echo 'something new' >"$tty"
	done
	next_second
	sweep screens
	took captures sh "$T/captures"
done
[ "$("$PW" status --status-dir "$D" | grep -c working)" -eq $sessions ]

# The column of CPU time, in ms.
ms() {
	median 1 "$T/$1.times" | awk '{ print 1000 * $1 }'
}
line "first sweep of $sessions sessions, CPU" ms "$(ms first)" "$(ms loop)" \
	'ratio <= 0.1'
line 'one after which nothing was printed, CPU' ms "$(ms second)" \
	"$(ms loop)" 'ratio <= 0.02'
line 'the same, beside the greps alone' ms "$(ms second)" "$(ms greps)" \
	'ratio <= 0.04'
line 'one for which all screens are due, CPU' ms "$(ms screens)" \
	"$(ms captures)" 'ratio <= 0.333'
# Logs of ten times the size, without new output.
for i in $(seq $sessions); do
	for _ in 1 2 3 4 5 6 7 8 9; do
		cat "$T/log"
	done >>"$D/output-$i.log"
done
"$PW" sweep --status-dir "$D"
next_second
"$PW" sweep --status-dir "$D"
next_second
for _ in $(seq "$rounds"); do
	sweep large
	next_second
done
line 'the same as the second, logs of 10 MiB' ms "$(ms large)" \
	"$(ms second)" 'ratio <= 1.5'
