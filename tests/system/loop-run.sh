#!/bin/sh
# An agent is run again and again until its word, or another end.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

O=$S/.paneward
ZELLIJ_SOCKET_DIR=$T/z
export ZELLIJ_SOCKET_DIR
mkdir "$ZELLIJ_SOCKET_DIR"

# state NAME KEY: of a loop's state.
state() {
	record "$1" "$2"
}

# last: the last line that a loop has printed.
last() {
	tail -n 1 "$T/out"
}

# runs PID: does it run?  A zombie does not.
runs() {
	case $(ps -o stat= -p "$1") in
	'' | Z*) return 1 ;;
	esac
}

parent() {
	ps -o ppid= -p "$1" | tr -d ' '
}

# alive FILE: is the process whose number is in it there?
alive() {
	runs "$(cat "$1")"
}

# ---- the word ----------------------------------------------------------------

script third <<-'END'
	echo "this is $PANEWARD_ITERATION of issue $PANEWARD_ISSUE"
	[ "$PANEWARD_ITERATION" -lt 3 ] || echo LOOP_COMPLETE
END
exits 0 'the word ends it' "$PW" loop run --issue 42 -- "$T/third"
like "$(cat "$T/out")" '^keyword after 3 iterations' 'and that is said'
is "$(state loop-42 reason)" keyword 'and written down'
is "$(cat "$O/loop-42.2.log")" 'this is 2 of issue 42' \
	'each round has its log, each agent its environment'
is "$("$PW" status 2>&1)" '' 'the state of a loop is nobody'\''s record'
exits 0 'nor does a sweep take it for one' "$PW" sweep
is "$(state loop-42 reason)" keyword 'it stays what it was'

cat >"$T/prompt" <<-'END'
	Do the next item. When everything is done, say LOOP_COMPLETE on a line.
END
script echoes <<-'END'
	printf '> '
	fold -s -w 20
	[ "$PANEWARD_ITERATION" -lt 2 ] || echo LOOP_COMPLETE
END
exits 0 'the echo of the prompt is not the word' "$PW" loop run --json \
	--prompt-file "$T/prompt" -- "$T/echoes"
is "$(last)" '{"success":true,"iterations":2,"reason":"keyword"}' \
	'what the agent says behind it is'
echo 'LOOP_COMPLETE when done' >"$T/bad-prompt"
exits 3 'a prompt that begins with the word is refused' "$PW" loop run \
	--prompt-file "$T/bad-prompt" -- "$T/echoes"
like "$(cat "$T/err")" 'put words before it' 'and why'

exits 0 'nor is that of the command line' "$PW" loop run --json -- \
	sh -c 'echo "$0"; [ "$PANEWARD_ITERATION" -lt 2 ] || echo LOOP_COMPLETE' \
	'Do it now. Say LOOP_COMPLETE at the end.'
is "$(last)" '{"success":true,"iterations":2,"reason":"keyword"}' \
	'but what it prints is'

script talks <<-'END'
	echo $$ >"$T/talks.pid"
	trap '' TERM
	echo LOOP_COMPLETE
	while :; do sleep 1; done
END
sed -i "s|\$T/|$T/|" "$T/talks"
exits 0 'an agent that goes on is ended' "$PW" loop run -- "$T/talks"
check 'whatever it thinks of it' no alive "$T/talks.pid"

# ---- the other ends -----------------------------------------------------------

script fails <<-'END'
	echo "$PANEWARD_ITERATION"
	exit 7
END
exits 1 'five failures end it' "$PW" loop run --json -- "$T/fails"
is "$(last)" '{"success":false,"iterations":5,"reason":"failures"}' \
	'with the reason'
script same <<-'END'
	echo 'I cannot do that.'
END
exits 1 'so does the same output again and again' "$PW" loop run --json \
	-- "$T/same"
is "$(last)" '{"success":false,"iterations":5,"reason":"no-progress"}' \
	'with its reason'
exits 1 'or as often as is allowed' "$PW" loop run --json --same-rounds 2 \
	-- "$T/same"
is "$(last)" '{"success":false,"iterations":2,"reason":"no-progress"}' \
	'with the same reason'
script polls <<-'END'
	echo working
	[ "$PANEWARD_ITERATION" -lt 7 ] || echo LOOP_COMPLETE
END
exits 0 'or it does not' "$PW" loop run --json --same-rounds 0 -- "$T/polls"
is "$(last)" '{"success":true,"iterations":7,"reason":"keyword"}' \
	'and the loop goes on to its word'
