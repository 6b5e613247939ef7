#!/bin/sh
# merged.sh - a gate before the hand-off: is the pull request of the run's
# branch merged?  It changes nothing.  Use it in a shell line in .paneward.json,
# with the paths of the scripts on your machine:
#
#	"handoff": "/opt/merged.sh && exec /opt/cleanup.sh \"$@\""
#
# It asks `gh`, GitHub's own program, which must be logged in by a file in
# HOME, since a hand-off's environment holds no tokens.
#
# Exit status:
#	0	merged
#	75	not yet, ask again: open, missing, or gh failed
#	77	never: closed without a merge, or the run has no branch

set -u
LC_ALL=C
GH_PROMPT_DISABLED=1
GH_NO_UPDATE_NOTIFIER=1
NO_COLOR=1
export LC_ALL GH_PROMPT_DISABLED GH_NO_UPDATE_NOTIFIER NO_COLOR

branch=${PANEWARD_BRANCH:-}

# answer STATUS TEXT
answer() {
	printf '%s\n' "$2" | tr -c '\n -~' '?' >&2
	exit "$1"
}

# Passes on only what gh reads as a branch: no option, and no number or address
# of another pull request.
check_branch() {
	case $branch in
	'') answer 77 "cannot look for a pull request: the run has no branch; \
run 'cleanup.sh' without this gate" ;;
	-* | *:*) ;;
	*[!0-9#]*) return ;;
	esac
	answer 77 "cannot look for a pull request of branch '$branch': gh \
reads that as something else; rename the branch"
}

# The record on standard input is for the command after this one.
ask() {
	if command -v timeout >/dev/null 2>&1; then
		timeout 60 gh pr view --json state,mergedAt -- "$branch"
	else
		gh pr view --json state,mergedAt -- "$branch"
	fi </dev/null 2>&1
}

check_branch
command -v gh >/dev/null 2>&1 ||
	answer 75 "cannot look for the pull request of branch '$branch': no gh \
in PATH; install it, or hand off without this gate"
if ! reply=$(ask); then
	case $reply in
	*'no pull requests found'*)
		answer 75 "branch '$branch' has no pull request yet; open \
one" ;;
	esac
	reply=$(printf '%s' "$reply" | tr '\n' ' ' | cut -b 1-300)
	answer 75 "cannot look for the pull request of branch '$branch': \
${reply:-gh does not answer}; see 'gh auth status'"
fi

case $(printf '%s' "$reply" | tr -d ' \t\r\n') in
*'"state":"MERGED"'*) exit 0 ;;
*'"state":"OPEN"'*)
	answer 75 "the pull request of branch '$branch' is still open; it \
is asked again" ;;
*'"state":"CLOSED"'*)
	answer 77 "the pull request of branch '$branch' was closed without a \
merge; reopen it, or run 'cleanup.sh' without this gate" ;;
*)
	answer 75 "cannot look for the pull request of branch '$branch': gh \
answered something else; is it too old?" ;;
esac
