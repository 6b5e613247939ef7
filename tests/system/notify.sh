#!/bin/sh
# The command `notify`: once for each episode that is to be told of, late rather
# than never, and whatever the agent said is data.
. "${0%/*}/lib.sh"

# Each call adds a line when it is done; what it was given lies beside.  One
# that began before the record said so has a word more.
script note <<END
issue=\$PANEWARD_ISSUE
state=\$PANEWARD_STATE
early=' too early'
grep -q '"state":"'\$state'",.*"notice":' '$S/.paneward/'\$issue.json && early=
[ "\$state" != refused ] || early=
printf '%s' "\$PANEWARD_MESSAGE" >'$T/message.'\$issue
env >'$T/env.'\$issue
echo "\$PANEWARD_EPISODE" >>'$T/episodes.'\$issue
cat >'$T/input.'\$issue
[ ! -e '$T/kill' ] || kill -KILL "\$(cat '$T/kill')"
echo "\$issue \$state\${1:+ with \$*}\$early" >>'$T/notes'
END

# configure COMMAND [KEYS]: as JSON.
configure() {
	printf '{ "notify": %s%s }\n' "$1" "${2:+, $2}" >"$P/.paneward.json"
}

# noted LINE [TIMES]; told LINE: soon, and once.
noted() { [ "$(grep -Fcx -e "$1" "$T/notes")" -eq "${2:-1}" ]; }
told() { wait_until 10 noted "$@"; }

# agent ISSUE [OPTION...]: an obedient one, and its watcher.
agent() {
	obeys "$@" --no-watch
	watch_locks "w$1" "$1"
}

# agent_kill ISSUE: kills the watcher.
agent_kill() {
	kill -KILL "$(cat "$T/w$1.pid")"
	wait_until 5 command_ended "w$1"
}

# signal NAME: what is on standard input is the signal of that name.
signal() {
	cat >"$S/signal-$1.new"
	mv "$S/signal-$1.new" "$S/signal-$1"
}

tmux_start
: >"$T/notes"
mkdir -p "$S" && chmod 700 "$S"

# ---- one that hangs ---------------------------------------------------------
# The first does not obey TERM; the second does, but not its child; the third
# only leaves one behind.
script hang <<END
[ "\$PANEWARD_ISSUE" != 91 ] || trap '' TERM
sh -c 'trap "" TERM; sleep 1000' &
echo "\$\$ \$!" >'$T/hanging.'\$PANEWARD_ISSUE
[ "\$PANEWARD_ISSUE" != 93 ] || exit 0
sleep 1000
sleep 1000
END
script hand <<END
echo "\$PANEWARD_ISSUE" >>'$T/handed'
END

# ended ISSUE: neither is left.
ended() {
	read -r leader child <"$T/hanging.$1"
	! kill -0 "$leader" 2>/dev/null && ! kill -0 "$child" 2>/dev/null
}

# Long after that their numbers may be those of processes of other tests.
still_ended() {
	ended "$1" ||
		no grep -qs -e "$T" "/proc/$leader/environ" "/proc/$child/environ"
}

# time_hang ISSUE: how long it lasts, in hundredths of a second.
time_hang() {
	while ! ended "$1"; do
		sleep 0.1
	done
	clock
	echo $((now - begun)) >"$T/lasted.$1"
}

configure "\"$T/hang\"" "\"handoff\": \"$T/hand\""
for issue in 91 92 93; do
	echo x >"$S/signal-complete-$issue"
done
clock
begun=$now
scenario 'a watch ends while its commands hang, which hold no lock' <<'END'
>>> "$PW" watch 91 92 93 >"$T/out" 2>"$T/hang.err"
>>> wait_until 5 test -s "$T/hanging.91"
>>> read -r leader child <"$T/hanging.91"; kill -0 "$leader" "$child"
>>> perl -MFcntl=:flock -e 'open my $file, "<", shift;
... 	exit !flock $file, LOCK_EX | LOCK_NB' "$S/.paneward/91.lock"
>>> sort "$T/handed" | xargs
91 92 93
END
for issue in 91 92 93; do
	wait_until 5 test -s "$T/hanging.$issue"
	time_hang "$issue" &
