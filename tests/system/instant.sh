#!/bin/sh
# An agent that reports and ends in the same instant is complete, always.
. "${0%/*}/lib.sh"

# tries FIRST COMMAND: thirty runs at once, with a watcher each.
tries() {
	for issue in $(seq "$1" $(($1 + 29))); do
		"$PW" start "$issue" -- sh -c "$2" >"$T/said" 2>&1 ||
			comment <"$T/said"
	done
}

states() {
	perl -MJSON::PP -e '
		my ($dir, $first, $last) = @ARGV;
		my %count;
		for my $issue ($first .. $last) {
			local $/;
			open my $file, "<", "$dir/$issue.json" or next;
			$count{decode_json(<$file>)->{state}}++;
		}
		print join " ", map { "$count{$_} $_" } sort keys %count' \
		"$S/.paneward" "$1" "$2"
}

settled() { states "$1" "$2" | no grep -q working; }

# all FIRST STATE DESCRIPTION
all() {
	wait_until 120 settled "$1" $(($1 + 29))
	is "$(states "$1" $(($1 + 29)))" "30 $2" "$3"
	is "$(grep -c "\"subject\":\"[0-9]*\".*\"state\":\"$2\"" \
		"$S/.paneward/journal.ndjson")" 30 'each is journaled once'
	rm "$S/.paneward/journal.ndjson"
}

tmux_start
tries 100 'printf "###TASK_COMPLETE_%s###" $PANEWARD_ISSUE'
all 100 complete 'a marker without an end of line, and the end of the agent'
tries 200 'echo "###TASK_COMPLETE_$PANEWARD_ISSUE###"; kill -KILL $$'
all 200 complete 'a marker, and the death of the agent'
tries 300 '"$PANEWARD" signal complete; exit'
all 300 complete 'a signal, and the end of the agent'
tries 400 'echo "###TASK_COMPLETE_$PANEWARD_ISSUE###"
	exec tmux kill-pane -t "$TMUX_PANE"'
all 400 complete 'a marker, and the end of the pane'
tries 500 'printf "###TASK_ERROR_%s###\nwhy" $PANEWARD_ISSUE; exit 1'
all 500 error 'an error with its message, and the end of the agent'
is "$(cat "$S"/.paneward/5??.json | grep -c '"message":"why"')" 30 \
	'all the messages are known'
done_testing
