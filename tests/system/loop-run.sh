#!/bin/sh
# An agent is run again and again until its word, or another end.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

O=$S/.paneward
ZELLIJ_SOCKET_DIR=$T/z
export T ZELLIJ_SOCKET_DIR
mkdir "$ZELLIJ_SOCKET_DIR"

loop() { "$PW" loop run "$@"; }

# ends 'SUCCESS ITERATIONS REASON' ARGUMENT...: so does a loop with these.
ends() {
	ending=$1
	shift
	case $ending in
	true*) ending="0 $ending" ;;
	'false '*' error') ending="3 $ending" ;;
	*) ending="1 $ending" ;;
	esac
	loop --json "$@" >"$T/out" 2>"$T/err" </dev/null
	is "$? $(sed -n '$s/[{}"]//g; $s/[a-z]*://g; $s/,/ /gp' "$T/out")" \
		"$ending" "loop run $*" || comment <"$T/err"
}

# runs PID: does it run?  A zombie does not.
runs() {
	case $(ps -o stat= -p "$1") in
	'' | Z*) return 1 ;;
	esac
}

parent() { ps -o ppid= -p "$1" | tr -d ' '; }

# alive FILE: is the process whose number is in it there?
alive() { runs "$(cat "$1")"; }

script third <<'END'
echo "this is $PANEWARD_ITERATION of issue $PANEWARD_ISSUE"
[ "$PANEWARD_ITERATION" -lt 3 ] || echo LOOP_COMPLETE
END
script echoes <<'END'
printf '> '
fold -s -w 20
[ "$PANEWARD_ITERATION" -lt 2 ] || echo LOOP_COMPLETE
END
script talks <<'END'
echo $$ >"$T/talks.pid"
trap '' TERM
echo LOOP_COMPLETE
while :; do sleep 1; done
END
echo 'Do the next item. When everything is done, say LOOP_COMPLETE on a line.' \
	>"$T/prompt"
echo 'LOOP_COMPLETE when done' >"$T/bad-prompt"
scenario 'the word ends a loop, but no echo of it' <<'END'
>>> loop --issue 42 -- "$T/third" | tail -n 1
paneward: new project '$T/project'
~ keyword after 3 iterations, \S+; logs: \$T/project/\.worktrees/\.status/\.paneward/loop-42\.\*\.log
>>> fields loop-42 reason; cat "$O/loop-42.2.log"
keyword
this is 2 of issue 42
>>> "$PW" status; "$PW" sweep; record loop-42 reason
keyword
>>> ends 'true 2 keyword' --prompt-file "$T/prompt" -- "$T/echoes"
>>> fails 3 'put words before it' loop run --prompt-file "$T/bad-prompt" -- true
>>> ends 'true 2 keyword' -- sh -c 'echo "$0"
... 	[ "$PANEWARD_ITERATION" -lt 2 ] || echo LOOP_COMPLETE' \
... 	'Do it now. Say LOOP_COMPLETE at the end.'
>>> ends 'true 1 keyword' -- "$T/talks"; no alive "$T/talks.pid"
END

script fails <<'END'
echo "$PANEWARD_ITERATION"
exit 7
END
script polls <<'END'
echo working
[ "$PANEWARD_ITERATION" -lt 7 ] || echo LOOP_COMPLETE
END
script silent <<'END'
echo "$PANEWARD_ITERATION"
[ "$PANEWARD_ITERATION" -ge 2 ] && echo LOOP_COMPLETE
exec sleep 1000
END
script slower <<'END'
echo "$PANEWARD_ITERATION"
[ "$PANEWARD_ITERATION" -eq 1 ] || exec sleep 1000
END
script signals <<'END'
"$PANEWARD" signal complete
exec sleep 1000
END
# It has a few seconds more than the first round took.
scenario 'failures, the same output, time, rounds and a signal end it' <<'END'
>>> ends 'false 5 failures' -- "$T/fails"
>>> ends 'false 5 no-progress' -- echo 'I cannot do that.'
>>> ends 'false 2 no-progress' --same-rounds 2 -- echo 'I cannot do that.'
>>> ends 'true 7 keyword' --same-rounds 0 -- "$T/polls"
>>> ends 'false 6 max-iterations' --same-rounds 0 -n 6 -- "$T/polls"
>>> ends 'true 7 keyword' --resume -n 9
>>> echo '{ "loop": { "same_rounds": 3 } }' >.paneward.json
>>> ends 'false 3 no-progress' -- "$T/polls"; rm .paneward.json
>>> ends 'true 2 keyword' --idle-timeout 1 -- "$T/silent"
>>> grep -o '"iteration":1,"end":"idle-timeout"' "$T/out"
"iteration":1,"end":"idle-timeout"
>>> ends 'false 1 max-time' --max-time 2 -- \
... 	sh -c 'while :; do date; sleep 0.2; done'
>>> ends 'false 1 max-iterations' -n 1 -- "$T/slower"
>>> ends 'false 2 max-time' --resume -n 9 \
... 	--max-time $(($(record loop-default elapsed) / 1000 + 4))
>>> ends 'false 2 max-iterations' -n 2 -- "$T/fails"
>>> ends 'false 1 signal-complete' --issue 7 -- "$T/signals"
>>> test -e "$S/signal-complete-7"
END

