#!/bin/sh
# sweep and the tmux servers: several of them, one that ended, one that stands
# still, one that cannot be reached, and another one in the place of the first.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'
default=$(tm display-message -p '#{socket_path}')
other=${default%/*}/other

ot() { tmux -L other -f /dev/null "$@"; }

script handoff <<END
echo "\$PANEWARD_ISSUE" >>'$T/handed'
END
: >"$T/handed"

# configure SOCKET...
configure() {
	for socket; do
		printf '"%s"\n' "$socket"
	done | paste -sd , |
		sed "s|.*|{ \"handoff\": [\"$T/handoff\"], \"sockets\": [&] }|" \
		>"$P/.paneward.json"
}

sweep() { "$PW" sweep "$@"; }
handed() { grep -cx "$1" "$T/handed"; }
server() { tm display-message -p '#{pid}'; }

ended() {
	kill -KILL "$1"
	wait_until 5 no kill -0 "$1" 2>/dev/null
}

# shown SESSION: its pane shows a marker.
shown() { ot capture-pane -p -t "=$1:" | grep -q TASK; }

# ---- several ----------------------------------------------------------------
configure "$other"
mkdir -p "$S/.paneward"
scenario 'a configured server is asked beside the own one' <<'END'
>>> sweep; ot new-session -d -s issue-1 "echo '###TASK_COMPLETE_1###'; $busy"
>>> wait_until 5 shown issue-1; pane_run issue-2 "$busy"; sweep
1 complete: a completion marker in the capture
1 handed off
>>> is "$(fields 1 tmux.socket) $(fields 2 state tmux.socket)" \
... 	"$other working $default"
END
scenario 'a server with two names is one, with its panes once' <<'END'
>>> ln -s "$default" "$T/link"; configure "$other" "$T/link"
>>> "$PW" signal complete --issue 2; sweep
2 complete: signal-complete-2 is there
2 handed off
>>> pane_run issue-3 "$busy"; sweep; fields 3 state; rm "$T/link"
working
END
scenario 'a server that only a record knows is asked' <<'END'
>>> configure "$other"; ot new-session -d -s issue-4 "$busy"; sweep; configure
>>> ot kill-session -t =issue-4:; sweep
4 gone: its pane is no longer there, and there is no report
>>> ot new-session -d -s issue-5 "$busy"; sweep; fields 5 state
working
END

# ---- one stands still -------------------------------------------------------
pane_run issue-10 "$busy"
pane_run issue-11 "$busy"
ot new-session -d -s issue-12 "$busy"
scenario 'nothing of a silent server is handed off or recorded' <<'END'
>>> sweep; for i in 10 12 13; do "$PW" signal complete --issue $i; done
>>> server=$(server); freeze "$server"; sweep
~ paneward: .*/default'.*did not answer.*unknown.*
12 complete: signal-complete-12 is there
12 handed off
[3]
>>> handed 10; handed 13; test -e "$S/.paneward/13.json"
0
0
[1]
>>> kill -CONT "$server"; sweep | sort; fields 11 state
10 complete: signal-complete-10 is there
10 handed off
13 complete: signal-complete-13 is there
13 handed off
working
>>> sort "$T/handed" | uniq -d
END

# ---- one cannot be reached --------------------------------------------------
# A client may also fail to connect for a reason of its own.
script full/tmux <<-'END'
	echo "error connecting to $3 (Too many open files in system)" >&2
	exit 1
END
scenario 'without its socket, or a client, a server has not ended' <<'END'
>>> mv "$default" "$T/away"; sweep 2>&1 | sed "s/$server/SERVER/"
... fields 11 state
~ paneward: .*SERVER.*/default'.*its process lives.*USR1.*
working
>>> mv "$T/away" "$default"; sweep; "$PW" signal complete --issue 14
>>> PATH=$T/full:$PATH; sweep
~ paneward: .*/default'.*Too many open files.*unknown.*
~ paneward: .*
[3]
>>> PATH=${PATH#*:}; fields 11 state; handed 14
working
0
[1]
>>> sweep
14 complete: signal-complete-14 is there
14 handed off
END

# ---- it ends ----------------------------------------------------------------
pane_run issue-20 "$busy"
pane_run issue-21 "$busy"
scenario 'when a server has ended, what has not reported is gone' <<'END'
>>> sweep; "$PW" signal complete --issue 20
... "$PW" signal error --issue 21 broken
>>> ended "$server"; sweep 2>&1 | sort
11 gone: its pane is no longer there, and there is no report
20 complete: signal-complete-20 is there
20 handed off
3 gone: its pane is no longer there, and there is no report
~ paneward: the tmux server at '.*/default' has ended, and all its panes with it.*
>>> sweep; sweep --check-errors
21 error: signal-error-21 is there: broken
END
tmux_start
scenario 'a pane of the same name in a new server is a new run' <<'END'
>>> pane_run issue-30 "echo '###TASK_COMPLETE_30###'; $busy"
>>> wait_until 5 pane_shows issue-30 TASK_COMPLETE; sweep >"$T/said" 2>&1
>>> tm kill-session -t =issue-30:; pane_run issue-31 "$busy"; sweep
>>> pane=$(record 31 tmux.pane) run=$(record 31 run); ended "$(server)"
... tmux_start
>>> pane_run issue-30x "$busy"
>>> pane_run issue-31 "echo '###TASK_COMPLETE_31###'; $busy"
>>> wait_until 5 pane_shows issue-31 TASK_COMPLETE
>>> is "$(pane_tell issue-31 '#{pane_id}')" "$pane"; sweep
31 gone: its pane is no longer there, and there is no report
~ paneward: .*has ended.*
>>> sweep
31 complete: a completion marker in the capture
31 handed off
>>> has 31 run "$run"
[1]
END
mkdir "$T/empty"
scenario 'without tmux nothing is known, and nothing is done' <<'END'
>>> pane_run issue-40 "$busy"; sweep; "$PW" signal complete --issue 40
>>> gives 3 "cannot run tmux: no such program in \
... PATH; the state of its panes is unknown" env PATH="$T/empty" "$PW" sweep
>>> fields 40 state; handed 40
working
0
[1]
>>> sweep; ot kill-server
40 complete: signal-complete-40 is there
40 handed off
END
done_testing
