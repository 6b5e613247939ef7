#!/bin/sh
# The question whether a project is trusted is asked as soon as it has a .pi, which
# `init` makes, and is answered.
. "${0%/*}/lib.sh"

client pi
[ "$(pi --version 2>&1)" != 0.73.1 ] || skip_all 'this version does not ask'
sed -i 's/"always"/"ask"/' "$HOME/.pi/agent/settings.json"
hooks
model '[ { "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
becomes 42 asking
like "$("$PW" status 42)" 'whether to trust this folder: /.*project' 'for what'
exits 0 'the dialog is known' "$PW" answer 42
like "$(cat "$T/out")" 'Trust  \(yes\)' 'with its choices'
like "$(cat "$T/out")" 'Do not trust  \(no\)' 'and both answers'
exits 0 'yes is answered' "$PW" answer 42 yes
like "$(cat "$T/out")" "answered 'Trust' to: " 'and said'
becomes 42 complete

tm kill-session -t "=$PANE"
rm "$HOME/.pi/agent/trust.json"
begin 43
becomes 43 asking
exits 0 'no is answered' "$PW" answer 43 no
wait_until "$LONG" pane_shows "$PANE" "$READY"
check 'and the client remembers it' grep -q false "$HOME/.pi/agent/trust.json"
done_testing
