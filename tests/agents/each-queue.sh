#!/bin/sh
# An agent that a person started by hand, in a session of any name, without hooks
# and without an issue: `status --all` has it, and what it is at.
. "${0%/*}/lib.sh"

client "$1" ask
model '[
	{ "case": "think", "hold": true },
	{ "case": "tool", "replies": [
		{ "say": "I have to run something.", "ask": true,
		  "run": "touch ran; until [ -e go ]; do sleep 0.1; done" },
		{ "say": "I ran it." } ] } ]'
touch "$T/think.go" "$T/tool.go"
PANE=anything

# row: its name, state and agent.
row() {
	"$PW" status --all --json 2>&1 | perl -MJSON::PP -ne '
		my $r = decode_json($_);
		print join(" ", $r->{where}, $r->{state}, $r->{backend}), "\n"'
}

row_is() {
	row >"$T/row"
	cat "$T/row"
	[ "$(sed 's/^[^ ]* //' "$T/row")" = "$1 $CLIENT" ]
}

allowed() {
	[ -e ran ] || press Enter
	sleep 0.5
	[ -e ran ]
}

# listed STATE
listed() {
	wait_until "$LONG" row_is "$1"
	check "the list says $1" row_is "$1"
}

tmux_start
pane_run "$PANE" 'exec sh -i' -x 120 -y 40
is "$(row)" '' 'a shell is no agent'
pane_type "$PANE" "${COMMAND:-$CLIENT}"
wait_until "$LONG" pane_shows "$PANE" "$READY"
listed waiting
like "$(row)" '^anything:' 'by the place of its pane'
prompt 'Go on: [think]'
wait_until "$LONG" pane_shows "$PANE" "$BUSY"
listed working
interrupt
listed waiting
prompt 'Go on: [tool]'
if [ "$ASKS" != '' ]; then
	wait_until "$LONG" pane_shows "$PANE" "$ASKS"
	listed asking
	# Clients drop an Enter that comes at once.
	wait_until "$LONG" allowed
fi
wait_until "$LONG" test -e ran
listed working
touch go
wait_until "$LONG" pane_shows "$PANE" 'I ran it.'
listed waiting
is "$(find . "$HOME" -name '*.seen' -o -name '.worktrees')" '' \
	'nothing was written of it'
tm kill-session -t "=$PANE:"
wait_until "$LONG" eval '[ "$(row)" = "" ]'
is "$(row)" '' 'without its pane it is not there'
done_testing
