#!/bin/sh
# Tries paneward with real clients; `make test-agents`.  See README.md.
#
#	tests/agents/run.sh [CASE...]
#
# Each case is a test of its own in the TAP that is printed, with what it said
# before it, indented.  Where all cases were run the results are kept in
# RESULTS.  KEEP=1 keeps their folders, in build/agents-tried.

set -u
here=$(cd "${0%/*}" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
program=${PANEWARD_BIN:-$root/paneward}
tried=$root/build/agents-tried
limit=600                               # seconds for a case

fail() {
	echo "test-agents: $*" >&2
	exit 3
}

# What a case says and how it ended goes to $tried/CASE.tap and .status.
try() {
	mkdir -p "$tried/$1.tmp"
	chmod 1777 "$tried/$1.tmp"
	timeout -k 10 "$limit" "$here/sandbox.sh" "$root" "$tried/$1.tmp" \
		env PANEWARD_BIN="/mnt/paneward/${program#"$root/"}" \
		sh "tests/agents/$1.sh" </dev/null >"$tried/$1.tap" 2>&1
	echo $? >"$tried/$1.status"
	[ "${KEEP:-}" != '' ] || rm -rf "$tried/$1.tmp"
}

passed() {
	[ "$(cat "$tried/$1.status")" = 0 ]
}

print_results() {
	echo 'What make test-agents saw last.'
	echo
	echo "date    $(date -u +%Y-%m-%d)"
	grep -v '^#' "$here/clients.txt" | while read -r name _ version; do
		printf '%-8s%s\n' "$name" "$version"
	done
	tmux -V
	echo
	for case; do
		oks=$(grep -c '^ok ' "$tried/$case.tap")
		all=$(grep -Ec '^(not )?ok ' "$tried/$case.tap")
		result=ok
		passed "$case" || result='not ok'
		printf '%-20s  %-6s  %s of %s\n' "$case" "$result" "$oks" "$all"
		sed -n 's/^not ok [0-9]* - /	/p' "$tried/$case.tap"
	done
}

for needed in node unshare ip tmux timeout; do
	command -v "$needed" >/dev/null || fail "'$needed' is not here"
done
[ -x "$program" ] || fail "cannot run '$program'; run make"
case $program in
"$root"/*) ;;
*) fail "'$program' is not below '$root', which is all a case can see" ;;
esac

all=$#
[ "$all" -gt 0 ] || set -- "$here"/*-*.sh
rm -rf "$tried" && mkdir -p "$tried" || exit 3
echo "1..$#"
n=0
failed=0
for case; do
	shift
	case=${case##*/}
	case=${case%.sh}
	set -- "$@" "$case"
	n=$((n + 1))
	[ -x "$here/$case.sh" ] || fail "there is no case '$case'"
	try "$case"
	sed 's/^/    /' "$tried/$case.tap"
	if passed "$case"; then
		echo "ok $n - $case"
	else
		echo "not ok $n - $case"
		failed=$((failed + 1))
	fi
done
if [ "$all" -eq 0 ]; then
	print_results "$@" >"$tried/RESULTS"
	mv "$tried/RESULTS" "$here/RESULTS"
fi
[ "$failed" -eq 0 ]
