#!/bin/sh
# An agent that reports and ends in the same instant is complete, always.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"

# tries FIRST STATE COMMAND: thirty runs at once, with a watcher each, come to the
# state; prints how often the journal has which end.
tries() {
	issues=$(seq "$1" $(($1 + 29)))
	for issue in $issues; do
		"$PW" start "$issue" -- sh -c "$3" >"$T/said" 2>&1 ||
			cat "$T/said"
	done
	wait_until 120 all_are "$2"
	sed -n 's/.*paneward\.state".*"state":"\([a-z]*\)".*/\1/p' \
		"$S/.paneward/journal.ndjson" | grep -v working | sort | uniq -c
	rm "$S/.paneward/journal.ndjson"
}

all_are() {
	for issue in $issues; do
		recorded "$issue" "$1" || return
	done
}

tmux_start
scenario 'a marker or a signal counts in the instant of the end' <<'END'
>>> tries 100 complete 'printf "###TASK_COMPLETE_%s###" $PANEWARD_ISSUE'
~  *30 complete
>>> tries 200 complete 'echo "###TASK_COMPLETE_$PANEWARD_ISSUE###"; kill -KILL $$'
~  *30 complete
>>> tries 300 complete '"$PANEWARD" signal complete; exit'
~  *30 complete
>>> tries 400 complete 'echo "###TASK_COMPLETE_$PANEWARD_ISSUE###"
... 	exec tmux kill-pane -t "$TMUX_PANE"'
~  *30 complete
>>> tries 500 error 'printf "###TASK_ERROR_%s###\nwhy" $PANEWARD_ISSUE; exit 1'
~  *30 error
>>> cat "$S"/.paneward/5??.json | grep -c '"message":"why"'
30
END
done_testing
