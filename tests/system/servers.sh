#!/bin/sh
# What becomes of the issues when their tmux server ends, stands still or is
# another one: gone, unknown and again known, never mistaken.
. "${0%/*}/lib.sh"

tmux_start

# begin ISSUE...: an agent for each that never ends, on its own.
begin() {
	for issue; do
		"$PW" start "$issue" --no-watch --session "s$issue" -- \
			sh -c 'trap "" HUP; echo begun; exec tail -f /dev/null' \
			>"$T/said" 2>&1 || comment <"$T/said"
		wait_until 5 logged "$issue" begun
	done
}

server() { tm display-message -p '#{pid}'; }

# kill_server: until it is dead; before that another one cannot begin.
kill_server() {
	killed=$(server)
	kill -KILL "$killed"
	wait_until 5 no kill -0 "$killed" 2>/dev/null
}

# ends STATUS: the watch w; its states, and the number of its messages.
ends() {
	watch_ended w "$1"
	echo "$(grep -v working "$T/w.out" | cut -d : -f 1 | sort | xargs)," \
		"$(wc -l <"$T/w.err")"
}

# ---- it is killed -----------------------------------------------------------
scenario 'the issues of a killed server are gone, with one message' <<'END'
>>> begin 1 2 3; watch_begin w 1 2 3; wait_until 5 watch_holds w 3
>>> kill -KILL "$(server)"; ends 10; cat "$T/w.err"
1 gone 2 gone 3 gone, 1
~ paneward: .*tmux server .*has ended.*
>>> fields 2 state source
gone session
END
scenario 'a report from before the end of the server counts' <<'END'
>>> tmux_start; "$PW" start 4 --no-watch --session s4 -- sh -c 'trap "" HUP
... 	"$PANEWARD" signal complete; exec tail -f /dev/null' >"$T/said"
>>> wait_until 5 test -e "$S/signal-complete-4"; kill_server
>>> watch_begin w 4; watch_ended w 0
END

# ---- another one of the same names ------------------------------------------
scenario 'a run is not mistaken for a pane of the same name in a new server' \
	<<'END'
>>> tmux_start; begin 5; before=$(fields 5 tmux.socket tmux.pane)
>>> kill -KILL "$(server)"
>>> wait_until 5 no kill -0 "$(record 5 tmux.server_pid)" 2>/dev/null
>>> tmux_start
... pane_run s5 'echo "###TASK_COMPLETE_5###"; exec tail -f /dev/null'
>>> wait_until 5 pane_shows s5 TASK_COMPLETE_5
>>> is "$(pane_tell s5 '#{socket_path} #{pane_id}')" "$before"
>>> watch_begin w 5; ends 10; pane_tell s5 '#{@paneward_issue},#{pane_pipe}'
5 gone, 0
,0
>>> begin 6; watch_locks w 6; kill_server; tmux_start; ends 10
6 gone, 1
END

# ---- an answer from before its end ------------------------------------------
# A tmux that keeps the answer back until the watch knows of the server's end.
script late/tmux <<-END
	PATH=\${PATH#*:}
	case " \$* " in
	*' list-panes '*) ;;
	*) exec tmux "\$@" ;;
	esac
	tmux "\$@" >'$T/answer.part'
	mv '$T/answer.part' '$T/answer'
	until grep -q 'has ended' '$T/w.err'; do
		sleep 0.01
	done
	cat '$T/answer'
