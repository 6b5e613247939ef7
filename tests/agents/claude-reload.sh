#!/bin/sh
# The agent restarts itself twice in the same pane, with the same conversation,
# and only then does its work.
. "${0%/*}/lib.sh"

client claude
hooks
reload='"mkdir -p .claude/self-reborn && echo hand-off-%d'\
' >.claude/self-reborn/handoff.md && \"$PANEWARD\" reload \"try %d\""'
model '[ { "say": "I restart myself.", "run": '"$reload"' },
	{ "say": "See you." }, { "say": "And once more.", "run": '"$reload"' },
	{ "say": "See you again." },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
becomes 42 complete
told 42
is "$(changes 42 dead) $(changes 42 gone)" '0 0' 'and was never taken for dead'
run=$(record 42 run)
is "$(record 42 agent.session)" "$run" 'the session is the same'
is "$(find "$HOME/.claude/projects" -name '*.jsonl' | wc -l)" 1 \
	'there was only one'
like "$(sed -n 3p "$T/model.log")" 'hand-off-1' 'it got its first hand-off'
like "$(sed -n 5p "$T/model.log")" 'hand-off-3' 'and its second one'
is "$(find .claude -name 'handoff-2*' | wc -l)" 2 'both were put away'
is "$(journal 42 run | grep -c reload)" 2 'the journal knows of both'
comment <"$S/.paneward/42.reload.log"
done_testing
