#!/bin/sh
# Two sessions go on in the client's background, where each has another id and
# both have one daemon, which has the environment of the first: each issue follows
# its own, and its report counts.
. "${0%/*}/lib.sh"

client claude ask
case $(claude --version) in
2.1.197*) skip_all 'its sessions keep their id in the background' ;;
esac
hooks
LIST='describe a task for a new session'
model '[ { "case": "first", "say": "Hello." },
	{ "case": "permission", "replies": [
		{ "until": "'"$T/ask"'", "say": "I have to run something.",
		  "ask": true, "run": "touch ran-%i" },
		{ "say": "I ran it." } ] },
	{ "case": "report",
	  "say": "It is all finished.\n\n###TASK_COMPLETE_%i###" } ]'
for moment in first permission report; do
	touch "$T/$moment.go"
done

session() {
	sed -n 's/.*"agent":{[^}]*"session":"\([^"]*\)".*/\1/p' \
		"$S/.paneward/$1.json"
}

# Has the record another session than in $old?
followed() {
	[ "$(session "$1")" != "$old" ]
}

# moves ISSUE: the pane shows the list of all sessions.
moves() {
	PANE=project-issue-$1
	old=$(session "$1")
	press Left
	wait_until "$LONG" pane_shows "$PANE" "$LIST" &&
		wait_until "$LONG" followed "$1"
	result $? "the session of $1 has moved, and its record has followed"
}

for issue in 42 43; do
	PROMPT="Begin issue $issue: [first]"
	begin "$issue"
	becomes "$issue" waiting
	moves "$issue"
	stays "$issue" waiting
done

# attached ISSUE: the pane shows its session again.
attached() {
	PANE=project-issue-$1
	press Escape
	wait_until "$LONG" no pane_shows "$PANE" "$LIST"
}

# It works and asks while the list stays in the pane.
attached 43
prompt 'Go on with issue 43: [permission]'
becomes 43 working
press Left
wait_until "$LONG" pane_shows "$PANE" "$LIST"
stays 43 working
touch "$T/ask"
becomes 43 asking
stays 43 asking
attached 43
wait_until "$LONG" pane_shows "$PANE" "$ASKS"
press Enter
becomes 43 waiting
like "$("$PW" status 43)" 'I ran it' 'with what it said'
prompt 'Go on with issue 43: [report]'
becomes 43 complete
is "$(changes 42 complete)" 0 'the other issue has not reported'
attached 42
prompt 'Go on with issue 42: [report]'
becomes 42 complete
done_testing
