#!/bin/sh
# paneward start: what it opens, what the agent is given, what is written down.
. "${0%/*}/lib.sh"

obedient agent

# ---- an agent in a session of its own ---------------------------------------

exits 0 'an agent is started where there is no tmux server yet' \
	"$PW" start 42 -- sh -c "env >'$T/env.new'; mv '$T/env.new' '$T/env'
		pwd >'$T/pwd'; exec '$T/agent'"
run=$(record 42 run)
pane=$(tm list-panes -a -F '#{pane_id}')
hex='[0-9a-f]'
like "$run" "^$hex{8}-$hex{4}-4$hex{3}-[89ab]$hex{3}-$hex{12}\$" \
	'the run has a random id'
is "$(cat "$T/err" "$T/out")" "paneward: new project '$P'
42: started in session project-issue-42, pane $pane (run $run)
42: 'paneward attach 42' shows it" 'it says where the agent is, and the way'
wait_until 5 test -e "$T/env"
is "$(grep -E '^(PANEWARD|TMUX_PANE)' "$T/env" | sort)" \
	"PANEWARD=$(readlink -f "$PW")
PANEWARD_CEILING=$PANEWARD_CEILING
PANEWARD_ISSUE=42
PANEWARD_RUN=$run
PANEWARD_STATUS_DIR=$S
TMUX_PANE=$pane" 'the agent knows issue, run, directory, program and pane'
is "$(cat "$T/pwd")" "$P" 'it stands in the directory of the start'

option() {
	tm show-options "-p$2" -t "$pane" "$1"
}
is "$(option @paneward_issue v) $(option @paneward_run v) $(
	option remain-on-exit v) $(pane_tell project-issue-42 '#{pane_pipe}')" \
	"42 $run on 1" 'the pane has issue, run and a pipe, and stays'
is "$(tm show-options -wv -t "$pane" remain-on-exit) $(
	tm show-options -gwv remain-on-exit) $(tm list-sessions \
	-F '#{session_name}')" ' off project-issue-42' 'the rest is as it was'
is "$(fields 42 tmux.socket tmux.server_pid tmux.server_start tmux.session \
	tmux.window tmux.pane tmux.pane_pid)" "$(pane_tell project-issue-42 \
	'#{socket_path} #{pid} #{start_time} #{session_id} #{window_id} '\
'#{pane_id} #{pane_pid}')" 'the record knows the pane and its place'
is "$(fields 42 tmux.pane_start boot state backend worktree)" \
	"$(cut -d ' ' -f 22 "/proc/$(record 42 tmux.pane_pid)/stat") $(
	cat /proc/sys/kernel/random/boot_id) working shell -" \
	'its start, the boot, the state, the backend, and no work tree'
like "$(record 42 started)" '^20[0-9-]*T[0-9:.]*Z$' 'and the time, in UTC'
is "$(journal 42 run | sed 's/.*"run":"\(.*\)","detail":"\(.*\)".*/\1 \2/')" \
	"$run started" 'the journal has a line of the run'
wait_until 5 no test -e "$S/.paneward/42.launch"
is "$(stat -c %a "$S" "$S/.paneward"; cat "$S/.gitignore"; find "$S" -type f \
	! -perm 600 -o -name '*launch*' -o -name '*.tmp')" '700
700
*' 'all is for the user alone, git does not see it, nothing else is left'

# ---- its watcher ------------------------------------------------------------

unlike "$("$PW" status 42)" unwatched 'which has begun'
wait_until 5 watched 42
watcher=$(watcher 42)
is "$(ps -o sid= -o tty= -p "$watcher" | xargs)" "$watcher ?" \
	'the watcher has a session of its own and no terminal'
wait_until 5 no has 42 agent.pid ''
is "$(record 42 agent.pid)" "$(pgrep -f "^/bin/sh $T/agent")" \
	'it writes down which process the agent is'
fails 3 '^paneward: .*issue .42.' start 42 -- true
is "$(wc -l <"$T/err") $(record 42 run) $(tm list-panes -a | wc -l)" \
	"1 $run 1" 'is refused in one line, the run goes on, in the only pane'

let_pass
tell agent 'echo "###TASK_COMPLETE_42###"'
wait_until 5 recorded 42 complete
is "$(record 42 source)" log 'the watcher finds the marker'
soon 'and ends' no kill -0 "$watcher"
like "$(cat "$S/.paneward/42.watch.log")" '^42 complete: ' \
	'its words are in its log'

