#!/bin/sh
# An adopted pane that is followed: markers in pieces, in fences, in panes that
# move; agents that are children of a shell; new runs in the same pane.
. "${0%/*}/lib.sh"

tmux_start

# begin ISSUE: an obedient agent as the pane's own process, and its watch.
begin() {
	obedient "a$1"
	pane_run "issue-$1" "exec '$T/a$1'"
	watch_begin "w$1" "$1"
	wait_until 5 recorded "$1" working
	wait_until 5 test -s "$S/.paneward/$1.pipe"
	let_pass                        # so that it is not the first capture
}

# writes ISSUE TEXT...: the agent writes it in pieces, each of which is in the log
# before the next one comes.
writes() {
	of=$1
	shift
	for piece; do
		tell "a$of" "printf '$piece'"
		wait_until 5 logged "$of" "$(printf '%b' "$piece" | grep . | tail -n 1)"
	done
}

# watch_again ISSUE [OPTION...]: by another watcher.
watch_again() {
	kill "$(cat "$T/w$1.pid")"
	wait_until 5 command_ended "w$1"
	watch_begin "w$1" "$@"
}

# ---- a marker in two writes -------------------------------------------------
begin 1
writes 1 '###TASK_COMP' 'LETE_1###\n'
watch_ended w1 0 'a marker in two writes is found'
is "$(record 1 source)" log 'in the log'

begin 2
for piece in '#' '#' '#' 'TASK' '_' 'COMPLETE' '_' '2' '#' '#' '#'; do
	text=${text:-}$piece
	tell a2 "printf '%s' '$piece'"
	wait_until 5 logged 2 "$text"
done
watch_ended w2 0 'in eleven, and without an end of line'
is "$(record 2 source)" log 'in the log'

begin 3
writes 3 'see ###TASK_COMPLETE_3###' '\nand "###TASK_COMPLETE_3###"\nsentence\n'
let_pass
check 'a sentence about the marker is none' recorded 3 working
writes 3 '###TASK_COMPLETE_3###'
watch_ended w3 0 'and the marker behind it is one'

# ---- in a fence -------------------------------------------------------------
begin 4
writes 4 'like this:\n``' '`\n' '###TASK_COMPLETE_4###\n' '```\nthat was it\n'
let_pass
check 'a marker in a fence of several writes is none' recorded 4 working
# The watcher is another one, and remembers the fence.
writes 4 '```\nonce more\n'
watch_again 4
wait_until 5 watch_holds w4 4
writes 4 '###TASK_COMPLETE_4###\nstill inside\n'
let_pass
check 'nor one in a fence that an earlier watcher saw begin' recorded 4 working
writes 4 '```\n###TASK_COMPLETE_4###\n'
watch_ended w4 0 'the one behind the fence counts'

# ---- a pane that moves ------------------------------------------------------
begin 5
pane=$(record 5 tmux.pane)
tm rename-session -t =issue-5: something-else
tm rename-window -t =something-else: renamed
writes 5 'renamed\n'
tm new-session -d -s target 'exec tail -f /dev/null'
tm move-window -s "$pane" -t =target:
writes 5 'moved\n'
tm break-pane -d -s "$pane"
tm join-pane -d -s "$pane" -t =keeper:
writes 5 'joined\n'
check 'a pane is followed wherever it goes' recorded 5 working
tell a5 'echo "###TASK_COMPLETE_5###"'
watch_ended w5 0 'and found complete there'
is "$(record 5 tmux.pane)" "$pane" 'as the same pane'

# ---- an agent below a shell -------------------------------------------------
# begin_below ISSUE: an agent below a shell, and its watch.
begin_below() {
	obedient "a$1"
	pane_run "issue-$1" 'PS1="ready>" exec sh -i'
	wait_until 5 pane_shows "issue-$1" 'ready>'
	pane_type "issue-$1" "$T/a$1"
	wait_until 5 pgrep -f "^/bin/sh $T/a$1" >"$T/said"
	watch_begin "w$1" "$1"
	wait_until 5 recorded "$1" working
	wait_until 5 test -s "$S/.paneward/$1.pipe"
}

begin_below 6
is "$(record 6 agent.pid)" "$(pgrep -f "^/bin/sh $T/a6")" \
	'below a shell the agent is what runs in front'
tell a6 'exit 5'
watch_ended w6 10 'when it ends, and the shell is back, it is dead'
is "$(record 6 state)" dead 'not gone'
check 'the shell lives' pane_shows issue-6 'ready>'

begin_below 7
tell a7 'echo "###TASK_COMPLETE_7###"; exit 1'
watch_ended w7 0 'a report in its last moment counts'

