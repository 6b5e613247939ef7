#!/bin/sh
# qemu.sh PROGRAM COMMAND... - runs the command where PROGRAM, for aarch64, runs.
#
# If it does not, the kernel is told of qemu-aarch64-static in a namespace of this
# command, which needs Linux 6.7: nothing changes for others.  Root of that
# namespace cannot become another user, so the command runs as a common user.

"$1" --version >/dev/null 2>&1 && shift && exec "$@"
shift
skip() {
	echo "aarch64: $*, skipped"
	exit 0
}
qemu=$(command -v qemu-aarch64-static) ||
	skip 'qemu-aarch64-static is not here (scripts/bootstrap --release)'
MOUNT='mount -t binfmt_misc none /proc/sys/fs/binfmt_misc'
unshare -Urm sh -c "$MOUNT" 2>/dev/null ||
	skip 'no binfmt_misc for a namespace (binfmt-support registers it for all)'
zeros='\x00\x00\x00\x00\x00\x00\x00\x00'
ones='\xff\xff\xff\xff\xff\xff\xff'
# P keeps argv[0]; F opens qemu now.
HANDLER=":aarch64:M::\\x7fELF\\x02\\x01\\x01\\x00$zeros\\x02\\x00\\xb7\\x00"
HANDLER="$HANDLER:$ones\\x00$ones\\xff\\xfe\\xff\\xff\\xff:$qemu:PF"
export HANDLER MOUNT
# shellcheck disable=SC2016
exec unshare -Urm sh -c 'eval "$MOUNT" &&
	printf %s "$HANDLER" >/proc/sys/fs/binfmt_misc/register &&
	exec unshare --map-user=1000 --map-group=1000 "$@"' sh "$@"
