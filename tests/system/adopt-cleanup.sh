#!/bin/sh
# cleanup.sh and the panes of runs that no watcher stayed with: the record
# alone says which pane is the run's.
. "${0%/*}/lib.sh"

printf '{ "handoff": ["%s"] }\n' "$ROOT/scripts/cleanup.sh" >.paneward.json
git_project
tmux_start

# begin [WORKTREE]: the next issue, in a pane that only a sweep has adopted.
issue=40
begin() {
	issue=$((issue + 1))
	tree=$P
	if [ $# -eq 1 ]; then
		tree=$P/.worktrees/issue-$issue-$1
		git worktree add -q -b "$1-$issue" "$tree"
	fi
	pane_run "issue-$issue" 'exec tail -f /dev/null' -c "$tree"
	"$PW" sweep >"$T/said" 2>&1 || comment <"$T/said"
}

completes() { "$PW" signal complete --issue "$issue"; }
pane_lives() { tm has-session -t "=issue-$issue:"; }

# ended DESCRIPTION ARGUMENT...: the command hands it off, which ends its pane.
ended() {
	name=$1
	shift
	fails 0 "^$issue handed off\$" "$@"
	check "$name: its pane has ended" no pane_lives
}

# left DESCRIPTION: a sweep leaves its pane.
left() {
	completes
	exits 0 "$1" "$PW" sweep
	check "$1: it is left alone" pane_lives
}

# wrong_number KEY: in the status record.
wrong_number() {
	perl -pi -e "s/(\"$1\":)[0-9]+/\${1}1/" "$S/.paneward/$issue.json"
}

# ---- who adopted it ---------------------------------------------------------
begin
is "$(pane_tell "issue-$issue" '#{@paneward_run}')" '' \
	'a pane that a sweep has adopted has no option'
completes
ended 'which is no obstacle' sweep
begin login
completes
ended 'one in a work tree' sweep
check 'and its work tree is gone' no test -e "$tree"

issue=$((issue + 1))
pane_run "issue-$issue" 'exec tail -f /dev/null'
exits 124 'a single look' "$PW" watch --once "$issue"
completes
ended 'and another one' watch --once "$issue"

begin
fails 124 '' watch --once --new "$issue"
fails 124 '' watch --once --new "$issue"
completes
ended 'the third run in a pane' watch --once "$issue"

# ---- by hand ----------------------------------------------------------------
begin draft
echo draft >"$tree/draft"
completes
fails 1 "refused: .*untracked file 'draft'" sweep
check 'its pane lives' pane_lives
rm "$tree/draft"
ended 'one that is handed off by hand' handoff "$issue"
check 'and its work tree' no test -e "$tree"

begin
completes
gives 0 "^$issue handed off\$" env PANEWARD_HANDOFF=true "$PW" sweep
check 'a hand-off that leaves the pane has left it' pane_lives
ended 'one that follows a hand-off which left it' handoff "$issue"

# ---- another process, another server ----------------------------------------
begin
tm respawn-pane -k -t "=issue-$issue:" 'exec tail -f /dev/null'
left 'a pane with another process now'

begin
wrong_number pane_start
left 'one whose process has the number of an earlier one'

begin
wrong_number server_start
exits 0 'one of the same id on another server' env PANEWARD="$PW" \
	PANEWARD_ISSUE="$issue" PANEWARD_RUN="$(record "$issue" run)" \
	PANEWARD_PANE="$(record "$issue" tmux.pane)" \
	PANEWARD_SOCKET="$(record "$issue" tmux.socket)" \
	PANEWARD_STATUS_DIR="$S" "$ROOT/scripts/cleanup.sh"
check 'is left alone' pane_lives

# ---- the last session -------------------------------------------------------
begin
completes
tm set-option -g exit-empty off ';' kill-session -a -t "=issue-$issue:"
prints "$issue complete: signal-complete-$issue is there
$issue handed off" sweep
prints "cleaned up issue $issue
$issue handed off" handoff "$issue"

done_testing