done

# A group whose last process stays a zombie: its parent has left the group.
mkdir -p "$T/left/.paneward" && chmod 700 "$T/left"
echo 'episode-1 begun' >"$T/left/.paneward/94.notice"
script leave <<'END'
exec perl -e 'exit if fork; exit if !fork; setpgrp;
	open my $pid, ">", shift; print $pid $$; close $pid; sleep 1000' "$1"
END
printf '[["%s","%s"]]\n{"issue":"94","run":"%s"}\n' "$T/leave" "$T/left.pid" \
	00000000-0000-4000-8000-000000000000 |
	PANEWARD_ISSUE=94 PANEWARD_STATUS_DIR="$T/left" \
	PANEWARD_EPISODE=episode-1 "$PW" notify-run >"$T/left.err" 2>&1 &
leaving=$!

# journaled ISSUE TIMES: a notice is, behind its beginning.
journaled() { [ "$(journal "$1" notify | wc -l)" -eq "$2" ]; }
hostile='$(touch pwned1) `touch pwned2` '\''"; touch pwned3; #{q} #(touch pwned4) %s'
scenario 'an error is told of as data, with the record, once an episode' <<'END'
>>> configure "\"$T/note\""; SECRET=1 obeys 1; wait_until 5 watched 1
>>> wait_until 5 recorded 1 working
>>> printf '%s\033[31m\007\033]2;x\007\nsecond line\n' "$hostile" |
... 	signal error-1
>>> told '1 error'; is "$(cat "$T/message.1")" "$hostile second line"
>>> is "$(perl -MJSON::PP -e 'local $/; $_ = decode_json(<STDIN>);
... 	print "@$_{qw(issue state run)}"' <"$T/input.1")" \
... 	"1 error $(record 1 run)"
>>> grep -e SECRET -e PANEWARD_STATUS_DIR "$T/env.1"
PANEWARD_STATUS_DIR=$T/project/.worktrees/.status
>>> tell a1 '"$PANEWARD" signal complete "all is well"'; told '1 complete'
>>> grep '^1 working' "$T/notes"
[1]
>>> wait_until 10 journaled 1 2; sort -u "$T/episodes.1" | wc -l
2
END
printf '\033]2;%s\007%s\n%s\n' "$hostile" '###TASK_ERROR_4###' "$hostile" \
	>"$T/marker"
scenario 'a death, a lost pane and an error in the output are told of' <<'END'
>>> "$PW" start 2 -- sh -c 'exit 3' >"$T/out" 2>&1; told '2 dead'
>>> cat "$T/message.2"; grep WHY "$T/env.2"
the agent ended with status 3, without a reportPANEWARD_WHY=the agent ended with status 3, without a report
>>> "$PW" start 3 -- sleep 1000 >"$T/out" 2>&1; wait_until 5 watched 3
>>> tm kill-pane -t "$(record 3 tmux.pane)"; told '3 gone'
>>> obeys 4; wait_until 5 watched 4; tell a4 "cat '$T/marker'"; told '4 error'
>>> like "$(cat "$T/message.4")" 'touch pwned1.*touch pwned4'
>>> find "$T" -name 'pwned*'; perl -e 'print "\xc3\xa4" x 300' | signal error-5
>>> "$PW" sweep --check-errors >"$T/out"; told '5 error'
>>> perl -CS -ne 'print length' <"$T/message.5"
200
END

scenario 'after a killed watcher the next goes on, and repeats nothing' <<'END'
>>> agent 6; cp "$T/w6.pid" "$T/kill"; "$PW" signal error --issue 6 broken
>>> wait_until 5 command_ended w6; told '6 error'; rm "$T/kill"
>>> "$PW" watch 6 --once >"$T/out" 2>&1
[1]
>>> "$PW" sweep --check-errors >"$T/out" 2>&1
>>> "$PW" signal complete --issue 6; "$PW" watch 6 >"$T/out" 2>&1
>>> told '6 complete'; noted '6 error'
END
scenario 'an agent that stalls is told of, each time' <<'END'
>>> configure "\"$T/note\"" '"notify_on": ["stalled"], "stalled_after": 1'
>>> agent 7; told '7 stalled'; "$PW" explain 7 | tail -n 1
~ verdict: stalled, by process: .*
>>> tell a7 'echo here I am'; told '7 stalled' 2
>>> tell a7 'echo here I am'; told '7 stalled' 3; kill "$(cat "$T/w7.pid")"
END

