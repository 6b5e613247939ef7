#!/bin/sh
# While nothing happens in a pane with a log of ours, a watcher starts no
# process and uses no processor.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cat >"$T/bin/tmux" <<END
#!/bin/sh
echo asked >>'$T/asked'
PATH=\${PATH#*:} exec tmux "\$@"
END

# Hundredths of a second of the processor that the watch has used.
ticks() {
	cut -d ' ' -f 14-17 "/proc/$(cat "$T/w.pid")/stat" |
		{ read -r a b c d && echo $((a + b + c + d)); }
}

asked() { wc -l <"$T/asked"; }
asked_since() { [ "$(asked)" -gt "$1" ]; }

# After the burst and its capture there is no deadline but the tick.
scenario 'silence costs nothing' <<'END'
>>> chmod +x "$T/bin/tmux"; tmux_start; obedient a1; obedient a2
>>> "$PW" start 1 --no-watch --session s1 -- "$T/a1" >"$T/said" 2>&1
>>> "$PW" start 2 --no-watch --session s2 -- "$T/a2" >"$T/said" 2>&1
>>> PATH=$T/bin:$PATH; watch_begin w 1 2 --interval 2; PATH=${PATH#*:}
>>> wait_until 5 watch_holds w 2
>>> tell a1 'echo hello'; wait_until 5 logged 1 hello
>>> let_pass 1200; calls=$(asked); used=$(ticks); let_turn "$(cat "$T/w.pid")"
>>> is "$(asked)" "$calls"; test $(($(ticks) - used)) -le 1
>>> is "$(ps -o pid= --ppid "$(cat "$T/w.pid")")" ''
>>> tell a1 'echo again'; wait_until 5 logged 1 again
>>> wait_until 5 asked_since "$calls"
>>> let_pass 1200; is $(($(asked) - calls)) 1
>>> calls=$(asked); clock; begun=$now
END

script counts <<END
i=0
while [ \$i -lt 50 ]; do
	echo \$i
	until grep -q "^\$i" '$S/output-2.log'; do sleep 0.1; done
	i=\$((i + 1))
done
END

# Output had a pause indeed if a process stood still for a second.  An agent that
# waits for a person prints nothing for hours, and is not stalled.  A hand-off may
# be asked for again and again.
scenario 'output and waiting cost little' <<'END'
>>> tell a2 "'$T/counts'"; wait_until 60 logged 2 49
>>> clock; late=$(((now - begun) / 100 - 5)); [ "$late" -gt 0 ] || late=0
>>> test $(($(asked) - calls)) -le $((2 + late))
>>> tell a2 'echo "###TASK_COMPLETE_2###"'
>>> tell a1 'echo "###TASK_COMPLETE_1###"'
>>> watch_ended w 0 'and what is reported is found'
>>> obedient a3; "$PW" start 3 --no-watch --session s3 -- "$T/a3" >"$T/said" 2>&1
>>> PANEWARD_STALLED_AFTER=1 watch_begin w 3 --interval 1
>>> wait_until 5 watch_holds w 3
>>> echo '{"hook_event_name":"Notification","session_id":"s",
... 	"notification_type":"permission_prompt","message":"May I?"}' |
... 	PANEWARD_ISSUE=3 PANEWARD_STATUS_DIR=$S "$PW" hook record
>>> wait_until 5 recorded 3 asking
>>> let_turn "$(cat "$T/w.pid")"; used=$(ticks); let_turn "$(cat "$T/w.pid")"
>>> test $(($(ticks) - used)) -le 1
>>> is "$("$PW" status 3 --json | grep -c '"asking"')" 1
>>> tell a3 'echo "###TASK_COMPLETE_3###"; exit'
>>> watch_ended w 0 'until it reports'
>>> "$PW" start 6 --no-watch --session s6 -- sh -c 'echo here; exec sleep 1000' \
... 	>"$T/said" 2>&1
>>> wait_until 5 logged 6 here; tried=0
>>> while [ "$tried" -lt 20 ] && ! recorded 6 stalled; do
... 	tried=$((tried + 1))
... 	PANEWARD_STALLED_AFTER=5 watch_begin short 6
... 	wait_until 5 watch_holds short 6
... 	sleep 1
... 	kill -KILL "$(cat "$T/short.pid")"
... 	wait_until 5 command_ended short
... done
>>> recorded 6 stalled
>>> obedient a4; "$PW" start 4 --no-watch --session s4 -- "$T/a4" >"$T/said" 2>&1
>>> watch_begin w 4 --interval 1 --handoff 'exit 75'
>>> wait_until 5 watch_holds w 4
>>> tell a4 "printf '###TASK_COMPLETE_4###'; : >'$S/signal-complete-4'"
>>> wait_until 10 grep -q '"handoff".*"pending"' "$S/.paneward/4.json"
>>> let_turn "$(cat "$T/w.pid")"; used=$(ticks); let_turn "$(cat "$T/w.pid")"
>>> test $(($(ticks) - used)) -le 1
END
done_testing
