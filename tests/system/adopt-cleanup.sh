#!/bin/sh
# cleanup.sh and the panes of runs that no watcher stayed with: the record
# alone says which pane is the run's.
. "${0%/*}/lib.sh"

printf '{ "handoff": ["%s"] }\n' "$ROOT/scripts/cleanup.sh" >.paneward.json
git_project
tmux_start

# pane [FOLDER]: of the next issue.
issue=40
pane() {
	issue=$((issue + 1))
	pane_run "issue-$issue" 'exec tail -f /dev/null' -c "${1:-$P}"
}

# begin [WORKTREE]: the next issue, in a pane that only a sweep has adopted.
begin() {
	tree=$P/.worktrees/issue-$((issue + 1))-${1:-}
	[ $# -eq 0 ] || git worktree add -q -b "$1" "$tree"
	pane ${1:+"$tree"}
	"$PW" sweep >"$T/said" 2>&1
}

completes() { "$PW" signal complete --issue "$issue"; }
pane_lives() { tm has-session -t "=issue-$issue:" 2>/dev/null; }

# ended ARGUMENT...: the command hands it off, which ends its pane.
ended() {
	fails 0 "^$issue handed off\$" "$@"
	no pane_lives
}

# left: a sweep leaves its pane.
left() {
	completes
	fails 0 '' sweep
	pane_lives
}

# wrong_number KEY: in the status record.
wrong_number() {
	perl -pi -e "s/(\"$1\":)[0-9]+/\${1}1/" "$S/.paneward/$issue.json"
}

scenario 'a pane that a sweep or a look has adopted ends with its run' <<'END'
>>> begin; pane_tell "issue-$issue" '#{@paneward_run}'; completes; ended sweep

>>> begin login; completes; ended sweep; no test -e "$tree"
>>> pane; fails 124 '' watch --once "$issue"; completes
>>> ended watch --once "$issue"
>>> begin; fails 124 '' watch --once --new "$issue"
>>> fails 124 '' watch --once --new "$issue"
>>> completes; ended watch --once "$issue"
END

scenario 'by hand, too, after one that was refused or left the pane' <<'END'
>>> begin draft; echo draft >"$tree/draft"; completes
>>> fails 1 "refused: .*untracked file 'draft'" sweep
>>> pane_lives; rm "$tree/draft"; ended handoff "$issue"; no test -e "$tree"
>>> begin; completes; gives 0 '' env PANEWARD_HANDOFF=true "$PW" sweep
>>> pane_lives; ended handoff "$issue"
END

# The last one is a pane of the same id on another server.
scenario 'a pane with another process, or of another server, is left alone' <<'END'
>>> begin; tm respawn-pane -k -t "=issue-$issue:" 'exec tail -f /dev/null'; left
>>> begin; wrong_number pane_start; left
>>> begin; wrong_number server_start
>>> gives 0 '' env PANEWARD="$PW" PANEWARD_STATUS_DIR="$S" \
... 	PANEWARD_ISSUE="$issue" PANEWARD_RUN="$(record "$issue" run)" \
... 	PANEWARD_PANE="$(record "$issue" tmux.pane)" \
... 	PANEWARD_SOCKET="$(record "$issue" tmux.socket)" \
... 	"$ROOT/scripts/cleanup.sh"
>>> pane_lives
END

scenario 'the last session of a server is waited for' <<'END'
>>> begin; completes
>>> tm set-option -g exit-empty off ';' kill-session -a -t "=issue-$issue:"
>>> "$PW" sweep; "$PW" handoff "$issue"
50 complete: signal-complete-50 is there
50 handed off
cleaned up issue 50
50 handed off
END
done_testing