# shows TITLE [TEXT]: the agent shows nothing else, from one moment to the next.
shows() {
	printf '\033]0;%s demo\007\033[2J\033[3J\033[H%b' "$@" >"$T/next"
	mv "$T/next" "$T/screen" && tell a20 "cat '$T/screen'"
}

# ask COMMAND: the agent shows nothing but this question.
ask() {
	shows '✳' "──────────\n Bash command\n\n   $1\n\n Do you want to proceed?
 ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend"
}

# asked TEXT: the last notice had it.
asked() { grep -Fq -e "$1" "$T/message.20"; }

# due ISSUE WHAT: a notice, as its record says.
due() { has "$1" notice "$2"; }

# spaced: do two seconds lie between all notices?
spaced() {
	journal 20 notify | perl -MJSON::PP -MTime::Piece -ne '
	my ($date, $ms) = decode_json($_)->{time} =~ /(.*)\.(\d+)Z/ or die;
	my $t = Time::Piece->strptime($date, "%Y-%m-%dT%T")->epoch + $ms / 1e3;
	exit 1 if defined $last && $t - $last < 1.95;
	$last = $t;'
}
scenario 'each question is told of, and the last one of a burst' <<'END'
>>> configure "\"$T/note\"" '"notify_on": ["asking", "complete"]'
>>> agent 20 --backend claude; ask 'rm -rf build'; told '20 asking'
>>> asked 'rm -rf build' && shows '⠂'; wait_until 10 recorded 20 working
>>> ask 'rm -rf build'; told '20 asking' 2; sort -u "$T/episodes.20" | wc -l
2
>>> ask 'rm -rf /'; told '20 asking' 3; asked 'rm -rf /'
>>> for n in 1 2 3 4 5 6 7 8 9; do ask "question $n"; done
>>> wait_until 10 asked 'question 9'; spaced
>>> wait_until 10 due 20 ''; told=$(journal 20 notify | wc -l)
>>> told '20 asking' "$told"; agent_kill 20; watch_locks w20 20
>>> "$PW" signal complete --issue 20; told '20 complete'; noted '20 asking' "$told"
END

# The command cannot be run, and then fails, and then hangs.
script notes.sh <<END
[ "\$PANEWARD_ISSUE" != 23 ] || { echo no >>'$T/failing'; exit 1; }
exec '$T/note'
END
failed_twice() { [ "$(grep -c . "$T/failing")" -ge 2 ]; }
scenario 'what could not be told is due, and told as soon as it can be' <<'END'
>>> configure "\"$T/notes.sh\"" '"notify_on": ["error"]'; agent 21; agent 23
>>> mv "$T/notes.sh" "$T/moved"
>>> "$PW" signal error --issue 21 broken; "$PW" signal error --issue 23 broken
>>> wait_until 5 grep -q "notify for issue '21' failed" "$T/w21.err"
>>> due 21 state
>>> mv "$T/moved" "$T/notes.sh"; told '21 error'; wait_until 10 due 21 ''
>>> journaled 21 1
END
scenario 'a watcher is killed before its notice: a sweep sends it' <<'END'
>>> agent 22; mkdir "$S/.paneward/22.notice"
... "$PW" signal error --issue 22 broken
>>> wait_until 5 grep -q 'cannot run the command of notify' "$T/w22.err"
>>> agent_kill 22; noted '22 error' 0 && rmdir "$S/.paneward/22.notice"
>>> "$PW" sweep; told '22 error'
... wait_until 5 grep -q sent "$S/.paneward/22.notice"
>>> "$PW" sweep; due 22 '' && "$PW" sweep; noted '22 error'
>>> # A watch ends though its error could not be told.
>>> wait_until 20 failed_twice
>>> "$PW" signal complete --issue 23; watch_ended w23 0; due 23 ''
END
scenario 'a refused hand-off is told of, with the reason' <<'END'
>>> configure "\"$T/note\"" \
... 	'"notify_on": ["refused"], "handoff": "echo three files; exit 77"'
>>> echo x >"$S/signal-complete-24"; "$PW" sweep >"$T/out" 2>&1
[1]
>>> told '24 refused'; cat "$T/message.24"; grep WHY "$T/env.24"
three filesPANEWARD_WHY=hand-off refused: three files
>>> echo x >"$S/signal-complete-25"; "$PW" watch 25 >"$T/out" 2>&1
[12]
>>> told '25 refused'
END

