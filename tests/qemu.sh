#!/bin/sh
# qemu.sh - runs a command where programs for aarch64 run.
#
#   tests/qemu.sh PROGRAM COMMAND...
#
# If PROGRAM does not run, the kernel is told of qemu-aarch64-static, in a
# namespace of this command: nothing changes for others.  That needs Linux 6.7.
# Root of the namespace is nobody else, so the tests run as a common user.

program=$1
shift
"$program" --version >/dev/null 2>&1 && exec "$@"
qemu=$(command -v qemu-aarch64-static) || {
	echo 'aarch64: qemu-aarch64-static is not here, skipped' \
		'(scripts/bootstrap --release)'
	exit 0
}
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00'
mask=$mask'\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
# P keeps argv[0]; F opens qemu now.
HANDLER=":aarch64:M::$magic:$mask:$qemu:PF"
MOUNT='mount -t binfmt_misc none /proc/sys/fs/binfmt_misc'
export HANDLER MOUNT
unshare -Urm sh -c "$MOUNT" 2>/dev/null || {
	echo 'aarch64: this kernel has no binfmt_misc for a namespace, skipped' \
		'(with binfmt-support, qemu-user-static is registered for all)'
	exit 0
}
exec unshare -Urm sh -c '
	eval "$MOUNT" && printf %s "$HANDLER" >/proc/sys/fs/binfmt_misc/register &&
		exec unshare --map-user=1000 --map-group=1000 "$@"' sh "$@"
