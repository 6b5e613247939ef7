#!/bin/sh
# scripts/cleanup.sh, the default hand-off, killed at each of its steps, half-way
# through the removal of a work tree, and ended by a signal: the next one
# completes it, and nothing is lost.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/trees.sh"

# ---- killed at every step ---------------------------------------------------
CHANGES=true
step=1
while prepare build "$T/agent"; do
	: >"$S/.paneward/$issue.watch.log"
	killed "$step" '' ''
	[ "$status" -eq 137 ] || break
	cleanup
	cell build "killed at change $step" gone
	step=$((step + 1))
done
CHANGES=false
is "$status" 0 'these were all its changes'
check "(there were $step)" test "$step" -ge 10

# Each process of a clean-up is killed at that one of its changes to a folder.
script traced <<'END'
calls=unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir
exec strace -f -qq -o "$T/trace" -e trace="$calls" \
	-e inject="$calls:signal=KILL:when=$KILL_AT" "$@"
END
if strace -f -o "$T/trace" true 2>"$T/said"; then
	for step in 1 2 3 5 8; do
		prepare build "$T/agent"
		: >"$S/.paneward/$issue.watch.log"
		before=$T/traced
		KILL_AT=$step
		export KILL_AT
		cleanup
		before=
		unset KILL_AT
		check 'a process was killed' test "$status" -ne 0
		cleanup
		cell build "killed at change $step of a process" gone
	done
else
	skip 'killed at a change of a process' 'strace may not trace'
fi

for half in some link files folders gone admin name; do
	prepare committed
	killed '' '' "$half"
	is "$status" 137 "git is killed half-way ($half)"
	cleanup
	cell committed "half removed ($half)" gone
done

prepare modified
killed '' '' link --force
cleanup
cell modified 'half removed with --force, then without it' saved

prepare committed
killed '' '' some
state_untracked
remember
cleanup
cell committed 'half removed, then written to' kept

if [ "$(id -u)" -ne 0 ]; then
	prepare committed
	chmod 555 "$tree/src"
	cleanup
	cell 'read-only folder' 'first try' kept
	chmod 755 "$tree/src"
	cleanup
	cell 'writable folder' 'next try' gone
else
	skip 'a read-only folder stops nothing half-way' 'root minds none'
fi

# ---- ended by a signal ------------------------------------------------------
# As at its deadline, the whole process group gets it.
mkdir "$T/slow"
script slow/git <<'END'
case $* in
*' status '*) echo $$ >"$T/slow.pid"; exec sleep 1000 ;;
esac
PATH=${PATH#*:}
exec git "$@"
END
# T/killable runs with T/bin first in its PATH.
script grouped <<'END'
cp "$T/slow/git" "$T/bin/git"
exec "$T/killable" "$@"
END
prepare clean
rm -rf "$T"/paneward.*
before=$T/grouped
cleanup &
wait_until 5 test -s "$T/slow.pid"
kill -s TERM -- "-$(cat "$T/group")"
wait $!
before=
soon 'a clean-up that gets SIGTERM ends its git' \
	no kill -0 "$(cat "$T/slow.pid")"
is "$(find "$T" -maxdepth 1 -name 'paneward.*')" '' 'and leaves no index behind'
cleanup
cell clean 'after that' gone

done_testing