journal=$S/.paneward/journal.ndjson
unblock() { rmdir "$journal" && mv "$T/journal" "$journal"; }

# unrecorded ISSUE: its error is, as long as the journal is blocked.
unrecorded() {
	agent "$1"
	mv "$journal" "$T/journal" && mkdir "$journal"
	"$PW" signal error --issue "$1" broken
	wait_until 5 grep -q 'cannot record' "$T/w$1.err"
}
scenario 'no notice is sent before its record, or when it is over' <<'END'
>>> configure "\"$T/note\"" '"notify_on": ["error"]'; unrecorded 8
>>> let_turn "$(cat "$T/w8.pid")"; noted '8 error' 0 && unblock; told '8 error'
>>> "$PW" signal complete --issue 8; watch_ended w8 0
>>> unrecorded 9; "$PW" signal complete --issue 9
>>> wait_until 5 grep -q '^9 complete' "$T/w9.out"; unblock; watch_ended w9 0
>>> grep '^9 ' "$T/notes"; journal 9 notify
[1]
END

# completed ISSUE [COMMAND [KEYS]]: it is, under this command, and swept.
completed() {
	[ $# -eq 1 ] || configure "$2" "${3-}"
	echo x >"$S/signal-complete-$1"
	"$PW" sweep >"$T/out" 2>"$T/err"
}

# untold ISSUE: it is complete, and no notice is sent.
untold() { recorded "$1" complete && journaled "$1" 0; }

scenario 'words run without a shell, a line by one' <<'END'
>>> completed 10 "[\"$T/note\", \"two words\", \"\$HOME\"]"
>>> told '10 complete with two words $HOME'
>>> configure "\"$T/note \\\"\$PANEWARD_ISSUE\\\" | cat; echo noise\""
>>> echo x >"$S/signal-complete-11"; "$PW" watch 11 --json >"$T/out" 2>"$T/err"
>>> told '11 complete with 11'; wait_until 5 grep -qx noise "$T/err"
>>> grep noise "$T/out"
[1]
END
scenario 'no command sends nothing; a failure does no harm' <<'END'
>>> completed 14 null && untold 14
>>> completed 15 "\"$T/note\"" '"notify_on": ["error"]'; untold 15
>>> configure '"./missing"'; "$PW" sweep
~ paneward: cannot use the command of notify: .*missing'.*; no notice is sent by it
>>> completed 16 "\"echo failed >>'$T/notes'; exit 3\""
>>> wait_until 10 grep -q \
... 	"^paneward: .* notify for issue '16' failed .exit 3.$" "$T/err"
END

scenario 'what hangs has its ten seconds, and ends with what it began' <<'END'
>>> for issue in 91 92 93; do
... 	wait_until 20 test -s "$T/lasted.$issue"
... 	test "$(cat "$T/lasted.$issue")" -ge 950 && still_ended "$issue" ||
... 		echo "$issue"
... done
>>> wait_until 10 eval '[ "$(grep -c "is ended after 10 seconds" \
... 	"$T/hang.err")" -eq 3 ]'
END
wait $leaving
is "$(tail -n 1 "$T/left/.paneward/94.notice")" 'episode-1 failed' \
	'a zombie does not keep the end of the command from being recorded'
check 'while its parent lives' kill -0 "$(cat "$T/left.pid")"
done_testing
