# shellcheck shell=sh
# lib.sh - included by every benchmark: a folder, an environment and tmux
# servers of its own, and functions to measure with.  Linux only.
#
#	#!/bin/sh
#	. "${0%/*}/lib.sh"
#
# T is the folder, D the status directory in it, PW the program, STATIC that of
# `make static`, or empty; QUICK is set for a rough and short measurement.  On exit the servers, the processes in
# their panes, their watchers and the processes in $background are ended, and
# the folder is removed.

if [ "${BENCH_FOLDER:-}" = '' ]; then
	# In /tmp, since the name of a socket must be short.
	BENCH_FOLDER=$(mktemp -d /tmp/paneward-bench.XXXXXX) || exit 1
	BENCH_HERE=$(cd "${0%/*}" && pwd -P)
	exec env -i PATH="$BENCH_FOLDER/bin:$PATH" LC_ALL=C.UTF-8 TERM=screen \
		SHELL=/bin/sh HOME="$BENCH_FOLDER/home" CC="${CC:-cc}" \
		PANEWARD_CEILING=/tmp \
		TMUX_TMPDIR="$BENCH_FOLDER/tmux" QUICK="${BENCH_QUICK:-}" \
		BENCH_FOLDER="$BENCH_FOLDER" BENCH_HERE="$BENCH_HERE" \
		PW="$(realpath "${PANEWARD_BIN:-$BENCH_HERE/../paneward}")" \
		sh "$0" "$@"
fi

set -eu
umask 022
T=$BENCH_FOLDER
P=$T/project
D=$P/.worktrees/.status
servers=
background=
export D PW

STATIC=$(echo "$BENCH_HERE"/../build/static/paneward-*-"$(uname -m)"/bin/paneward)
[ -x "$STATIC" ] || STATIC=

stop_servers() {
	for server in $servers; do
		tmux -L "$server" kill-server 2>/dev/null || true
	done
}

clean_up() {
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	stop_servers
	for pid in $background; do
		kill "$pid" 2>/dev/null || true
	done
	wait
	# A watcher still records the end.
	for _ in 1 2 3 4 5; do
		rm -rf "$T" 2>/dev/null && break
		sleep 1
	done
	exit $status
}

trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mkdir -p "$T/bin" "$HOME" "$TMUX_TMPDIR" "$D/.paneward"
chmod 700 "$TMUX_TMPDIR" "$D" "$D/.paneward"
cd "$P"

# tools NAME...: compiles these measuring programs.
tools() {
	for tool; do
		$CC -O2 -D_GNU_SOURCE -o "$T/bin/$tool" "$BENCH_HERE/$tool.c"
	done
}

# need COMMAND PACKAGE: skips the benchmark if the command is missing.
need() {
	command -v "$1" >/dev/null && return
	echo "${0##*/}: $1 is not here (package $2), skipped"
	exit 0
}

# server NAME: a tmux server of that name; paneward's own is `default`.
server() {
	servers="$servers $1"
	tmux -L "$1" -f /dev/null new-session -d -s keeper -x 80 -y 24 \
		'exec sleep 100000'
}

# start ISSUE COMMAND...: a run without a watcher.
start() {
	issue=$1
	shift
	"$PW" start "$issue" --no-watch --status-dir "$D" -- "$@" >/dev/null
}

# quantile PART COLUMN FILE: the value below which a part (0 to 1) of the column
# lies.
quantile() {
	sort -g -k "$2,$2" "$3" | awk -v part="$1" -v column="$2" '
		{ value[NR] = $column }
		END { print value[int((NR - 1) * part) + 1] }'
}

median() {
	quantile 0.5 "$@"
}

# line WHAT UNIT OURS THEIRS GOAL: prints a row; the goal is "ratio <= 3",
# "ours >= 5" or the like; the ratio is ours to theirs.
line() {
	awk -v what="$1" -v unit="$2" -v ours="$3" -v theirs="$4" \
		-v goal="$5" 'BEGIN {
			ratio = theirs > 0 ? ours / theirs : 0
			split(goal, g, " ")
			over = (g[1] == "ratio" ? ratio : ours) - g[3]
			met = g[2] == "<=" ? over <= 0 : over >= 0
			printf "%-42s %9.5g %9.5g %-4s %8.3g  %-16s %s\n",
				what, ours, theirs, unit, ratio, goal,
				met ? "ok" : "MISSED"
		}'
}
