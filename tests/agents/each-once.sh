#!/bin/sh
# Hooks for one session, beside the user's own, and beside those of an init whose
# program is gone: each event is recorded, and only once.
. "${0%/*}/lib.sh"

case $1 in
codex|copilot|gemini|qwen) skip_all "$1 takes no hooks for one session" ;;
esac
client "$1"
note="import { appendFileSync } from 'node:fs'
appendFileSync('$T/hooks.log', 'loaded')"
case $1 in
opencode)
	printf '%s\nexport const Own = async () => ({})\n' "$note" >"$T/own.js"
	export OPENCODE_CONFIG_CONTENT="{\"plugin\":[\"$T/own.js\"]}" ;;
pi)
	mkdir -p "$HOME/.pi/agent/extensions"
	printf '%s\nexport default function () {}\n' "$note" \
		>"$HOME/.pi/agent/extensions/own.ts" ;;
esac
hooks
grep -rlF "$PW" "$P"/.[a-z]* | xargs sed -i "s|$PW|/nowhere/paneward|"
model '[ { "say": "I look.", "run": "ls" },
	{ "say": "Done.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
becomes 42 complete
told 42
for event in turn-started tool turn-ended; do
	is "$(grep -c "\"$event\"" "$S/.paneward/42.records")" 1 \
		"$event is recorded once"
done
check "the user's own is there as well" test -s "$T/hooks.log"

done_testing