# The agent stays in the prompt, as agents do; its run is over all the same.
obedient second
exits 0 'after that the issue can be started again' "$PW" start 42 \
	--session second -- "$T/second"
check 'as another run' no has 42 run "$run"
check 'the log before it is set aside' test -s "$S/output-42.log.old"
wait_until 5 watched 42
tell agent 'echo "###TASK_COMPLETE_42###"; : >"$PANEWARD_STATUS_DIR/../printed"'
wait_until 5 test -e "$S/../printed"
let_pass
check "what the first one still prints is not the second one's" \
	recorded 42 working
tell second 'echo in the second'
wait_until 5 logged 42 'in the second'
check 'nor in its log' no logged 42 COMPLETE
tm kill-session -t =second:
wait_until 5 recorded 42 gone

# ---- the log begins with the agent's first byte -----------------------------

for issue in $(seq 101 120); do
	"$PW" start "$issue" --no-watch -- printf 'FIRST %s.' "$issue" \
		>"$T/out" 2>&1 || cat "$T/out"
	echo "FIRST $issue." >>"$T/want"
done
# Each log without a line feed, on a line.
first_bytes() {
	for log in "$S"/output-1??.log; do
		cat "$log"
		echo
	done >"$T/got"
	cmp "$T/got" "$T/want"
}
soon 'twenty agents that print at once lose not a byte' first_bytes
is "$(ls "$S/.paneward" | grep '^1.*watch.log') $(
	tm list-panes -a -F '#{pane_dead}' | grep -c 1)" ' 20' \
	'--no-watch starts no watcher, and their panes are kept'

# ---- where it is opened -----------------------------------------------------

exits 0 '--session names the session' \
	"$PW" start 43 --session my-own_1 --no-watch -- "$T/agent"
is "$(pane_tell my-own_1 '#{@paneward_issue}')" 43 'which has the pane'
for name in '' 'a b' a.b a:b '#{pane_id}' -x '$1'; do
	exits 2 "no session is called '$name'" \
		"$PW" start 44 --session "$name" -- true
done
fails 3 'not inside tmux' start 44 --window -- true
check 'and nothing is written' no test -e "$S/.paneward/44.json"

# in_window ISSUE: it is started there, in a window.
in_window() {
	tm split-window -d -t =user: "cd '$P' && '$PW' start $1 --window \
		--no-watch -- '$T/agent' >'$T/window' 2>&1; tail -f /dev/null"
	wait_until 5 grep -q "^$1: " "$T/window"
}

# The panes of each window of the user.
windows() {
	tm list-windows -t =user: -F '#{window_panes}' | xargs
}

pane_run user 'exec tail -f /dev/null'
in_window 45
like "$(cat "$T/window")" '^45: started in session user, pane %[0-9]+ ' \
	'--window opens a window in the session it is called in'
pane=$(record 45 tmux.pane)
is "$(windows) $(tm display-message -p -t "$pane" '#{window_name}') $(
	pane_tell user '#{window_index}') $(option remain-on-exit v)" \
	'2 1 issue-45 0 on' \
	'of its own, called after the issue; the user stays where he is'
tm split-window -d -t "$pane" true
wait_until 5 eval '[ "$(tm list-panes -t "$pane" | wc -l)" -eq 1 ]'
is "$(tm list-panes -t "$pane" -F '#{pane_id}')" "$pane" \
	'a pane that the user opens beside it does not stay'

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
'#{pane_pipe}' | sed -n "s/^$1 //p") $(option remain-on-exit qv)" \
		"$(fields "$1" tmux.pane tmux.pane_pid) 1 on" "$2"
}

tm set-option -g base-index 1
tm set-option -g pane-base-index 1
tm set-option -g renumber-windows on
tm set-option -g default-command 'exec cat'
exits 0 'with other numbers and another shell' \
	"$PW" start 48 --no-watch -- "$T/agent"
right 48 'the pane has its pipe'
tm new-window -d -t =user:8 'tail -f /dev/null'
in_window 49
right 49 'so has a window behind others'
is "$(windows)" '3 1 1 1' 'which are as they were'
tm set-hook -g after-new-session 'split-window "exec tail -f /dev/null"'
tm set-hook -g after-new-window 'split-window "exec tail -f /dev/null"'
exits 0 'with a hook that splits every session' \
	"$PW" start 60 --no-watch -- "$T/agent"
right 60 'the pane of the agent is the one'
in_window 61
right 61 'so it is with one that splits every window'

done_testing
