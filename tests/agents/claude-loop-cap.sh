#!/bin/sh
# An agent that uses no tool is kept going eight times and no more, by the
# client itself.  It is told so in time; where it uses one, the loop goes on.
. "${0%/*}/lib.sh"

client claude
hooks --loop
model '[ { "say": "I think, and think.", "times": 7 },
	{ "run": "echo a tool" },
	{ "say": "I think, and think.", "times": 7 },
	{ "run": "\"$PANEWARD\" loop stop" }, { "say": "Stopped." } ]'
exits 0 'a loop is started' \
	"$PW" loop start --max 40 --prompt 'Take the next task.' || done_testing
begin 42
wait_until "$LONG" asked 17
wait_until "$LONG" why 42 'at its prompt'
becomes 42 waiting
hint='unless a tool is used'
unlike "$(sed -n 2p "$T/model.log")" "$hint" 'at first it is left in peace'
like "$(sed -n 8p "$T/model.log")" "$hint" 'it is told before it is too late'
is "$(grep -c 'Take the next task' "$T/model.log")" 14 \
	'and so it was kept going more often than eight times'
unlike "$(pane_text "$PANE")" 'consecutive times' \
	'the client never stepped in'
done_testing
