#!/bin/sh
# cleanup.sh - the default hand-off: closes the run's pane, removes its work
# tree if nothing at all would be lost by that, then the files of the run in the
# status directory.  The branch always stays, and so does the log, compressed.
#
#	cleanup.sh [--dry-run] [--force]
#
# paneward runs it in the project, with the run in PANEWARD_* and the status
# record, one line of JSON, on standard input.  The options come from
# `paneward handoff ISSUE [--dry-run] [--force]`.
#
# To change what a hand-off does, copy this file, put your own steps between
# these, and name the copy with "handoff" in .paneward.json.  Each step judges
# again right before it acts, and does nothing where nothing is left to do: a
# killed clean-up is repeated from the start.
#
# The last line says what was done, or why not and what to do about it.
# Exit status: 0 done, 2 called wrongly, 75 not yet, 77 refused, 1 failed, try
# again.

set -u
# The pane that is closed may be the one we were called from.
trap '' HUP PIPE

paneward=${PANEWARD:-paneward}
dry_run=false
force=
for option; do
	case $option in
	--dry-run) dry_run=true ;;
	--force)   force=--force ;;
	*)
		echo "cannot clean up: unknown option '$option'; see \
'paneward handoff --help'" >&2
		exit 2 ;;
	esac
done

# A step that is ended by a signal leaves its files behind.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/paneward.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
TMPDIR=$tmp
export TMPDIR

record=
[ -t 0 ] || record=$(cat)

step() {
	printf '%s\n' "$record" 2>/dev/null |
		"$paneward" cleanup "$@" $force
}

# Would anything be lost?  Until here nothing has changed, and the agent is
# still in its pane.
if $dry_run; then
	step --check
	exit
fi
step --check >/dev/null || exit

# The pane, and its processes; not yet while a person may be reading there.
step --close-pane || exit

# The work tree.  An agent works to its last moment, so this judges once more;
# with --force it first saves what would be lost below refs/paneward/rescue/.
step --remove-tree || exit

# The log moves to .paneward/logs; the other files of the run are removed.
step --remove-files || exit
echo "cleaned up issue $PANEWARD_ISSUE"
