#!/bin/sh
# A live pane is saved as a case, and scored as it is.
. "${0%/*}/lib.sh"

# scored CASE COUNTS DESCRIPTION: no report was meant.
scored() {
	sed 's/"expect":null/"expect":"none"/' "$T/$1/case.json" >"$T/meant"
	cp "$T/meant" "$T/$1/case.json"
	"$ROOT/tests/corpus/score" "$ROOT/tests/corpus/programs/paneward" \
		"$T/$1" >"$T/scored" 2>&1
	like "$(tail -n 1 "$T/scored")" "^all +$2\$" "$3"
	comment <"$T/scored"
}

client "$1"
hooks
model '[ { "say": "You would print:\n\n```\n###TASK_COMPLETE_42###\n```\n\nIt is not yet done." },
	{ "say": "Now it is done.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" pane_shows "$PANE" 'It is not yet done.'
becomes 42 waiting
"$PW" explain 42 --save "$T/example" >/dev/null
comment <"$T/example/case.json"
is "$(cd "$T/example" && PATH=${PW%/*}:$PATH sh replay.txt | tail -n 1 | cut -d , -f 1)" \
	'verdict: waiting' 'a replay says the same'
scored example '1 +0 +0' 'an example is none'
prompt 'Go on.'
becomes 42 complete
"$PW" explain 42 --save "$T/done" >/dev/null
scored 'done' '0 +1 +0' 'a report is one'
done_testing
