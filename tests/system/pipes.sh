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
	wait_until 5 piped "$1"
}

# says ISSUE TEXT: and our log has it.
says() {
	tell "a$1" "echo $2"
	wait_until 5 logged "$1" "$2"
}

# completes ISSUE SOURCE DESCRIPTION: the agent says so, and the watch ends.
completes() {
	tell "a$1" "echo '###TASK_COMPLETE_$1###'"
	watch_ended "w$1" 0 "$3"
	is "$(record "$1" source)" "$2" "by the $2"
}

# The living writer of ours.
writer() {
	read -r pane writer _ 2>/dev/null <"$S/.paneward/$1.pipe" &&
		[ "$pane" = "$(pane_tell "issue-$1" '#{pid}#{pane_id}')" ] &&
		kill -0 "$writer" 2>/dev/null && echo "$writer"
}

piped() { [ "$(writer "$1")" != '' ]; }

repiped() {
	found=$(writer "$1")
	[ "$found" != '' ] && [ "$found" != "$2" ]
}

# ---- another program's ------------------------------------------------------
# A watcher waits ten seconds before it warns.
begin_foreign() {
	begin "$1"
	tm pipe-pane -t "=issue-$1:" "cat >'$T/theirs.$1'"
	watch_begin "w$1" "$1"
}
begin_piped 5
says 5 ours
let_pass
tm pipe-pane -t =issue-5: "cat >'$T/theirs.5'"
begin_foreign 1
begin_foreign 4

wait_until 10 grep -q 'another program' "$T/w1.err"
like "$(cat "$T/w1.err")" \
	"^paneward: issue '1': pane %[0-9]+ has another program's pipe.*--steal-pipe" \
	'of a foreign pipe it is warned'
named() { [ "$(pane_tell issue-1 '#{@paneward_issue}')" = 1 ]; }
soon 'the pane is named all the same' named
tell a1 'echo still ours'
wait_until 5 grep -q 'still ours' "$T/theirs.1"
check 'it is left alone' no test -e "$S/output-1.log"
completes 1 capture 'a marker is found on the screen instead'
is "$(grep -c "another program" "$T/w1.err")" 1 'it was warned once'
soon 'the foreign pipe has it too' grep -q TASK_COMPLETE "$T/theirs.1"

soon 'a pipe that another program takes stays its own' \
	grep -q "another program's pipe" "$T/w5.err"
completes 5 capture 'and a marker is found all the same'

begin 2
tm pipe-pane -t =issue-2: "cat >'$T/theirs.2'"
watch_begin w2 2 --steal-pipe
wait_until 10 piped 2
is "$(cat "$T/w2.err")" '' '--steal-pipe takes it over, without a warning'
completes 2 log 'and a marker is found'

begin_foreign 3
wait_until 5 watch_holds w3 3
wait_until 5 recorded 3 working
tm pipe-pane -t =issue-3:
wait_until 10 piped 3
completes 3 log 'a foreign pipe that is closed soon is followed by ours'

wait_until 10 grep -q . "$T/w4.err"
tm pipe-pane -t =issue-4:
wait_until 10 piped 4
completes 4 log 'also if it was already warned of'

# ---- our writer dies --------------------------------------------------------
begin_piped 10
says 10 before
writer=$(writer 10)
kill -KILL "$writer"
soon 'a writer that was killed is replaced' repiped 10 "$writer"
says 10 after
completes 10 log 'and a marker is found'
is "$(cat "$T/w10.err")" '' 'without a word'

begin_piped 11
says 11 before
let_pass
kill -KILL "$(writer 11)"; tell a11 'echo "###TASK_COMPLETE_11###"'
watch_ended w11 0 'a marker that was printed in between is found'

# Killed again and again, with a marker in the middle of it.
begin_piped 12
for _ in 1 2 3 4 5; do
	writer=$(writer 12)
	kill -KILL "$writer"
	wait_until 10 repiped 12 "$writer" || break
done
tell a12 'echo "###TASK_COMPLETE_12###"'
watch_ended w12 0 'five deaths of the writer are survived'

# ---- our writer stands still ------------------------------------------------
begin_piped 13 --interval 1
says 13 before
let_turn "$(cat "$T/w13.pid")"
freeze "$(writer 13)"
completes 13 capture 'a writer that stands still hides no marker'

# ---- no watcher meanwhile ---------------------------------------------------
begin_piped 14
kill -KILL "$(cat "$T/w14.pid")"
wait_until 5 test -e "$T/w14.status"
writer=$(writer 14)
says 14 alone
is "$(writer 14)" "$writer" 'the writer outlives its watcher'
watch_begin w14 14
wait_until 5 watch_holds w14 14
completes 14 log 'and is recognised by the next one'
is "$(writer 14) $(cat "$T/w14.err")" "$writer " 'without a word'
tm kill-session -t =issue-14:
soon 'it ends with its pane' no kill -0 "$writer"

done_testing