script limited <<'END'
case $PANEWARD_ITERATION in
[12345]) echo "Claude AI usage limit reached|$(($(date +%s) + 1))"; exit 1 ;;
*) echo LOOP_COMPLETE ;;
esac
END
script refused <<'END'
[ "$PANEWARD_ITERATION" -eq 1 ] || exec echo LOOP_COMPLETE
echo 'API Error: 429 Too Many Requests, try again in 2 seconds'
exit 1
END
scenario 'a usage limit is waited for, and is no failure' <<'END'
>>> ends 'true 6 keyword' -- "$T/limited"; tail -n 1 "$T/err"
~ paneward: .*usage limit: the loop goes on at [0-2]\d:[0-5]\d \(in \d+s\)
>>> grep -c '"end":"limited"' "$T/out"
5
>>> ends 'true 2 keyword' -- "$T/refused"
>>> grep -o '"iteration":1,"end":"limited"' "$T/out"
"iteration":1,"end":"limited"
>>> ends 'true 3 keyword' -- sh -c 'echo "Rate limit added to the API."
... 	[ "$PANEWARD_ITERATION" -lt 3 ] || echo LOOP_COMPLETE'
>>> grep '"end":"limited"' "$T/out"
[1]
END

mkdir "$T/few"
ln -s "$(command -v sleep)" "$(command -v sh)" "$T/few"
script fewer <<END
PATH=$T/few exec '$PW' "\$@"
END
printf 'a\0b' >"$T/nul"
echo nonsense >"$O/loop-9.json"
scenario 'what cannot be started is refused' <<'END'
>>> fails 3 "no such program '$T/nothing'" loop run -- "$T/nothing"
>>> PW=$T/fewer fails 3 'no zellij in PATH' \
... 	loop run --session-manager zellij -- true
>>> printf '#!/bin/sh\necho "zellij 0.43.1"\n' >"$T/few/zellij"
>>> chmod +x "$T/few/zellij"
>>> PW=$T/fewer fails 3 "takes zellij 0.44 or later, and this is 'zellij 0.43.1'" \
... 	loop run --session-manager zellij -- true
>>> PATH=$T/few loop --session-manager auto --issue 8 -- "$T/third" >/dev/null
>>> record loop-8 session_manager
native
>>> loop --session-manager auto --issue 8 -- "$T/third" | head -n 1
~ iteration 1  begins  tmux attach -t =loop-8-1-\w+
>>> record loop-8 session_manager
tmux
>>> fails 2 screen loop run --session-manager screen -- true
>>> fails 2 claude loop run --backend claude
>>> fails 2 max loop run --max 3 -- true
>>> fails 2 keyword loop run --keyword '' -- true
>>> fails 2 "'0'" loop run -n 0 -- true
>>> fails 2 soon loop run --max-time soon -- true
>>> fails 2 ../5 loop run --issue ../5 -- true
>>> fails 2 none loop run --backend none -- true
>>> fails 3 no-prompt loop run --prompt-file "$T/no-prompt" -- true
>>> fails 3 NUL loop run --prompt-file "$T/nul" -- true
>>> fails 3 "loop-9.json', remove it" loop run --issue 9 -- true
>>> fails 3 99 loop run --issue 99 --resume
END

