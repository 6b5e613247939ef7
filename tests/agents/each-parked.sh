#!/bin/sh
# A usage limit that ends: the agent is told to go on, and the conversation does,
# once.
. "${0%/*}/lib.sh"

client "$1"
hooks
told='now proceed'
# A choice of its dialog.
[ "$CLIENT" != gemini ] || told='Keep trying'
echo '{ "on_limit": "resume", "limit_prompt": "now proceed" }' >"$P/.paneward.json"
until=$(($(date +%s) + 40))
limit="You have hit your usage limit, resets at $(date -u -d "@$until" +%FT%TZ)"
case $CLIENT in
# They give up a minute or more later.
opencode | copilot) limit='You have hit your usage limit' ;;
# Its own words, with which it gives up at once.
qwen) limit="The quota is exceeded, it will reset at ${limit##* }" ;;
esac
model '[ { "status": 429, "headers": { "x-should-retry": "false" },
	"text": "'"$limit"'", "before": "'"$T/ended"'" },
	{ "say": "I went on.\n\n###TASK_COMPLETE_42###" } ]'

# pause_over: the next time is now, for those that do not tell the end.
pause_over() {
	! grep -q '"parked":{[^}]*"until"' "$S/.paneward/42.json" || return 0
	kill -KILL "$(watcher 42)"
	sed -i 's/\("next":"\)2[0-9]*/\12020/' "$S/.paneward/42.json"
	"$PW" watch 42 >"$T/watch" 2>&1 &
}

begin 42
becomes 42 limited
wait_until "$LONG" grep -q '"parked":{' "$S/.paneward/42.json"
like "$("$PW" status 42)" 'goes on at .*, 1 of 3' 'its row tells when it goes on'
# They repeat the request by themselves before.
case $CLIENT in
opencode) wait_until "$LONG" grep -q turn-failed "$S/.paneward/42.records" ;;
pi)       wait_until "$LONG" pane_shows "$PANE" 'Retry failed' ;;
esac
: >"$T/ended"
pause_over
becomes 42 complete
is "$(journal 42 parked | grep -c "told to go on, 1 of 3: $told")" 1 \
	'it was told to go on'
is "$(journal 42 parked | wc -l)" 1 'once'
[ "$CLIENT" = gemini ] || is "$(grep -Fo "$told" "$T/model.log" | sort -u)" \
	"$told" 'and the model got it'
done_testing
