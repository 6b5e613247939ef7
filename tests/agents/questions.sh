# shellcheck shell=sh
# questions.sh - included by each-questions and each-hand-questions: questions one
# behind the other.  The row, the history and the notice name the one that is open,
# within $within hundredths of a second, and an answer reaches no other one.
#
# first() starts the agent and prompts it.  It is $who to the commands, its row
# begins with $row, and its journal is the file $journal.
# shellcheck disable=SC2154

# Between slashes is a turn, each word is a dialog: a command, one that fails, a
# file, a question, a plan.  "hasty": answered again until an answer is taken.
turns='run fail run/run ask/ask run/edit edit/fail ask run/ask ask/'\
'edit ask edit/fail fail/run edit run/hasty run fail run'
case $CLIENT in
claude)	turns="$turns/plan run/plan edit" ;;
codex | grok)
	turns='run fail run/run run/fail fail/edit run/edit edit/'\
'run edit fail/fail run edit/hasty run fail run' ;;
esac
printf '%s\n' "$turns" | tr / '\n' >"$T/turns"

# What a dialog shows beside its name.
case $CLIENT in
claude)   open='Esc to cancel|Enter to select|Would you like to proceed' ;;
codex)    open='Would you like to' ;;
gemini)   open='Allow execution|Apply this change|Enter to ' ;;
opencode | kilo) open='Permission required|enter (submit|confirm)' ;;
copilot)  open='enter to select|enter accept' ;;
qwen)     open='Waiting for user confirmation' ;;
vibe | grok) open='Enter select' ;;
kimi)     open='↑/?↓ select' ;;
esac
case $CLIENT in
opencode | kilo)
	sed -i 's/"permission": {/&"edit": "ask",/' \
		"$HOME/.config/$CLIENT/$CLIENT.json" ;;
esac
cat >"$HOME/.config/paneward/config.json" <<-END
	{ "handoff": null, "notify_on": ["asking"],
		"notify": [["sh", "-c", "cat >>'$T/notices'"]] }
END

# reply KIND NAME: what the model says, so that the client asks.
reply() {
	patch="apply_patch <<'EOT'\n*** Begin Patch\n*** Add File: $2.txt\n+one\n*** End Patch\nEOT"
	case $1-$CLIENT in
	run-*)  echo '"run": "touch '"$2"'", "ask": true' ;;
	fail-*) echo '"run": "rmdir '"$2"'", "ask": true' ;;
	ask-*)  echo '"question": "Which way is '"$2"'?"' ;;
	plan-*) echo '"call": { "name": "EnterPlanMode", "input": {} } },
		{ "until": "'"$T/$2.written"'", "say": "I have a plan.",
		  "call": { "name": "ExitPlanMode", "input": {} }' ;;
	edit-claude)
		echo '"call": { "name": "Write", "input": {
			"file_path": "'"$P/$2.txt"'", "content": "one" } }' ;;
	edit-codex)
		printf '"run": "%s"\n' "$patch" ;;
	edit-gemini | edit-qwen)
		echo '"call": { "name": "write_file", "input": {
			"file_path": "'"$P/$2.txt"'", "content": "one" } }' ;;
	edit-kimi)
		echo '"call": { "name": "Write", "input": {
			"path": "'"$P/$2.txt"'", "content": "'"$2"'" } }' ;;
	edit-copilot)
		echo '"call": { "name": "create", "input": {
			"path": "'"$P/$2.txt"'", "file_text": "one" } }' ;;
	edit-vibe)
		echo '"call": { "name": "write_file", "input": {
			"path": "'"$P/$2.txt"'", "content": "one" } }' ;;
	edit-grok)
		echo '"call": { "name": "create_file", "input": {
			"path": "'"$P/$2.txt"'", "content": "one" } }' ;;
	edit-opencode | edit-kilo)
		echo '"call": { "name": "write", "input": {
			"filePath": "'"$P/$2.txt"'", "content": "one" } }' ;;
	esac
}

