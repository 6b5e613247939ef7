#!/bin/sh
# paneward start --exit-is-report: how an agent ends is its report.
. "${0%/*}/lib.sh"

# over ISSUE: has its agent ended?
over() { [ "$(cut -d ' ' -f 4 "$S/.paneward/$1.agent" 2>/dev/null)" != '' ]; }

tmux_start

# The status of a watch, its last line, and what the agent does.
issue=0
while IFS='|' read -r status line command; do
	issue=$((issue + 1))
	"$PW" start $issue --exit-is-report -- sh -c "$command" >"$T/said" 2>&1
	exits "$status" "$command: $line" "$PW" watch $issue
	like "$(tail -n 1 "$T/out")" "^$issue $line\$" 'which is told'
done <<'END'
0|complete: the agent ended with status 0|echo ok
1|error: the agent ended with status 3|exit 3
1|error: the agent ended by signal 11.*|kill -SEGV $$
1|error: signal-error-4 is there: no|"$PANEWARD" signal error no
0|complete: signal-complete-5 is there|"$PANEWARD" signal complete; exit 5
END
is "$(record 1 source)" process 'by the process'
"$PW" sweep >"$T/said"
is "$(record 4 state)" error 'what it has reported counts for a sweep, too'

# ---- without a watcher ------------------------------------------------------
"$PW" start 6 --no-watch --exit-is-report -- true >"$T/said"
"$PW" start 7 --no-watch --exit-is-report -- false >"$T/said"
wait_until 5 over 6
wait_until 5 over 7
wait_until 5 eval '"$PW" sweep >"$T/said"; recorded 6 complete'
is "$(record 7 state)" working 'a sweep knows of an end, and of no error'
exits 0 'unless it is asked for errors' "$PW" sweep --check-errors
is "$(record 7 state)" error 'then it does'

# ---- the hint ---------------------------------------------------------------
"$PW" start 8 -- true >"$T/said"
fails 10 "^8 dead: the agent ended with status 0, without a report \
\(see 'start --exit-is-report'\)$" watch 8

done_testing
