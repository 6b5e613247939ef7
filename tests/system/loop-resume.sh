#!/bin/sh
# What a loop keeps of itself, and what the next call makes of it.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

O=$S/.paneward
# Whatever is below belongs to the project.
git_project

# kill_loop NAME SIGNAL: its engine gets that and ends.
kill_loop() {
	kill -s "$2" "$(cat "$T/$1.pid")"
	wait_until 20 command_ended "$1"
}

# has_lines FILE NUMBER: at least so many.
has_lines() {
	[ "$(wc -l 2>/dev/null <"$1" || echo 0)" -ge "$2" ]
}

script done_at_once <<-'END'
	echo LOOP_COMPLETE
END
script counts <<-END
	echo "\$PANEWARD_ITERATION" | tee -a '$T/rounds'
END

# ---- what is refused changes nothing -----------------------------------------

exits 1 'a loop has logs' "$PW" loop run -n 2 -- "$T/counts"
exits 2 'a backend that is none is refused' "$PW" loop run -b typo -n 2
exits 3 'so is a report that has no place' "$PW" loop run \
	--report "$T/missing/r.json" -n 2 -- "$T/counts"
exits 3 'and a prompt that is not there' "$PW" loop run \
	-f "$T/missing" -n 2 -- "$T/counts"
is "$(cat "$O/loop-default.1.log" "$O/loop-default.2.log" | tr '\n' ' ')" \
	'1 2 ' 'the logs of the loop before are there'
is "$(record loop-default reason)" max-iterations 'and what became of it'
exits 0 'one that begins removes them' "$PW" loop run -- "$T/done_at_once"
check 'all of them' no test -e "$O/loop-default.2.log"

letter=$(printf '\377')
fails 2 "the word 'a.*b' is not UTF-8" loop run -n 1 -- printf "a${letter}b"
mkdir "$P/d$letter" && cd "$P/d$letter" || exit 1
fails 2 'the directory .* is not UTF-8' loop run -n 1 -- "$T/counts"
cd "$P" || exit 1
exits 1 'other letters come back the same' "$PW" loop run -n 1 -- \
	printf 'a \303\244 \\n %s' "$(printf '\033\001')"
exits 1 'when it is resumed' "$PW" loop run --resume -n 2
check 'to the byte' cmp "$O/loop-default.1.log" "$O/loop-default.2.log"

fails 2 "cannot be 'default'.*leave --issue out" loop run --issue default -- \
	"$T/done_at_once"

# ---- what is over, and what is not -------------------------------------------

exits 0 'a loop is over' "$PW" loop run -n 3 -- "$T/done_at_once"
exits 0 'resumed with its own word it still is' "$PW" loop run --resume \
	-k LOOP_COMPLETE
fails 1 '"iterations":2,"reason":"max-iterations"' loop run --resume -k OTHER \
	-n 2 --json -- touch "$T/ran"
check 'with another word and command it is not, and runs' test -e "$T/ran"
exits 0 'a loop is over again' "$PW" loop run -n 3 -- "$T/done_at_once"
rm -f "$T/rounds"
exits 1 'with another command alone it goes on' "$PW" loop run --resume \
	-n 2 -- "$T/counts"
is "$(cat "$T/rounds")" 2 'with the next round'

# ---- a usage limit -----------------------------------------------------------

script limited <<-END
	date +%s >>'$T/began'
	[ "\$PANEWARD_ITERATION" -eq 1 ] || exec echo LOOP_COMPLETE
	until=\$((\$(date +%s) + 10))
	echo \$until >'$T/until'
	echo "Claude AI usage limit reached|\$until"
	exit 1
END
exits 1 'a limit at the end of a loop' "$PW" loop run -n 1 -- "$T/limited"
unlike "$(cat "$T/err")" 'goes on at' 'is not waited for'
rm -f "$T/began"
begin_command l loop run -- "$T/limited"
wait_until 10 grep -q 'goes on at' "$T/l.err"
kill_loop l KILL
fails 0 'goes on at' loop run --resume
check 'of which the rest is waited for' \
	test "$(tail -n 1 "$T/began")" -ge "$(cat "$T/until")"
