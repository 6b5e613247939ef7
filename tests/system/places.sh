#!/bin/sh
# Where a newcomer begins: in a folder below one that was used before, and in a
# git repository that gets work trees.
. "${0%/*}/lib.sh"

tmux_start

# begins ISSUE MESSAGE [OPTION...]: a start says that.
begins() {
	issue=$1
	message=$2
	shift 2
	exits 0 "issue $issue is started" \
		"$PW" start "$issue" --no-watch "$@" -- sleep 500
	is "$(cat "$T/err")" "${message:+paneward: }$message" \
		"it says: ${message:-nothing}"
}

# ---- a folder above ---------------------------------------------------------
begins 1 "new project '$P'"
mkdir "$P/below" && cd "$P/below" || exit 1
begins 2 "this folder belongs to the project '$P', which has a status directory \
or a configuration"
fails 3 "its run .* in '$P' is alive" start 1 --no-watch -- sleep 500
exits 0 'only to look' "$PW" status
is "$(cat "$T/err")" '' 'needs no word'
begins 3 '' --status-dir own

# ---- the work trees ---------------------------------------------------------
git init -q "$T/repository" && cd "$T/repository" || exit 1
git -c user.name=n -c user.email=e commit -q --allow-empty -m first
git worktree add -q .worktrees/issue-4-map
"$PW" start 4 --no-watch --worktree .worktrees/issue-4-map -- sleep 500 \
	>"$T/said"
is "$(git status --porcelain; git add -A -n)" '' \
	'git sees neither the status directory nor the work trees'
is "$(cat .worktrees/.gitignore)" '*' 'by a file of its own'
: >.worktrees/.gitignore
"$PW" start 5 --no-watch -- sleep 500 >"$T/said"
is "$(cat .worktrees/.gitignore)" '' 'one that is there stays'
"$PW" start 6 --no-watch --status-dir "$T/dir/status" -- sleep 500 >"$T/said"
check 'nothing else is hidden' no test -e "$T/dir/.gitignore"
mkdir "$T/trees" "$T/linked"
ln -s "$T/trees" "$T/linked/.worktrees"
cd "$T/linked" && "$PW" start 7 --no-watch -- sleep 500 >"$T/said"
check 'nor what a link leads to' no test -e "$T/trees/.gitignore"

# ---- a project that moves -----------------------------------------------------
mkdir "$T/here" && cd "$T/here" || exit 1
"$PW" start 8 --no-watch -- sh -c ": >'$T/started'
	until [ -e '$T/moved' ]; do sleep 0.02; done; exit 3" >"$T/said"
wait_until 5 test -e "$T/started"
mv "$T/here" "$T/there" && cd "$T/there" || exit 1
: >"$T/moved"
soon 'the end of its agent is recorded where it is now' \
	grep -q 'exit 3' .worktrees/.status/.paneward/8.agent
check 'and makes none in the old place' no test -e "$T/here"

# ---- no project by itself ---------------------------------------------------
# unfit REASON FOLDER [OPTION...]: what would make a project there is refused.
unfit() {
	reason=$1
	cd "$2" || exit 1
	for command in 'start 7 --no-watch -- true' 'watch 7' \
		'signal complete --issue 7'; do
		# shellcheck disable=SC2086
		fails 2 "is no project by itself: $reason;.* --status-dir" $command
	done
	check 'and made nothing' no test -e "$2/.worktrees"
}
unfit 'it is your home' "$HOME"
mkdir -m 1777 "$T/public" && mkdir "$T/public/mine"
unfit 'any user can write to it' "$T/public"
[ -e /.worktrees ] || unfit 'it is the root of all folders' /

cd "$HOME" || exit 1
mkdir -p .worktrees/.status below
fails 2 "'--status-dir .worktrees/.status' goes on" watch 7
exits 0 'which is taken' "$PW" signal complete --issue 7 \
	--status-dir .worktrees/.status
exits 0 'to look, nothing is needed' "$PW" status
cd below || exit 1
begins 8 "new project '$PWD'"
cd .. && echo '{ "handoff": null }' >.paneward.json && mkdir other && cd other ||
	exit 1
begins 9 "this folder belongs to the project '$HOME', which has a status directory \
or a configuration"

mkdir -p "$T/up/.worktrees/.status" "$T/up/a/b" && cd "$T/up/a/b" || exit 1
PANEWARD_CEILING=/none:$T/up
begins 10 "new project '$PWD'"

done_testing
