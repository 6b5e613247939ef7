#!/bin/sh
# tests/vectors/chain, the sweep's part: what a dry run says of a real pane that
# shows the case's capture, that it changes nothing at all, and that explain
# says the same of the same evidence.
. "${0%/*}/lib.sh"

# Everything there is in the case's folder, with all its times but the last
# one at which it was read.
state() {
	find . -exec stat -c '%n %i %f %h %u %g %s %y %z' {} + | sort
	find . -type f -exec cksum {} + | sort
}

tmux_start
mkdir "$T/cases"
perl "$ROOT/tests/system/chain.pl" "$ROOT/tests/vectors/chain/index.json" \
	"$T/cases" sweep || exit 1

for case in "$T"/cases/*; do
	id=${case##*/}
	cd "$case" || exit 1
	errors=
	[ -e check_errors ] && errors=--check-errors
	[ "$(cat session)" != alive ] || case_begin "$id-issue-42"
	# A marker at the end of a log is given time to go on.
	[ ! -e status/output-42.log ] ||
		touch -d '1 second ago' status/output-42.log

	state >"$T/before"
	# shellcheck disable=SC2086
	"$PW" sweep --dry-run --json --status-dir status $errors \
		>"$T/line" 2>"$T/err"
	is "$?/$(cat "$T/err")" 0/ "$id exit status"
	state >"$T/after"
	verdict=$(cat verdict)
	said=$verdict
	[ "$verdict" = none ] && said=
	is "$(value state)/$(value source)" "$said/$(cat source)" \
		"$id $(cat notes)"
	[ -s message ] && is "$(value message)" "$(cat message)" "$id message"
	is "$(grep -c . "$T/line")" "$([ "$verdict" = none ]; echo $?)" \
		"$id: a line for a verdict, none for none"
	check "$id: nothing at all is changed" cmp "$T/before" "$T/after"
	tm kill-session -t "=$id-issue-42:" 2>/dev/null

	# shellcheck disable=SC2046,SC2086
	"$PW" explain 42 --json --status-dir status $errors \
		--session "$(cat session)" \
		$([ ! -e captured ] || echo --capture capture) |
		tail -n 1 >"$T/line"
	is "$(value verdict)/$(value source)" "$verdict/$(cat source)" \
		"$id explained"
	[ -s message ] && is "$(value message)" "$(cat message)" \
		"$id message, explained"
done
done_testing
