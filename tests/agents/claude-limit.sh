#!/bin/sh
# The usage limit of a subscription: a dialog about it is answered when it ends,
# and the agent told to go on, once, though newer versions go on by themselves.
. "${0%/*}/lib.sh"

client claude
unset ANTHROPIC_API_KEY
mkdir -p "$HOME/.claude"
cat >"$HOME/.claude/.credentials.json" <<'END'
{ "claudeAiOauth": { "accessToken": "sk-ant-oat01-none",
	"refreshToken": "sk-ant-ort01-none", "expiresAt": 4102444800000,
	"scopes": ["user:inference", "user:profile"],
	"subscriptionType": "max", "rateLimitTier": "default_claude_max_5x" } }
END
hooks
echo '{ "on_limit": "resume", "limit_prompt": "now proceed" }' >"$P/.paneward.json"
# It shows no seconds.
until=$((($(date +%s) + 120) / 60 * 60))
limited='"anthropic-ratelimit-unified'
model '[ { "status": 429, "headers": { "x-should-retry": "false",
		'"$limited"'-status": "rejected",
		'"$limited"'-reset": "'$until'",
		'"$limited"'-representative-claim": "five_hour",
		'"$limited"'-5h-status": "rejected",
		'"$limited"'-5h-reset": "'$until'",
		'"$limited"'-5h-utilization": "1.0",
		'"$limited"'-overage-status": "rejected" },
	"text": "It would exceed your rate limit.", "before": "'"$T/ended"'" },
	{ "say": "I went on.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
becomes 42 limited
wait_until "$LONG" grep -q '"parked":{' "$S/.paneward/42.json"
like "$("$PW" status 42)" 'goes on at .*, 1 of 3' 'its row tells when it goes on'
case $PATH in
*/claude-2.1.197/*)
	wait_until "$LONG" pane_shows "$PANE" 'Stop and wait'
	exits 0 'the dialog is shown' "$PW" answer 42
	like "$(cat "$T/out")" '1  Stop and wait .*[(]no[)]' 'with its choices'
	is "$(record 42 state)" limited 'and is still a limit' ;;
*)
	wait_until "$LONG" pane_shows "$PANE" 'Continuing automatically' ;;
esac
: >"$T/ended"
becomes 42 complete
check 'it does not wait to go on by itself' no pane_shows "$PANE" Continuing
is "$(journal 42 parked | grep -c 'told to go on, 1 of 3: now proceed')" 1 \
	'it was told to go on'
is "$(journal 42 parked | wc -l)" 1 'once'
is "$(wc -l <"$T/model.log")" 2 'and the model asked once'
done_testing
