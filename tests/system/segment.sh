#!/bin/sh
# The queue in tmux itself: counts in the status line, marks at windows, in
# every server, as a client's terminal gets them.
. "${0%/*}/lib.sh"

tm_second() {
	command tmux -L second "$@"
}

# drawn CLIENT TEXT: has its terminal been sent that?
drawn() {
	grep -qF -e "$2" "$T/$1.bytes"
}

# counts SERVER TEXT: is this in the server's environment?
counts() {
	[ "$("$1" display-message -p '#{PANEWARD_QUEUE}')" = "$2" ]
}

# marked SESSION STATE
marked() {
	[ "$(tm show-options -wqv -t "=$1:" @paneward_state)" = "$2" ]
}

script agent <<-'END'
	exec sleep 1000
END
tmux_start
tm_second -f /dev/null new-session -d -s other 'exec cat'
pane_run shown 'exec cat'
tm source-file "$ROOT/templates/tmux.conf"
tm set-option -g status-interval 0
"$PW" start 41 -- "$T/agent" >"$T/said" 2>&1
"$PW" start 42 -- "$T/agent" >"$T/said" 2>&1
tm rename-window -t =project-issue-41: "##(touch $T/hit)##[fg=red]"
client_attach client shown

# ---- top sets it -------------------------------------------------------------

tm set-option -w -t =shown: @paneward_state dead
tm set-environment -g PANEWARD_QUEUE '7 dead'
script pager <<-'END'
	echo the pager waits
	read -r _ </dev/tty
END
pane_run top "PAGER='$T/pager' exec '$PW' top"
soon 'the window of an agent is marked' marked project-issue-41 working
soon 'what an earlier process left goes' counts tm ''
soon 'at windows, too' marked shown ''
exits 0 'an agent fails' "$PW" signal error --issue 42 'no #(disk)'
soon 'it is drawn on a terminal' drawn client '1 error'
soon 'its window is marked' marked project-issue-42 error
soon 'another server has it, too' counts tm_second '1 error'
exits 0 'another one fails' "$PW" signal error --issue 41 'no net'
soon 'it is drawn again' drawn client '2 error'
tm new-window -d -t =shown: "env >$T/env; : >$T/env.done"
wait_until 5 test -e "$T/env.done"
case $(tmux -V) in
*3.[01]*) skip 'new panes do not inherit it' 'tmux hides none before 3.2' ;;
*) unlike "$(cat "$T/env")" PANEWARD_QUEUE 'new panes do not inherit it' ;;
esac
check 'no command in a name was run' test ! -e "$T/hit"

# Two panes in one window.
tm join-pane -d -s =project-issue-41: -t =project-issue-42:
exits 0 'an agent is forgotten' "$PW" forget 42
soon 'the counts follow' counts tm '1 error'
soon 'the other agent still marks the window' marked project-issue-42 error

# ---- a server that stands still ----------------------------------------------

tm_second display-message -p '#{pid}' >"$T/frozen"
freeze "$(cat "$T/frozen")"
exits 0 'the last one is forgotten' "$PW" forget 41
soon 'one server does not hold up another' counts tm ''
soon 'no mark is left' marked project-issue-42 ''
kill -CONT "$(cat "$T/frozen")"

# ---- the end -----------------------------------------------------------------

exits 0 'an agent is started' "$PW" start 43 -- "$T/agent"
exits 0 'and fails' "$PW" signal error --issue 43 'no disk'
soon 'that is shown' counts tm '1 error'
tm_second kill-server
wait_until 5 no tm_second list-sessions
tm_second -f /dev/null new-session -d -s other 'exec cat'
# Its end was seen first, and the list of servers is read again after a while.
wait_until 60 counts tm_second '1 error'
result $? 'a server that begins again has it'
tm send-keys -t =top: Home l
soon 'while a pager has its terminal nothing is shown' counts tm ''
wait_until 5 pane_shows top 'the pager waits'
tm send-keys -t =top: Enter
soon 'and then what is true then' counts tm '1 error'
tm send-keys -t =top: q
soon 'at the end nothing is' counts tm ''
soon 'also at windows' marked project-issue-43 ''
done_testing