exits 1 'a loop that is resumed' "$PW" loop run --json --same-rounds 0 -n 6 \
	-- "$T/polls"
exits 0 'goes on with that' "$PW" loop run --json --resume -n 9
is "$(last)" '{"success":true,"iterations":7,"reason":"keyword"}' 'to its word'
echo '{ "loop": { "same_rounds": 3 } }' >"$P/.paneward.json"
exits 1 'the configuration has the number' "$PW" loop run --json -- "$T/polls"
is "$(last)" '{"success":false,"iterations":3,"reason":"no-progress"}' \
	'that ends it'
rm "$P/.paneward.json"
script silent <<-'END'
	echo "$PANEWARD_ITERATION"
	[ "$PANEWARD_ITERATION" -ge 2 ] && echo LOOP_COMPLETE
	exec sleep 1000
END
exits 0 'who is idle is ended, and the next one begins' "$PW" loop run \
	--json --idle-timeout 1 -- "$T/silent"
like "$(cat "$T/out")" '"iteration":1,"end":"idle-timeout"' 'and that is told'
script slow <<-'END'
	while :; do date; sleep 0.2; done
END
exits 1 'the time of a loop ends it' "$PW" loop run --json --max-time 4 \
	-- "$T/slow"
is "$(last)" '{"success":false,"iterations":1,"reason":"max-time"}' \
	'with its reason'
script slower <<-'END'
	echo "$PANEWARD_ITERATION"
	[ "$PANEWARD_ITERATION" -eq 1 ] || exec sleep 1000
END
# It has a few seconds more than the first round took.
exits 1 'a round' "$PW" loop run --json -n 1 -- "$T/slower"
exits 1 'also in a later round' "$PW" loop run --json --resume -n 9 \
	--max-time $(($(state loop-default elapsed) / 1000 + 4))
is "$(last)" '{"success":false,"iterations":2,"reason":"max-time"}' \
	'with the round that was under way'
exits 1 'and so do enough rounds' "$PW" loop run --json -n 2 -- "$T/fails"
is "$(last)" '{"success":false,"iterations":2,"reason":"max-iterations"}' \
	'with their reason'
script signals <<-'END'
	"$PANEWARD" signal complete
	exec sleep 1000
END
exits 1 'the signal of the issue ends it' "$PW" loop run --issue 7 --json \
	-- "$T/signals"
is "$(last)" '{"success":false,"iterations":1,"reason":"signal-complete"}' \
	'with its reason'
check 'and stays for who hands it off' test -e "$S/signal-complete-7"
script limited <<-'END'
	case $PANEWARD_ITERATION in
	[123456]) echo "Claude AI usage limit reached|$(($(date +%s) + 1))"; exit 1 ;;
	*) echo LOOP_COMPLETE ;;
	esac
END
exits 0 'a usage limit is waited for' "$PW" loop run --json -- "$T/limited"
is "$(grep -c '"end":"limited"' "$T/out")" 6 'and is no failure'
like "$(cat "$T/err")" \
	'usage limit: the loop goes on at [0-2][0-9]:[0-5][0-9] [(]in [0-9]+s[)]$' \
	'it is told when'

script refused <<-'END'
	[ "$PANEWARD_ITERATION" -eq 1 ] || exec echo LOOP_COMPLETE
	echo 'API Error: 429 Too Many Requests, try again in 2 seconds'
	exit 1
END
exits 0 'whatever it is called' "$PW" loop run --json -- "$T/refused"
like "$(cat "$T/out")" '"iteration":1,"end":"limited"' 'of one that has failed'
exits 0 'who only writes of limits has none' "$PW" loop run --json -- \
	sh -c 'echo "Rate limit added to the API."
	[ "$PANEWARD_ITERATION" -lt 3 ] || echo LOOP_COMPLETE'
unlike "$(cat "$T/out")" '"end":"limited"' 'so it is not paused'

exits 3 'what cannot be started is said' "$PW" loop run -- "$T/nothing"
like "$(cat "$T/err")" "no such program '$T/nothing'" 'with its name'
mkdir "$T/few"
ln -s "$(command -v sleep)" "$(command -v sh)" "$T/few"
exits 3 'without zellij there are no sessions in it' env PATH="$T/few" \
	"$PW" loop run --session-manager zellij -- /bin/true
