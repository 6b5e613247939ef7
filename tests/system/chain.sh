#!/bin/sh
# tests/vectors/chain, watcher's part: one round of a watch on a real pane that
# shows the case's capture, and what becomes of the files.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

# The value of a text key in a line of JSON.
value() {
	sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$T/line"
}

present() {
	for name in $1; do
		[ -e "$2/$name" ] || return 1
	done
}

absent() {
	for name in $1; do
		[ ! -e "$2/$name" ] || return 1
	done
}

# drawn SESSION: has tmux drawn what its pane printed before this title?
drawn() {
	[ "$(tm display-message -p -t "=$1:" '#{pane_title}')" = drawn ]
}

tmux_start
mkdir "$T/cases"
perl "$ROOT/tests/system/chain.pl" "$ROOT/tests/vectors/chain/index.json" \
	"$T/cases" watch || exit 1

for case in "$T"/cases/*; do
	id=${case##*/}
	cd "$case" || exit 1
	if [ "$(cat session)" = alive ]; then
		tm new-session -d -s "$id-issue-42" -x 120 -y 40 \
			"cat capture; printf '\\033]2;drawn\\033\\\\'; exec sleep 1000"
		wait_until 10 drawn "$id-issue-42"
	fi
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
	check "$id: what was acted on is gone" absent "$(cat gone)" status
	check "$id: the rest is kept" present "$(cat kept)" status
	tm kill-session -t "=$id-issue-42:" 2>/dev/null
done
done_testing
