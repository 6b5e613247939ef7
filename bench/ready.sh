#!/bin/sh
# The time from the start of `watch` to its verdict on existing evidence,
# compared with one tmux call.

. "${0%/*}/lib.sh"

rounds=${QUICK:+10}
rounds=${rounds:-30}

tools ready
server default

# pane ISSUE COMMAND: a pane without a record.
pane() {
	tmux new-session -d -s "work-issue-$1" "$2; exec sleep 100000"
}

# sees NAME ISSUE
sees() {
	ready "$PW" watch "$2" --no-handoff --status-dir "$D" >>"$T/$1"
}

# Each round has issues of its own, since a verdict is final.
for i in $(seq "$rounds"); do
	start "$i" sleep 100000
	pane $((1000 + i)) :
	pane $((2000 + i)) "echo '###TASK_COMPLETE_$((2000 + i))###'"
	sleep 0.2
	: >"$D/signal-complete-$i"
	: >"$D/signal-complete-$((1000 + i))"
	ready tmux list-panes -a >>"$T/list"
	sees started "$i"
	sees signal $((1000 + i))
	sees screen $((2000 + i))
	tmux kill-session -a -t =keeper
done

# result WHAT NAME
result() {
	line "$1" us "$(median 1 "$T/$2")" "$(median 1 "$T/list")" \
		'ratio <= 4'
}

result 'watch sees the signal of a started run' started
result 'watch sees that of an unknown pane' signal
result 'watch sees what an unknown pane shows' screen
