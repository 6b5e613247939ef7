#!/bin/sh
# The same as each-bare-reports, without hooks for the session: the client's
# transcript tells.
. "${0%/*}/lib.sh"

case $1 in
codex | copilot | gemini | qwen)
	skip_all 'in each-bare-reports it has no hooks' ;;
opencode) skip_all 'its transcript cannot be found' ;;
esac
client "$1"
no_session_hooks
. "$ROOT/tests/agents/reports.sh"
