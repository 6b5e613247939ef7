#!/bin/sh
# Runs all benchmarks.  Each alternates between paneward and what it is compared
# with.
# BENCH_QUICK=1 takes two minutes instead of ten and is rougher.

here=${0%/*}

printf '%-42s %9s %9s %-4s %8s  %s\n' '' ours theirs '' ratio goal
for bench in latency transcript ready status queue sweep hook inbox throughput \
	memory idle many everywhere top screen loop fleet; do
	"$here/$bench.sh" || exit
done
echo
if [ "${BENCH_QUICK:-}" != '' ]; then
	"$here/scan.sh" 128 3
else
	"$here/scan.sh"
fi
