#!/bin/sh
# A usage limit between two rounds: the loop waits until it is over, and goes
# on.
. "${0%/*}/lib.sh"

client claude
reset=$(date -u -d '+45 seconds' +%Y-%m-%dT%H:%M:%SZ)
model '[ { "say": "I did the first one." },
	{ "status": 429, "headers": { "x-should-retry": "false" },
	"text": "You have hit your limit, resets at '"$reset"'" },
	{ "say": "All is done.\n\nLOOP_COMPLETE" } ]'
cat >"$T/PROMPT.md" <<'END'
Do the next item of the list. When all of them are done, say LOOP_COMPLETE on a
line of its own.
END
exits 0 'the word ends the loop' "$PW" loop run --json \
	--prompt-file "$T/PROMPT.md"
is "$(sed -n 's/.*"end":"\([^"]*\)".*/\1/p' "$T/out" | tr '\n' ' ')" \
	'exited limited keyword ' 'behind a round that met a limit'
like "$(cat "$T/err")" "usage limit: the loop goes on at $(date -d \
	"$reset" '+.*%H:%M') [(]in [0-9]+s[)]" \
	'until it was over nothing was begun'
clock
check 'which is now so' test "$(date +%s)" -ge "$(date -d "$reset" +%s)"
comment <"$S/.paneward/loop-default.2.log"
done_testing
