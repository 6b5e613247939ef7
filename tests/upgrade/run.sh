#!/bin/sh
# run.sh [VERSION...] - an older paneward runs a project and is killed; the new
# one takes the project over, then the old one takes it back (`make upgrade-test`).
#
# Each version is built from the commit in the table, below build/upgrade.  Both
# are installed at one place, one after the other, as by a package.  Every
# completion is counted where it is handed off to.
#
# RECORD=tests/upgrade records what each has left, for tests/system/older.sh.

# The last commit of each version, and one of the days behind.
versions='
0.1.0 5921d76d
0.2.0 db609de0
0.3.0 125eb802
0.4.0 83030346
0.4.0+24 b5d2db45
'

# build VERSION COMMIT
build() {
	old=$ROOT/build/upgrade/$1
	[ ! -x "$old/paneward" ] || return 0
	if rm -rf "$old" && mkdir -p "$old" &&
		git -C "$ROOT" archive -o "$old.tar" "$2" &&
		tar -xf "$old.tar" -C "$old" && rm "$old.tar" &&
		make -s -C "$old" -j 2 >"$old.log" 2>&1
	then
		return 0
	fi
	echo "cannot build $1, see '$old.log': it needs the commit $2 and, up" \
		"to 0.4.0, libcjson-dev" >&2
	return 1
}

ROOT=$(cd "${0%/*}/../.." && pwd -P)
failed=0
while read -r version commit; do
	case " $* " in
	'  ' | *" $version "*) ;;
	*) continue ;;
	esac
	[ "$commit" != '' ] || continue
	echo "# ---- $version, $commit"
	build "$version" "$commit" && "${0%/*}/takeover.sh" "$version" \
		"$ROOT/build/upgrade/$version" \
		${RECORD:+"$(cd "$RECORD" && pwd -P)"} </dev/null || failed=1
done <<END
$versions
END
exit $failed