cases=
turn=0
set -f
while read -r line; do
	turn=$((turn + 1))
	replies=
	dialog=0
	for kind in ${line#hasty}; do
		dialog=$((dialog + 1))
		replies="$replies{ \"say\": \"I have to ask.\",
			$(reply "$kind" "q-$turn-$dialog") },"
	done
	cases="$cases${cases:+,}{ \"case\": \"turn $turn\", \"replies\": [ $replies
		{ \"say\": \"That was turn $turn.\" } ] }"
	touch "$T/turn $turn.go"
done <"$T/turns"
model "[ $cases ]"

# named NAME: do all three name it?
named() {
	"$PW" status --all >"$T/row" 2>&1
	"$PW" history "$who" >"$T/history" 2>&1
	grep -q "asking.*$1\b" "$T/row" && grep -q "asking.*$1\b" "$T/history" &&
		grep -q "$1\b" "$T/notices"
}

opened() {
	pane_text "$PANE" >"$T/screen"
	grep -q "$1\b" "$T/screen" && grep -Eq "$open" "$T/screen"
}

# soon_named NAME KIND: within that time of its appearance.
soon_named() {
	clock
	from=$now
	until named "$1" || [ "$now" -ge $((from + within)) ]; do
		sleep 0.02
		clock
	done
	named "$1"
	result $? "$1, $2: row, history and notice name it" && return
	comment <"$T/row"
	tail -n 2 "$T/history" | comment
	tail -n 1 "$T/notices" | grep -o '"message":"[^"]*"' | comment
}

# The plan is a file that the client has named to its model.
write_plan() {
	path=$(grep -o '[^" ]*/plans/[^" ]*\.md' "$T/model.log" | tail -n 1)
	[ "$path" != '' ] || return
	mkdir -p "${path%/*}"
	printf '# Plan %s\n\nDo it.\n' "$1" >"$path"
	touch "$T/$1.written"
}

rests() {
	"$PW" status --all | grep -Eq "^[^ ]*${row}[^ ]* +waiting "
}

answered() {
	"$PW" answer "$who" "$1" >"$T/out" 2>"$T/err" </dev/null
}

: >"$T/notices"
number=0
while read -r line; do
	number=$((number + 1))
	PROMPT="Go on with issue 42: [turn $number]"
	if [ "$number" -eq 1 ]; then
		first
	else
		prompt "$PROMPT"
	fi
	dialog=0
	for kind in ${line#hasty}; do
		dialog=$((dialog + 1))
		name=q-$number-$dialog
		[ "$kind" != plan ] || wait_until "$LONG" write_plan "$name"
		case $kind in
		ask)  reply=This ;;
		*)    reply=yes ;;
		esac
		if [ "$line" = "${line#hasty}" ]; then
			wait_until "$LONG" opened "$name" ||
				done_testing
			soon_named "$name" "$kind"
			# Its new dialog may change once more; see drawn.
			case $CLIENT in
			qwen)	wait_until "$LONG" answered "$reply" ;;
			*)	exits 0 "$name, $kind: an answer is taken" \
				"$PW" answer "$who" "$reply" ;;
			esac || done_testing
		else
			wait_until "$LONG" answered "$reply" || done_testing
		fi
		like "$(cat "$T/out")" ": answered .*$name\b" \
			"$name, $kind: it is answered"
		# Kimi shows what was answered once more.
		[ "$kind-$CLIENT" != ask-kimi ] || {
			wait_until "$LONG" pane_shows "$PANE" 'Ready to'
			wait_until "$LONG" answered yes || done_testing
		}
	done
	wait_until "$LONG" pane_shows "$PANE" "That was turn $number." ||
		done_testing
	wait_until "$LONG" rests
	check 'its turn is over' rests
done <"$T/turns"

asked=$(grep -o '"message":"[^"]*"' "$T/notices" | grep -o 'q-[0-9]*-[0-9]*')
is "$(printf '%s\n' "$asked" | sort | uniq -d)" '' \
	'no question has two notices'
# Each answer stands behind the record of its question.
is "$(perl -ne '
	/(q-\d+-\d+)/ or next;
	$seen{$1} = 1 if /"state":"asking"/;
	print "$1\n" if /paneward.answer/ && !$seen{$1}' <"$journal")" '' \
	'no answer was typed into a question that was not recorded'
done_testing
