#!/bin/sh
# The dialogs of Claude Code that are neither a permission nor a plain question are
# answered: several answers, the last page of them, a plan, a file, a page.
. "${0%/*}/lib.sh"

client claude ask
hooks
choice() {
	echo '{ "label": "'"$1"'", "description": "1. '"$1"' it is" }'
}
model '[ { "say": "I ask.", "call": { "name": "AskUserQuestion", "input": {
		"questions": [ { "question": "Which colour?", "header": "Colour",
			"multiSelect": false, "options": [
			'"$(choice Red)"', '"$(choice Blue)"' ] },
		{ "question": "Choose the sizes.", "header": "Sizes",
			"multiSelect": true, "options": [
			'"$(choice Small)"', '"$(choice Large)"' ] } ] } } },
	{ "say": "I plan.", "call": { "name": "EnterPlanMode", "input": {} } },
	{ "until": "'"$T/written"'", "say": "This is it.",
	  "call": { "name": "ExitPlanMode", "input": {} } },
	{ "say": "And now?", "call": { "name": "ExitPlanMode", "input": {} } },
	{ "say": "I write.", "call": { "name": "Write", "input": {
		"file_path": "'"$P/sub/a.txt"'", "content": "one" } } },
	{ "say": "I look.", "call": { "name": "WebFetch", "input": {
		"url": "https://example.com/x", "prompt": "look" } } },
	{ "say": "That was all." } ]'
begin 42

# answers ASKED ANSWER SAID: the row says what is asked, and the answer is taken.
answers() {
	wait_until "$LONG" row_says "$1" || done_testing
	exits 0 "$1 $2" "$PW" answer 42 "$2" || done_testing
	like "$(cat "$T/out")" "^42: $3" 'and it is said how'
}
row_says() {
	"$PW" status 42 >"$T/row"
	grep -q "asking.*$1" "$T/row"
}

answers 'Which colour' blue "answered 'Blue' to"
answers 'Choose the sizes' large "toggled '\[ \] Large' in"
answers 'Choose the sizes' 1 "toggled '\[ \] Small' in"
answers 'Choose the sizes' 2, "answered '2,' to"
wait_until "$LONG" asked 2
like "$(sed -n 2p "$T/model.log")" 'sizes[^L]*Large' 'the model gets them'
unlike "$(sed -n 2p "$T/model.log")" 'Small' 'and no other one'

plan() {
	path=$(grep -o '[^" ]*/plans/[^" ]*\.md' "$T/model.log" | tail -n 1)
	[ "$path" != '' ]
}
wait_until "$LONG" plan
mkdir -p "${path%/*}"
printf '# A plan\n\nDo it.\n' >"$path"
touch "$T/written"
answers 'A plan' 'make it shorter' "answered 'make it shorter' to: .*plan"
wait_until "$LONG" asked 4
like "$(sed -n 4p "$T/model.log")" 'make it shorter' 'the model gets the text'
answers 'A plan' yes "answered 'Yes, manually approve edits' to: .*plan"
answers 'a.txt' yes "answered 'Yes' to: .*Create file sub/a.txt"
wait_until "$LONG" test -e sub/a.txt
answers 'example.com' no "answered 'No, .*' to: .*example.com/x"
becomes 42 waiting
done_testing
