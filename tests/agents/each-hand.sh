#!/bin/sh
# A client that a person started by hand, in a pane of no issue: with `watch
# --everywhere` each dialog and each end of a turn is one notice, whenever the
# watcher is killed, and the commands know the agent by its pane.
. "${0%/*}/lib.sh"

[ "$1" != aider ] || skip_all 'aider asks its model no more then'
client "$1" ask
script note <<END
echo "\$PANEWARD_STATE \$PANEWARD_MESSAGE" >>'$T/notes'
END
: >"$T/notes"
mkdir -p "$HOME/.config/paneward"
cat >"$HOME/.config/paneward/config.json" <<END
{ "handoff": null, "notify": [["$T/note"]] }
END
model '[ { "say": "I have to run something.", "run": "touch one",
		"ask": true },
	{ "say": "I have to run more.", "run": "touch two", "ask": true },
	{ "say": "I finished the work.", "until": "watched" },
	{ "say": "I did it again.", "until": "seen" },
	{ "say": "I did it once more.", "until": "over" } ]'

# again: the watcher is killed, and another one goes on.
again() {
	kill -KILL "$(cat "$T/w.pid")"
	wait_until 10 command_ended w
	watch_begin w --everywhere
}

# noted STATE TEXT TIMES
noted() {
	[ "$(grep -c "^$1 .*$2" "$T/notes")" -eq "$3" ]
}

# works: has the watcher recorded that?
works() {
	grep -q '"state":"working"' "$HOME"/.local/state/paneward/panes/*.json
}

# turn FILE N: its turn goes on until the file is there; the end is told.
turn() {
	wait_until "$LONG" works
	touch "$1"
	wait_until "$LONG" noted waiting '' "$2"
	check "the end of turn $2 is a notice" noted waiting '' "$2"
}

# dialog COMMAND: it is told once, answered by the pane's name, and has run.
dialog() {
	wait_until "$LONG" noted asking "touch $1" 1
	check "the question about $1 is a notice" noted asking "touch $1" 1
	again
	like "$("$PW" status --all)" "asking .*touch $1" 'and in the row'
	exits 0 'it is answered by the name of the pane' "$PW" answer "$who" yes
	wait_until "$LONG" test -e "$1"
	check 'and the command has run' test -e "$1"
	again
}

by_hand
prompt 'Please begin.'
for _ in 1 2 3 4 5; do
	again
done
if [ "$ASKS" != '' ]; then
	dialog one
	dialog two
fi
turn watched 1
prompt 'Please do it again.'
turn seen 2
again
again
for act in explain log diff history; do
	exits 0 "$act knows it by its pane" "$PW" $act "$who"
done
exits 0 'and by its name' "$PW" history "$(pane_tell "$PANE" \
	'#{session_name}:#{window_name}.#{pane_index}')"
[ "$ASKS" = '' ] || like "$(cat "$T/out")" 'asking.*touch two' \
	'its history has the question'
prompt 'Please do it once more.'
turn over 3
is "$(grep -c . "$T/notes")" "$([ "$ASKS" = '' ] && echo 3 || echo 5)" \
	'no notice came twice, and none for nothing'
done_testing