is "$(wc -l <"$T/began" | tr -d ' ')" 2 'and nothing is begun before'

# ---- its options -------------------------------------------------------------

mkdir "$P/here" "$P/there"
cd "$P/here" || exit 1
exits 1 'a report is written' "$PW" loop run --report r.json -n 1 -- \
	"$T/counts"
cd "$P/there" || exit 1
exits 1 'it is resumed elsewhere' "$PW" loop run --resume -n 2
cd "$P" || exit 1
is "$(grep -o '"iterations":2' here/r.json)$(ls there)" '"iterations":2' \
	'and writes it anew where it was'

# ---- its time ----------------------------------------------------------------

script prints <<-END
	echo "\$PANEWARD_ITERATION" >>'$T/rounds'
	while :; do echo more; sleep 0.1; done
END
rm -f "$T/rounds"
begin_command t loop run -- "$T/prints"
wait_until 10 has_lines "$O/loop-default.1.log" 15
kill_loop t KILL
exits 1 'a killed loop is resumed' "$PW" loop run --resume --json --max-time 1
is "$(tail -n 1 "$T/out")" \
	'{"success":false,"iterations":1,"reason":"max-time"}' \
	'the time that it had is over'
is "$(wc -l <"$T/rounds" | tr -d ' ')" 1 'and nothing is begun'

# ---- who is asked to end -----------------------------------------------------

script waits <<-END
	echo "\$\$ \$PPID" >'$T/waits.pid'
	until [ -e '$T/go' ]; do sleep 0.05; done
	echo LOOP_COMPLETE
END

# waits: it has begun.
waits() {
	wait_until 10 test -s "$T/waits.pid"
	cp "$T/waits.pid" "$T/waiting"
	rm "$T/waits.pid"
}

(trap '' HUP; begin_command n loop run -- "$T/waits")
waits
kill -s HUP "$(cat "$T/n.pid")"
touch "$T/go"
wait_until 20 command_ended n
is "$(cat "$T/n.status")" 0 'under nohup no hangup ends it'

rm "$T/go"
tmux_start
cat >"$T/terminal" <<-END
	trap : HUP
	'$PW' loop run --issue 6 -- '$T/waits'
	echo \$? >'$T/terminal.status'
END
# The shell in between ends by the signal, so that all in front get it.
pane_run terminal "sh '$T/terminal'; :"
waits
wait_until 10 pane_shows terminal 'iteration 1/'
tm kill-session -t =terminal
wait_until 20 test -s "$T/terminal.status"
is "$(cat "$T/terminal.status")" 130 'a terminal that is closed ends it'
is "$(record loop-6 reason)" interrupted 'as a signal does'

{
	"$PW" loop run --issue 7 -- "$T/waits" 2>"$T/err"
	echo $? >"$T/deaf"
} | head -n 1 >"$T/out" &
waits
touch "$T/go"
wait_until 20 test -s "$T/deaf"
is "$(cat "$T/deaf" "$T/err")" 0 'that nobody listens is no error'

# ---- what people are told ----------------------------------------------------

rm "$T/go"
begin_command k loop run -n 1 -- "$T/waits"
waits
read -r agent keeper <"$T/waiting"
kill -s KILL "$keeper" "$agent"
wait_until 20 command_ended k
like "$(cat "$T/k.out")" '^iteration 1  lost ' \
	'of an agent nobody knows how it ended that is said'
is "$(perl -MJSON::PP -e 'local $/; print decode_json(<>)->{rounds}[0]{end}' \
	"$O/loop-default.json")" lost 'and written down'

mkdir "$P/gone"
cd "$P/gone" || exit 1
fails 3 "cannot make a session in '$P/gone': No such file" loop run -- \
	rmdir "$P/gone"
cd "$P" || exit 1

mkdir "$T/a b"
fails 1 "begins  tail -f '$T/a b/.paneward/loop-default.1.log'" loop run -S \
	"$T/a b" -n 1 -- true
export TMUX="$T/o,1,0"
fails 1 "begins  tmux -S '$T/o' attach -t =loop-default-1-" loop run -n 1 \
	--session-manager tmux -- true
done_testing
