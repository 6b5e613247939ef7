#!/bin/sh
# Tries the newest version of each client that its registry has; `make
# agents-drift`.
#
#	tests/agents/drift.sh [CLIENT...]
#
# Each is installed in build/clients and led through its states by
# each-pane.sh.  A table tells which are still read right.  The screens of the
# others, as they began, become cases for tests/corpus/cases, in
# build/agents-drift/cases; one of a moment that did not come has null for its
# state.  The exit status is 1 if a client is read wrong, 3 if its newest version
# is unknown or cannot be installed.

set -u
here=$(cd "${0%/*}" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
made=$root/build/agents-drift
export CLIENTS="$made"
wrong=0

# newest PACKAGE, as in clients.txt.
newest() {
	case $1 in
	pip:*) "${PYTHON:-python3.12}" -m pip index versions "${1#pip:}" |
		sed -n '1s/.*(\(.*\)).*/\1/p' ;;
	*) npm view "$1" version ;;
	esac 2>>"$made/log" </dev/null
}

# The last version with which a backend was tried.
tried() {
	perl -MJSON::PP -0777 -ne 's{^\s*//.*}{}mg;
		print decode_json($_)->{tried}[-1] // "-"' \
		"$root/backends/$1.json"
}

# states RESULT FILE: the moments with a result.
states() {
	sed -n "s/^$1 [0-9]* - \([a-z]*\) is .*/\1/p" "$2" | sort -u
}

# read_right NAME VERSION: a line about its run, whose wrong screens are kept.
read_right() {
	run=$root/build/agents-tried/each-pane-$1-$2
	states 'not ok' "$run.tap" >"$made/wrong"
	for case in "$run.tmp"/pw.*/first/*; do
		! grep -qxF "${case##*-}" "$made/wrong" &&
			! grep -qs '"expect":null' "$case/case.json" ||
			cp -R "$case" "$made/cases/"
	done
	states ok "$run.tap" | grep -vxF -f "$made/wrong" | xargs printf ' %s'
	[ ! -s "$made/wrong" ] || xargs printf ' %s' <"$made/wrong" |
		sed 's/^/; WRONG:/'
	sed -n 's/^not ok [0-9]* - within .* pane_shows [^ ]* /; NOT SEEN: /p' \
		"$run.tap" | head -n 1 | tr -d '\n'
	[ "$(cat "$run.status")" = 0 ] && return
	printf '; see %s' "${run#"$root/"}.tap"
	return 1
}

for name; do
	cut -d ' ' -f 1 "$here/clients.txt" | grep -qxF -e "$name" || {
		echo "agents-drift: '$name' is not in clients.txt" >&2
		exit 2
	}
done
rm -rf "$made" && mkdir -p "$made/cases" || exit 3
grep -v '^#' "$here/clients.txt" | awk '!seen[$1, $2]++ { print $1, $2 }' |
while read -r name package; do
	case " $* " in
	'  ' | *" $name "*) ;;
	*) continue ;;
	esac
	version=$(newest "$package")
	why=
	echo "$name $package ${version:--}" >"$made/clients.txt"
	if [ "$version" = '' ]; then
		why='the registry does not tell'
	elif ! "$here/install.sh" "$root/build/clients" >>"$made/log" 2>&1; then
		why='it cannot be installed'
	fi
	echo "$name $package ${version:--} $why"
done >"$made/rows"
sed -n 's/^\([^ ]* [^ ]* [^ ]*\) $/\1/p' "$made/rows" >"$made/clients.txt"
[ ! -s "$made/clients.txt" ] || KEEP=1 "$here/run.sh" each-pane

echo
printf '%-9s %-33s %-9s %-9s %s\n' client package tried newest 'read right'
while read -r name package version why; do
	printf '%-9s %-33s %-9s %-9s' "$name" "$package" "$(tried "$name")" \
		"$version"
	if [ "$why" != '' ]; then
		printf ' -; %s' "$why"
		wrong=3
	elif ! read_right "$name" "$version"; then
		[ "$wrong" -ne 0 ] || wrong=1
	fi
	echo
done <"$made/rows"
exit "$wrong"
