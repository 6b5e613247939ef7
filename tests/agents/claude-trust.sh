#!/bin/sh
# The question whether a folder is trusted is answered, in one version by a digit,
# in the other by moving the highlight.
. "${0%/*}/lib.sh"

client claude
hooks
sed 's/"hasTrustDialogAccepted": true/"hasTrustDialogAccepted": false/' \
	"$HOME/.claude.json" >"$T/asking.json"
model '[ { "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'

# asks SESSION: a new client asks, and $pane is where.
asks() {
	cp "$T/asking.json" "$HOME/.claude.json"
	pane_run "$1" "exec claude 'Please work on the issue.'"
	pane=$(pane_tell "$1" '#{pane_id}')
	wait_until "$LONG" pane_shows "$1" 'Yes, I trust this folder' ||
		done_testing
}

tmux_start
asks refused
exits 0 'the dialog is known' "$PW" answer "$pane"
like "$(cat "$T/out")" 'Yes, I trust this folder  \(yes\)' 'with its choices'
exits 0 'no is answered' "$PW" answer "$pane" no
wait_until "$LONG" no pane_shows refused 'I trust this folder'
check 'and the client has gone' no pane_shows refused 'Please work'
is "$(grep -c . "$T/model.log" 2>/dev/null)" 0 'without a word to its model'
asks trusted
exits 0 'yes is answered' "$PW" answer "$pane" yes
like "$(cat "$T/out")" "answered 'Yes, I trust this folder' to: " 'and said'
check 'and the client begins its work' wait_until "$LONG" asked 1
done_testing
