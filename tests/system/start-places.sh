#!/bin/sh
# paneward start: work trees, and projects in folders with odd names.
. "${0%/*}/lib.sh"

tmux_start
obedient agent

# ---- work trees -------------------------------------------------------------

git_project
tree=$P/.worktrees/issue-42-login
git worktree add -q -b login "$tree" 2>&1 | comment

# standing [OPTION...]: where the agent of 42 stands; it obeys.
standing() {
	rm -f "$T/pwd"
	fails 0 '' start 42 "$@" -- sh -c "pwd >'$T/pwd.new'
		mv '$T/pwd.new' '$T/pwd'; exec '$T/agent'"
	wait_until 5 test -e "$T/pwd"
	cat "$T/pwd"
}
scenario 'an agent stands in its work tree, which git sees clean' <<'END'
>>> standing --worktree .worktrees/issue-42-login
$T/project/.worktrees/issue-42-login
>>> fields 42 worktree branch; git status --porcelain -uall | grep -v issue-42
$T/project/.worktrees/issue-42-login login
[1]
>>> tell agent 'echo "###TASK_COMPLETE_42###"'
... wait_until 5 recorded 42 complete
>>> tm kill-session -t =project-issue-42:
>>> standing --no-watch --cwd "$P" --worktree "$tree"; record 42 worktree
$T/project
$T/project/.worktrees/issue-42-login
>>> tm kill-session -t =project-issue-42:
END
scenario 'inside a work tree the project is the main one' <<'END'
>>> cd "$tree"; fails 0 '' start 43 --session in-tree -- "$T/agent"
>>> fields 43 issue worktree branch; no test -e .worktrees
43 $T/project/.worktrees/issue-42-login login
>>> wait_until 5 watched 43; readlink "/proc/$(watcher 43)/cwd" | grep "^$tree"
[1]
>>> git status --porcelain; tell agent '"$PANEWARD" signal complete'
>>> wait_until 5 recorded 43 complete; fields 43 source; cd "$P"
signal
>>> git worktree add -q --detach "$T/loose" 2>"$T/said"
>>> fails 0 '' start 44 --no-watch --worktree "$T/loose" -- true
>>> fields 44 worktree branch
$T/loose -
END

# ---- odd names --------------------------------------------------------------

# works FOLDER: the main path, in a project of that name.
works() {
	P=$T/odd/$1
	S=$P/.worktrees/.status
	mkdir -p "$P" && cd "$P" || exit 1
	fails 0 '' start 7 -- printf 'hello\n###TASK_COMPLETE_7###\n'
	# The screen may tell it first.
	wait_until 5 recorded 7 complete; wait_until 5 logged 7 TASK_COMPLETE
	is "$(record 7 state) $(head -c 5 "$S/output-7.log")" 'complete hello' \
		'is found complete, and has its log'
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
scenario 'an agent lives where sessions end that have no client' <<'END'
>>> echo 'set-option -g destroy-unattached on' >"$HOME/.tmux.conf"
>>> fails 0 '' start 60 --session apart -- sleep 1000
>>> wait_until 5 watched 60; let_pass; tm has-session -t =apart; fields 60 state
working
END
done_testing
