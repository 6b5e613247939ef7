#!/bin/sh
# Dialogs are answered by `paneward answer`: yes, no, a choice, a text.
. "${0%/*}/lib.sh"

[ "$1" != pi ] || skip_all 'pi asks for no permission'
client "$1" ask
hooks
case $CLIENT in
codex | grok | aider) questions= ;;     # they ask none of them
*)	questions='{ "say": "I have to ask.", "question": "Which way is it?" },
	{ "say": "I have to ask again.", "question": "What colour is it?" },' ;;
esac
# After a refusal some clients wait for what to do instead.
model '[ { "say": "I have to run something.", "run": "touch allowed",
		"ask": true },
	'"$questions"'
	{ "say": "I have to run more.", "run": "touch refused", "ask": true },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42

answered=0
# answers TEXT ANSWER WORDS: the dialog with the text is answered.
answers() {
	wait_until "$LONG" pane_shows "$PANE" "$1" || done_testing
	drawn
	exits 0 "the dialog is shown: $1" "$PW" answer 42
	exits 0 "it is answered: $2" "$PW" answer 42 "$2" || done_testing
	like "$(cat "$T/out")" "^42: answered '$3' to: " 'and the choice told'
	answered=$((answered + 1))
}

# Kimi shows what was answered once more.
sends() {
	[ "$CLIENT" != kimi ] || answers 'Ready to submit' yes Submit
}

case $CLIENT in
opencode) once='Allow once' never=Reject ;;
kilo)     once='Allow once' never=no ;;
kimi)     once='Approve once' never=Reject ;;
codex)    once='Yes, proceed.*' never='No, and .*' ;;
gemini)   once='Allow once' never='No, suggest changes.*' ;;
claude)   once=Yes never=No ;;
copilot)  once=Yes never=no ;;
qwen)     once='Yes, allow once' never='No, suggest changes.*' ;;
vibe)     once='Allow once' never=Deny ;;
grok)     once=Yes never=No ;;
aider)    once=yes never=no ;;
esac
answers "$ASKS" yes "$once"
wait_until "$LONG" test -e allowed
check 'what was allowed has been run' test -e allowed
if ! asks_nothing; then
	answers 'Which way is it?' That That
	sends
	wait_until "$LONG" asked 3
	like "$(tail -n 1 "$T/model.log")" 'That' 'the model gets the choice'
	text='a dark blue'
	[ "$CLIENT" != copilot ] || text=This        # no text is typed in it
	answers 'What colour is it?' "$text" "$text"
	sends
	wait_until "$LONG" asked 4
	like "$(tail -n 1 "$T/model.log")" "$text" 'and the text'
fi
if [ "$CLIENT" = aider ]; then          # it asks its model no more
	becomes 42 waiting
	press C-l                       # the same question would stand above
	prompt 'Go on.'
fi
wait_until "$LONG" pane_shows "$PANE" 'touch refused'
answers "$ASKS" no "$never"
[ "$CLIENT" = aider ] || wait_until "$LONG" no pane_shows "$PANE" "$ASKS"
check 'what was refused has not been run' test ! -e refused
is "$(journal 42 answer | wc -l)" "$answered" 'all is journaled'
done_testing
