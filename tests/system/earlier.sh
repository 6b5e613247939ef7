#!/bin/sh
# Panes of earlier runs that are still there: what they show was acted on, and
# is not acted on again because the last run has lost its pane.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'
echo "echo \"\$PANEWARD_ISSUE\" >>'$T/handed'" | script handoff
# hands_off COMMAND: so do the runs of the project.
hands_off() { printf '{ "handoff": %s }\n' "$1" >"$P/.paneward.json"; }
hands_off "[\"$T/handoff\"]"

# done_in ISSUE SESSION...: runs of the issue, one after the other, each complete
# and handed off.
done_in() {
	issue=$1
	shift
	for session; do
		"$PW" start "$issue" --no-watch --session "$session" -- \
			sh -c "echo '###TASK_COMPLETE_$issue###'; $busy" \
			>"$T/said" 2>&1
		fails 0 '' watch "$issue"
	done
	run=$(record "$issue" run)
}

# is_still ISSUE TIMES: no other run has begun, none was handed off again.
is_still() { is "$(record "$1" run) $(grep -cx "$1" "$T/handed")" "$run $2"; }
pane_of() { pane_tell "$1" '#{pane_id}'; }

# kills NAME: ends that watcher.
kills() {
	kill "$(cat "$T/$1.pid")"
	wait_until 5 command_ended "$1"
}

scenario 'the pane of the run before the last one is left alone' <<'END'
>>> done_in 3 first second; is_still 3 2
>>> tm kill-session -t =second:; "$PW" sweep; is_still 3 2
>>> fails 0 '' watch 3; is_still 3 2
>>> since=$(date -u -d '31 days ago' +%Y-%m-%dT%H:%M:%S.000Z)
>>> sed -i "s/\"since\":\"[^\"]*\"/\"since\":\"$since\"/" "$S/.paneward/3.json"
>>> "$PW" sweep; "$PW" sweep; is_still 3 2
>>> # Without a record the pane is all that is known.
>>> mv "$S/.paneward/3.json" "$T"; fails 0 '^3 complete: ' sweep --dry-run
>>> mv "$T/3.json" "$S/.paneward"
END

scenario 'a person who names it has it' <<'END'
>>> watch_begin w 3 --new --no-handoff; wait_until 5 recorded 3 working
>>> is "$(record 3 tmux.pane)" "$(pane_of first)"; kills w
>>> "$PW" signal complete --issue 3; fails 0 '' watch 3 --no-handoff
>>> done_in 3 third; tm kill-session -t =third:
>>> fails 0 '' watch 3 --pane "$(pane_of first)" --no-handoff
>>> is "$(record 3 tmux.pane)" "$(pane_of first)"
END

# dead SESSION: its pane stays behind its process.
dead() {
	tm set-option -p -t "=$1:" remain-on-exit on
	kill "$(pane_tell "$1" '#{pane_pid}')"
	wait_until 5 eval "[ \"\$(pane_tell $1 '#{pane_dead}')\" = 1 ]"
}

scenario 'none of several is taken; a pane of the name begins a new run' <<'END'
>>> done_in 4 one two three; dead three; fails 0 '' watch 4
>>> tm kill-session -t =three:; "$PW" sweep; is_still 4 3; fails 0 '' watch 4
>>> pane_run issue-4 "$busy"; fails 0 '' sweep
>>> is "$(record 4 tmux.pane)" "$(pane_of issue-4)"
>>> # No neighbour has the place of its own pane, which is dead.
>>> done_in 7 p-issue-7; tm split-window -d -t =p-issue-7: "$busy"
>>> tm select-pane -t =p-issue-7:.0; dead p-issue-7; "$PW" sweep
>>> is "$(fields 7 run state)" "$run complete"
END

# said COUNT: has it so many lines at least?
said() { [ "$(wc -l <"$T/all.out")" -ge "$1" ]; }

scenario 'a watch of all issues leaves old panes alone, without a word' <<'END'
>>> hands_off null; done_in 5 a b; done_in 6 p-issue-6
>>> # This one has no name of its own.
>>> tm split-window -d -t =p-issue-6: "$busy"
>>> watch_begin all --all; wait_until 5 watch_holds all 4
>>> "$PW" signal complete --issue 4
>>> wait_until 5 grep -q '^4 complete' "$T/all.out"
>>> no said 4; let_pass; no said 4
>>> grep -E '^[56] |paneward: ' "$T/all.out" "$T/all.err"; kills all
END

# The last run of 8 was on another server.
scenario 'several panes are refused once; one on this server is a new run' <<'END'
>>> pane_run issue-9 "$busy"; tm split-window -d -t =issue-9: "$busy"
>>> wait_until 5 all_placed; "$PW" signal complete --issue 9
>>> tmux -S "$T/other" -f /dev/null new-session -d -s issue-8 "$busy"
>>> wait_until 5 all_placed tmux -S "$T/other"
>>> hands_off "null, \"sockets\": [\"$T/other\"]"; fails 124 '' watch 8 --once
>>> record 8 tmux.socket; tmux -S "$T/other" kill-server; fails 10 '' watch 8
$T/other
>>> hands_off null; pane_run issue-8 "$busy"; watch_begin all --all
>>> wait_until 5 watch_holds all 8; let_pass
>>> grep -c "issue '9' is left alone: 2 panes" "$T/all.err"
1
>>> is "$(record 8 tmux.pane)" "$(pane_of issue-8)"; kills all
END
done_testing
