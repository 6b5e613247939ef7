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

server() {
	tm display-message -p '#{pid}'
}

# kill_server: until it is dead; before that another one cannot begin.
kill_server() {
	killed=$(server)
	kill -KILL "$killed"
	wait_until 5 no kill -0 "$killed"
}

# ends STATUS STATES ERRORS DESCRIPTION: the watch w, that prints these states,
# and the number of lines on standard error.
ends() {
	watch_ended w "$1" "$4"
	is "$(grep -v working "$T/w.out" | cut -d : -f 1 | sort | xargs) $(
		wc -l <"$T/w.err")" "$2 $3" 'with its states and warnings'
}

# ---- it is killed -----------------------------------------------------------

begin 1 2 3
watch_begin w 1 2 3
wait_until 5 watch_holds w 3
kill -KILL "$(server)"
ends 10 '1 gone 2 gone 3 gone' 1 \
	'when the server is killed, the watch of its issues ends'
like "$(cat "$T/w.err")" '^paneward: .*tmux server .*has ended' \
	'which says why'
is "$(fields 2 state source)" 'gone session' 'each is recorded'

# A report that was made before counts.
tmux_start
"$PW" start 4 --no-watch --session s4 -- sh -c 'trap "" HUP
	"$PANEWARD" signal complete; exec tail -f /dev/null' >"$T/said"
wait_until 5 test -e "$S/signal-complete-4"
kill_server
watch_begin w 4
watch_ended w 0 'a report from before the end of the server counts'

# ---- another one of the same names ------------------------------------------

tmux_start
begin 5
socket=$(record 5 tmux.socket)
before=$(record 5 tmux.pane)
kill -KILL "$(server)"
wait_until 5 no kill -0 "$(record 5 tmux.server_pid)"
tmux_start
pane_run s5 'echo "###TASK_COMPLETE_5###"; exec tail -f /dev/null'
wait_until 5 pane_shows s5 TASK_COMPLETE_5
is "$(pane_tell s5 '#{socket_path} #{pane_id}')" "$socket $before" \
	'a new server has a session and pane of the same names'
watch_begin w 5
ends 10 '5 gone' 0 \
	'the run before is gone, not complete by what the new pane shows'
is "$(pane_tell s5 '#{@paneward_issue} #{pane_pipe}')" ' 0' \
	'the new pane is left alone, and gets no pipe'

# During a watch.
begin 6
watch_begin w 6
wait_until 5 watch_holds w 6
kill_server
tmux_start
ends 10 '6 gone' 1 'that is seen while it happens as well'

# ---- an answer from before its end ------------------------------------------

# A tmux that keeps the answer back until the watch knows of the server's end.
mkdir "$T/late"
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
tm kill-server
tmux_start
begin 61
path=$PATH
PATH=$T/late:$PATH
watch_begin w 61
PATH=$path
wait_until 5 test -s "$T/answer"
kill -KILL "$(server)"
ends 10 '61 gone' 1 'an answer after the end of the server is too late'

# ---- the end of its last session --------------------------------------------

tm kill-server
begin 7
watch_begin w 7
wait_until 5 watch_holds w 7
tm kill-session -t =s7:
ends 10 '7 gone' 1 'a server ends with its last session'

# ---- it goes on without a session -------------------------------------------

tm start-server ';' set-option -g exit-empty off
begin 11 12
"$PW" sweep >"$T/said" 2>&1
watch_begin w 11
wait_until 5 watch_holds w 11
server=$(server)
tm kill-session -t =s11: ';' kill-session -t =s12:
ends 10 '11 gone' 0 'a server may go on without a session'
fails 0 '^12 gone: ' sweep
is "$(cat "$T/err")" '' 'without a word'
watch_begin w 12
ends 10 '12 gone' 0 'and so does a watch that comes later'
check 'the server has not ended' kill -0 "$server"
tm kill-server
wait_until 5 no kill -0 "$server"

# ---- it stands still --------------------------------------------------------

tmux_start
obedient agent
"$PW" start 8 --no-watch --session s8 -- "$T/agent" >"$T/said"
begin 9
watch_begin w 8 9
wait_until 5 watch_holds w 9
wait_until 5 no has 9 agent.pid ''
server=$(server)
freeze "$server"
# The end of an agent makes the watcher ask.
kill -KILL "$(record 9 agent.pid)"
soon 'of a server that does not answer nothing is known' recorded 8 unknown
is "$(record 8 source)" session 'since tmux cannot tell'
soon 'not even of an agent that ended' recorded 9 unknown
is "$(wc -l <"$T/w.err")" 1 'there is one warning for all'
like "$(cat "$T/w.err")" 'did not answer' 'which says so'
check 'the watch goes on' no test -e "$T/w.status"
fails 0 '^process +unknown +the pane is on a server .*: .*did not answer' \
	explain 8
like "$(cat "$T/out")" '^verdict: unknown, by session: ' 'as the verdict'
kill -CONT "$server"
wait_until 10 recorded 9 dead
is "$(record 9 exit.signal)" 9 'when it answers again the end is known'
soon 'and so is what lives' recorded 8 working
tell agent 'echo "###TASK_COMPLETE_8###"'
watch_ended w 10 'the watch ends as if nothing had been'
is "$(grep -c 'answers again' "$T/w.err") $(record 8 state)" '1 complete' \
	'that it answers was said once, and the other one is complete'

# ---- its socket is lost -----------------------------------------------------

obedient other
"$PW" start 10 --no-watch --session s10 -- "$T/other" >"$T/said"
watch_begin w 10 --interval 1
wait_until 5 watch_holds w 10
# With new output, what tmux has answered is recorded.
captured() {
	tell other 'echo something'
	no has 10 captured ''
}
wait_until 5 captured
rm "$(record 10 tmux.socket)"
tell other 'echo something'
soon 'a server whose socket was removed lives' recorded 10 unknown
soon 'and how to reach it again is said' grep -q 'kill -USR1' "$T/w.err"
kill "$(cat "$T/w.pid")"
wait_until 5 test -e "$T/w.status"
fails 0 '^process +unknown +the pane is on a server .*: no tmux server at ' \
	explain 10
like "$(cat "$T/out")" '^verdict: unknown, by session: ' 'as the verdict'

watch_begin w 10 --interval 1
wait_until 5 grep -q -e unknown -e gone "$T/w.out"
soon 'who comes later does not take it for ended' recorded 10 unknown
check 'and watches on' no test -e "$T/w.status"
tell other 'echo "###TASK_COMPLETE_10###"'
watch_ended w 0 'its agents can report all the same'
kill -USR1 "$server"

# ---- another one stands still -----------------------------------------------

# A tmux that holds a question to the other server back, as long as it may.
mkdir "$T/held"
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
begin 21
tmux -L other -f /dev/null new-session -d 'exec tail -f /dev/null'
printf '{ "handoff": null, "sockets": ["%s"] }\n' \
	"$(tmux -L other display-message -p '#{socket_path}')" \
	>"$P/.paneward.json"
PATH=$T/held:$PATH
watch_begin all --all
PATH=$path
wait_until 10 recorded 21 working
: >"$T/hold"
echo boom >"$S/signal-error-22"
wait_until 5 test -s "$T/asks"
: >"$S/signal-complete-21"
wait_until 10 recorded 21 complete
check 'a signal is seen while the run of another issue is searched' \
	kill -0 "$(cat "$T/asks")"
rm "$T/hold"
soon 'which is found once all servers have answered' recorded 22 error
kill "$(cat "$T/all.pid")"
wait_until 5 test -e "$T/all.status"
tmux -L other kill-server

done_testing
