#!/bin/sh
# An agent that a person has begun at a shell's prompt restarts itself, without
# any of paneward's hooks.
. "${0%/*}/lib.sh"

client claude
model '[ { "say": "I restart myself.", "run": "paneward reload why" },
	{ "say": "See you." }, { "say": "Here I am again." } ]'
pane_run hand 'exec bash --norc'
pane_type hand "claude 'Please work on the issue.'"
wait_until "$LONG" pane_shows hand 'Here I am again'
like "$(sed -n 3p "$T/model.log")" 'You have been restarted.*why' \
	'it was told that it was restarted'
is "$(find "$HOME/.claude/projects" -name '*.jsonl' | wc -l)" 1 \
	'there was only one session'
wait_until "$LONG" grep -q '"phase":"done"' "$S"/.paneward/*.reload
like "$(cat "$S"/.paneward/*.reload)" 'works on its prompt' 'it took it'
comment <"$(find "$S/.paneward" -name '*.reload.log')"
done_testing
