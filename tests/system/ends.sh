#!/bin/sh
# How a run ends: what the watcher says of it, what is recorded, and its exit
# status.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"

tmux_start
issue=0

# begin COMMAND: a run of the next issue, and a watch that follows it.
begin() {
	issue=$((issue + 1))
	"$PW" start $issue --no-watch -- sh -c "$1" >"$T/said" 2>&1 ||
		comment <"$T/said"
	watch_begin w$issue $issue
}

# live COMMAND: the same, and the watch has begun.
live() {
	begin "$1"
	wait_until 5 watch_holds w$issue $issue
	pane=$(record $issue tmux.pane)
}

# ended STATUS STATE SOURCE EXIT DESCRIPTION [MESSAGE]: the watch ends with
# STATUS. State, source, message, and EXIT, status and signal, are recorded; a
# line of its output and one of the journal tell the state, and it warns of
# nothing.
ended() {
	watch_ended w$issue "$1" "$5"
	# shellcheck disable=SC2086
	is "$(fields $issue state source message ${4:+exit.code exit.signal})" \
		"$2 $3 ${6:--}${4:+ $4}" 'and is recorded'
	is "$(grep -c "^$issue $2: " "$T/w$issue.out") $(changes $issue "$2")\
$(cat "$T/w$issue.err")" '1 1' 'and told in a line'
}

# ---- without a report -------------------------------------------------------

begin 'exit 0'
ended 10 dead process '0 -' 'an agent that ends and reports nothing is dead'
like "$(record $issue why)" 'status 0' 'and why is told'
begin 'exit 7'
ended 10 dead process '7 -' 'so is one that fails'
begin 'kill -KILL $$'
ended 10 dead process '- 9' 'so is one that is killed'
like "$(record $issue why)" 'signal 9' 'and why is told'
begin 'kill -SEGV $$'
ended 10 dead process '- 11' 'and one that crashes'
begin '"$PANEWARD" watch --help >&- 2>&-; exit 255'
ended 10 dead process '255 -' 'the highest exit status is no signal'
live 'exec tail -f /dev/null'
kill -KILL "$(record $issue tmux.pane_pid)"
ended 10 dead process '' \
	'a pane whose process is killed above the agent is dead'
live 'kill -TERM $$; exec tail -f /dev/null'
ended 10 dead process '- 15' 'an agent that is asked to end, ends'

# ---- the pane is taken away -------------------------------------------------

live 'exec tail -f /dev/null'
tm kill-pane -t "$pane"
ended 10 gone session '' 'a pane that was killed is gone'
live 'exec tail -f /dev/null'
tm kill-session -t "=project-issue-$issue:"
ended 10 gone session '' 'so is one whose session was killed'
live 'trap "" HUP; tail -f /dev/null'
tm kill-session -t "=project-issue-$issue:"
ended 10 gone session '' 'also if its agent minds no hang-up'
live 'exec tail -f /dev/null'
tm respawn-pane -k -t "$pane" 'tail -f /dev/null'
ended 10 dead process '' 'a pane that was used again has lost its agent'
tm kill-pane -t "$pane"
issue=$((issue + 1))
"$PW" start $issue --no-watch -- sh -c 'echo begun; tail -f /dev/null' \
	>"$T/said" 2>&1
wait_until 5 logged $issue begun
tm kill-session -t "=project-issue-$issue:"
watch_begin w$issue $issue
ended 10 gone session '' 'a pane that went before the watcher came is gone'

# ---- with a report ----------------------------------------------------------

error='echo "###TASK_ERROR_${PANEWARD_ISSUE}###"'
complete='echo "###TASK_COMPLETE_${PANEWARD_ISSUE}###"'
begin "$complete; exit 3"
ended 0 complete log '' 'a report beats the death after it'
begin "$error; echo the disk is full; exit 3"
ended 1 error log '3 -' 'so does the report of an error' 'the disk is full'
begin "$error"
ended 1 error log '0 -' 'an error may be the last word' 'Unknown error'
begin '"$PANEWARD" signal error "no  more
tea"; exit 1'
ended 1 error signal '1 -' 'an error may be signalled' 'no  more tea'
check 'the signal is removed' no test -e "$S/signal-error-$issue"
begin "$complete; $error; echo no"
ended 0 complete log '' 'an error after a completion is nothing new'
is "$(changes $issue error)" 0 'and nowhere'

obedient late
begin "$error; echo for now; exec '$T/late'"
wait_until 5 recorded $issue error
let_pass
check 'an error alone does not end the watch' no test -e "$T/w$issue.status"
tell late "$complete"
ended 0 complete log '' 'a completion may follow it'
is "$(changes $issue error)" 1 'both are in the journal'

# ---- one that never ends ----------------------------------------------------

obedient endless
live "exec '$T/endless'"
tell endless 'echo busy'
wait_until 5 logged $issue busy
check 'while the agent lives the watch goes on' no test -e "$T/w$issue.status"
exits 0 'until it is signalled' \
	"$PW" signal complete --issue $issue 'all is well'
ended 0 complete signal '' 'and then it is complete' 'all is well'
check 'the signal is removed' no test -e "$S/signal-complete-$issue"
check 'and the agent left alone' kill -0 "$(record $issue agent.pid)"

live 'exec tail -f /dev/null'
kill "$(watcher $issue)"
watch_ended w$issue 143 'a watch that is ended says by what'
check 'the run is as it was' recorded $issue working
"$PW" signal error --issue $issue nothing
watch_begin w$issue $issue --exit-on error
ended 1 error signal '' 'with --exit-on error it ends with the error' nothing

# ---- several ----------------------------------------------------------------

for run in "201 $complete" "202 $error" '203 exit 1'; do
	"$PW" start "${run%% *}" --no-watch -- sh -c "${run#* }" >"$T/said" 2>&1
done
watch_begin all 201 202 203
watch_ended all 1 'of several issues an error counts before a death'
is "$(grep -v working "$T/all.out" | cut -d : -f 1 | sort)" '201 complete
202 error
203 dead' 'each is told in a line'
watch_begin again 203 201
watch_ended again 10 'and a death before a completion'
is "$(cut -d : -f 1 "$T/again.out" | sort)" '201 complete
203 dead' 'what is known already is told again'
is "$(changes 203 dead)" 1 'but not written down again'

done_testing
