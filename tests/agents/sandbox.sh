#!/bin/sh
# Runs a command where it can reach nothing: no network but the loopback, a /tmp
# of its own, no home directories, no processes but its own, which end with it,
# and an empty environment.
#
#	tests/agents/sandbox.sh ROOT TMP CLIENT COMMAND [ARGUMENT...]
#
# ROOT is the source, read-only in /mnt/paneward, where the command begins; TMP
# becomes /tmp.  The client, a folder below ROOT in build/clients, is in PATH.
# It needs Linux's namespaces, which root has, and on most systems every user.

set -eu

# The folders of the machine's users.
hidden='/home /root /srv /media /etc/claude-code'

if [ "${1:-}" != --inside ]; then
	self=$(cd "${0%/*}" && pwd -P)/${0##*/}
	node=$(node -p process.execPath)
	# An unprivileged user namespace is enough, if it is allowed.
	map=--map-root-user
	unshare $map true 2>/dev/null || map=
	# shellcheck disable=SC2086
	exec unshare $map --net --mount --pid --ipc --uts --fork --kill-child \
		--mount-proc env -i PATH="$PATH" KEEP="${KEEP:-}" \
		sh "$self" --inside "$node" "$@"
fi
node=$2
root=$3
tmp=$4
client=/mnt/paneward/build/clients/$5
shift 5

mount -t tmpfs none /mnt
mkdir /mnt/paneward /mnt/bin
mount --bind "$root" /mnt/paneward
mount -o remount,bind,ro /mnt/paneward
: >/mnt/bin/node
mount --bind "$node" /mnt/bin/node
mount --bind "$tmp" /tmp
# A client that pip has installed needs its Python, wherever that is.
python=
[ ! -e "$client/pyvenv.cfg" ] ||
	python=$(sed -n 's|^home = \(.*\)/bin$|\1|p' "$client/pyvenv.cfg")
[ "$python" = '' ] || {
	mkdir /mnt/python
	mount --bind "$python" /mnt/python
}
for folder in $hidden; do
	[ ! -d "$folder" ] || mount -t tmpfs none "$folder"
done
[ "$python" = '' ] || [ -d "$python" ] || {
	mkdir -p "$python"
	mount --bind /mnt/python "$python"
}
ip link set lo up
PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin
export PATH=/mnt/bin:"$client/node_modules/.bin:$client/bin:$PATH"
cd /mnt/paneward
# Not by exec: this shell adopts the orphans.
"$@"
