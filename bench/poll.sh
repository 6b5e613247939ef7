#!/bin/sh
# poll.sh ISSUE STATUS-DIR SESSION - the usual script in place of a watcher: it
# polls every two seconds.  idle.sh and memory.sh compare with it.

issue=$1
dir=$2
session=$3
log=$dir/output-$issue.log

while :; do
	if [ -f "$dir/signal-complete-$issue" ]; then
		echo "$issue complete: signal file"
		exit 0
	fi
	if [ -f "$dir/signal-error-$issue" ]; then
		echo "$issue error: signal file"
		exit 1
	fi
	if [ "$(grep -cF "###TASK_COMPLETE_$issue###" "$log")" -gt 0 ]; then
		echo "$issue complete: marker in the pane log"
		exit 0
	fi
	if ! tmux has-session -t "=$session" 2>/dev/null; then
		echo "$issue gone: no session"
		exit 10
	fi
	case $(tmux capture-pane -p -t "=$session:") in
	*"###TASK_COMPLETE_$issue###"*)
		echo "$issue complete: marker on the screen"
		exit 0
		;;
	esac
	sleep 2
done
