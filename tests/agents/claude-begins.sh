#!/bin/sh
# What Claude Code asks at its start is answered: whether it trusts the folder,
# an MCP server of the project, an API key, and the mode without permissions.
. "${0%/*}/lib.sh"

client claude
hooks
cp "$HOME/.claude.json" "$T/ready.json"
model '[ { "say": "It is done." }, { "say": "It is done." },
	{ "say": "It is done." }, { "say": "It is done." },
	{ "say": "It is done." } ]'
requests=0

# begins SESSION TEXT [WORD...]: a new client shows the dialog with that text.
begins() {
	session=$1
	pane_run "$1" "IS_SANDBOX=1 exec claude ${3:-} 'Please work on $1.'"
	pane=$(pane_tell "$1" '#{pane_id}')
	wait_until "$LONG" pane_shows "$1" "$2" || done_testing
}

# answers ANSWER CHOICE: the client takes it, and works.
answers() {
	exits 0 "$session: $1 is answered" "$PW" answer "$pane" "$1"
	like "$(cat "$T/out")" "answered '$2' to: " 'and said'
	requests=$((requests + 1))
	check 'and the client begins its work' wait_until "$LONG" \
		asked "$requests"
	tm kill-session -t "=$session"
}

tmux_start
# In one version by a digit, in the other by moving the highlight.
sed 's/"hasTrustDialogAccepted": true/"hasTrustDialogAccepted": false/' \
	"$T/ready.json" >"$HOME/.claude.json"
cp "$HOME/.claude.json" "$T/asking.json"
begins refused 'Yes, I trust this folder'
exits 0 'the dialog is known' "$PW" answer "$pane"
like "$(cat "$T/out")" 'Yes, I trust this folder  \(yes\)' 'with its choices'
exits 0 'no is answered' "$PW" answer "$pane" no
wait_until "$LONG" no pane_shows refused 'I trust this folder'
check 'and the client has gone' no pane_shows refused 'Please work'
is "$(grep -c . "$T/model.log" 2>/dev/null)" 0 'without a word to its model'
cp "$T/asking.json" "$HOME/.claude.json"
begins trusted 'Yes, I trust this folder'
answers yes 'Yes, I trust this folder'
cp "$T/ready.json" "$HOME/.claude.json"
echo '{ "mcpServers": { "thing": { "command": "cat" } } }' >.mcp.json
begins server 'New MCP server'
answers no 'Continue without using this MCP server'
cp "$T/ready.json" "$HOME/.claude.json"
rm -f .claude/settings.local.json
begins used 'New MCP server'
answers yes 'Use this MCP server'
rm -f .mcp.json .claude/settings.local.json
sed 's/"approved": \[.*\]/"approved": []/' "$T/ready.json" >"$HOME/.claude.json"
begins key 'Do you want to use this API key'
answers yes Yes
cp "$T/ready.json" "$HOME/.claude.json"
begins free 'Bypass Permissions mode' --dangerously-skip-permissions
answers 2 'Yes, I accept'
done_testing
