#!/bin/sh
# layers.sh - which folder may include which; make lint runs it.
#
#   scripts/layers.sh FILE.c FILE.h...
#
# A floor of lib includes itself and the floors before it, a folder of commands
# lib and what the table says here.
# Each include that breaks this is printed.  Universal Ctags also finds names
# that static functions of several files share; ten of those are accepted.

status=0

awk -v floors='base marker os data tmux project run agent chain queue' '
function folder(path) {
	sub(/^lib\//, "", path)
	return sub(/\/[^\/]*$/, "", path) ? path : "."
}
function may(from, to) {
	if (from == to || from == ".")
		return 1
	if (from in floor)
		return floor[to] && floor[to] < floor[from]
	return to in floor || to == "." || index(above[from], " " to " ")
}
BEGIN {
	for (i = split(floors, name, " "); i > 0; i--)
		floor[name[i]] = i
	above["handoff"] = " notice "
	above["start"] = above["watcher"] = " notice handoff "
	above["sweep"] = " notice handoff watcher "    # its driver
	above["mail"] = above["loop"] = " hook "       # they have a hook each
	above["fleet/work"] = " fleet fleet/wire "
	above["fleet/wire"] = above["fleet"] = " fleet fleet/wire fleet/work "
}
/^#include "/ && split($0, part, "\"") &&
    !may(folder(FILENAME), folder(part[2])) {
	print FILENAME ":" FNR ": " $0
	bad = 1
}
END { exit bad }
' "$@" || status=1

if ctags --version 2>/dev/null | grep -q Universal; then
	ctags -x --kinds-C=f --_xformat='%{C.properties} %N %F' "$@" |
	awk '$1 ~ /static/ && !seen[$2, $3]++ { in_[$2] = in_[$2] " " $3; n[$2]++ }
	END {
		for (f in n)
			if (n[f] > 1 && ++shared)
				list = list f ":" in_[f] "\n"
		if (shared > 10)
			printf "%sstatic names in several files: %d\n", list, shared
		exit shared > 10
	}' || status=1
else
	echo "layers: Universal Ctags is not here, names are not counted"
fi
exit $status
