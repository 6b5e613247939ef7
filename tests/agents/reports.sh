# shellcheck shell=sh
# reports.sh - included by each-reports and each-bare-reports: the cases of
# reports.json.
#
# Two issues of the table are worked on at a time, the cases of an issue
# one after the other, in one session of its client.  In each the issue is seen
# to be working, and then to become what it has to.  Before the next one the
# window is resized, so that the client draws again what it has said.

# Two clients, and two of the case beside it, can be slow.
LONG=240

# The table as lines: issue, case, what it becomes, number of replies, key that
# a person presses, what is shown before it, what is said of the end, prompt.
table='
	const { readFileSync } = require("fs");
	const text = (words) => words.replaceAll("\n", "\\n");

	for (const row of JSON.parse(readFileSync(process.argv[1]))) {
		const replies = row.replies ?? (row.say || row.status ? [row] : []);
		const shown = row.press && row.say?.match(/.+(?=\n)/)?.[0];
		console.log([row.issue, row.case, row.becomes, replies.length,
			row.press ?? "-", shown ?? "", row.message ?? "",
			text(row.prompt ?? "Go on with")]
			.join("|").replaceAll("%i", row.issue));
	}'

answered() {
	[ "$(grep -Fc "\"case\":\"[$1]\"" "$T/model.log")" -ge "$2" ]
}

# Is it what it has to become, or will it never be?
settled() {
	recorded "$issue" "$becomes" || recorded "$issue" complete ||
		{ [ "$becomes" != complete ] && recorded "$issue" error; }
}

# Some clients fold what is pasted.
prompt_shown() {
	pane_text "$PANE" | grep -Fq -e "[$case]" -e '[Pasted '
}

# It is pasted, since a typed line feed is an Enter.
send_prompt() {
	printf '%b issue %s: [%s]' "$prompt" "$issue" "$case" |
		tm load-buffer -b "$issue" -
	tm paste-buffer -p -d -b "$issue" -t "=$PANE:"
	wait_until "$LONG" prompt_shown &&
		wait_until "$LONG" prompt_sent
}

prompt_sent() {
	press Enter
	sleep 1
	answered "$case" 1
}

press_key() {
	press "$key"
	case $CLIENT-$key in
	copilot-Escape)
		wait_until 5 pane_shows "$PANE" 'esc again'
		press "$key"
		sleep 2 ;;
	*-C-c) sleep 0.2 ;;
	*)   sleep 2 ;;
	esac
	settled
}

# An issue that has failed does not become working again.
case_works() {
	wait_until "$LONG" answered "$case" 1 && { recorded "$issue" error ||
		wait_until "$LONG" recorded "$issue" working; } || return
	: >"$T/$case.go"
	wait_until "$LONG" answered "$case" "$replies"
}

case_ends() {
	if [ "$key" = - ]; then
		wait_until "$LONG" settled
	else
		wait_until "$LONG" pane_shows "$PANE" "$shown" &&
			wait_until "$LONG" press_key
	fi
}

# The screen may show an end before the client tells the reason.
case_told() {
	[ "$CLIENT" != grok ] || return 0       # it may have drawn only a part
	record "$issue" why >"$T/why-$issue"
	record "$issue" message >>"$T/why-$issue"
	grep -Fq -e "$message" "$T/why-$issue"
}

# No marker in the pane decides, unless the client writes nothing down.
case_right() {
	[ "$replies" -eq 0 ] || [ "$first" != '' ] || send_prompt || return
	[ "$replies" -eq 0 ] || case_works || return
	case_ends && recorded "$issue" "$becomes" || return
	wait_until "$LONG" case_told || return
	case $becomes-$CLIENT-$(record "$issue" source) in
	*-grok-* | *-aider-*) ;;
	complete-*-log | complete-*-capture | error-*-log | error-*-capture) return 1 ;;
	esac
}

start_on() {
	for word in COMPLETE ERROR; do
		echo "###TASK_${word}_$1###"
	done >"notes-$1"
	# shellcheck disable=SC2034
	PROMPT="Please work on issue $1: [$(grep "^$1|" "$T/table" |
		head -n 1 | cut -d '|' -f 2)]"
	begin "$1"
}

# Writes the cases that are right to $T/right, up to one that is not, and prints
# what is known of that.
work_on() {
	PANE=project-issue-$1
	first=1
	while IFS='|' read -r issue case becomes replies key shown message \
		prompt; do
		[ "$issue" = "$1" ] || continue
		if ! case_right >"$T/waited-$issue"; then
			"$PW" explain "$issue"
			pane_text "$PANE"
			break
		fi
		echo "$issue: $case: $becomes" >>"$T/right"
		repaint
		first=
	done <"$T/table"
	tm kill-session -t "=$PANE"
}

# The first start of a client, which may make a database, is over before the
# second one.
work() {
	for next in $issues; do
		mkdir "$T/taken-$next" 2>/dev/null || continue
		[ "$next" = "${issues%% *}" ] || start_on "$next"
		work_on "$next" 2>&1 | sed "s/^/$next: /"
	done >"$T/known-$1"
}

model "$(cat "$ROOT/tests/agents/reports.json")"
# Where only the pane is known, an example looks like a report.  A person runs
# the commands of aider, and Escape ends nothing.
out=-
case $CLIENT in
grok | aider) out='a fence.*|a list|a quote|an indented block|inline code'\
'|a message that is cut off|the prompt quotes it|a file with it is .*' ;;
esac
# It draws an error and its reason on one line.
[ "$CLIENT" != aider ] || out="$out|it is written into a file|Escape .*"\
'|a report (after|before) a tool|the shell prints it|a signal|an error'\
'|more of the same|a report after the error'
node -e "$table" "$T/scenario.json" | grep -Ev "^[0-9]+\|($out)\|" >"$T/table"
issues=$(cut -d '|' -f 1 "$T/table" | uniq | tr '\n' ' ')
start_on "${issues%% *}"
wait_until "$LONG" asked 1
workers=
for worker in 1 2; do
	work $worker &
	workers="$workers $!"
done
# shellcheck disable=SC2086
wait $workers
while IFS='|' read -r issue case becomes rest; do
	check "$issue: $case: $becomes" \
		grep -Fqx "$issue: $case: $becomes" "$T/right"
done <"$T/table"
cat "$T"/known-* | grep -v '^ok ' | comment
done_testing