script marks <<'END'
echo "$PANEWARD_ITERATION"
[ "$PANEWARD_ITERATION" -lt 2 ] || echo '<&>LOOP'
END
scenario 'reports are JSON, or a page that needs nothing else' <<'END'
>>> ends 'true 2 keyword' --issue 42 --report "$T/r.json" \
... 	--report "$T/r.html" --keyword '<&>LOOP' -n 2 -- "$T/marks"
>>> perl -MJSON::PP -0777 -e 'my $r = decode_json(<>);
... 	print "$r->{reason} $r->{iterations} $#{$r->{rounds}} $r->{issue}\n"' \
... 	"$T/r.json"
keyword 2 1 42
>>> grep -o 'class="bar [a-z]*' "$T/r.html"
class="bar working
class="bar complete
>>> grep -o '[a-z]*.*&lt;&amp;&gt;LOOP' "$T/r.html"
~ <p>keyword after 2 iterations, .*; backend shell, sessions in native, keyword &lt;&amp;&gt;LOOP
>>> grep -E '<&>|<script|://' "$T/r.html"
[1]
>>> loop -n 1 --report "$T/k.html" -- sh -c 'echo last; kill -KILL $$' |
... 	grep '^iteration 1  signal' && grep -o 'class="bar [a-z]*' "$T/k.html"
~ iteration 1  signal 9  \d+s  last
class="bar dead
>>> fails 3 "cannot write the report '$T/missing/r.json'" loop run \
... 	--report "$T/missing/r.json" -- true
>>> fails 2 r.txt loop run --report "$T/r.txt" -- true
END

script counts <<'END'
echo "$$" >"$T/counts.pid"
echo "$PANEWARD_ITERATION" >>"$T/rounds"
if [ "$PANEWARD_ITERATION" -eq 2 ] && [ ! -e "$T/go" ]; then
	exec sleep 1000
fi
[ "$PANEWARD_ITERATION" -lt 3 ] || echo LOOP_COMPLETE
END

# second ARGUMENT...: a loop of issue 5, in its second round.
second() {
	rm -f "$T/go" "$T/rounds"
	begin_command a loop run --issue 5 "$@" -- "$T/counts"
	wait_until 10 grep -qx 2 "$T/rounds"
}

# ended SIGNAL: it is, by that.
ended() {
	kill -s "$1" "$(cat "$T/a.pid")"
	wait_until 20 command_ended a
}

# resumed: it goes on with the round that was broken off, and ends.
resumed() {
	touch "$T/go"
	loop --issue 5 --resume >"$T/out" 2>&1 && paste -s -d ' ' "$T/rounds"
}

managers='native tmux'
loop --session-manager zellij -n 1 -- true >"$T/out" 2>&1 </dev/null
if [ $? -eq 1 ]; then
	managers="$managers zellij"
else
	skip 'sessions in zellij' 'there is no zellij 0.44 or later'
fi
for manager in $managers; do
	scenario "$manager: what is interrupted or killed goes on" <<'END'
>>> second --session-manager "$manager"; ended INT; cat "$T/a.status"
130
>>> tail -n 1 "$T/a.out"
~ interrupted after 2.*logs: \$T/project/.worktrees/.status/.paneward.*
>>> no alive "$T/counts.pid" && resumed && resumed
1 2 2 3
1 2 2 3
>>> second --session-manager "$manager"; ended KILL
>>> wait_until 20 no alive "$T/counts.pid"; resumed
1 2 2 3
END
done

# Neither sees the end of the other: only what is written down is left.
rm -f "$T/go" "$T/rounds"
scenario 'the next engine ends an agent that has lost engine and parent' <<'END'
>>> tm list-sessions 2>/dev/null
[1]
>>> second; orphan=$(cat "$T/counts.pid"); keeper=$(parent "$orphan")
>>> freeze "$keeper" "$(cat "$T/a.pid")"; kill -s KILL "$keeper"; ended KILL
>>> runs "$orphan"; resumed; wait_until 10 no runs "$orphan"
1 2 2 3
>>> # Ctrl+C on a terminal ends it and its agent.
>>> rm -f "$T/go" "$T/rounds"; tmux_start; pane_run terminal "trap : INT
... 	'$PW' loop run --issue 6 -n 3 -- '$T/counts'; echo \"status \$?\"; exec cat"
>>> wait_until 10 pane_shows terminal 'iteration 2/3  '
>>> tm send-keys -t =terminal: C-c; wait_until 10 pane_shows terminal 'status 130'
>>> pane_text terminal | grep -o '^interrupted after 2 iterations'
interrupted after 2 iterations
>>> no alive "$T/counts.pid"
END

