#!/bin/sh
# What a client is at, moment by moment: in a session without `init`, 42, and in
# one with it, 43, side by side.
. "${0%/*}/lib.sh"

client "$1" ask
limit='You have hit your limit, resets at 2038-01-19T03:14:07Z'
# Its own words, with which it does not try again for minutes.
[ "$CLIENT" != qwen ] ||
	limit="The quota is exceeded, it will reset at ${limit##* }"
retry='"headers": { "x-should-retry": "false" }'
model '[
	{ "case": "first", "say": "Hello." },
	{ "case": "permission", "replies": [
		{ "say": "I have to run something.", "ask": true,
		  "run": "touch ran-%i; until [ -e go ]; do sleep 0.1; done" },
		{ "say": "I ran it." } ] },
	{ "case": "question", "replies": [
		{ "say": "I have to ask.", "question": "Which way is it?" },
		{ "say": "I asked it." } ] },
	{ "case": "stream", "say": "I think about it.", "hold": true },
	{ "case": "retries", "replies": [
		{ "status": 500, "text": "It is broken.", "before": "up" },
		{ "say": "It works again." } ] },
	{ "case": "failure", "status": 400, "text": "This model fails." },
	{ "case": "limit", "status": 429, "text": "'"$limit"'", '"$retry"' } ]'
for moment in first permission question stream retries failure limit; do
	touch "$T/$moment.go"
done

# both COMMAND [ARGUMENT...]: for the one issue and the other.
both() {
	for ISSUE in 42 43; do
		PANE=project-issue-$ISSUE
		"$@"
	done
}

# at CASE: the next prompt.
at() {
	moment=$1
	both eval 'prompt "Go on with issue $ISSUE: [$moment]"'
}

# are STATE: both become that, and stay it.
are() {
	state=$1
	for ISSUE in 42 43; do
		exits "$(status_of "$state")" "$moment: $ISSUE becomes $state" \
			"$PW" wait "$ISSUE" --until "$state" --timeout "$LONG" ||
			dump
	done
	wait_until "$LONG" steady && result 0 "$moment: they stay $state"
}

# Has nothing changed for some seconds?
steady() {
	seen=$(both eval 'others $ISSUE "$state"')
	sleep 4
	[ "$(both eval 'others $ISSUE "$state"')" = "$seen" ] &&
		recorded 42 "$state" && recorded 43 "$state"
}

# because REGEX
because() {
	for ISSUE in 42 43; do
		like "$(record $ISSUE why): $(record $ISSUE message)" "$1" \
			"$moment: $ISSUE says why"
	done
}

# OpenCode and Kilo need two, not too fast.
interrupted() {
	press Escape
	sleep 1
	recorded "$ISSUE" waiting
}

# In Gemini's dialog: keep trying, or stop.
stopped() {
	sleep 1
	press Enter
	sleep 1
	pane_shows "$PANE" 'Type your message'
}

open 42
moment=started
wait_until "$LONG" recorded 42 waiting
# A second Codex cannot start while the first one makes its database.
prompt 'Begin issue 42: [first]'
wait_until "$LONG" pane_shows "$PANE" 'Hello.'
hooks
open 43
are waiting

if [ "$CLIENT" != pi ]; then
	at permission
	are asking
	because 'asks for permission'
	[ "$CLIENT" = gemini ] || [ "$CLIENT" = kimi ] || like "$(record 43 message)" \
		'^(([Bb]ash|run_shell_command|Run command): )?touch ran-43;' 'for what it asks'
	check 'nothing was run' test ! -e ran-42
	both press Enter
else
	at permission
fi
moment=tool
both eval 'wait_until "$LONG" test -e ran-$ISSUE'
are working
touch go
moment=answer
are waiting
[ "$CLIENT" != pi ] || is "$(record 43 message)" 'I ran it.' 'with what it said'

if ! asks_nothing; then
	at question
	are asking
	because 'question|asks'
	both press Enter
	if [ "$CLIENT" = kimi ]; then
		both wait_until "$LONG" pane_shows "$PANE" 'Ready to submit'
		both press Enter
	fi
	moment=answered
	are waiting
fi

at failure
are asking
because 'This model fails'

at limit
[ "$CLIENT" != pi ] ||
	both eval 'wait_until "$LONG" pane_shows "$PANE" "Retry failed"'
are limited
case $CLIENT in
claude | pi) because '2038-01-19T03:14:07' ;;
esac
case $CLIENT in
gemini)
	both press Down
	both wait_until "$LONG" stopped ;;
aider)	both interrupt ;;               # it tries again for a minute
esac

at stream
are working
moment=Escape
case $CLIENT in
opencode | kilo) both wait_until "$LONG" interrupted ;;
copilot)         both interrupt ;;
aider)           both press C-c ;;
*)               both press Escape ;;
esac
are waiting

if [ "$CLIENT" != grok ]; then          # it gives up within seconds
	at retries
	are working
	touch up
	moment='works again'
	are waiting
fi

moment='exit'
leave() {
	case $CLIENT in
	claude | opencode | copilot | kimi | kilo | vibe | grok | aider)
		press -l /exit ;;
	*) press -l /quit ;;
	esac
	wait_until "$LONG" left
}
left() {
	sleep 1
	press Enter
	sleep 1
	recorded "$ISSUE" dead
}
both leave
are dead
for issue in 42 43; do
	is "$(changes $issue complete) $(changes $issue error)" '0 0' \
		"$issue never reported"
done
done_testing
