#!/bin/sh
# An adopted pane that is followed: markers in pieces, in fences, in panes that
# move; agents that are children of a shell; new runs in the same pane.
. "${0%/*}/lib.sh"

tmux_start
idle='exec tail -f /dev/null'

# begin ISSUE [COMMAND]: an obedient agent as the pane's own process, or below the
# command, and its watch.
begin() {
	obedient "a$1"
	pane_run "issue-$1" "${2:-exec '$T/a$1'}"
	[ $# -eq 1 ] || {
		wait_until 5 pane_shows "issue-$1" 'ready>'
		pane_type "issue-$1" "$T/a$1"
		wait_until 5 pgrep -f "^/bin/sh $T/a$1"
	}
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

completes() { tell "a$1" "echo '###TASK_COMPLETE_$1###'"; }

# watch_again ISSUE [OPTION...]: by another watcher.
watch_again() {
	kill "$(cat "$T/w$1.pid")"
	wait_until 5 command_ended "w$1"
	watch_begin "w$1" "$@"
	wait_until 5 watch_holds "w$1" "$1"
}

# complete ISSUE: its watch ends so; prints where that was found.
complete() {
	watch_ended "w$1" 0 'it is complete'
	record "$1" source
	echo
}

scenario 'a marker in pieces is found, one in a fence is none' <<'END'
>>> begin 1; writes 1 '###TASK_COMP' 'LETE_1###\n'; complete 1
log
>>> begin 4; writes 4 'like this:\n``' '`\n' '###TASK_COMPLETE_4###\n' \
... 	'```\nthat was it\n'
>>> let_pass; recorded 4 working
>>> # The next watcher remembers the fence.
>>> writes 4 '```\nonce more\n'; watch_again 4
>>> writes 4 '###TASK_COMPLETE_4###\nstill inside\n'; let_pass; recorded 4 working
>>> writes 4 '```\n###TASK_COMPLETE_4###\n'; complete 4
log
END

scenario 'a pane is followed wherever it goes' <<'END'
>>> begin 5; pane=$(record 5 tmux.pane)
>>> tm rename-session -t =issue-5: something-else
>>> tm rename-window -t =something-else: renamed; writes 5 'renamed\n'
>>> tm new-session -d -s target "$idle"; tm move-window -s "$pane" -t =target:
>>> writes 5 'moved\n'
>>> tm break-pane -d -s "$pane"; tm join-pane -d -s "$pane" -t =keeper:
>>> writes 5 'joined\n'; recorded 5 working; completes 5; complete 5
log
>>> is "$(record 5 tmux.pane)" "$pane"
END

shell='PS1="ready>" exec sh -i'
scenario 'below a shell the agent is what runs in front' <<'END'
>>> begin 6 "$shell"; is "$(record 6 agent.pid)" "$(pgrep -f "^/bin/sh $T/a6")"
>>> tell a6 'exit 5'; watch_ended w6 10 'it ended'; recorded 6 dead
>>> pane_shows issue-6 'ready>'; begin 7 "$shell"
>>> tell a7 'echo "###TASK_COMPLETE_7###"; exit 1'; complete 7
log
END

# is_run ISSUE RUN: does its record say so?
is_run() { [ "$(record "$1" run)" = "$2" ]; }

# What was on the screen, in the log or signalled before is not of the new run, also
# for a watcher that comes later.
scenario '--new begins another run in the same pane' <<'END'
>>> obedient a8; pane_run issue-8 "exec '$T/a8'"; completes 8
>>> watch_begin w8 8; complete 8
~ (log|capture)
>>> before=$(record 8 run); "$PW" signal complete --issue 8
>>> watch_begin w8 8 --new; wait_until 5 recorded 8 working; is_run 8 "$before"
[1]
>>> writes 8 'go on\n'; let_pass; recorded 8 working; journal 8 stale | wc -l
1
>>> grep -c 'signal-complete-8.*another run' "$T/w8.err"
1
>>> watch_again 8; let_pass; recorded 8 working; completes 8; complete 8
log
>>> test -e "$S/signal-complete-8"
>>> pane_run issue-9 "echo '###TASK_ERROR_9###'; echo old; $idle"
>>> wait_until 5 pane_shows issue-9 old; watch_begin w9 9 --new
>>> wait_until 5 recorded 9 working; let_pass; recorded 9 working
>>> "$PW" signal complete --issue 9; complete 9
signal
END

# pid_of ISSUE: the process that writes its log.
pid_of() { sed -n 's/^[^ ]* \([0-9]*\) .*/\1/p' "$S/.paneward/$1.pipe"; }
another_writer() {
	[ -s "$S/.paneward/20.pipe" ] && [ "$(pid_of 20)" != "$writer" ]
}

scenario 'a run has a log of its own, though no watcher read the one before' <<'END'
>>> begin 20; writer=$(pid_of 20); "$PW" signal complete --issue 20; complete 20
signal
>>> echo '###TASK_COMPLETE_20###' >>"$S/output-20.log"; freeze "$writer"
>>> tell a20 'echo "###TASK_COMPLETE_20###"; exit'
>>> wait_until 5 no tm has-session -t =issue-20:; before=$(record 20 run)
>>> rm "$T/a20.orders"; obedient a20; pane_run issue-20 "exec '$T/a20'"
>>> watch_begin w20 20; wait_until 5 no is_run 20 "$before"
>>> wait_until 5 recorded 20 working; wait_until 5 another_writer
>>> let_pass; recorded 20 working; wait_until 5 no kill -0 "$writer"
>>> completes 20; complete 20
log
>>> begin 21; writes 21 'good morning\n'; before=$(record 21 run)
>>> watch_again 21 --new; wait_until 5 no is_run 21 "$before"
>>> wait_until 5 recorded 21 working; let_pass; completes 21; complete 21
log
>>> cat "$T/w21.err"
END

mkdir "$T/bin"
script bin/tmux <<END
echo "\$*" >>'$T/calls'
PATH=\${PATH#*:} exec tmux "\$@"
END
# Nor does it ask for a pipe that would mostly come too late.
scenario 'one round says what it finds, and leaves the pane as it is' <<'END'
>>> pane_run issue-10 "$idle"; fails 124 '^10 working: ' watch 10 --once
>>> "$PW" signal complete --issue 10; "$PW" watch 10 --once
10 complete: signal-complete-10 is there
>>> pane_run issue-11 "echo '###TASK_ERROR_11###'; $idle"
>>> wait_until 5 pane_shows issue-11 ERROR; fails 1 '' watch 11 --once
>>> tm kill-session -t =issue-11:; fails 1 '' watch 11 --once
>>> fails 3 '' watch 12 --once; pane_run issue-13 "$idle"
>>> PATH=$T/bin:$PATH fails 124 '' watch 13 --once; grep -c capturep "$T/calls"
1
>>> grep -e pipe-pane -e set-option "$T/calls"; ls "$S" | grep output-13
[1]
END
done_testing