END
scenario 'an answer after the end of the server is too late' <<'END'
>>> kill_server; tmux_start; begin 61; PATH=$T/late:$PATH; watch_begin w 61
>>> PATH=${PATH#*:}; wait_until 5 test -s "$T/answer"; kill -KILL "$(server)"
>>> ends 10
61 gone, 1
END
scenario 'a server ends with its last session, or goes on without one' <<'END'
>>> begin 7; watch_locks w 7; tm kill-session -t =s7:; ends 10
7 gone, 1
>>> tm start-server ';' set-option -g exit-empty off; begin 11 12
>>> "$PW" sweep >"$T/said" 2>&1; watch_locks w 11; server=$(server)
>>> tm kill-session -t =s11: ';' kill-session -t =s12:; ends 10
11 gone, 0
>>> "$PW" sweep
~ 12 gone: .*
>>> watch_begin w 12; ends 10; kill -0 "$server" && tm kill-server
12 gone, 0
>>> wait_until 5 no kill -0 "$server" 2>/dev/null
END

# ---- it stands still --------------------------------------------------------
# The end of an agent makes the watcher ask.
tmux_start
obeys 8 --no-watch
scenario 'nothing is known of a silent server, later all is' <<'END'
>>> begin 9; watch_begin w 8 9; wait_until 5 watch_holds w 9
>>> wait_until 5 no has 9 agent.pid ''; server=$(server); freeze "$server"
>>> kill -KILL "$(record 9 agent.pid)"; wait_until 10 recorded 8 unknown
>>> fields 8 source; wait_until 10 recorded 9 unknown; cat "$T/w.err"
session
~ paneward: .*did not answer.*
>>> no command_ended w
>>> fails 0 '^process +unknown +the pane is on a server .*: .*did not answer' \
... 	explain 8
>>> like "$(cat "$T/out")" '^verdict: unknown, by session: '
>>> kill -CONT "$server"; wait_until 10 recorded 9 dead; record 9 exit.signal
9
>>> wait_until 10 recorded 8 working; tell a8 'echo "###TASK_COMPLETE_8###"'
>>> watch_ended w 10; grep -c 'answers again' "$T/w.err"; record 8 state
1
complete
END

# ---- its socket is lost -----------------------------------------------------
# With new output, what tmux has answered is recorded.
captured() {
	tell a10 'echo something'
	no has 10 captured ''
}
scenario 'a server whose socket was removed is not taken for ended' <<'END'
>>> obeys 10 --no-watch; watch_locks w 10 --interval 1; wait_until 5 captured
>>> rm "$(record 10 tmux.socket)"; tell a10 'echo something'
>>> wait_until 10 recorded 10 unknown
>>> wait_until 10 grep -q 'kill -USR1' "$T/w.err"; kill "$(cat "$T/w.pid")"
>>> wait_until 5 command_ended w
>>> fails 0 '^process +unknown +the pane is on a server .*: no tmux server' \
... 	explain 10
>>> like "$(cat "$T/out")" '^verdict: unknown, by session: '
>>> watch_begin w 10 --interval 1
>>> wait_until 5 grep -q -e unknown -e gone "$T/w.out"
>>> wait_until 10 recorded 10 unknown; no command_ended w
>>> tell a10 'echo "###TASK_COMPLETE_10###"'; watch_ended w 0
>>> kill -USR1 "$server"
END

# ---- another one stands still -----------------------------------------------
# A tmux that holds a question to the other server back, as long as it may.
script held/tmux <<-END
	PATH=\${PATH#*:}
	case \$3 in
	*/other)
		if [ -e '$T/hold' ]; then
			echo \$\$ >'$T/asks.part'
			mv '$T/asks.part' '$T/asks'
		fi
		while [ -e '$T/hold' ]; do
			sleep 0.01
		done ;;
	esac
	exec tmux "\$@"
END
tmux -L other -f /dev/null new-session -d 'exec tail -f /dev/null'
printf '{ "handoff": null, "sockets": ["%s"] }\n' \
	"$(tmux -L other display-message -p '#{socket_path}')" \
	>"$P/.paneward.json"
scenario 'a signal is seen while the run of another issue is searched' <<'END'
>>> begin 21; PATH=$T/held:$PATH; watch_begin all --all; PATH=${PATH#*:}
>>> wait_until 10 recorded 21 working; : >"$T/hold"
>>> echo boom >"$S/signal-error-22"; wait_until 5 test -s "$T/asks"
>>> : >"$S/signal-complete-21"; wait_until 10 recorded 21 complete
>>> kill -0 "$(cat "$T/asks")" && rm "$T/hold"; wait_until 10 recorded 22 error
>>> kill "$(cat "$T/all.pid")"; wait_until 5 command_ended all
>>> tmux -L other kill-server
END
done_testing
