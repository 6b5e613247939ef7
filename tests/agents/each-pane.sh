#!/bin/sh
# What a client is at, moment by moment, by its pane alone: it is started by
# hand, in a session of any name, without hooks and without an issue.  Its
# screen is judged, with the title and without, and `status --all` has it.
# KEEP=1 leaves each moment in a folder, as a case for tests/corpus/cases.
. "${0%/*}/lib.sh"

client "$1" ask
VERSION=${PATH#*/build/clients/}
VERSION=${VERSION%%/*}
PANE=anything
limit='This request would exceed your rate limit'
[ "$CLIENT" != qwen ] ||
	limit='The quota is exceeded, it will reset at 2038-01-19T03:14:07Z'
model '[
	{ "case": "thinking", "hold": true },
	{ "case": "writing", "say": "I think about it.", "hold": true },
	{ "case": "tool", "replies": [
		{ "say": "I have to run something.", "ask": true,
		  "run": "touch ran; until [ -e go ]; do sleep 0.1; done" },
		{ "say": "I ran it." } ] },
	{ "case": "question", "replies": [
		{ "say": "I have to ask.", "question": "Which way is it?" },
		{ "say": "I asked it." } ] },
	{ "case": "retry", "replies": [
		{ "status": 500, "text": "It is broken.", "before": "up" },
		{ "say": "It works again." } ] },
	{ "case": "failed", "status": 400, "text": "This model fails." },
	{ "case": "limited", "replies": [
		{ "status": 429, "text": "'"$limit"'", "before": "paid" },
		{ "say": "It goes on." } ] },
	{ "case": "limit", "status": 429, "text": "'"$limit"'",
	  "headers": { "x-should-retry": "false" } } ]'
for case in thinking writing tool question retry failed limited limit; do
	touch "$T/$case.go"
done

# describe STATE: the case.json of a case.
describe() {
	TITLE=$title FRONT=$front CLIENT=$CLIENT VERSION=${VERSION#*-} STATE=$1 \
		perl -MJSON::PP -e 'print JSON::PP->new->canonical->encode({
		client => $ENV{CLIENT}, version => $ENV{VERSION}, issue => 42,
		columns => 120, rows => 40, title => $ENV{TITLE},
		command => $ENV{FRONT}, expect => $ENV{STATE} || undef }), "\n"'
}

# row: the place of an agent, its state, and which one it is.
row() {
	"$PW" status --all --json 2>&1 | perl -MJSON::PP -ne '
		my $r = decode_json($_);
		print join(" ", $r->{where}, $r->{state}, $r->{backend}), "\n"'
}

# listed MOMENT STATE: does the list say so?  Of some moments it is not asked.
listed() {
	case $1-$(row) in
	retry-* | writing-* | failed-* | limit*-*) ;;
	*-"$PANE":*" $2 $CLIENT") ;;
	*) return 1 ;;
	esac
}

# saved MOMENT STATE [FOLDER]: what the pane shows now, as a case; a person has
# to judge one without a state.
saved() {
	at=$T/${3:-moments}/$VERSION-$1
	mkdir -p "$at"
	tm capture-pane -p -J -S -500 -t "=$PANE:" >"$at/capture.txt"
	title=$(pane_tell "$PANE" '#{pane_title}')
	front=$(pane_tell "$PANE" '#{pane_current_command}')
	describe "$2" >"$at/case.json"
}

# judged MOMENT STATE [WORDS]: is it the state by what the pane shows now?  Of
# the two words, with the title and without, so many must be right.
judged() {
	saved "$1" "$2"
	for shown in "$title" ''; do
		"$PW" explain 42 --json --status-dir "$at" --session alive \
			--backend "$CLIENT" --title "$shown" --command "$front" \
			--capture "$at/capture.txt" | tail -n 1
	done >"$T/words"
	cat "$T/words"
	[ "$(grep -c "\"verdict\":\"$2\"" "$T/words")" -ge "${3:-2}" ] &&
		listed "$1" "$2"
}

# moment NAME STATE TEXT [WORDS]: when the screen shows the text, it is that, and
# stays so.
moment() {
	wait_until "$LONG" pane_shows "$PANE" "$3" || {
		saved "$1" '' first
		return
	}
	saved "$1" "$2" first
	wait_until "$LONG" judged "$1" "$2" "${4:-2}"
	for look in 1 2 3; do
		sleep 0.7
		check "$1 is $2, look $look" judged "$1" "$2" "${4:-2}"
	done
}

say() {
	prompt "Go on with issue 42: [$1]"
}

words_alone=2
wrote='I think about it.'
case $CLIENT in
claude) wrote='●' ;;
codex)  words_alone=1 ;;        # while it writes, the screen is as at rest
esac

tmux_start
pane_run "$PANE" 'exec sh -i' -x 120 -y 40
is "$(row)" '' 'a shell is no agent'
pane_type "$PANE" "${COMMAND:-$CLIENT}"
moment idle waiting "$READY"
say thinking
moment thinking working "$BUSY"
interrupt
moment interrupted waiting "$READY"
say writing
moment writing working "$wrote" $words_alone
interrupt
say tool
if [ "$ASKS" != '' ]; then
	moment permission asking "$ASKS"
	press Enter
fi
wait_until "$LONG" test -e ran
case $CLIENT in
aider)	moment tool working 'Running touch'
	touch go
	moment answer waiting "$READY" ;;       # it asks its model no more
*)	moment tool working "$BUSY"
	touch go
	moment answer waiting 'I ran it.' ;;
esac
if ! asks_nothing; then
	say question
	moment question asking 'Which way is it?'
	press Enter
	if [ "$CLIENT" = kimi ]; then
		moment review asking 'Ready to submit'
		press Enter
	fi
	moment answered waiting 'I asked it.'
fi
if [ "$CLIENT" != grok ]; then          # it gives up within seconds
	say retry
	moment retry working "$READY"
	touch up
	wait_until "$LONG" pane_shows "$PANE" 'It works again.'
fi
say failed
moment failed asking 'This model fails'
say limited
case $VERSION in
# These do not name the limit as long as they try again.
claude-2.1.197 | vibe-*)
	moment limited working "$BUSY" ;;
gemini-*)
	moment limited limited 'Usage limit reached' ;;
grok-*)
	moment limited limited 'error: 429' ;;
aider-*)
	moment limited limited 'RateLimitError' ;;
codex-*)
	moment limited limited 'exceeded retry limit' ;;
opencode-*|kilo-*)
	wait_until "$LONG" judged limited limited &&
		result 0 'limited is limited, between its requests' ;;
*)
	moment limited limited "$READY" ;;
esac
if [ "$CLIENT" = claude ]; then
	touch paid
	wait_until "$LONG" pane_shows "$PANE" 'It goes on.'
	say limit
	moment limit limited '(429)'
fi
is "$(find . "$HOME" -name '*.seen' -o -name '.worktrees')" '' \
	'nothing was written of it'
tm kill-session -t "=$PANE:"
wait_until "$LONG" eval '[ "$(row)" = "" ]'
is "$(row)" '' 'without its pane it is not there'
done_testing
