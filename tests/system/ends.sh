#!/bin/sh
# How a run ends: what the watcher says of it, what is recorded, and its exit
# status; with --exit-is-report, too.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"

issue=0
option=
# begin COMMAND: a run of the next issue, and a watch that follows it.
begin() {
	issue=$((issue + 1))
	"$PW" start "$issue" --no-watch ${option:+"$option"} -- sh -c "$1" \
		>"$T/said" 2>&1 || cat "$T/said"
	watch_begin "w$issue" "$issue"
}

# live COMMAND: the same, and the watch has begun.
live() {
	begin "$1"
	wait_until 5 watch_holds "w$issue" "$issue"
	pane=$(record "$issue" tmux.pane)
}

# ended STATUS STATE: the watch ends with STATUS, warns of nothing, and the journal
# has the state once.  Prints source, message, exit status and signal as they are
# recorded, and what the watch says of the state.
ended() {
	watch_ended "w$issue" "$1" "status $1"
	is "$(changes "$issue" "$2")$(cat "$T/w$issue.err")" 1
	fields "$issue" source message exit.code exit.signal | tr '\n' ' '
	sed -n "s/^$issue \($2: \)/\1/p" "$T/w$issue.out"
}

tmux_start
scenario 'an agent that ends and reports nothing is dead' <<'END'
>>> begin 'exit 0'; ended 10 dead
process - 0 - dead: the agent ended with status 0, without a report (see 'start --exit-is-report')
>>> begin 'kill -KILL $$'; ended 10 dead
~ process - - 9 dead: the agent ended by signal 9 .*
>>> begin '"$PANEWARD" watch --help >&- 2>&-; exit 255'; ended 10 dead
process - 255 - dead: the agent ended with status 255, without a report
>>> live 'kill -TERM $$; exec tail -f /dev/null'; ended 10 dead
~ process - - 15 dead: the agent ended by signal 15 .*
>>> live 'exec tail -f /dev/null'
>>> kill -KILL "$(record "$issue" tmux.pane_pid)"; ended 10 dead
~ process - .* dead: .*
END

scenario 'a pane that is taken away is gone' <<'END'
>>> live 'exec tail -f /dev/null'; tm kill-pane -t "$pane"; ended 10 gone
~ session - .* gone: .*
>>> live 'exec tail -f /dev/null'
>>> tm kill-session -t "=project-issue-$issue:"; ended 10 gone
~ session - .* gone: .*
>>> live 'trap "" HUP; tail -f /dev/null'
>>> tm kill-session -t "=project-issue-$issue:"; ended 10 gone
~ session - .* gone: .*
>>> # Its agent is dead, if the pane is there with another process.
>>> live 'exec tail -f /dev/null'
>>> tm respawn-pane -k -t "$pane" 'tail -f /dev/null'; ended 10 dead
~ process - .* dead: .*
>>> tm kill-pane -t "$pane"; issue=$((issue + 1))
>>> "$PW" start "$issue" --no-watch -- sh -c 'echo begun; tail -f /dev/null' \
... 	>"$T/said" 2>&1
>>> wait_until 5 logged $issue begun
>>> tm kill-session -t "=project-issue-$issue:"
>>> watch_begin "w$issue" "$issue"; ended 10 gone
~ session - .* gone: .*
END

error='echo "###TASK_ERROR_${PANEWARD_ISSUE}###"'
complete='echo "###TASK_COMPLETE_${PANEWARD_ISSUE}###"'
obedient late
scenario 'a report beats the end after it' <<'END'
>>> begin "$complete; exit 3"; ended 0 complete
~ log - \S+ - complete.*
>>> begin "$error; echo the disk is full; exit 3"; ended 1 error
log the disk is full 3 - error: an error marker in the pane log: the disk is full
>>> begin "$error"; ended 1 error
log Unknown error 0 - error: an error marker in the pane log: Unknown error
>>> begin '"$PANEWARD" signal error "no  more
... tea"; exit 1'; ended 1 error
~ signal no  more tea 1 - error: signal-error-\d+ is there: no  more tea
>>> begin "$complete; $error; echo no"; ended 0 complete
~ log - \S+ - complete.*
>>> changes $issue error
0
[1]
>>> begin "$error; echo for now; exec '$T/late'"
>>> wait_until 5 recorded $issue error; let_pass; no test -e "$T/w$issue.status"
>>> tell late "$complete"; ended 0 complete
~ log - \S+ - complete.*
>>> changes $issue error; ls "$S" | grep signal
1
[1]
END

obedient endless
scenario 'while the agent lives the watch goes on, until it is signalled' <<'END'
>>> live "exec '$T/endless'"; tell endless 'echo busy'
>>> wait_until 5 logged $issue busy; no test -e "$T/w$issue.status"
>>> "$PW" signal complete --issue $issue 'all is well'; ended 0 complete
~ signal all is well .* complete: signal-complete-\d+ is there: all is well
>>> test ! -e "$S/signal-complete-$issue"; kill -0 "$(record $issue agent.pid)"
>>> live 'exec tail -f /dev/null'; kill "$(watcher $issue)"
>>> watch_ended w$issue 143 'by the signal'; recorded $issue working
>>> "$PW" signal error --issue $issue nothing
>>> watch_begin "w$issue" "$issue" --exit-on error; ended 1 error
~ signal nothing .* error: signal-error-\d+ is there: nothing
END

scenario 'of several issues an error counts before a death, and that before all' <<'END'
>>> issue=20; for command in "$complete" "$error" 'exit 1'; do
... 	issue=$((issue + 1))
... 	"$PW" start "$issue" --no-watch -- sh -c "$command" >"$T/said" 2>&1
... done
>>> "$PW" watch 21 22 23 >"$T/out"
[1]
>>> grep -v working "$T/out" | cut -d : -f 1 | sort
21 complete
22 error
23 dead
>>> "$PW" watch 23 21 | cut -d : -f 1 | sort
21 complete
23 dead
>>> fails 10 '' watch 23 21; changes 23 dead
1
END

option=--exit-is-report
# over ISSUE: has its agent ended?
over() { [ "$(cut -d ' ' -f 4 "$S/.paneward/$1.agent" 2>/dev/null)" != '' ]; }
scenario 'with --exit-is-report the end is a report, unless there is another' <<'END'
>>> begin 'echo ok'; ended 0 complete
process - 0 - complete: the agent ended with status 0
>>> begin 'exit 3'; ended 1 error
process - 3 - error: the agent ended with status 3
>>> begin '"$PANEWARD" signal error no'; ended 1 error
~ signal no .* error: signal-error-\d+ is there: no
>>> begin '"$PANEWARD" signal complete; exit 5'; ended 0 complete
~ signal - .* complete: signal-complete-\d+ is there
>>> "$PW" sweep; record $((issue - 1)) state
error
>>> "$PW" start 31 --no-watch --exit-is-report -- true >"$T/said"
>>> "$PW" start 32 --no-watch --exit-is-report -- false >"$T/said" 2>&1
>>> wait_until 5 over 31; wait_until 5 over 32
>>> wait_until 5 eval '"$PW" sweep >"$T/said"; recorded 31 complete'
>>> # A sweep looks for errors if it is asked to.
>>> recorded 32 working && wait_until 5 eval \
... 	'"$PW" sweep --check-errors >"$T/swept"; recorded 32 error'
>>> cat "$T/swept"
32 error: the agent ended with status 1
END
done_testing
