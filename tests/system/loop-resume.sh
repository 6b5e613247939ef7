#!/bin/sh
# A loop keeps its state, and the next call goes on with it.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

O=$S/.paneward
# Each folder below belongs to the project.
git_project
loop() { "$PW" loop run "$@"; }

# run STATUS ARGUMENT...: a loop ends so; its output is in $T/out.
run() {
	status=$1
	shift
	fails "$status" '' loop run "$@"
}

# kill_loop NAME SIGNAL: its engine gets that and ends.
kill_loop() {
	kill -s "$2" "$(cat "$T/$1.pid")"
	wait_until 20 command_ended "$1"
}

# has_lines FILE NUMBER: at least so many.
has_lines() { [ "$(wc -l 2>/dev/null <"$1" || echo 0)" -ge "$2" ]; }

echo 'echo LOOP_COMPLETE' | script done_at_once
script counts <<-END
	echo "\$PANEWARD_ITERATION" | tee -a '$T/rounds'
END
letter=$(printf '\377')
scenario 'a loop that is refused changes nothing, one that begins does' <<'END'
>>> run 1 -n 2 -- "$T/counts"; run 2 -b typo -n 2
>>> run 3 --report "$T/missing/r.json" -n 2 -- "$T/counts"
>>> run 3 -f "$T/missing" -n 2 -- "$T/counts"
>>> cat "$O/loop-default.1.log" "$O/loop-default.2.log"; fields loop-default reason
1
2
max-iterations
>>> run 0 -- "$T/done_at_once"; ls "$O" | grep log
loop-default.1.log
>>> fails 2 "the word 'a.*b' is not UTF-8" loop run -n 1 -- printf "a${letter}b"
>>> mkdir "$P/d$letter" && cd "$P/d$letter"
>>> fails 2 'the directory .* is not UTF-8' loop run -n 1 -- "$T/counts"; cd "$P"
>>> # Other letters come back the same.
>>> run 1 -n 1 -- printf 'a \303\244 \\n %s' "$(printf '\033\001')"
>>> run 1 --resume -n 2; cmp "$O/loop-default.1.log" "$O/loop-default.2.log"
>>> fails 2 "cannot be 'default'.*leave --issue out" \
... 	loop run --issue default -- true
END

scenario 'a loop that is over goes on with another word or command' <<'END'
>>> run 0 -n 3 -- "$T/done_at_once"; run 0 --resume -k LOOP_COMPLETE
>>> fails 1 '"iterations":2,"reason":"max-iterations"' loop run --resume -k OTHER \
... 	-n 2 --json -- touch "$T/ran"
>>> test -e "$T/ran"; run 0 -n 3 -- "$T/done_at_once"; rm -f "$T/rounds"
>>> run 1 --resume -n 2 -- "$T/counts"; cat "$T/rounds"
2
END

script limited <<-END
	date +%s >>'$T/began'
	[ "\$PANEWARD_ITERATION" -eq 1 ] || exec echo LOOP_COMPLETE
	until=\$((\$(date +%s) + 10))
	echo \$until >'$T/until'
	echo "Claude AI usage limit reached|\$until"
	exit 1
END
mkdir "$P/here" "$P/there"
scenario 'the rest of a limit is waited for, a report written where it was' <<'END'
>>> run 1 -n 1 -- "$T/limited"; grep 'goes on at' "$T/err"
[1]
>>> rm -f "$T/began"; begin_command l loop run -- "$T/limited"
>>> wait_until 10 grep -q 'goes on at' "$T/l.err"; kill_loop l KILL
>>> fails 0 'goes on at' loop run --resume
>>> test "$(tail -n 1 "$T/began")" -ge "$(cat "$T/until")"; wc -l <"$T/began"
2
>>> cd here; run 1 --report r.json -n 1 -- "$T/counts"
>>> cd ../there; run 1 --resume -n 2; cd "$P"
>>> grep -o '"iterations":2' here/r.json; ls there
"iterations":2
END

script prints <<-END
	echo "\$PANEWARD_ITERATION" >>'$T/rounds'
	while :; do echo more; sleep 0.1; done
END
scenario 'the time that a killed loop had counts' <<'END'
>>> rm -f "$T/rounds"; begin_command t loop run -- "$T/prints"
>>> wait_until 10 has_lines "$O/loop-default.1.log" 15; kill_loop t KILL
>>> run 1 --resume --json --max-time 1; tail -n 1 "$T/out"; wc -l <"$T/rounds"
{"success":false,"iterations":1,"reason":"max-time"}
1
END

script waits <<-END
	echo "\$\$ \$PPID" >'$T/waits.pid'
	until [ -e '$T/go' ]; do sleep 0.05; done
	echo LOOP_COMPLETE
END

# waits: it has begun.
waits() {
	wait_until 10 test -s "$T/waits.pid"
	mv "$T/waits.pid" "$T/waiting"
}

# In a terminal the shell in between ends by the signal, so that all in front get it.
cat >"$T/terminal" <<-END
	trap : HUP
	'$PW' loop run --issue 6 -- '$T/waits'
	echo \$? >'$T/terminal.status'
END
scenario 'a terminal that is closed ends a loop, but none under nohup' <<'END'
>>> (trap '' HUP; begin_command n loop run -- "$T/waits")
>>> waits; kill -s HUP "$(cat "$T/n.pid")"; touch "$T/go"
>>> wait_until 20 command_ended n; cat "$T/n.status"; rm "$T/go"; tmux_start
0
>>> pane_run terminal "sh '$T/terminal'; :"; waits
>>> wait_until 10 pane_shows terminal 'iteration 1/'; tm kill-session -t =terminal
>>> wait_until 20 test -s "$T/terminal.status"; cat "$T/terminal.status"
130
>>> fields loop-6 reason
interrupted
>>> {
... 	loop --issue 7 -- "$T/waits" 2>"$T/err"
... 	echo $? >"$T/deaf"
... } | head -n 1 >"$T/out" &
>>> waits; touch "$T/go"; wait_until 20 test -s "$T/deaf"; cat "$T/deaf" "$T/err"
0
END

mkdir "$P/gone" "$T/a b"
scenario 'a person is told what is lost, gone, and how to see an agent' <<'END'
>>> rm "$T/go"; begin_command k loop run -n 1 -- "$T/waits"; waits
>>> kill -s KILL $(cat "$T/waiting"); wait_until 20 command_ended k
>>> grep -o '^iteration 1  lost ' "$T/k.out"
iteration 1  lost 
>>> perl -MJSON::PP -e 'local $/; print decode_json(<>)->{rounds}[0]{end}' \
... 	"$O/loop-default.json"
lost
>>> cd gone; fails 3 "cannot make a session in '$P/gone': No such file" \
... 	loop run -- rmdir "$P/gone"
>>> cd "$P"; fails 1 "begins  tail -f '$T/a b/.paneward/loop-default.1.log'" \
... 	loop run -S "$T/a b" -n 1 -- true
>>> TMUX="$T/o,1,0" fails 1 "begins  tmux -S '$T/o' attach -t =loop-default-1-" \
... 	loop run -n 1 --session-manager tmux -- true
END
done_testing
