# shellcheck shell=sh
# rounds.sh - included by claude-rounds and pi-rounds: five rounds of a client,
# each a session of its own, until it says the word that its prompt names.

# rounds OPTION...
rounds() {
	model '[ { "say": "I begin.", "run": "echo %d >>items" },
		{ "say": "I did the first one; LOOP_COMPLETED it is not." },
		{ "say": "Two are done:\n\n```\nLOOP_COMPLETE\n```\n\ncomes later." },
		{ "say": "Three are done." },
		{ "say": "Four, and not yet `LOOP_COMPLETE`." },
		{ "say": "All is done.\n\nLOOP_COMPLETE" } ]'
	cat >"$T/PROMPT.md" <<-'END'
		Do the next item of the list. When all of them are done, say
		LOOP_COMPLETE on a line of its own.
	END
	exits 0 'the word ends the loop' "$PW" loop run --issue 42 --json \
		--prompt-file "$T/PROMPT.md" --report "$T/report.json" "$@"
	is "$(tail -n 1 "$T/out")" \
		'{"success":true,"iterations":5,"reason":"keyword"}' \
		'in its fifth round'
	comment <"$T/err"
	is "$(cat items)" 1 'the agent has done something'
	is "$(grep -c 'Do the next item' "$T/model.log")" 5 \
		'and was told five times what to do'
	like "$(cat "$S/.paneward/loop-42.5.log")" '^LOOP_COMPLETE' \
		'the log of a round is what the agent has printed'
	is "$(grep -o '"end":"[a-z]*"' "$T/report.json" | cut -d '"' -f 4 |
		tr '\n' ' ')" 'exited exited exited exited keyword ' \
		'and the report tells of each'
}