scenario 'a loop ends without a reader, and has one engine' <<'END'
>>> loop --issue 6 --report "$T/deaf.json" -n 1000000 --same-rounds 0 -- \
... 	echo again 2>/dev/null | head -n 1 >"$T/out"
>>> record loop-6 reason; test -s "$T/deaf.json"
interrupted
>>> second; fails 3 "process $(cat "$T/a.pid") already runs this loop" \
... 	loop run --issue 5 -- "$T/third"
>>> ended KILL; kill -s KILL "$(cat "$T/counts.pid")" 2>/dev/null || :
>>> fails 0 'cut short at iteration 2' loop run --issue 5 -- "$T/third"
END

script opens <<'END'
echo 'something that is longer than what comes'
sleep 0.3
echo anew | tee /dev/stderr
echo LOOP_COMPLETE
END
script deaf <<'END'
trap 'echo "$PANEWARD_ITERATION" >"$T/deaf.asked"' TERM
echo once
while :; do sleep 0.2; done
END
# Nothing is left of the directory in which its keeper looks for what to run.  The
# SIGTERM that deaf ignores is the sign; one that begins slowly obeys it.
scenario 'a log is not cut; a round in which no agent begins is none' <<'END'
>>> ends 'true 1 keyword' -- "$T/opens"; head -n 1 "$O/loop-default.1.log"
something that is longer than what comes
>>> ends 'false 2 error' -- sh -c "mv '$S' '$T/away'"; tail -n 1 "$T/err"
paneward: loop run: cannot make a session: the agent did not begin; the status directory '$T/project/.worktrees/.status' is gone, keep agents from removing it
>>> rm -rf "$S"; mv "$T/away" "$S"
>>> begin_command a loop run --idle-timeout 1 --json -- "$T/deaf"
>>> wait_until 10 test -s "$T/deaf.asked"; ended INT; cat "$T/a.status"
130
>>> is "$(tail -n 1 "$T/a.out")" "{\"success\":false,\"iterations\":\
... $(cat "$T/deaf.asked"),\"reason\":\"interrupted\"}"
END

# The agent has ended, those it leaves ignore what is asked of them.
script leaves <<'END'
(trap '' TERM HUP; : >"$T/leaves.up"; exec sleep 1000) &
echo $! >"$T/leaves.pid"
until [ -e "$T/leaves.go" ]; do sleep 0.05; done
END
scenario 'no process of an agent is left after engine and keeper were killed' <<'END'
>>> begin_command a loop run -- "$T/leaves"; wait_until 10 test -e "$T/leaves.up"
>>> wait_until 10 test -s "$T/leaves.pid"
>>> agent=$(parent "$(cat "$T/leaves.pid")"); keeper=$(parent "$agent")
>>> freeze "$keeper" "$(cat "$T/a.pid")"; kill -KILL "$keeper"; ended KILL
>>> touch "$T/leaves.go"; wait_until 10 no runs "$agent"
>>> ends 'false 1 max-iterations' --resume -n 1 -- true
>>> wait_until 10 no alive "$T/leaves.pid"
END

# It stays until the test has read the memory of its parents.
script much <<'END'
trap ': >"$T/much.seen"' TERM
echo "$PPID" >"$T/much.keeper"
yes 'all work and no play makes a long log' | head -c 67108864
printf '\nLOOP_COMPLETE\n'
until [ -e "$T/much.looked" ]; do sleep 0.05; done
END

# worked PID: the time that it has had a processor, in ms.
worked() {
	ticks=$(sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 12,13)
	echo $(((${ticks% *} + ${ticks#* }) * 1000 / $(getconf CLK_TCK)))
}

# peak FILE: the most that its process ever held in memory, in KiB.
peak() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(cat "$1")/status"; }

# little FILE KEEPER: has the engine, in little time and memory, done its work?
little() {
	[ -e /proc/self/status ] || return 0
	took=$(worked "$(cat "$1")")
	peaks=$(($(peak "$1") + $(peak "$2")))
	# Sanitizers take some memory.
	[ "${ASAN_OPTIONS:-}" = '' ] || peaks=0
	[ "$took" -lt 1000 ] && [ "$peaks" -lt 8192 ] ||
		echo "$took ms, $peaks KiB"
}

scenario 'a word behind 64 MiB is found with little work, in little memory' <<'END'
>>> begin_command m loop run --json -- "$T/much"
>>> wait_until 20 test -e "$T/much.seen"; little "$T/m.pid" "$T/much.keeper"
>>> touch "$T/much.looked"; watch_ended m 0 'it is complete'
END
done_testing
