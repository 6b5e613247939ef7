# shellcheck shell=sh
# reports.sh - included by each-reports and each-bare: the cases of
# reports.json.
#
# The issues of the table are worked on at the same time, the cases of an issue
# one after the other, in one session of its client.  In each the issue is seen
# to be working, and then to become what it has to.  Before the next one the
# window is resized, so that the client draws again what it has said.

# The table as lines: issue, case, what it becomes, number of replies, key that
# a person presses, prompt.
table='
	const { readFileSync } = require("fs");
	const text = (words) => words.replaceAll("\n", "\\n");

	for (const row of JSON.parse(readFileSync(process.argv[1]))) {
		const replies = row.replies ?? (row.say || row.status ? [row] : []);
		console.log([row.issue, row.case, row.becomes, replies.length,
			row.press ?? "-", text(row.prompt ?? "Go on with")]
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

# It is pasted, since a typed line feed is an Enter.
send_prompt() {
	printf '%b issue %s: [%s]' "$prompt" "$issue" "$case" |
		tm load-buffer -b "$issue" -
	tm paste-buffer -p -d -b "$issue" -t "=$PANE:"
	wait_until "$LONG" pane_shows "$PANE" "[$case]" &&
		wait_until "$LONG" prompt_sent
}

prompt_sent() {
	press Enter
	sleep 1
	answered "$case" 1
}

press_key() {
	press "$key"
	case $key in
	C-c) sleep 0.2 ;;
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
		wait_until "$LONG" press_key
	fi
}

# The pane never decides, nor is an end noticed twice.
case_right() {
	[ "$replies" -eq 0 ] || [ "$first" != '' ] || send_prompt || return
	[ "$replies" -eq 0 ] || case_works || return
	case_ends && recorded "$issue" "$becomes" || return
	case $becomes-$(record "$issue" source) in
	complete-log | complete-capture | error-log | error-capture) return 1 ;;
	esac
}

# Writes a line "0 CASE" for each case that is right, up to one that is not, and
# prints what is known of that.
work_on() {
	PANE=project-issue-$1
	first=1
	while IFS='|' read -r issue case becomes replies key prompt; do
		[ "$issue" = "$1" ] || continue
		case_right >"$T/waited-$issue"
		status=$?
		echo "$status $issue: $case: $becomes" >>"$T/seen-$issue"
		if [ "$status" -ne 0 ]; then
			"$PW" explain "$issue"
			pane_text "$PANE"
			break
		fi
		repaint
		first=
	done <"$T/table"
}

scenario "$(cat "$ROOT/tests/agents/reports.json")"
node -e "$table" "$T/scenario.json" >"$T/table"
issues=$(cut -d '|' -f 1 "$T/table" | uniq)
for issue in $issues; do
	PROMPT="Please work on issue $issue: [$(sed -n "s/^$issue|//p" "$T/table" |
		sed 's/|.*//;q')]"
	begin "$issue"
	for word in COMPLETE ERROR; do
		echo "###TASK_${word}_$issue###"
	done >"notes-$issue"
done
workers=
for issue in $issues; do
	work_on "$issue" >"$T/known-$issue" 2>&1 &
	workers="$workers $!"
done
# shellcheck disable=SC2086
wait $workers
for issue in $issues; do
	while read -r status case; do
		result "$status" "$case"
	done <"$T/seen-$issue"
	comment <"$T/known-$issue"
done
done_testing
