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

pane_run other-issue-42 "$busy" -c "$T/other"
exits 3 'a pane that stands elsewhere is not claimed by its name' \
	"$PW" watch 42
pane_run near-issue-42 "$busy" -c "$T/${P##*/}2"
exits 3 'nor one whose folder only begins like the project' "$PW" watch 42
is "$(tm list-panes -a -F '#{pane_pipe}' | sort -u)" 0 'they are left alone'
check 'and nothing is written' no test -e "$S/.paneward/42.json"

pane_run my-issue-42 "$busy" -c "$tree"
watch_begin w 42
wait_until 5 recorded 42 working
is "$(record 42 tmux.pane)" "$(pane_tell my-issue-42 '#{pane_id}')" \
	'one in a work tree of the repository is'
is "$(record 42 worktree) $(record 42 branch)" "$tree login" \
	'the work tree is the one that it stands in'
kill "$(cat "$T/w.pid")"
wait_until 5 test -e "$T/w.status"

pane_run my-issue-43 "$busy" -c "$P"
watch_begin w 43
wait_until 5 recorded 43 working
is "$(record 43 tmux.pane)/$(record 43 worktree)" \
	"$(pane_tell my-issue-43 '#{pane_id}')/" \
	'one in the main work tree is claimed, and has no work tree to remove'
kill "$(cat "$T/w.pid")"
wait_until 5 test -e "$T/w.status"

watch_begin w 44 --session other-issue-42
wait_until 5 recorded 44 working
is "$(record 44 worktree)" '' 'who names a pane of elsewhere may have it'
kill "$(cat "$T/w.pid")"
wait_until 5 test -e "$T/w.status"

# ---- what was left behind without a pane ------------------------------------

git worktree add -q -b fix "$P/.worktrees/issue-45" 2>&1 | comment
"$PW" signal complete --issue 45
watch_begin w 45
watch_ended w 0 'a signal without any pane is enough'
is "$(record 45 worktree) $(record 45 branch)" "$P/.worktrees/issue-45 fix" \
	'the work tree is the one of that name'

git worktree add -q -b a "$P/.worktrees/issue-46-a" 2>&1 | comment
git worktree add -q -b b "$P/.worktrees/issue-46-b" 2>&1 | comment
"$PW" signal complete --issue 46
watch_begin w 46
watch_ended w 0 'so it is where two work trees have the name'
is "$(record 46 worktree)" '' 'but then none is the one'

"$PW" signal complete --issue 4
watch_begin w 4
watch_ended w 0 'and where a name only begins like it'
is "$(record 4 worktree)" '' 'which is not it either'

mkdir -p "$S"
printf 'hello\r\n###TASK_COMPLETE_47###\r\n' >"$S/output-47.log"
watch_begin w 47
watch_ended w 0 'a log without a pane is read from its first byte'
is "$(record 47 source)" log 'and found complete'
printf 'hello\r\n' >"$S/output-48.log"
watch_begin w 48
watch_ended w 10 'a log that says nothing, without a pane, is gone'

done_testing
