#!/bin/sh
# Five rounds of claude --print.
. "${0%/*}/lib.sh"
. "$ROOT/tests/agents/rounds.sh"

client claude
rounds
is "$(grep -rl 'Do the next item' "$HOME/.claude/projects" | wc -l)" 5 \
	'each was a session of its own'
done_testing
