#!/bin/sh
# Two sessions go on in the client's background, where each has another id and
# both have one daemon, which has the environment of the first: each issue
# follows its own, also behind the client's end in its pane, and its report
# counts.  Another session begins there.
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
	wait_until "$LONG" pane_shows "$PANE" 'Hello.'
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

# The client ends in the pane of 42, whose session goes on.
PANE=project-issue-42
attached 42
prompt 'Go on with issue 42: [first]'
becomes 42 waiting
press Left
wait_until "$LONG" pane_shows "$PANE" "$LIST"
pid=$(record 42 agent.pid)
ended() {
	press C-c
	press C-c
	! kill -0 "$pid" 2>/dev/null
}
wait_until "$LONG" ended
stays 42 waiting

# rows PATTERN: which rows are like that?
rows() { "$PW" status --all | grep -e "$1"; }

# A session that begins in the background is a row, until a pane has it.
claude --bg 'Begin issue 44: [permission]' </dev/null 2>&1 | comment
wait_until "$LONG" rows '^claude:bg.* asking .* it asks for permission'
name=$(rows '^claude:bg' | sed 's/ .*//')
like "$("$PW" explain "$name")" '^verdict: asking, by client' 'and explained'
PANE=shell
pane_run "$PANE" 'exec sh -i' -x 120 -y 40
pane_type "$PANE" "unset TMUX; '$PW' attach $name"
wait_until "$LONG" pane_shows "$PANE" "$ASKS"
wait_until "$LONG" rows '^shell:.* asking'
is "$(rows '^claude:bg' | wc -l)" 0 'a pane has it, and issues the others'
exits 0 'the question is answered there' \
	"$PW" answer "$(pane_tell "$PANE" '#{pane_id}')" yes
wait_until "$LONG" rows '^shell:.* waiting .* I ran it'
press C-z
wait_until "$LONG" rows "^$name *waiting"

# So can be the one of 42.
pane_type "$PANE" "'$PW' attach 42"
wait_until "$LONG" pane_shows "$PANE" "$READY"
prompt 'Go on with issue 42: [report]'
becomes 42 complete
done_testing