# ---- a new run in the same pane ---------------------------------------------
obedient a8
pane_run issue-8 "exec '$T/a8'"
tell a8 'echo "###TASK_COMPLETE_8###"'
watch_begin w8 8
watch_ended w8 0 'a first run is complete'
before=$(record 8 run)
"$PW" signal complete --issue 8
watch_begin w8 8 --new
wait_until 5 recorded 8 working
unlike "$(record 8 run)" "^$before\$" '--new begins another in the same pane'
writes 8 'go on\n'
let_pass
check 'a marker from before is not its own, on the screen or in the log' \
	recorded 8 working
check 'nor is a signal from before' test -e "$S/signal-complete-8"
is "$(journal 8 stale | wc -l)" 1 'which is journaled'
like "$(cat "$T/w8.err")" 'signal-complete-8.*another run' 'and told'
watch_again 8
wait_until 5 watch_holds w8 8
let_pass
check 'a watcher that comes later knows it too' recorded 8 working
tell a8 'echo "###TASK_COMPLETE_8###"'
watch_ended w8 0 'a marker of its own is'
check 'the signal is kept' test -e "$S/signal-complete-8"

pane_run issue-9 "echo '###TASK_ERROR_9###'; echo old; exec tail -f /dev/null"
wait_until 5 pane_shows issue-9 old
watch_begin w9 9 --new
wait_until 5 recorded 9 working
let_pass
check 'an error on the screen from before --new is none' recorded 9 working
"$PW" signal complete --issue 9
watch_ended w9 0 'a signal made after it counts'

# ---- a new run, and what the one before it printed --------------------------
# pid_of ISSUE: the process that writes its log.
pid_of() { sed -n 's/^[^ ]* \([0-9]*\) .*/\1/p' "$S/.paneward/$1.pipe"; }

another_writer() {
	[ -s "$S/.paneward/20.pipe" ] && [ "$(pid_of 20)" != "$writer" ]
}

# is_run ISSUE RUN: does its record say so?
is_run() { [ "$(record "$1" run)" = "$2" ]; }

begin 20
writer=$(pid_of 20)
"$PW" signal complete --issue 20
watch_ended w20 0 'a run is complete by its signal'
echo '###TASK_COMPLETE_20###' >>"$S/output-20.log"
freeze "$writer"
tell a20 'echo "###TASK_COMPLETE_20###"; exit'
wait_until 5 no tm has-session -t =issue-20:
obedient a20b
pane_run issue-20 "exec '$T/a20b'"
before=$(record 20 run)
watch_begin w20 20
wait_until 5 no is_run 20 "$before"
wait_until 5 recorded 20 working
wait_until 5 another_writer
let_pass
check 'what nobody had read of its log is not the next run'\''s' \
	recorded 20 working
soon 'and its writer is gone' no kill -0 "$writer"
tell a20b 'echo "###TASK_COMPLETE_20###"'
watch_ended w20 0 'which has a log of its own'
is "$(record 20 source)" log 'indeed'

begin 21
writes 21 'good morning\n'
before=$(record 21 run)
watch_again 21 --new
wait_until 5 no is_run 21 "$before"
wait_until 5 recorded 21 working
let_pass
tell a21 'echo "###TASK_COMPLETE_21###"'
watch_ended w21 0 'a new run in a pane that has our pipe'
is "$(record 21 source) $(cat "$T/w21.err")" 'log ' 'goes on with that'

# ---- one round --------------------------------------------------------------
pane_run issue-10 'exec tail -f /dev/null'
fails 124 '^10 working: ' watch 10 --once
"$PW" signal complete --issue 10
is "$("$PW" watch 10 --once)" '10 complete: signal-complete-10 is there' \
	'one round says what it finds'
pane_run issue-11 "echo '###TASK_ERROR_11###'; exec tail -f /dev/null"
wait_until 5 pane_shows issue-11 ERROR
exits 1 'of an error with 1' "$PW" watch 11 --once
tm kill-session -t =issue-11:
exits 1 'also when its pane is gone' "$PW" watch 11 --once
exits 3 'of nothing with 3' "$PW" watch 12 --once

# Nor does it ask for a pipe that would mostly come too late.
mkdir "$T/bin"
script bin/tmux <<END
echo "\$*" >>'$T/calls'
PATH=\${PATH#*:} exec tmux "\$@"
END
pane_run issue-13 'exec tail -f /dev/null'
PATH=$T/bin:$PATH
exits 124 'a pane without a pipe' "$PW" watch 13 --once
PATH=${PATH#*:}
check 'is looked at' grep -q capturep "$T/calls"
check 'and left as it is by one round' \
	no grep -q -e pipe-pane -e set-option "$T/calls"
check 'nor a log' no test -e "$S/output-13.log"

done_testing