like "$(cat "$T/err")" 'no zellij in PATH' 'and that is said'
printf '#!/bin/sh\necho "zellij 0.43.1"\n' >"$T/few/zellij"
chmod +x "$T/few/zellij"
exits 3 'nor with an older one' env PATH="$T/few" \
	"$PW" loop run --session-manager zellij -- /bin/true
like "$(cat "$T/err")" "takes zellij 0.44 or later, and this is 'zellij 0.43.1'" \
	'which is named'
PATH=$T/few exits 0 'auto takes what there is' "$PW" loop run \
	--session-manager auto --issue 8 -- "$T/third"
is "$(state loop-8 session_manager)" native 'at last none'
exits 0 'but better one that can be looked at' "$PW" loop run \
	--session-manager auto --issue 8 -- "$T/third"
is "$(state loop-8 session_manager)" tmux 'first tmux'
like "$(cat "$T/out")" '^iteration 1  begins  tmux attach -t =loop-8-1-' \
	'and says how'
exits 2 'an unknown manager is refused' "$PW" loop run \
	--session-manager screen -- "$T/third"
exits 2 'so is a backend without a prompt' "$PW" loop run --backend claude
exits 2 'and an option of another verb' "$PW" loop run --max 3 -- "$T/third"
exits 2 'a keyword that is none is refused' "$PW" loop run --keyword '' \
	-- "$T/third"
exits 2 'so is a loop of no rounds' "$PW" loop run -n 0 -- "$T/third"
exits 2 'a time that is none' "$PW" loop run --max-time soon -- "$T/third"
exits 2 'an issue that is none' "$PW" loop run --issue ../5 -- "$T/third"
exits 2 'a backend that is none' "$PW" loop run --backend none -- "$T/third"
exits 3 'a prompt that is not there' "$PW" loop run --prompt-file \
	"$T/no-prompt" -- "$T/third"
printf 'a\0b' >"$T/bad-prompt"
exits 3 'a prompt with a NUL' "$PW" loop run --prompt-file "$T/bad-prompt" \
	-- "$T/third"
echo nonsense >"$O/loop-9.json"
exits 3 'a state that is none' "$PW" loop run --issue 9 -- "$T/third"
like "$(cat "$T/err")" "loop-9.json', remove it" 'with what to do'
exits 3 'there must be something to resume' "$PW" loop run --issue 99 --resume

# ---- the report --------------------------------------------------------------

script marks <<-'END'
	echo "$PANEWARD_ITERATION"
	[ "$PANEWARD_ITERATION" -lt 2 ] || echo '<&>LOOP'
END

exits 0 'reports are written' "$PW" loop run --issue 42 --report "$T/r.json" \
	--report "$T/r.html" --keyword '<&>LOOP' -n 2 -- "$T/marks"
is "$(perl -MJSON::PP -e 'local $/; my $r = decode_json(<>);
	print "$r->{reason} $r->{iterations} $#{$r->{rounds}} $r->{issue}"' \
	"$T/r.json")" 'keyword 2 1 42' 'as JSON'
is "$(grep -c 'class="bar' "$T/r.html")" 2 'as a page, with a bar per round'
unlike "$(cat "$T/r.html")" '<&>|<script|://' \
	'which needs nothing else, and shows names as they are'
like "$(cat "$T/r.html")" '&lt;&amp;&gt;LOOP' 'whatever is in them'
exits 3 'a report that could not be written is known before' "$PW" loop run \
	--report "$T/missing/r.json" -- "$T/third"
like "$(cat "$T/err")" "cannot write the report '$T/missing/r.json'" \
	'and said'
exits 2 'other kinds of report there are none' "$PW" loop run \
	--report "$T/r.txt" -- "$T/third"

# ---- interrupted, killed, resumed ----------------------------------------------

cat >"$T/counts" <<-END
	#!/bin/sh
	echo "\$\$" >'$T/counts.pid'
	echo "\$PANEWARD_ITERATION" >>'$T/rounds'
	if [ "\$PANEWARD_ITERATION" -eq 2 ] && [ ! -e '$T/go' ]; then
		exec sleep 1000
	fi
	[ "\$PANEWARD_ITERATION" -lt 3 ] || echo LOOP_COMPLETE
END
chmod +x "$T/counts"

loop_has_zellij() {
	"$PW" loop run --session-manager zellij --max-iterations 1 -- \
		true >"$T/out" 2>"$T/err" </dev/null
	[ $? -eq 1 ]
}

