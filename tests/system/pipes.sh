#!/bin/sh
# The pane's pipe: ours, another program's, and one whose writer dies or stands
# still.  A completion is found whatever becomes of it.
. "${0%/*}/lib.sh"

tmux_start

begin() {
	obedient "a$1"
	pane_run "issue-$1" "exec '$T/a$1'"
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
begin 1
tm pipe-pane -t =issue-1: "cat >'$T/theirs'"
watch_begin w1 1
wait_until 10 grep -q 'another program' "$T/w1.err"
like "$(cat "$T/w1.err")" \
	"^paneward: issue '1': pane %[0-9]+ has another program's pipe.*--steal-pipe" \
	'of a foreign pipe it is warned'
named() { [ "$(pane_tell issue-1 '#{@paneward_issue}')" = 1 ]; }
soon 'the pane is named all the same' named
tell a1 'echo still ours'
wait_until 5 grep -q 'still ours' "$T/theirs"
check 'it is left alone' no test -e "$S/output-1.log"
tell a1 'echo "###TASK_COMPLETE_1###"'
watch_ended w1 0 'a marker is found on the screen instead'
is "$(record 1 source)" capture 'by captures'
is "$(grep -c "another program" "$T/w1.err")" 1 'it was warned once'
soon 'the foreign pipe has it too' grep -q TASK_COMPLETE "$T/theirs"

begin 2
tm pipe-pane -t =issue-2: "cat >'$T/theirs.2'"
watch_begin w2 2 --steal-pipe
wait_until 10 piped 2
is "$(cat "$T/w2.err")" '' '--steal-pipe takes it over, without a warning'
tell a2 'echo "###TASK_COMPLETE_2###"'
watch_ended w2 0 'and a marker is found'
is "$(record 2 source)" log 'in the log'

begin 3
tm pipe-pane -t =issue-3: 'cat >/dev/null'
watch_begin w3 3
wait_until 5 watch_holds w3 3
wait_until 5 recorded 3 working
tm pipe-pane -t =issue-3:
wait_until 10 piped 3
tell a3 'echo "###TASK_COMPLETE_3###"'
watch_ended w3 0 'a foreign pipe that is closed soon is followed by ours'

begin 4
tm pipe-pane -t =issue-4: 'cat >/dev/null'
watch_begin w4 4
wait_until 10 grep -q . "$T/w4.err"
tm pipe-pane -t =issue-4:
wait_until 10 piped 4
tell a4 'echo "###TASK_COMPLETE_4###"'
watch_ended w4 0 'also if it was already warned of'
is "$(record 4 source)" log 'and the log is used'

begin 5
watch_begin w5 5
wait_until 5 piped 5
tell a5 'echo ours'
wait_until 5 logged 5 ours
let_pass
tm pipe-pane -t =issue-5: "cat >'$T/theirs.5'"
wait_until 10 grep -q "another program's pipe" "$T/w5.err"
like "$(cat "$T/w5.err")" "another program's pipe" \
	'a pipe that somebody takes from us is theirs'
tell a5 'echo "###TASK_COMPLETE_5###"'
watch_ended w5 0 'and a marker is found all the same'

# ---- our writer dies --------------------------------------------------------
begin 10
watch_begin w10 10
wait_until 5 piped 10
tell a10 'echo before'
wait_until 5 logged 10 before
writer=$(writer 10)
kill -KILL "$writer"
soon 'a writer that was killed is replaced' repiped 10 "$writer"
tell a10 'echo after'
wait_until 5 logged 10 after
tell a10 'echo "###TASK_COMPLETE_10###"'
watch_ended w10 0 'and a marker is found'
is "$(record 10 source)" log 'in the log'
is "$(cat "$T/w10.err")" '' 'without a word'

begin 11
watch_begin w11 11
wait_until 5 piped 11
tell a11 'echo before'
wait_until 5 logged 11 before
let_pass
kill -KILL "$(writer 11)"; tell a11 'echo "###TASK_COMPLETE_11###"'
watch_ended w11 0 'a marker that was printed in between is found'

# Killed again and again, with a marker in the middle of it.
begin 12
watch_begin w12 12
wait_until 5 piped 12
for _ in 1 2 3 4 5; do
	writer=$(writer 12)
	kill -KILL "$writer"
	wait_until 10 repiped 12 "$writer" || break
done
tell a12 'echo "###TASK_COMPLETE_12###"'
watch_ended w12 0 'five deaths of the writer are survived'

# ---- our writer stands still ------------------------------------------------
begin 13
watch_begin w13 13 --interval 1
wait_until 5 piped 13
tell a13 'echo before'
wait_until 5 logged 13 before
let_turn "$(cat "$T/w13.pid")"
freeze "$(writer 13)"
tell a13 'echo "###TASK_COMPLETE_13###"'
watch_ended w13 0 'a writer that stands still hides no marker'
is "$(record 13 source)" capture 'it is found on the screen'

# ---- no watcher meanwhile ---------------------------------------------------
begin 14
watch_begin w14 14
wait_until 5 piped 14
kill -KILL "$(cat "$T/w14.pid")"
wait_until 5 test -e "$T/w14.status"
writer=$(writer 14)
tell a14 'echo alone'
wait_until 5 logged 14 alone
is "$(writer 14)" "$writer" 'the writer outlives its watcher'
watch_begin w14 14
wait_until 5 watch_holds w14 14
tell a14 'echo "###TASK_COMPLETE_14###"'
watch_ended w14 0 'and is recognised by the next one'
is "$(writer 14) $(cat "$T/w14.err")" "$writer " 'without a word'
tm kill-session -t =issue-14:
soon 'it ends with its pane' no kill -0 "$writer"

done_testing
