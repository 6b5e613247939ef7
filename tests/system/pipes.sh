#!/bin/sh
# The pane's pipe: ours, another program's, and one whose writer dies or stands
# still.  A completion is found whatever becomes of it.
. "${0%/*}/lib.sh"

tmux_start

# begin ISSUE: an agent in a pane; begin_piped: its watch, and our pipe.
begin() {
	obedient "a$1"
	pane_run "issue-$1" "exec '$T/a$1'"
}
begin_piped() {
	begin "$1"
	watch_begin "w$1" "$@"
	wait_until 10 piped "$1"
}

# says ISSUE TEXT: and our log has it.
says() {
	tell "a$1" "echo $2"
	wait_until 5 logged "$1" "$2"
}

# completes ISSUE SOURCE: the agent says so, and the watch ends.
completes() {
	tell "a$1" "echo '###TASK_COMPLETE_$1###'"
	watch_ended "w$1" 0 && is "$(record "$1" source)" "$2"
}

# The living writer of ours.
writer() {
	read -r pane writer _ 2>/dev/null <"$S/.paneward/$1.pipe" &&
		[ "$pane" = "$(pane_tell "issue-$1" '#{pid}#{pane_id}')" ] &&
		kill -0 "$writer" 2>/dev/null && echo "$writer"
}

piped() { [ "$(writer "$1")" != '' ]; }

# killed ISSUE: its writer is, and another one replaces it.
killed() {
	before=$(writer "$1")
	kill -KILL "$before"
	wait_until 10 repiped "$1"
}

repiped() {
	found=$(writer "$1")
	[ "$found" != '' ] && [ "$found" != "$before" ]
}

# foreign ISSUE [OPTION...]: an agent with another program's pipe; its watch.
foreign() {
	begin "$1"
	theirs "$1"
	watch_begin "w$1" "$@"
}
theirs() { tm pipe-pane -t "=issue-$1:" "cat >'$T/theirs.$1'"; }
named() { [ "$(pane_tell issue-1 '#{@paneward_issue}')" = 1 ]; }

# A watcher waits ten seconds before it warns.
scenario "another program's pipe is left alone, with a warning" <<'END'
>>> begin_piped 5; says 5 ours; let_pass; theirs 5; foreign 1; foreign 4
>>> wait_until 10 grep -q 'another program' "$T/w1.err"; cat "$T/w1.err"
~ paneward: issue '1': pane %\d+ has another program's pipe.*--steal-pipe.*
>>> wait_until 10 named; tell a1 'echo still ours'
>>> wait_until 5 grep -q 'still ours' "$T/theirs.1"
>>> no test -e "$S/output-1.log" && completes 1 capture
>>> grep -c "another program" "$T/w1.err"
1
>>> wait_until 10 grep -q TASK_COMPLETE "$T/theirs.1"
>>> wait_until 10 grep -q "another program's pipe" "$T/w5.err"
>>> completes 5 capture
END
scenario 'it can be taken over; ours follows when it is closed' <<'END'
>>> foreign 2 --steal-pipe; wait_until 10 piped 2; cat "$T/w2.err"
>>> completes 2 log; foreign 3; wait_until 5 watch_holds w3 3
>>> wait_until 5 recorded 3 working; tm pipe-pane -t =issue-3:
>>> wait_until 10 piped 3; completes 3 log
>>> wait_until 10 grep -q . "$T/w4.err"; tm pipe-pane -t =issue-4:
>>> wait_until 10 piped 4; completes 4 log
END
scenario 'a writer that is killed is replaced, however often, without a word' \
	<<'END'
>>> begin_piped 10; says 10 before; killed 10; says 10 after; completes 10 log
>>> cat "$T/w10.err"; begin_piped 11; says 11 before; let_pass
>>> kill -KILL "$(writer 11)"; tell a11 'echo "###TASK_COMPLETE_11###"'
>>> watch_ended w11 0; begin_piped 12; for _ in 1 2 3 4 5; do killed 12; done
>>> tell a12 'echo "###TASK_COMPLETE_12###"'; watch_ended w12 0
END
scenario 'a writer that stands still hides no marker' <<'END'
>>> begin_piped 13 --interval 1; says 13 before
>>> let_turn "$(cat "$T/w13.pid")"; freeze "$(writer 13)"; completes 13 capture
END
scenario 'a writer outlives its watcher, and is recognised by the next one' \
	<<'END'
>>> begin_piped 14; kill -KILL "$(cat "$T/w14.pid")"
>>> wait_until 5 command_ended w14; before=$(writer 14); says 14 alone
>>> watch_locks w14 14; completes 14 log; cat "$T/w14.err"
>>> is "$(writer 14)" "$before"; tm kill-session -t =issue-14:
>>> wait_until 10 no kill -0 "$before" 2>/dev/null
END
done_testing
