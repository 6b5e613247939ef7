#!/bin/sh
# How a run ends: what the watcher says of it, what is recorded, and its exit
# status.
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

# ended STATUS STATE SOURCE DESCRIPTION
ended() {
	watch_ended w$issue "$1" "$4"
	is "$(record $issue state)/$(record $issue source)" "$2/$3" \
		'and says so'
	like "$(cat "$T/w$issue.out")" "^$issue $2: " 'in a line'
	is "$(changes $issue "$2")" 1 'and in one line of the journal'
}

exit_is() {
	is "$(record $issue exit.code)/$(record $issue exit.signal)" "$1" "$2"
}

warned() {
	is "$(cat "$T/w$issue.err")" "$1" "${2:-without a warning}"
}

# ---- without a report -------------------------------------------------------

begin 'exit 0'
ended 10 dead process 'an agent that ends well and reports nothing is dead'
exit_is 0/ 'its exit status is recorded'
like "$(record $issue why)" 'status 0' 'and told'
warned ''

begin 'exit 7'
ended 10 dead process 'so is one that fails'
exit_is 7/ 'its exit status is recorded'
warned ''

begin 'kill -KILL $$'
ended 10 dead process 'so is one that is killed'
exit_is /9 'the signal is recorded'
like "$(record $issue why)" 'signal 9' 'and told'

begin 'kill -SEGV $$'
ended 10 dead process 'and one that crashes'
exit_is /11 'with its signal'

begin '"$PANEWARD" watch --help >&- 2>&-; exit 255'
ended 10 dead process 'the highest exit status is no signal'
exit_is 255/ 'it is recorded as it was'

begin 'tail -f /dev/null'
wait_until 5 watch_holds w$issue $issue
kill -KILL "$(record $issue tmux.pane_pid)"
ended 10 dead process 'a pane whose process is killed above the agent is dead'

# ---- the pane is taken away -------------------------------------------------

begin 'tail -f /dev/null'
wait_until 5 watch_holds w$issue $issue
tm kill-pane -t "$(record $issue tmux.pane)"
ended 10 gone session 'a pane that was killed is gone'
warned ''

begin 'tail -f /dev/null'
wait_until 5 watch_holds w$issue $issue
tm kill-session -t "=project-issue-$issue:"
ended 10 gone session 'so is one whose session was killed'
warned ''

begin 'trap "" HUP; tail -f /dev/null'
wait_until 5 watch_holds w$issue $issue
tm kill-session -t "=project-issue-$issue:"
ended 10 gone session 'also if its agent minds no hang-up'

begin 'tail -f /dev/null'
wait_until 5 watch_holds w$issue $issue
pane=$(record $issue tmux.pane)
tm respawn-pane -k -t "$pane" 'tail -f /dev/null'
ended 10 dead process 'a pane that was used again has lost its agent'
tm kill-pane -t "$pane"

# It happened without a watcher.
issue=$((issue + 1))
"$PW" start $issue --no-watch -- sh -c 'echo begun; tail -f /dev/null' \
	>"$T/said"
wait_until 5 logged $issue begun
tm kill-session -t "=project-issue-$issue:"
watch_begin w$issue $issue
ended 10 gone session 'a pane that went before the watcher came is gone'

# ---- with a report ----------------------------------------------------------

begin "echo '###TASK_COMPLETE_$((issue + 1))###'; exit 3"
ended 0 complete log 'a report beats the death after it'

begin "echo '###TASK_ERROR_$((issue + 1))###'; echo the disk is full; exit 3"
ended 1 error log 'so does the report of an error'
is "$(record $issue message)" 'the disk is full' 'with its message'
exit_is 3/ 'the exit status is recorded'

begin "echo '###TASK_ERROR_$((issue + 1))###'"
ended 1 error log 'an error may be the last word'
is "$(record $issue message)" 'Unknown error' 'even without a message'

begin '"$PANEWARD" signal error "no  more
tea"; exit 1'
ended 1 error signal 'an error may be signalled'
is "$(record $issue message)" 'no  more tea' 'with its message'
check 'the signal is removed' no test -e "$S/signal-error-$issue"

obedient late
begin "echo '###TASK_ERROR_$((issue + 1))###'; echo for now; exec '$T/late'"
wait_until 5 recorded $issue error
let_pass
check 'an error alone does not end the watch' no test -e "$T/w$issue.status"
tell late "echo '###TASK_COMPLETE_$issue###'"
ended 0 complete log 'a completion may follow it'
is "$(changes $issue error)" 1 'both are in the journal'

begin "echo '###TASK_COMPLETE_$((issue + 1))###'
echo '###TASK_ERROR_$((issue + 1))###'; echo no"
ended 0 complete log 'an error after a completion is nothing new'
is "$(changes $issue error)" 0 'and nowhere'

obedient asked
begin "exec '$T/asked'"
wait_until 5 watch_holds w$issue $issue
tell asked "kill -TERM \$\$"
ended 10 dead process 'an agent that is asked to end, ends'
exit_is /15 'by that signal'

# ---- one that never ends ----------------------------------------------------

obedient endless
begin "exec '$T/endless'"
wait_until 5 watch_holds w$issue $issue
tell endless 'echo busy'
wait_until 5 logged $issue busy
check 'while the agent lives the watch goes on' \
	no test -e "$T/w$issue.status"
exits 0 'until it is signalled from outside' \
	"$PW" signal complete --issue $issue 'all is well'
ended 0 complete signal 'and then it is complete'
check 'the signal is removed' no test -e "$S/signal-complete-$issue"
check 'and the agent left alone' kill -0 "$(record $issue agent.pid)"

issue=$((issue + 1))
"$PW" start $issue --no-watch -- tail -f /dev/null >"$T/said"
watch_begin w$issue $issue
wait_until 5 watch_holds w$issue $issue
kill "$(watcher $issue)"
wait_until 5 test -e "$T/w$issue.status"
is "$(cat "$T/w$issue.status")" 143 'a watch that is ended says by what'
check 'the run is as it was' recorded $issue working
"$PW" signal error --issue $issue nothing
watch_begin w$issue $issue --exit-on error
ended 1 error signal 'with --exit-on error the watch ends with the error'

# ---- several ----------------------------------------------------------------

"$PW" start 201 --no-watch -- sh -c 'echo "###TASK_COMPLETE_201###"' >"$T/said"
"$PW" start 202 --no-watch -- sh -c 'echo "###TASK_ERROR_202###"' >"$T/said"
"$PW" start 203 --no-watch -- sh -c 'exit 1' >"$T/said"
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
