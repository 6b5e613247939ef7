#!/bin/sh
# paneward start: what it opens, what the agent is given, what is written down.
. "${0%/*}/lib.sh"

obedient agent

# ---- an agent in a session of its own ---------------------------------------

option() { tm show-options "-p$2" -t "$pane" "$1"; }
hex='[0-9a-f]'
scenario 'an agent is started where there is no tmux server yet' <<'END'
>>> "$PW" start 42 -- sh -c "env >'$T/env.new'; mv '$T/env.new' '$T/env'
... 	pwd >'$T/pwd'; exec '$T/agent'" >"$T/out" 2>&1
>>> run=$(record 42 run); pane=$(tm list-panes -a -F '#{pane_id}')
>>> like "$run" "^$hex{8}-$hex{4}-4$hex{3}-[89ab]$hex{3}-$hex{12}\$"
>>> is "$(cat "$T/out")" "paneward: new project '$P'
... 42: started in session project-issue-42, pane $pane (run $run)
... 42: 'paneward attach 42' shows it"
>>> wait_until 5 test -e "$T/env"
>>> is "$(grep -E '^(PANEWARD|TMUX_PANE)' "$T/env" | sort)" \
... 	"PANEWARD=$(readlink -f "$PW")
... PANEWARD_CEILING=$PANEWARD_CEILING
... PANEWARD_ISSUE=42
... PANEWARD_RUN=$run
... PANEWARD_STATUS_DIR=$S
... TMUX_PANE=$pane"; cat "$T/pwd"
$T/project
END
scenario 'its pane has issue, run and pipe, and stays' <<'END'
>>> is "$(option @paneward_issue v) $(option @paneward_run v)" "42 $run"
>>> option remain-on-exit v; pane_tell project-issue-42 '#{pane_pipe}'
on
1
>>> tm show-options -wv -t "$pane" remain-on-exit
>>> tm show-options -gwv remain-on-exit; tm list-sessions -F '#{session_name}'
off
project-issue-42
END
scenario 'the record knows pane, boot and time, for the user alone' <<'END'
>>> is "$(fields 42 tmux.socket tmux.server_pid tmux.server_start tmux.session \
... 	tmux.window tmux.pane tmux.pane_pid)" "$(pane_tell project-issue-42 \
... 	'#{socket_path} #{pid} #{start_time} #{session_id} #{window_id} '\
... '#{pane_id} #{pane_pid}')"
>>> is "$(fields 42 tmux.pane_start boot)" \
... 	"$(cut -d ' ' -f 22 "/proc/$(record 42 tmux.pane_pid)/stat") $(
... 	cat /proc/sys/kernel/random/boot_id)"
>>> fields 42 state backend worktree started
~ working shell - 20[0-9-]*T[0-9:.]*Z
>>> journal 42 run | sed 's/.*"run":"\(.*\)","detail":"\(.*\)".*/\2/'
started
>>> wait_until 5 no test -e "$S/.paneward/42.launch"
>>> stat -c %a "$S" "$S/.paneward"; cat "$S/.gitignore"
700
700
*
>>> find "$S" -type f ! -perm 600 -o -name '*launch*' -o -name '*.tmp'
END

# ---- its watcher ------------------------------------------------------------
scenario 'its watcher has a session of its own, and knows the agent' <<'END'
>>> unlike "$("$PW" status 42)" unwatched; wait_until 5 watched 42
>>> watcher=$(watcher 42)
>>> is "$(ps -o sid= -o tty= -p "$watcher" | xargs)" "$watcher ?"
>>> wait_until 5 no has 42 agent.pid ''
>>> has 42 agent.pid "$(pgrep -f "^/bin/sh $T/agent")"
>>> fails 3 '^paneward: .*issue .42.' start 42 -- true; wc -l <"$T/err"
1
>>> has 42 run "$run" && tm list-panes -a | wc -l
1
END
scenario 'the watcher finds the marker, and ends' <<'END'
>>> let_pass; tell agent 'echo "###TASK_COMPLETE_42###"'
>>> wait_until 5 recorded 42 complete; fields 42 source
log
>>> wait_until 10 no kill -0 "$watcher" 2>/dev/null
>>> tail -n 1 "$S/.paneward/42.watch.log"
~ 42 complete: .*
END

