#!/bin/sh
# run.sh [VERSION...] - an older paneward runs a project and is killed; the new
# one takes the project over, then the old one takes it back (`make upgrade-test`).
#
# Each version is built from the commit in the table, below build/upgrade.  Both
# are installed at one place, one after the other, as by a package.  Every
# completion is counted where it is handed off to.
#
# RECORD=FOLDER writes what the old version left to FOLDER/VERSION, for
# fixtures.sh.

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
	rm -rf "$old" && mkdir -p "$old" || return
	git -C "$ROOT" archive "$2" | tar -xf - -C "$old" || return
	make -s -C "$old" -j 2 >"$old.log" 2>&1 || {
		echo "cannot build $1, see $old.log (up to 0.4.0 it needs" \
			"libcjson-dev)" >&2
		return 1
	}
}

if [ "${TEST_FOLDER:-}" = '' ]; then
	ROOT=$(cd "${0%/*}/../.." && pwd -P)
	failed=0
	echo "$versions" | {
		while read -r version commit; do
			case " $* " in '  ' | *" $version "*) ;; *) continue ;; esac
			[ "$commit" != '' ] || continue
			echo "# ---- $version, $commit"
			build "$version" "$commit" || { failed=1; continue; }
			TEST_FOLDER='' TEST_ROOT=$ROOT \
				sh "${0%/*}/takeover.sh" "$version" \
				"$ROOT/build/upgrade/$version" ${RECORD:+"$RECORD"} \
				</dev/null || failed=1
		done
		exit $failed
	}
fi
