#!/bin/sh
# paneward start --exit-is-report: how an agent ends is its report.
. "${0%/*}/lib.sh"

# over ISSUE: has its agent ended?
over() { [ "$(cut -d ' ' -f 4 "$S/.paneward/$1.agent" 2>/dev/null)" != '' ]; }

tmux_start

exits 0 'an agent is started' "$PW" start 1 --exit-is-report -- sh -c 'echo ok'
exits 0 'with status 0 it is complete' "$PW" watch 1
is "$(tail -n 1 "$T/out")" '1 complete: the agent ended with status 0' 'which is told'
is "$(record 1 source)" process 'by the process'

"$PW" start 2 --exit-is-report -- sh -c 'exit 3' >"$T/said"
exits 1 'with another one it has failed' "$PW" watch 2
is "$(tail -n 1 "$T/out")" '2 error: the agent ended with status 3' 'which is told'

"$PW" start 3 --exit-is-report -- sh -c 'kill -SEGV $$' >"$T/said"
exits 1 'so it has by a signal' "$PW" watch 3
like "$(tail -n 1 "$T/out")" '^3 error: the agent ended by signal 11' 'which is told'

"$PW" start 4 --exit-is-report -- sh -c '"$PANEWARD" signal error no' >"$T/said"
exits 1 'what it has reported before counts' "$PW" watch 4
is "$(tail -n 1 "$T/out")" '4 error: signal-error-4 is there: no' 'and alone'
"$PW" sweep >"$T/said"
is "$(record 4 state)" error 'for a sweep, too'

"$PW" start 5 --exit-is-report -- sh -c \
	'"$PANEWARD" signal complete; exit 5' >"$T/said"
exits 0 'nor does its end undo a completion' "$PW" watch 5

# ---- without a watcher ------------------------------------------------------
"$PW" start 6 --no-watch --exit-is-report -- true >"$T/said"
"$PW" start 7 --no-watch --exit-is-report -- false >"$T/said"
wait_until 5 over 6
wait_until 5 over 7
wait_until 5 eval '"$PW" sweep >"$T/said"; recorded 6 complete'
is "$(record 6 state)" complete 'a sweep knows of it'
is "$(record 7 state)" working 'and says nothing of an error'
exits 0 'unless it is asked for errors' "$PW" sweep --check-errors
is "$(record 7 state)" error 'then it does'

# ---- the hint ---------------------------------------------------------------
"$PW" start 8 -- true >"$T/said"
exits 10 'without the option it is dead' "$PW" watch 8
is "$(tail -n 1 "$T/out")" "8 dead: the agent ended with status 0, without a report \
(see 'start --exit-is-report')" 'which is named'

done_testing
