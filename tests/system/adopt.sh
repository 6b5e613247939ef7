#!/bin/sh
# watch meets a pane that paneward did not start: whose it is, what was on its
# screen before, and what is written down of it.
. "${0%/*}/lib.sh"

leave() { kill "$(cat "$T/w.pid")" && wait_until 5 command_ended w; }

tmux_start
busy='exec tail -f /dev/null'
# ps and paneward may round the same moment to different seconds.
scenario 'a name of a session or window, or an option claims a pane' <<'END'
>>> pane_run some-issue-42-login "echo hello; $busy"; watch_begin w 42
>>> wait_until 5 recorded 42 working
>>> is "$(record 42 tmux.pane)" "$(pane_tell some-issue-42-login '#{pane_id}')"
>>> wait_until 10 grep -q '^42 working: ' "$T/w.out"
>>> is "$(cat "$T/w.err")" "paneward: new project '$P'"
>>> like "$(fields 42 adopted run)" '^1 [0-9a-f-]{36}$'
>>> wait_until 5 journal 42 run
... is "$(journal 42 run | grep -c '"detail":"adopted"')" 1
>>> wait_until 5 test -e "$S/output-42.log" -a -s "$S/.paneward/42.pipe"
>>> wait_until 10 eval '[ "$(pane_tell some-issue-42-login \
... 	"#{@paneward_issue}/#{@paneward_run}")" = "42/$(record 42 run)" ]'
>>> is "$(record 42 agent.pid)" "$(pane_tell some-issue-42-login '#{pane_pid}')"
>>> began=$(date -u -d "$(record 42 started)" +%s)
>>> front=$(date -d "$(ps -o lstart= -p "$(record 42 agent.pid)")" +%s)
>>> test "$((began - front))" -ge -1 -a "$((began - front))" -le 1
>>> is "$(tm show-options -pqv -t =some-issue-42-login: remain-on-exit)" ''
>>> tm kill-session -t =some-issue-42-login:
>>> watch_ended w 10 && recorded 42 gone
>>> tm new-window -d -t =keeper: -n issue-43 "echo hello; $busy"
>>> wait_until 5 all_placed; watch_begin w 43; wait_until 5 recorded 43 working
>>> has 43 tmux.pane "$(tm display-message -p -t =keeper:issue-43 '#{pane_id}')"
>>> tm kill-window -t =keeper:issue-43; watch_ended w 10
>>> pane_run whatever "$busy"
>>> tm set-option -p -t =whatever: @paneward_issue 44; watch_begin w 44
>>> wait_until 5 recorded 44 working
>>> is "$(record 44 tmux.pane)" "$(pane_tell whatever '#{pane_id}')"; leave
END

scenario 'of several panes one is chosen, and none of another issue' <<'END'
>>> pane_run issue-50 "$busy"; first=$(pane_tell issue-50 '#{pane_id}')
>>> second=$(tm split-window -d -P -F '#{pane_id}' -t =issue-50: "$busy")
>>> wait_until 5 all_placed
>>> fails 2 "2 panes.*$first.*$second.*--pane" watch 50
>>> is "$(cat "$T/out")" ''; no test -e "$S/.paneward/50.json"
>>> is "$(tm list-panes -t =issue-50: -F '#{pane_pipe}' | tr '\n' ' ')" '0 0 '
>>> fails 2 '' watch 50 --session issue-50
>>> watch_begin w 50 --pane "$second"; wait_until 5 recorded 50 working
>>> is "$(record 50 tmux.pane)" "$second"
>>> leave; watch_locks w 50
... is "$(record 50 tmux.pane)" "$second"; leave; pane_run named "$busy"
>>> tm set-option -p -t =named: @paneward_issue 51; pane_run issue-51 "$busy"
>>> watch_begin w 51; wait_until 5 recorded 51 working
>>> is "$(record 51 tmux.pane)" "$(pane_tell named '#{pane_id}')"
>>> leave; pane=$(pane_tell named '#{pane_id}')
>>> for way in "--pane $pane" '--session named'; do
... 	fails 3 '' watch 52 $way
... 	is "$(cat "$T/err")" \
... 		"paneward: cannot watch issue '52': pane $pane is \
... that of issue '51' in '$S', whose run $(record 51 run | cut -c 1-8) is not over; \
... watch that issue, or take the pane from it: tmux set-option -pu -t $pane \
... @paneward_issue"
... done
>>> no test -e "$S/.paneward/52.json" && has 51 tmux.pane "$pane"
>>> tm set-option -pu -t "$pane" @paneward_issue
>>> watch_begin w 52 --pane "$pane"; wait_until 5 recorded 52 working
>>> leave; pane_run anything "$busy"; watch_begin w 52 --session anything
>>> wait_until 10 has 52 tmux.pane "$(pane_tell anything '#{pane_id}')"; leave
>>> for name in issue-5 myissue-53 issue-53x issue53 issue-053 ISSUE-53; do
... 	pane_run $name "$busy"
... done
>>> fails 3 "it has no record" watch 53; is "$(wc -l <"$T/err")" 1
>>> fails 3 '' watch 53 --pane %4000; fails 3 '' watch 53 --session nowhere
>>> fails 2 '' watch 53 --pane 5; no test -e "$S/.paneward/53.json"
END

# The screen of 64 has ten columns, so tmux wraps the agent's line.
scenario 'a report from before the watcher came is found on the screen' <<'END'
>>> pane_run issue-60 "echo '###TASK_COMPLETE_60###'; $busy"
>>> wait_until 5 pane_shows issue-60 TASK_COMPLETE; watch_begin w 60
>>> watch_ended w 0 && has 60 source capture
>>> pane_run issue-61 "echo '###TASK_ERROR_61###'; echo no disk; $busy"
>>> wait_until 5 pane_shows issue-61 'no disk'
>>> watch_begin w 61 --exit-on error; watch_ended w 1
>>> is "$(record 61 source)/$(record 61 message)" 'capture/no disk'
>>> pane_run issue-62 "echo '###TASK_COMPLETE_62###'; seq 300; $busy"
>>> wait_until 5 pane_shows issue-62 300
>>> watch_begin w 62; watch_ended w 0
>>> tm new-session -d -s issue-64 -x 10 -y 20 \
... 	"echo '###TASK_COMPLETE_64###'; $busy"
>>> wait_until 5 pane_shows issue-64 TASK_COMPLETE_64; watch_begin w 64
>>> watch_ended w 0
END

# A torn record is read once, however many answers the search takes.
scenario 'another pane of the issue is another run' <<'END'
>>> pane_run issue-65 "echo '###TASK_COMPLETE_65###'; $busy"; watch_begin w 65
>>> watch_ended w 0; run=$(record 65 run); watch_begin w 65; watch_ended w 0
>>> is "$(record 65 run) $(changes 65 complete)" "$run 1"
>>> tm kill-session -t =issue-65:; pane_run issue-65 "echo working; $busy"
>>> watch_begin w 65; wait_until 5 recorded 65 working
>>> no has 65 run "$run"; tm kill-session -t =issue-65:; watch_ended w 10
>>> pane_run issue-65 "echo '###TASK_COMPLETE_65###'; $busy"
>>> wait_until 5 pane_shows issue-65 TASK_COMPLETE; watch_begin w 65
>>> watch_ended w 0; head -c 100 "$S/.paneward/65.json" >"$T/torn"
>>> cp "$T/torn" "$S/.paneward/65.json"; watch_begin w 65
>>> watch_ended w 0; is "$(grep -c 'rewriting it' "$T/w.err")" 1
END
done_testing
