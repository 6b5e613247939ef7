#!/bin/sh
# paneward start: what it opens, what the agent is given, what is written down.
. "${0%/*}/lib.sh"

obedient agent

# ---- an agent in a session of its own ---------------------------------------

exits 0 'an agent is started where there is no tmux server yet' \
	"$PW" start 42 -- sh -c "env >'$T/env.new'; mv '$T/env.new' '$T/env'
		pwd >'$T/pwd'; exec '$T/agent'"
is "$(cat "$T/err")" "paneward: new project '$P'" 'with a word of the new project'
run=$(record 42 run)
hex='[0-9a-f]'
like "$run" "^$hex{8}-$hex{4}-4$hex{3}-[89ab]$hex{3}-$hex{12}\$" \
	'the run has a random id'
pane=$(tm list-panes -a -F '#{pane_id}')
is "$(cat "$T/out")" \
	"42: started in session project-issue-42, pane $pane (run $run)
42: 'paneward attach 42' shows it" 'it says where the agent is, and the way there'
is "$(tm list-sessions -F '#{session_name}')" project-issue-42 \
	'the session is called after the folder and the issue'

wait_until 5 test -e "$T/env"
is "$(grep '^PANEWARD' "$T/env" | sort)" "PANEWARD=$(readlink -f "$PW")
PANEWARD_CEILING=$PANEWARD_CEILING
PANEWARD_ISSUE=42
PANEWARD_RUN=$run
PANEWARD_STATUS_DIR=$S" 'the agent knows issue, run, directory and program'
is "$(cat "$T/pwd")" "$P" 'it stands in the directory of the start'
like "$(cat "$T/env")" "^TMUX_PANE=$pane\$" 'and in the pane'

is "$(tm show-options -pv -t "$pane" remain-on-exit)" on \
	'the pane stays after its end'
is "$(tm show-options -pv -t "$pane" @paneward_issue)" 42 \
	'it is named by its issue'
is "$(tm show-options -pv -t "$pane" @paneward_run)" "$run" 'and run'
is "$(tm show-options -wv -t "$pane" remain-on-exit)" '' \
	'the window is as it was'
is "$(tm show-options -gwv remain-on-exit)" off 'so is all the rest'
is "$(pane_tell project-issue-42 '#{pane_pipe}')" 1 'it has a pipe'

is "$(record 42 tmux.socket)" "$TMUX_TMPDIR/tmux-$(id -u)/default" \
	'the record knows the socket'
is "$(record 42 tmux.server_pid) $(record 42 tmux.server_start)" \
	"$(pane_tell project-issue-42 '#{pid} #{start_time}')" 'the server'
is "$(record 42 tmux.session) $(record 42 tmux.window) $(record 42 tmux.pane)" \
	"$(pane_tell project-issue-42 '#{session_id} #{window_id} #{pane_id}')" \
	'the session, window and pane'
is "$(record 42 tmux.pane_pid)" "$(pane_tell project-issue-42 '#{pane_pid}')" \
	'and the process in the pane'
is "$(record 42 tmux.pane_start)" \
	"$(cut -d ' ' -f 22 "/proc/$(record 42 tmux.pane_pid)/stat")" \
	'with its start'
is "$(record 42 boot)" "$(cat /proc/sys/kernel/random/boot_id)" 'the boot'
is "$(record 42 state) $(record 42 backend) $(record 42 worktree)" \
	'working shell ' 'the state and the backend, and no work tree'
like "$(record 42 started)" '^20[0-9-]*T[0-9:.]*Z$' 'the time, in UTC'
is "$(journal 42 run | wc -l)" 1 'the journal has a line of the run'
like "$(journal 42 run)" "\"run\":\"$run\".*\"detail\":\"started\"" \
	'which says that it was started'

is "$(stat -c %a "$S" "$S/.paneward" | tr '\n' ' ')" '700 700 ' \
	'the status directory is for the user alone'
is "$(find "$S" -type f ! -perm 600)" '' 'so are its files'
is "$(cat "$S/.gitignore")" '*' 'and git does not see it'
wait_until 5 no test -e "$S/.paneward/42.launch"
is "$(find "$S" -name '*launch*' -o -name '*.tmp')" '' \
	'nothing is left that only the start needed'

# ---- its watcher ------------------------------------------------------------

unlike "$("$PW" status 42)" unwatched 'which has begun'
wait_until 5 watched 42
watcher=$(watcher 42)
is "$(ps -o sid= -p "$watcher" | tr -d ' ')" "$watcher" \
	'the watcher has a session of its own'
is "$(ps -o tty= -p "$watcher" | tr -d ' ')" '?' 'and no terminal'
wait_until 5 eval '[ "$(record 42 agent.pid)" != "" ]'
is "$(record 42 agent.pid)" "$(pgrep -f "^/bin/sh $T/agent")" \
	'it writes down which process the agent is'

fails 3 '^paneward: .*issue .42.' start 42 -- true
is "$(wc -l <"$T/err")" 1 'in one line'
is "$(record 42 run)" "$run" 'the run goes on'
is "$(tm list-panes -a | wc -l)" 1 'and no other pane is there'

let_pass
tell agent 'echo "###TASK_COMPLETE_42###"'
wait_until 5 recorded 42 complete
is "$(record 42 state) $(record 42 source)" 'complete log' \
	'the watcher finds the marker'
wait_until 5 no kill -0 "$watcher"
check 'and ends' no kill -0 "$watcher"
like "$(cat "$S/.paneward/42.watch.log")" '^42 complete: ' \
	'its words are in its log'

# The agent stays in the prompt, as agents do; its run is over all the same.
obedient second
exits 0 'after that the issue can be started again' "$PW" start 42 \
	--session second -- "$T/second"
