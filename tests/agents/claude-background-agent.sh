#!/bin/sh
# A helper works in the background when the turn is over: the issue is working until
# its answer has come back.  A command in the background may be a server: the issue
# is waiting, and its row says so.
. "${0%/*}/lib.sh"

client claude
hooks
helper='"description": "look about", "prompt": "HELPER: look about",
	"subagent_type": "general-purpose", "run_in_background": true'
model '[ { "say": "I send a helper.",
		"call": { "name": "Agent", "input": { '"$helper"' } } },
	{ "helper": "HELPER: look about", "until": "'"$T/helped"'",
	  "say": "There is nothing." },
	{ "say": "I wait for it." },
	{ "say": "It has come back." },
	{ "say": "I start a server.", "call": { "name": "Bash", "input": {
		"command": "sleep 300", "description": "a server",
		"run_in_background": true } } },
	{ "say": "It runs." } ]'
begin 42
wait_until "$LONG" asked 1
becomes 42 working
seen=$(changes 42 waiting)
wait_until "$LONG" pane_shows "$PANE" 'I wait for it.'
reported() {
	grep -q "turn-ended.*\"kind\":\"$1\"" "$S/.paneward/42.records"
}
wait_until "$LONG" reported background
becomes 42 working
stays 42 working
is "$(changes 42 waiting)" "$seen" 'it never seemed to wait'
touch "$T/helped"
wait_until "$LONG" pane_shows "$PANE" 'It has come back.'
becomes 42 waiting

prompt 'Start a server.'
wait_until "$LONG" reported command
becomes 42 waiting
wait_until "$LONG" why 42 'a command of it still runs'
done_testing
