#!/bin/sh
# `paneward top` of 200 agents while nothing changes: 100 issues with records
# and 100 panes with an agent.  Its CPU time, compared with list-panes once a
# second, and the programs that it runs.  The work of the tmux server is
# included in neither.

. "${0%/*}/lib.sh"

issues=100
agents=100
seconds=30
settle=15                               # the screens are captured by then

tools idle
server default

ln -s "$(command -v sleep)" "$T/bin/claude"
seq $agents | sed "s|.*|new-window -d 'exec claude 100000'|" >"$T/windows"
tmux source-file "$T/windows"
start 1 sh -c 'exec sleep 100000'
for i in $(seq 2 $issues); do
	sed "s/\"issue\":\"1\"/\"issue\":\"$i\"/" "$D/.paneward/1.json" \
		>"$D/.paneward/$i.json"
done
[ "$("$PW" status --all | wc -l)" -eq $((issues + agents)) ]

# The terminal: a pane of a server that is not found.
tmux -S "$T/terminal" -f /dev/null new-session -d -x 100 -y 40 \
	'exec sleep 100000'
background=$(tmux -S "$T/terminal" display-message -p '#{pid}')
TTY=$(tmux -S "$T/terminal" display-message -p '#{pane_tty}')
export TTY

# shellcheck disable=SC2016
idle $settle $seconds '' sh -c 'exec "$PW" top <"$TTY" >"$TTY"' >"$T/top" &
top=$!
until tmux -S "$T/terminal" capture-pane -p | grep -q ' claude '; do
	sleep 1
done
wait $top
# shellcheck disable=SC2016
idle 1 $seconds '' sh -c 'while sleep 1; do tmux list-panes -a; done' \
	>"$T/theirs"

read -r _ programs cpu <"$T/top"
read -r _ _ their_cpu <"$T/theirs"
percent() {
	awk -v cpu="$1" -v seconds=$seconds 'BEGIN { print 100 * cpu / seconds }'
}
line "CPU of top, $((issues + agents)) agents at rest" % "$(percent "$cpu")" \
	"$(percent "$their_cpu")" 'ours <= 1'
line "programs that it runs in $seconds s" '' "$programs" $seconds \
	'ratio <= 1.04'
