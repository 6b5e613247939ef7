#!/bin/sh
# Feeds every fuzz harness its seeds, so that an old fault does not return.
# One TAP line for each harness; PANEWARD_BUILD says where they were built.

build=${PANEWARD_BUILD:-build}
here=${0%/*}
n=0

for source in "$here"/*.c; do
	name=${source##*/}
	name=${name%.c}
	case $name in main | '*') continue ;; esac
	set -- "$here/seeds/$name"/*
	[ -e "$1" ] || set --
	n=$((n + 1))
	if said=$("$build/tests/fuzz/$name" "$@" 2>&1 </dev/null); then
		echo "ok $n - $name survives its $# seeds"
	else
		echo "not ok $n - $name survives its $# seeds (status $?)"
		printf '%s\n' "$said" | sed 's/^/# /'
	fi
done
echo "1..$n"