# second MANAGER SIGNAL: the loop is in its second round when that comes.
second() {
	rm -f "$T/go" "$T/rounds"
	begin_command a loop run --issue 5 --session-manager "$1" -- "$T/counts"
	wait_until 10 grep -qx 2 "$T/rounds"
	kill -s "$2" "$(cat "$T/a.pid")"
	wait_until 20 command_ended a
}

managers='native tmux'
if loop_has_zellij; then
	managers="$managers zellij"
else
	skip 'sessions in zellij' 'there is no zellij 0.44 or later'
fi
for manager in $managers; do
	second "$manager" INT
	is "$(cat "$T/a.status")" 130 "$manager: an interrupt ends it"
	like "$(cat "$T/a.out")" "^interrupted after 2.*logs: $O" \
		'and says where the logs are'
	check 'its agent is gone' no alive "$T/counts.pid"
	touch "$T/go"
	exits 0 'it is resumed' "$PW" loop run --issue 5 --resume
	is "$(tr '\n' ' ' <"$T/rounds")" '1 2 2 3 ' 'with the round that was broken off'
	exits 0 'once it has ended there is nothing to do' "$PW" loop run \
		--issue 5 --resume
	is "$(tr '\n' ' ' <"$T/rounds")" '1 2 2 3 ' 'and nothing is done'

	second "$manager" KILL
	soon "$manager: no agent outlives its engine" no alive "$T/counts.pid"
	touch "$T/go"
	exits 0 'and the next engine goes on' "$PW" loop run --issue 5 --resume
	is "$(tr '\n' ' ' <"$T/rounds")" '1 2 2 3 ' 'where it was'
done
is "$(tm list-sessions 2>/dev/null)" '' 'no session is left'

# Not even the agent's parent is left, only what is written down.
rm -f "$T/go" "$T/rounds"
begin_command a loop run --issue 5 -- "$T/counts"
wait_until 10 grep -qx 2 "$T/rounds"
orphan=$(cat "$T/counts.pid")
keeper=$(parent "$orphan")
# Neither sees the end of the other.
freeze "$keeper" "$(cat "$T/a.pid")"
kill -s KILL "$(cat "$T/a.pid")" "$keeper"
wait_until 10 command_ended a
check 'an agent that has lost engine and parent lives' runs "$orphan"
touch "$T/go"
exits 0 'the next engine goes on' "$PW" loop run --issue 5 --resume
soon 'and has ended it' no runs "$orphan"
is "$(tr '\n' ' ' <"$T/rounds")" '1 2 2 3 ' 'before it began the round anew'

# On a terminal.
rm -f "$T/go" "$T/rounds"
tmux_start
pane_run terminal "trap : INT; '$PW' loop run --issue 6 -n 3 -- '$T/counts'
	echo \"status \$?\"; exec cat"
wait_until 10 pane_shows terminal 'iteration 2/3  '
tm send-keys -t =terminal: C-c
wait_until 10 pane_shows terminal 'status 130'
like "$(pane_text terminal)" '^interrupted after 2 iterations' \
	'Ctrl+C on a terminal ends it'
check 'and its agent' no alive "$T/counts.pid"

# Nobody listens any more, from whichever round on.
"$PW" loop run --issue 6 --report "$T/deaf.json" -n 1000000 --same-rounds 0 -- \
	echo again 2>/dev/null | head -n 1 >"$T/out"
is "$(state loop-6 reason)" interrupted 'nor does it go on where nobody listens'
check 'but writes its report' test -s "$T/deaf.json"

# Two of them.
rm -f "$T/go" "$T/rounds"
begin_command a loop run --issue 5 -- "$T/counts"
wait_until 10 grep -qx 2 "$T/rounds"
exits 3 'a loop has one engine' "$PW" loop run --issue 5 -- "$T/third"
like "$(cat "$T/err")" "process $(cat "$T/a.pid") already runs this loop" 'which is named'
kill -s KILL "$(cat "$T/a.pid")"
wait_until 10 command_ended a
kill -s KILL "$(cat "$T/counts.pid")" 2>/dev/null
exits 0 'who does not resume begins again' "$PW" loop run --issue 5 -- "$T/third"
like "$(cat "$T/err")" 'cut short at iteration 2' 'and is told'

# ---- agents of which little is left -------------------------------------------

