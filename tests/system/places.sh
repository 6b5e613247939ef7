#!/bin/sh
# Where a newcomer begins: in a folder below one that was used before, and in a
# git repository that gets work trees.
. "${0%/*}/lib.sh"

tmux_start

# begins ISSUE [OPTION...]: what a start says.
begins() {
	issue=$1
	shift
	fails 0 '' start "$issue" --no-watch "$@" -- sleep 500
	cat "$T/err"
}

scenario 'a folder below belongs to its project, which is named' <<'END'
>>> begins 1
paneward: new project '$T/project'
>>> mkdir "$P/below" && cd "$P/below"; begins 2
paneward: this folder belongs to the project '$T/project', which has a status directory or a configuration
>>> fails 3 "its run .* in '$P' is alive" start 1 --no-watch -- sleep 500
>>> "$PW" status >"$T/out"; begins 3 --status-dir own
END

git init -q "$T/repository" && cd "$T/repository" || exit 1
git -c user.name=n -c user.email=e commit -q --allow-empty -m first
git worktree add -q .worktrees/issue-4-map
scenario 'git sees neither the status directory nor the work trees' <<'END'
>>> begins 4 --worktree .worktrees/issue-4-map 2>/dev/null >"$T/said"
>>> git status --porcelain; git add -A -n; cat .worktrees/.gitignore
*
>>> : >.worktrees/.gitignore; begins 5; cat .worktrees/.gitignore
>>> begins 6 --status-dir "$T/dir/status"; no test -e "$T/dir/.gitignore"
>>> mkdir "$T/trees" "$T/linked"; ln -s "$T/trees" "$T/linked/.worktrees"
>>> cd "$T/linked" && begins 7 >"$T/said"; no test -e "$T/trees/.gitignore"
END

mkdir "$T/here" && cd "$T/here" || exit 1
scenario 'the end of an agent is recorded where its project moves' <<'END'
>>> "$PW" start 8 --no-watch -- sh -c ": >'$T/started'
... 	until [ -e '$T/moved' ]; do sleep 0.02; done; exit 3" >"$T/said" 2>&1
>>> wait_until 5 test -e "$T/started"
>>> mv "$T/here" "$T/there" && cd "$T/there" && : >"$T/moved"
>>> wait_until 5 grep -q 'exit 3' .worktrees/.status/.paneward/8.agent
>>> no test -e "$T/here"
END

# unfit REASON FOLDER [OPTION...]: what would make a project there is refused.
unfit() {
	reason=$1
	cd "$2" || exit 1
	for command in 'start 7 --no-watch -- true' 'watch 7' \
		'signal complete --issue 7'; do
		# shellcheck disable=SC2086
		fails 2 "is no project by itself: $reason;.* --status-dir" $command
	done
	no test -e "$2/.worktrees"
}
mkdir -m 1777 "$T/public" && mkdir "$T/public/mine"
scenario 'home, the root and what any user can write to are no projects' <<'END'
>>> unfit 'it is your home' "$HOME"
>>> unfit 'any user can write to it' "$T/public"
>>> [ -e /.worktrees ] || unfit 'it is the root of all folders' /
>>> cd "$HOME" && mkdir -p .worktrees/.status below
>>> fails 2 "'--status-dir .worktrees/.status' goes on" watch 7
>>> fails 0 '' signal complete --issue 7 --status-dir .worktrees/.status
>>> fails 0 '' status; cd below && begins 8
paneward: new project '$T/home/below'
>>> cd .. && echo '{ "handoff": null }' >.paneward.json
>>> mkdir other && cd other
>>> begins 9
paneward: this folder belongs to the project '$T/home', which has a status directory or a configuration
>>> mkdir -p "$T/up/.worktrees/.status" "$T/up/a/b" && cd "$T/up/a/b"
>>> PANEWARD_CEILING=/none:$T/up; begins 10
paneward: new project '$T/up/a/b'
END
done_testing
