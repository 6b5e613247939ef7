#!/bin/sh
# Makes the release of the last commit twice, in two clones that differ in all
# that must not matter, and tries what came out; `make release-test` runs it.
#
#	packaging/release-test.sh [FOLDER]
#
# FOLDER, a new one, gets the first release.  LIBRARY_SOURCES, in the
# environment, is the folder of the libraries' sources.  What lintian, faketime
# and ruby would check is left out, and said, where they are not installed.

set -e
root=$(cd "${0%/*}/.." && pwd -P)
sources=${LIBRARY_SOURCES:-$root/build/archives/sources}
kept=${1-}
T=$(mktemp -d "${TMPDIR:-/tmp}/release-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM HUP

fail() {
	echo "release-test: $*" >&2
	exit 1
}

# has PROGRAM WHAT
has() {
	command -v "$1" >/dev/null || {
		echo "skipped: $2 ($1 is not installed)"
		return 1
	}
}

# release FOLDER [PROGRAM WORD...]: of a clone of its own, by that program.
release() {
	place=$1
	shift
	git clone -q "$root" "$place"
	mkdir -p "$place/build/archives" "$sources"
	cp -R "$sources" "$place/build/archives/sources"
	begun=$(date +%s)
	"$@" make -C "$place" release >"$T/log" 2>&1 || {
		cat "$T/log" >&2
		fail "no release in '$place'"
	}
	cp -Rn "$place/build/archives/sources/." "$sources"
	echo "released in '$place' in $(($(date +%s) - begun)) s"
}

# ---- the same bytes ---------------------------------------------------------

later=
if has faketime 'another day'; then
	later='faketime -f +1d'
fi
mkdir "$T/another" "$T/home"
release "$T/first"
# shellcheck disable=SC2086
(umask 077 && TZ=Asia/Tokyo HOME=$T/home release "$T/another/place" $later)
first=$T/first/build/release
second=$T/another/place/build/release
for file in "$first"/*; do
	cmp "$file" "$second/${file##*/}" || fail "'${file##*/}' differs"
done
[ "$(ls "$first")" = "$(ls "$second")" ] || fail 'the files differ'
echo "the same bytes: $(find "$first" -type f | wc -l) files"

# ---- what they are worth ----------------------------------------------------

cd "$first"
sha256sum --quiet -c SHA256SUMS
[ "$(wc -l <SHA256SUMS)" -eq $(($(find . -type f | wc -l) - 1)) ] ||
	fail 'SHA256SUMS does not have all files'
perl -MJSON::PP -e 'local $/; decode_json(<>)' ./*.spdx.json
if has ruby 'the syntax of the formula'; then
	ruby -c paneward.rb
fi
bash -n PKGBUILD
if has lintian 'the packages for Debian'; then
	lintian --fail-on error ./*.deb
	echo 'lintian: no error'
fi
mandoc -T lint -W warning "$T"/first/man/*.[15]

# Its own root has no tmux, so rpm has to name that, and nothing else.
machine=$(uname -m)
mkdir "$T/root"
! rpm -i --root "$T/root" ./*."$machine".rpm 2>"$T/needs" ||
	fail 'the package for rpm does not want tmux'
wanted=$(sed -n 's/^[[:space:]]*\([^ ]*\).* is needed by .*/\1/p' "$T/needs")
[ "$wanted" = tmux ] || {
	cat "$T/needs" >&2
	fail 'the package for rpm wants more than tmux'
}
rpm -i --root "$T/root" --nodeps ./*."$machine".rpm
rpm -V --root "$T/root" --nodeps paneward
"$T/root/usr/bin/paneward" --version
"$T/root/usr/bin/paneward" init claude --print | grep -q SessionStart ||
	fail 'data is not found beside the installed program'
rpm -e --root "$T/root" paneward
[ "$(find "$T/root/usr" -name '*paneward*')" = '' ] ||
	fail 'rpm has left something'
echo 'rpm: installed in a root of its own, whole, and removed'

[ "$kept" = '' ] || cp -R "$first" "$kept"
