#!/bin/sh
# In a git repository a name alone does not make a pane the issue's: another
# project may have an issue of that number.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'
git_project
tree=$P/.worktrees/issue-42-login
git worktree add -q -b login "$tree" 2>&1 | comment
mkdir "$T/other" "$T/${P##*/}2"

# works ISSUE FIELDS DESCRIPTION [OPTION...]: a watch takes a pane; of its
# record.
works() {
	issue=$1
	want=$2
	description=$3
	shift 3
	watch_begin w "$issue" "$@"
	wait_until 5 recorded "$issue" working
	kill "$(cat "$T/w.pid")"
	wait_until 5 test -e "$T/w.status"
	is "$(fields "$issue" tmux.pane worktree branch)" "$want" "$description"
}

# completes ISSUE FIELDS DESCRIPTION: a signal is enough.
completes() {
	"$PW" signal complete --issue "$1"
	exits 0 "$3" "$PW" watch "$1"
	is "$(fields "$1" worktree branch)" "$2" 'with that work tree'
}

pane_run other-issue-42 "$busy" -c "$T/other"
exits 3 'a pane that stands elsewhere is not claimed by its name' \
	"$PW" watch 42
pane_run near-issue-42 "$busy" -c "$T/${P##*/}2"
exits 3 'nor one whose folder only begins like the project' "$PW" watch 42
is "$(tm list-panes -a -F '#{pane_pipe}' | sort -u)" 0 'they are left alone'
check 'and nothing is written' no test -e "$S/.paneward/42.json"

pane_run my-issue-42 "$busy" -c "$tree"
works 42 "$(pane_tell my-issue-42 '#{pane_id}') $tree login" \
	'one in a work tree of the repository is, with that'
pane_run my-issue-43 "$busy" -c "$P"
works 43 "$(pane_tell my-issue-43 '#{pane_id}') - -" \
	'one in the main work tree is claimed, and has no work tree to remove'
works 44 "$(pane_tell other-issue-42 '#{pane_id}') - -" \
	'who names a pane of elsewhere may have it' --session other-issue-42

# ---- what was left behind without a pane ------------------------------------

git worktree add -q -b fix "$P/.worktrees/issue-45" 2>&1 | comment
completes 45 "$P/.worktrees/issue-45 fix" 'a signal without any pane is enough'
git worktree add -q -b a "$P/.worktrees/issue-46-a" 2>&1 | comment
git worktree add -q -b b "$P/.worktrees/issue-46-b" 2>&1 | comment
completes 46 '- -' 'where two work trees have the name none is the one'
completes 4 '- -' 'nor is one whose name only begins like it'

mkdir -p "$S"
printf 'hello\r\n###TASK_COMPLETE_47###\r\n' >"$S/output-47.log"
watch_begin w 47
watch_ended w 0 'a log without a pane is read from its first byte'
is "$(record 47 source)" log 'and found complete'
printf 'hello\r\n' >"$S/output-48.log"
watch_begin w 48
watch_ended w 10 'a log that says nothing, without a pane, is gone'

done_testing