unlike "$(record 42 run)" "^$run\$" 'as another run'
check 'the log before it is set aside' test -s "$S/output-42.log.old"
wait_until 5 watched 42
tell agent 'echo "###TASK_COMPLETE_42###"; : >"$PANEWARD_STATUS_DIR/../printed"'
wait_until 5 test -e "$S/../printed"
let_pass
check 'what the first one still prints is not the second one'\''s' \
	recorded 42 working
tell second 'echo in the second'
wait_until 5 logged 42 'in the second'
check 'nor in its log' no logged 42 COMPLETE
tm kill-session -t =second:
wait_until 5 recorded 42 gone

# ---- the log begins with the agent's first byte -----------------------------

for issue in 101 102 103 104 105 106 107 108 109 110 \
	111 112 113 114 115 116 117 118 119 120; do
	"$PW" start $issue --no-watch -- printf 'FIRST %s.' $issue \
		>"$T/out" 2>&1 || cat "$T/out"
	echo "FIRST $issue." >>"$T/want"
done
# Each log without a line feed, on a line.
first_bytes() {
	for log in "$S"/output-1??.log; do
		cat "$log"
		echo
	done >"$T/got"
	cmp -s "$T/got" "$T/want"
}
wait_until 5 first_bytes
check 'twenty agents that print at once lose not a byte' \
	cmp "$T/got" "$T/want"
is "$(ls "$S"/.paneward/1*.watch.log 2>/dev/null)" '' \
	'--no-watch starts no watcher'
is "$(tm list-panes -a -F '#{pane_dead}' | grep -c 1)" 20 \
	'their panes are kept'

# ---- where it is opened -----------------------------------------------------

exits 0 '--session names the session' \
	"$PW" start 43 --session my-own_1 --no-watch -- "$T/agent"
is "$(pane_tell my-own_1 '#{@paneward_issue}')" 43 'which has the pane'
for name in '' 'a b' a.b a:b '#{pane_id}' -x '$1'; do
	exits 2 "no session is called '$name'" "$PW" start 44 --session "$name" \
		-- true
done
check 'and nothing is written' no test -e "$S/.paneward/44.json"

pane_run user "cd '$P' && '$PW' start 45 --window --no-watch -- '$T/agent' \
	>'$T/window' 2>&1; tail -f /dev/null"
wait_until 5 grep -q "^45: " "$T/window"
like "$(cat "$T/window")" '^45: started in session user, pane %[0-9]+ ' \
	'--window opens a window in the session it is called in'
pane=$(record 45 tmux.pane)
is "$(tm list-windows -t =user: -F '#{window_panes}' | tr '\n' ' ')" '1 1 ' \
	'of its own'
is "$(tm display-message -p -t "$pane" '#{window_name}')" issue-45 \
	'called after the issue'
is "$(pane_tell user '#{window_index}')" 0 'the user stays where he is'
is "$(tm show-options -pv -t "$pane" remain-on-exit)" on \
	'that pane stays after its end'
tm split-window -d -t "$pane" true
wait_until 5 eval '[ "$(tm list-panes -t "$pane" | wc -l)" -eq 1 ]'
is "$(tm list-panes -t "$pane" -F '#{pane_id}')" "$pane" \
	'a pane that the user opens beside it does not'

fails 3 'not inside tmux' start 46 --window -- true
check 'nothing is left of it' no test -e "$S/.paneward/46.json"

mkdir "$T/elsewhere"
exits 0 '--cwd is where the agent stands' "$PW" start 47 --no-watch \
	--cwd "$T/elsewhere" -- sh -c "pwd >'$T/pwd.47'"
wait_until 5 test -s "$T/pwd.47"
is "$(cat "$T/pwd.47")" "$T/elsewhere" 'and nowhere else'

# ---- where the user has settings of his own ---------------------------------

# right ISSUE DESCRIPTION: the agent's pane, and no other, has pipe and name.
right() {
	pane=$(record "$1" tmux.pane)
	is "$(tm list-panes -a -F '#{@paneward_issue} #{pane_id} #{pane_pid} '\
'#{pane_pipe}' | sed -n "s/^$1 //p")" \
		"$pane $(record "$1" tmux.pane_pid) 1" "$2"
	is "$(tm show-options -pqv -t "$pane" remain-on-exit)" on 'and stays'
}

tm set-option -g base-index 1
tm set-option -g pane-base-index 1
tm set-option -g renumber-windows on
tm set-option -g default-command 'exec cat'
exits 0 'with other numbers and another shell' \
	"$PW" start 48 --no-watch -- "$T/agent"
right 48 'the pane has its pipe'
tm new-window -d -t =user:8 'tail -f /dev/null'
tm split-window -d -t =user: "cd '$P' && '$PW' start 49 --window --no-watch \
	-- '$T/agent' >'$T/window.49' 2>&1; tail -f /dev/null"
wait_until 5 grep -q "^49: " "$T/window.49"
right 49 'so has a window behind others'
is "$(tm list-windows -t =user: -F '#{window_panes}' | tr '\n' ' ')" \
	'2 1 1 1 ' 'which are as they were'

tm set-hook -g after-new-session 'split-window "exec tail -f /dev/null"'
tm set-hook -g after-new-window 'split-window "exec tail -f /dev/null"'
exits 0 'with a hook that splits every session' \
	"$PW" start 60 --no-watch -- "$T/agent"
right 60 'the pane of the agent is the one'
tm split-window -d -t =user: "cd '$P' && '$PW' start 61 --window --no-watch \
	-- '$T/agent' >'$T/window.61' 2>&1; tail -f /dev/null"
wait_until 5 grep -q "^61: " "$T/window.61"
right 61 'so it is with one that splits every window'

done_testing
