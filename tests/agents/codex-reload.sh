#!/bin/sh
# The agent restarts itself in its pane, with the same conversation.
. "${0%/*}/lib.sh"

client codex
hooks
model '[ { "say": "I restart myself.", "run": "\"$PANEWARD\" reload why" },
	{ "say": "See you." },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
becomes 42 complete
told 42
like "$(sed -n 3p "$T/model.log")" 'You have been restarted.*why' \
	'it was told that it was restarted'
like "$(pgrep -af ' resume ')" 'codex --no-daemon .* resume' \
	'and does without the shared server again'
is "$(changes 42 dead) $(changes 42 gone)" '0 0' 'it was never taken for dead'
is "$(find "$HOME/.codex/sessions" -name '*.jsonl' | wc -l)" 1 \
	'there was only one session'
done_testing
