#!/bin/sh
# Questions one behind the other, of a client that a person started by hand.
. "${0%/*}/lib.sh"

[ "$1" != pi ] || skip_all 'pi asks for no permission'
client "$1" ask
first() {
	by_hand
	prompt "$PROMPT"
}
row=by-hand journal=$HOME/.local/state/paneward/panes/journal.ndjson
case $CLIENT in
claude|codex) within=200 ;;
*)	within=500 ;;                   # known by their screens alone
esac
. "$ROOT/tests/agents/questions.sh"