# The agent stays in the prompt, as agents do; its run is over all the same.
obedient second
scenario 'another run has its own log, without the first agent' <<'END'
>>> fails 0 '' start 42 --session second -- "$T/second"; has 42 run "$run"
[1]
>>> wait_until 5 watched 42
>>> tell agent 'echo "###TASK_COMPLETE_42###"; : >"$PANEWARD_STATUS_DIR/../it"'
>>> wait_until 5 test -e "$S/../it"; let_pass; recorded 42 working
>>> tell second 'echo in the second'; wait_until 5 logged 42 'in the second'
>>> grep COMPLETE "$S/output-42.log"; test -s "$S/output-42.log.old"
>>> tm kill-session -t =second:; wait_until 5 recorded 42 gone
END

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
	done | cmp - "$T/want"
}
scenario 'twenty agents that print at once lose not a byte' <<'END'
>>> wait_until 10 first_bytes; ls "$S/.paneward" | grep '^1.*watch.log'
[1]
>>> tm list-panes -a -F '#{pane_dead}' | grep -c 1
20
END

# ---- where it is opened -----------------------------------------------------

scenario 'a session has a name that tmux can address' <<'END'
>>> fails 0 '' start 43 --session my-own_1 --no-watch -- "$T/agent"
>>> pane_tell my-own_1 '#{@paneward_issue}'
43
>>> for name in '' 'a b' a.b a:b '#{pane_id}' -x '$1'; do
... 	fails 2 '' start 44 --session "$name" -- true
... done
>>> fails 3 'not inside tmux' start 44 --window -- true
>>> no test -e "$S/.paneward/44.json"
END

# in_window ISSUE: it is started there, in a window.
in_window() {
	tm split-window -d -t =user: "cd '$P' && '$PW' start $1 --window \
		--no-watch -- '$T/agent' >'$T/window' 2>&1; tail -f /dev/null"
	wait_until 5 grep -q "^$1: " "$T/window"
}

# The panes of each window of the user.
windows() { tm list-windows -t =user: -F '#{window_panes}' | xargs; }
alone() { [ "$(tm list-panes -t "$pane" -F '#{pane_id}')" = "$pane" ]; }

mkdir "$T/elsewhere"
scenario '--window opens a window in its session, and the user stays' <<'END'
>>> pane_run user 'exec tail -f /dev/null'; in_window 45
>>> like "$(cat "$T/window")" '^45: started in session user, pane %[0-9]+ '
>>> pane=$(record 45 tmux.pane); windows
2 1
>>> tm display-message -p -t "$pane" '#{window_name}'
issue-45
>>> pane_tell user '#{window_index}'; option remain-on-exit v
0
on
>>> tm split-window -d -t "$pane" true; wait_until 5 alone
>>> fails 0 '' start 47 --no-watch --cwd "$T/elsewhere" -- \
... 	sh -c "pwd >'$T/pwd.47'"
>>> wait_until 5 test -s "$T/pwd.47"; cat "$T/pwd.47"
$T/elsewhere
END

# right ISSUE: the agent's pane, and no other, has pipe and name.
right() {
	pane=$(record "$1" tmux.pane)
	is "$(tm list-panes -a -F '#{@paneward_issue} #{pane_id} #{pane_pid} '\
'#{pane_pipe}' | sed -n "s/^$1 //p") $(option remain-on-exit qv)" \
		"$(fields "$1" tmux.pane tmux.pane_pid) 1 on"
}
scenario "the user's numbers, shell and hooks do no harm" <<'END'
>>> tm set-option -g base-index 1; tm set-option -g pane-base-index 1
>>> tm set-option -g renumber-windows on
>>> tm set-option -g default-command 'exec cat'
>>> fails 0 '' start 48 --no-watch -- "$T/agent"; right 48
>>> tm new-window -d -t =user:8 'tail -f /dev/null'; in_window 49; right 49
... windows
3 1 1 1
>>> tm set-hook -g after-new-session 'split-window "exec tail -f /dev/null"'
>>> tm set-hook -g after-new-window 'split-window "exec tail -f /dev/null"'
>>> fails 0 '' start 60 --no-watch -- "$T/agent"; right 60; in_window 61
... right 61
END
done_testing
