#!/bin/sh
# paneward start: work trees, and projects in folders with odd names.
. "${0%/*}/lib.sh"

tmux_start
obedient agent

# ---- work trees -------------------------------------------------------------

git_project
tree=$P/.worktrees/issue-42-login
git worktree add -q -b login "$tree" 2>&1 | comment

exits 0 'an agent is started in a work tree' "$PW" start 42 \
	--worktree .worktrees/issue-42-login -- sh -c "pwd >'$T/pwd.new'
	mv '$T/pwd.new' '$T/pwd'; exec '$T/agent'"
wait_until 5 test -e "$T/pwd"
is "$(cat "$T/pwd")" "$tree" 'it stands there'
is "$(fields 42 worktree branch)" "$tree login" \
	'the record has the work tree and its branch'
is "$(git status --porcelain -uall | grep -v issue-42)" '' \
	'git sees nothing of the status directory'
tell agent 'echo "###TASK_COMPLETE_42###"'
wait_until 5 recorded 42 complete
tm kill-session -t =project-issue-42:

rm "$T/pwd"
exits 0 '--cwd beats it' "$PW" start 42 --no-watch --cwd "$P" \
	--worktree "$tree" -- sh -c "pwd >'$T/pwd.new'; mv '$T/pwd.new' '$T/pwd'"
wait_until 5 test -e "$T/pwd"
is "$(cat "$T/pwd") $(record 42 worktree)" "$P $tree" \
	'for the directory, not for the record'

cd "$tree" || exit 1
exits 0 'inside the work tree the project is the main one' \
	"$PW" start 43 --session in-tree -- "$T/agent"
is "$(fields 43 issue worktree branch)" "43 $tree login" \
	'and the work tree is found from the directory'
check 'no status directory is made in it' no test -e .worktrees
wait_until 5 watched 43
is "$(readlink "/proc/$(watcher 43)/cwd" | grep -c "^$tree")" 0 \
	'the watcher does not stand in the work tree, which may be removed'
is "$(git status --porcelain)" '' 'and leaves nothing there'
tell agent '"$PANEWARD" signal complete'
wait_until 5 recorded 43 complete
is "$(record 43 source)" signal 'the agent can report from there'
cd "$P" || exit 1

git worktree add -q --detach "$T/loose" 2>&1 | comment
exits 0 'a work tree may lie elsewhere, on no branch' "$PW" start 44 \
	--no-watch --worktree "$T/loose" -- true
is "$(record 44 worktree) $(record 44 branch)" "$T/loose " 'it is recorded'

# ---- odd names --------------------------------------------------------------

# works FOLDER: the main path, in a project of that name.
works() {
	P=$T/odd/$1
	S=$P/.worktrees/.status
	mkdir -p "$P" && cd "$P" || exit 1
	exits 0 "a project in '$(printf %s "$1" | tr '\n' ' ')'" \
		"$PW" start 7 -- sh -c 'until [ -e go ]; do sleep 0.02; done
			printf hello
			printf "\n###TASK_COMPLETE_7###\n"'
	# Else its first look could be at the screen, and see all of it there.
	wait_until 5 watched 7
	let_pass
	: >go
	wait_until 5 recorded 7 complete
	is "$(record 7 source) $(head -c 5 "$S/output-7.log")" 'log hello' \
		'is found complete in its log'
	tm list-sessions -F '#{session_name}' | grep -q 'issue-7$' &&
		tm kill-pane -t "$(record 7 tmux.pane)"
}

works 'with blanks in it'
works "with 'quotes' and \"more\""
works "#(touch $(echo "$T" | tr / _)pwn)"
works '#(touch pwn)'
works '%H%M%Sand50%'
works '#{pane_id}#[fg=red]##'
works '$(touch pwn)`touch pwn`$HOME'
works '; touch pwn; #'
works 'ends with;'
works '-x'
works '漢字 🙂'
works "$(printf 'two\nlines')"
works "$(printf 'not \377 UTF-8')"
works '{a,b}*?[x]~!\n\x'
works 'ends with \" '
works "$(printf '%0100d' 0)"
is "$(find "$T" "$HOME" / -maxdepth 1 -name '*pwn*' ; find "$T/odd" \
	-name '*pwn*' ! -name '*touch*')" '' 'nothing of a name was run'

# ---- detached sessions ------------------------------------------------------

cd "$P" || exit 1
tm kill-server
echo 'set-option -g destroy-unattached on' >"$HOME/.tmux.conf"
exits 0 'where sessions end that nobody is attached to' "$PW" start 60 \
	--session apart -- sleep 1000
wait_until 5 watched 60
let_pass
check 'that of an agent does not' tm has-session -t =apart
is "$(record 60 state)" working 'and it works'

done_testing