script opens <<-'END'
	echo 'something that is longer than what comes'
	sleep 0.3
	echo anew | tee /dev/stderr
	echo LOOP_COMPLETE
END
exits 0 'who opens standard error anew cuts no log' "$PW" loop run -- "$T/opens"
is "$(head -n 1 "$O/loop-default.1.log")" \
	'something that is longer than what comes' 'which has everything'

# Nothing is left of the directory in which its keeper looks for what to run.
exits 3 'a round in which no agent begins is none' "$PW" loop run --json -- \
	sh -c "mv '$S' '$T/away'"
is "$(last)" '{"success":false,"iterations":2,"reason":"error"}' \
	'but the end, and no failure'
like "$(cat "$T/err")" 'the agent did not begin' 'and why'
rm -rf "$S"
mv "$T/away" "$S"

script deaf <<-'END'
	trap 'echo "$PANEWARD_ITERATION" >"$T/deaf.asked"' TERM
	echo once
	while :; do sleep 0.2; done
END
sed -i "s|\$T/|$T/|" "$T/deaf"
begin_command i loop run --idle-timeout 1 --json -- "$T/deaf"
# The SIGTERM that it ignores is the sign; one that begins slowly obeys it.
wait_until 10 test -s "$T/deaf.asked"
kill -INT "$(cat "$T/i.pid")"
wait_until 15 command_ended i
is "$(cat "$T/i.status")" 130 'an interrupt counts while an idle agent is ended'
is "$(tail -n 1 "$T/i.out")" \
	"{\"success\":false,\"iterations\":$(cat "$T/deaf.asked"),\"reason\":\
\"interrupted\"}" 'as one'

# The agent has ended, those it leaves ignore what is asked of them.
script leaves <<-'END'
	(trap '' TERM HUP; : >"$T/leaves.up"; exec sleep 1000) &
	echo $! >"$T/leaves.pid"
	until [ -e "$T/leaves.go" ]; do sleep 0.05; done
END
sed -i "s|\$T/|$T/|g" "$T/leaves"
begin_command l loop run -- "$T/leaves"
wait_until 10 test -e "$T/leaves.up"
wait_until 10 test -s "$T/leaves.pid"
agent=$(parent "$(cat "$T/leaves.pid")")
keeper=$(parent "$agent")
freeze "$keeper" "$(cat "$T/l.pid")"
kill -KILL "$(cat "$T/l.pid")" "$keeper"
wait_until 10 command_ended l
touch "$T/leaves.go"
wait_until 10 no runs "$agent"
exits 1 'after engine and keeper were killed' "$PW" loop run --resume -n 1 -- true
soon 'nobody of the agent'\''s is left' no alive "$T/leaves.pid"

# ---- much output ------------------------------------------------------------

# It stays until the test has read the memory of its parents.
cat >"$T/much" <<-END
	#!/bin/sh
	trap ': >"$T/much.seen"' TERM
	echo "\$PPID" >'$T/much.keeper'
	yes 'all work and no play makes a long log' | head -c 67108864
	printf '\\nLOOP_COMPLETE\\n'
	until [ -e '$T/much.looked' ]; do
		sleep 0.05
	done
END
chmod +x "$T/much"

# worked PID: the time that it has had a processor, in ms.
worked() {
	ticks=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 12,13)
	[ "$ticks" = '' ] ||
		echo $(((${ticks% *} + ${ticks#* }) * 1000 / $(getconf CLK_TCK)))
}

# peak PID: the most that it ever held in memory, in KiB.
peak() {
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null
}

begin_command m loop run --json -- "$T/much"
wait_until 20 test -e "$T/much.seen"
took=$(worked "$(cat "$T/m.pid")")
engine=$(peak "$(cat "$T/m.pid")")
keeper=$(peak "$(cat "$T/much.keeper")")
touch "$T/much.looked"
wait_until 10 command_ended m
is "$(cat "$T/m.status")" 0 'a word behind 64 MiB is found'
if [ "$took" = '' ]; then
	skip 'with little work' 'nobody tells'
else
	check "with little work ($took ms)" test "$took" -lt 1000
fi
if [ "$engine" = '' ] || [ "${ASAN_OPTIONS:-}" != '' ]; then
	skip 'in little memory' 'nobody tells, or sanitizers take some'
else
	check "in little memory ($engine KiB and $keeper KiB)" \
		test $((engine + keeper)) -lt 8192
fi
done_testing
