#!/bin/sh
# Runs a command where it can reach nothing: no network but the loopback, a /tmp
# of its own, no home directories, no processes but its own, which end with it,
# and an empty environment.
#
#	tests/agents/sandbox.sh ROOT TMP COMMAND [ARGUMENT...]
#
# ROOT is the source, read-only in /mnt/paneward, where the command begins; TMP
# becomes /tmp.  Clients that were installed below ROOT in build/clients are in
# PATH.  It takes Linux's namespaces, which root has, and on most systems
# everybody else.

set -eu

# What belongs to the users of the machine.
hidden='/home /root /srv /media /etc/claude-code'

if [ "${1:-}" != --inside ]; then
	self=$(cd "${0%/*}" && pwd -P)/${0##*/}
	node=$(node -p process.execPath)
	# A root that is none outside is enough, where that may be made.
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
shift 4

mount -t tmpfs none /mnt
mkdir /mnt/paneward /mnt/bin
mount --bind "$root" /mnt/paneward
mount -o remount,bind,ro /mnt/paneward
: >/mnt/bin/node
mount --bind "$node" /mnt/bin/node
mount --bind "$tmp" /tmp
for folder in $hidden; do
	[ ! -d "$folder" ] || mount -t tmpfs none "$folder"
done
PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin
ip link set lo up
for client in /mnt/paneward/build/clients/*/; do
	PATH=$client/node_modules/.bin:$PATH
done
export PATH=/mnt/bin:"$PATH"
cd /mnt/paneward
# Not by exec: this shell is the one that orphans are handed to.
"$@"
