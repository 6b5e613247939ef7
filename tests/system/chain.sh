#!/bin/sh
# tests/vectors/chain, watcher's part: one round of a watch on a real pane that
# shows the case's capture, and what becomes of the files.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

# left NAME...: those that are in the status directory.
left() {
	for name; do
		[ ! -e "status/$name" ] || echo "$name"
	done | xargs
}

tmux_start
mkdir "$T/cases"
perl "$ROOT/tests/system/chain.pl" "$ROOT/tests/vectors/chain/index.json" \
	"$T/cases" watch || exit 1

for case in "$T"/cases/*; do
	id=${case##*/}
	cd "$case" || exit 1
	[ "$(cat session)" != alive ] || case_begin "$id-issue-42"
	"$PW" watch 42 --once --json --status-dir status >out 2>err
	status=$?
	grep -v '"state":"working"' out | tail -n 1 >"$T/line"
	verdict=$(cat verdict)
	[ "$verdict" = none ] && verdict=
	is "$(value state)/$(value source)" "$verdict/$(cat source)" \
		"$id $(cat notes)"
	[ -s message ] && is "$(value message)" "$(cat message)" "$id message"
	case $verdict in
	complete) want=0 ;;
	error) want=1 ;;
	gone) want=10 ;;
	*) want=124 ;;
	esac
	is "$status" "$want" "$id exit status"
	# shellcheck disable=SC2046
	is "$(left $(cat gone) $(cat kept))" "$(xargs <kept)" \
		"$id: what was acted on is gone, the rest is kept"
	tm kill-session -t "=$id-issue-42:" 2>/dev/null
done
done_testing
