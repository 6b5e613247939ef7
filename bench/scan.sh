#!/bin/sh
# The speed of scanning a large pane log, compared with grep and plain reading:
#
#	bench/scan.sh [MEGABYTES [ROUNDS]]
#
# The log is in the page cache, and the programs take turns.  The output is the
# median of CPU time as speed, each with its ratio to the program that the line
# names.

set -eu

megabytes=${1:-1024}
rounds=${2:-5}
here=${0%/*}
paneward=${PANEWARD_BIN:-$here/../paneward}
issue=4242
marker="###TASK_COMPLETE_$issue###"
block=262144                    # what scanfile_read() reads at a time

work=$(mktemp -d "${TMPDIR:-/tmp}/paneward-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for tool in genlog readonly stopwatch; do
	${CC:-cc} -O2 -D_GNU_SOURCE -o "$work/$tool" "$here/$tool.c"
done
PATH=$work:$PATH

genlog "$megabytes" >"$work/log"
# The same with a marker in a code block, which must not count.
cp "$work/log" "$work/fenced"
printf '\r\n```\r\n%s\r\n```\r\n' "$marker" >>"$work/fenced"
bytes=$(wc -c <"$work/log")

say() {
	"$paneward" scan --issue $issue "$1"
}
[ "$(say "$work/log")" = 'none: complete 0, error 0' ]
[ "$(say "$work/fenced")" = 'none: complete 0, error 0' ]

for _ in $(seq "$rounds"); do
	stopwatch readonly "$work/log" $block >>"$work/read.times"
	stopwatch grep -cF "$marker" "$work/log" >>"$work/grep.times"
	stopwatch "$paneward" scan --issue $issue "$work/log" \
		>>"$work/scan.times"
	stopwatch "$paneward" scan --issue $issue "$work/fenced" \
		>>"$work/fenced.times"
done

# The median of a column.
median() {
	sort -g -k "$2,$2" "$work/$1.times" | awk -v column="$2" '
		{ value[NR] = $column }
		END { print value[int((NR + 1) / 2)] }'
}

# name, speed, unit, ratio to the speed of another
line() {
	awk -v name="$1" -v bytes="$bytes" -v mine="$(median "$2" 1)" \
		-v other="$(median "$3" 1)" 'BEGIN {
			printf "%-12s %6.2f GB/s %5.2f\n", name,
				bytes / mine / 1e9, other / mine
		}'
}

line read/read read read
line grep/grep grep grep
line scan/grep scan grep
line scan/read scan read
line fenced/grep fenced grep
printf '%-12s %6d KiB\n' scan-memory "$(median fenced 3)"
