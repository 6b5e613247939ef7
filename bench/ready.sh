#!/bin/sh
# How long until `watch` sees: from its start to the first line it prints, when
# it has looked at everything that was there, and is told of everything that
# comes.  Beside one tmux call.

. "${0%/*}/lib.sh"

rounds=${QUICK:+10}
rounds=${rounds:-50}

tools ready
server default

# A run that was started, and a pane that nothing is known of.
for i in $(seq "$rounds"); do
	start "$i" sleep 100000
	tmux new-session -d -s "work-issue-$((1000 + i))" 'exec sleep 100000'
done
sleep 1

for i in $(seq "$rounds"); do
	ready tmux list-panes -a >>"$T/list"
	ready "$PW" watch "$i" --status-dir "$D" >>"$T/started"
	ready "$PW" watch $((1000 + i)) --status-dir "$D" >>"$T/adopted"
done

tmux=$(median 1 "$T/list")
line 'watch of a started run sees' us "$(median 1 "$T/started")" "$tmux" \
	'ratio <= 4'
line 'watch of an unknown pane sees' us "$(median 1 "$T/adopted")" "$tmux" \
	'ratio <= 4'
