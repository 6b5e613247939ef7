#!/bin/sh
# In a git repository a name alone does not make a pane the issue's: another
# project may have an issue of that number.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'
git_project
tree=$P/.worktrees/issue-42-login
mkdir "$T/other" "$T/${P##*/}2"
new_tree() { git worktree add -q -b "$1" "$P/.worktrees/$2"; }

# works ISSUE [OPTION...]: a watch takes a pane; its record.
works() {
	watch_begin w "$@"
	wait_until 5 recorded "$1" working
	kill "$(cat "$T/w.pid")"
	wait_until 5 test -e "$T/w.status"
	fields "$1" tmux.pane worktree branch
}

scenario 'a pane in the project is claimed by its name, none of elsewhere' <<'END'
>>> new_tree login issue-42-login; pane_run other-issue-42 "$busy" -c "$T/other"
>>> fails 3 '' watch 42; pane_run near-issue-42 "$busy" -c "$T/${P##*/}2"
>>> fails 3 '' watch 42; tm list-panes -a -F '#{pane_pipe}' | sort -u
0
>>> ls "$S/.paneward/42.json" 2>/dev/null
[2]
>>> pane_run my-issue-42 "$busy" -c "$tree"; pane_run my-issue-43 "$busy" -c "$P"
>>> is "$(works 42)" "$(pane_tell my-issue-42 '#{pane_id}') $tree login"
>>> is "$(works 43)" "$(pane_tell my-issue-43 '#{pane_id}') - -"
>>> is "$(works 44 --session other-issue-42)" \
... 	"$(pane_tell other-issue-42 '#{pane_id}') - -"
END

# completes ISSUE: a signal is enough; the work tree of the record.
completes() {
	"$PW" signal complete --issue "$1"
	fails 0 '' watch "$1"
	fields "$1" worktree branch
}

# Of two work trees of the name none is the issue's, nor one that begins like it.
scenario 'without a pane a signal or a log is enough' <<'END'
>>> new_tree fix issue-45; completes 45
$T/project/.worktrees/issue-45 fix
>>> new_tree a issue-46-a; new_tree b issue-46-b; completes 46; completes 4
- -
- -
>>> printf 'hello\r\n###TASK_COMPLETE_47###\r\n' >"$S/output-47.log"
>>> fails 0 '' watch 47; fields 47 source
log
>>> printf 'hello\r\n' >"$S/output-48.log"; fails 10 '' watch 48
END
done_testing
