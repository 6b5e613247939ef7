#!/bin/sh
# The queue in tmux itself: counts in the status line, marks at windows, in
# every server, as a client's terminal gets them.
. "${0%/*}/lib.sh"

tm_second() { command tmux -L second "$@"; }

# drawn CLIENT TEXT: has its terminal been sent that?
drawn() { grep -qF -e "$2" "$T/$1.bytes"; }

# counts SERVER TEXT: is this in the server's environment soon?
counts() { wait_until 10 counted "$@"; }
counted() { [ "$("$1" display-message -p '#{PANEWARD_QUEUE}')" = "$2" ]; }

# marks SESSION STATE
marks() { wait_until 10 marked "$@"; }
marked() { [ "$(tm show-options -wqv -t "=$1:" @paneward_state)" = "$2" ]; }

script agent <<-'END'
	exec sleep 1000
END
script pager <<-'END'
	echo the pager waits
	read -r _ </dev/tty
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

scenario 'top sets counts and marks, in each server' <<'END'
>>> tm set-option -w -t =shown: @paneward_state dead
>>> tm set-environment -g PANEWARD_QUEUE '7 dead'
>>> pane_run top "PAGER='$T/pager' exec '$PW' top"
>>> marks project-issue-41 working; counts tm ''; marks shown ''
>>> "$PW" signal error --issue 42 'no #(disk)'
>>> wait_until 10 drawn client '1 error'; marks project-issue-42 error
>>> counts tm_second '1 error'; "$PW" signal error --issue 41 'no net'
>>> wait_until 10 drawn client '2 error'
>>> tm new-window -d -t =shown: "env >$T/env; : >$T/env.done"
>>> wait_until 5 test -e "$T/env.done"; no test -e "$T/hit"
END
case $(tmux -V) in
*3.[01]*) skip 'new panes do not inherit it' 'tmux hides none before 3.2' ;;
*) unlike "$(cat "$T/env")" PANEWARD_QUEUE 'new panes do not inherit it' ;;
esac
scenario 'of two panes in a window the other one still marks it' <<'END'
>>> tm join-pane -d -s =project-issue-41: -t =project-issue-42:
>>> fails 0 '' forget 42; counts tm '1 error'; marks project-issue-42 error
END
scenario 'a server that stands still does not hold up another' <<'END'
>>> second=$(tm_second display-message -p '#{pid}'); freeze "$second"
>>> fails 0 '' forget 41; counts tm ''; marks project-issue-42 ''
>>> kill -CONT "$second"
END
# Its end was seen first, and the list of servers is read again after a while.
scenario 'a server that begins again has it; at the end of top none has' <<'END'
>>> "$PW" start 43 -- "$T/agent" >"$T/said" 2>&1
>>> "$PW" signal error --issue 43 'no disk'; counts tm '1 error'
>>> tm_second kill-server; wait_until 5 no tm_second list-sessions 2>/dev/null
>>> tm_second -f /dev/null new-session -d -s other 'exec cat'
>>> wait_until 60 counted tm_second '1 error'
>>> tm send-keys -t =top: Home l; counts tm ''
>>> wait_until 5 pane_shows top 'the pager waits'
>>> tm send-keys -t =top: Enter; counts tm '1 error'
>>> tm send-keys -t =top: q; counts tm ''; marks project-issue-43 ''
END
done_testing
