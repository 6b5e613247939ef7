#!/bin/sh
# Tries paneward with real clients; `make test-agents`.  See README.md.
#
#	tests/agents/run.sh [CASE[@VERSION]...]
#
# A case is run once for each version of its client, each-CASE for all
# clients.  Each run is a test in the TAP output, after its own output,
# indented.  A run of all cases writes RESULTS.  KEEP=1 keeps their folders, in
# build/agents-tried.  JOBS runs go on at once, 2 unless set.  CLIENTS is a
# folder with another clients.txt.

set -u
here=$(cd "${0%/*}" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
program=${PANEWARD_BIN:-$root/paneward}
tried=$root/build/agents-tried
jobs=${JOBS:-2}
limit=1200                              # seconds for a case

fail() {
	echo "test-agents: $*" >&2
	exit 3
}

# The clients as "NAME VERSION".
clients() {
	grep -v '^#' "${CLIENTS:-$here}/clients.txt" | sed 's/  *[^ ]*  */ /'
}

# Prints "CASE CLIENT VERSION" for each run of a case.
runs_of() {
	case=${1%@*}
	only=${1#"$case"}
	[ -x "$here/$case.sh" ] || fail "there is no case '$case'"
	clients | while read -r name version; do
		case $case-$only in
		each-*- | "$name"-*- | each-*-"@$version" | \
		each-*-"@$name" | "$name"-*-"@$version")
			echo "$case $name $version" ;;
		esac
	done
}

# try RUN CASE CLIENT VERSION: its output goes to $tried/RUN.tap, its exit
# status to .status.
try() {
	mkdir -p "$tried/$1.tmp"
	chmod 1777 "$tried/$1.tmp"
	timeout -k 10 "$limit" "$here/sandbox.sh" "$root" "$tried/$1.tmp" \
		"$3-$4" env PANEWARD_BIN="/mnt/paneward/${program#"$root/"}" \
		sh "tests/agents/$2.sh" "$3" </dev/null >"$tried/$1.tap" 2>&1
	echo $? >"$tried/$1.status"
	[ "${KEEP:-}" != '' ] || rm -rf "$tried/$1.tmp"
}

passed() {
	[ "$(cat "$tried/$1.status")" = 0 ]
}

# In one piece, since runs end side by side.
print_run() {
	block=$(sed 's/^/    /' "$tried/$1.tap"
		passed "$1" || printf 'not '
		echo "ok - $2")
	printf '%s\n' "$block"
}

print_results() {
	echo 'What make test-agents saw last.'
	echo
	echo "date      $(date -u +%Y-%m-%d)"
	tmux -V | sed 's/ /      /'
	echo
	while read -r case name version; do
		run=$case-$name-$version
		oks=$(grep -c '^ok ' "$tried/$run.tap")
		all=$(grep -Ec '^(not )?ok ' "$tried/$run.tap")
		result=ok
		passed "$run" || result='not ok'
		printf '%-8s  %-7s  %-16s  %-6s  %s of %s\n' "$name" "$version" \
			"${case#*-}" "$result" "$oks" "$all"
		sed -n 's/^not ok [0-9]* - /	/p' "$tried/$run.tap"
	done <"$tried/runs"
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
for case; do
	case=${case##*/}
	runs_of "${case%.sh}"
done >"$tried/runs"
sort -o "$tried/runs" -k 2,2 -k 3,3 -k 1,1 "$tried/runs"
echo "1..$(wc -l <"$tried/runs")"
# A run takes a line out of the pipe, and puts it back when it is over.
mkfifo "$tried/places" && exec 3<>"$tried/places" || exit 3
for _ in $(seq "$jobs"); do
	echo
done >&3
while read -r case name version; do
	read -r _ <&3
	{
		run=$case-$name-$version
		try "$run" "$case" "$name" "$version"
		print_run "$run" "$case, $name $version"
		echo >&3
	} &
done <"$tried/runs"
wait
if [ "$all" -eq 0 ]; then
	print_results >"$tried/RESULTS"
	mv "$tried/RESULTS" "$here/RESULTS"
fi
! grep -qv '^0$' "$tried"/*.status
