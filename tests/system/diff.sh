#!/bin/sh
# paneward diff: what an agent has changed in its work tree.
. "${0%/*}/lib.sh"

tmux_start
git_project
git -C "$P" config user.name test
git -C "$P" config user.email test@localhost
printf 'one\n' >"$P/old"
git -C "$P" add old
git -C "$P" commit -q -m old
tree=$P/.worktrees/issue-42-login
git worktree add -q -b login "$tree" 2>&1 | comment

# begin ISSUE [OPTION...]
begin() {
	issue=$1
	shift
	obedient "a$issue"
	"$PW" start "$issue" --no-watch --session "s$issue" "$@" \
		-- "$T/a$issue" >"$T/said" 2>&1 || comment <"$T/said"
}

# changed ARG...: the lines that came or went.
changed() {
	"$PW" diff "$@" >"$T/out" 2>"$T/err" || comment <"$T/err"
	sed -n '/^[-+]\{3\}/d; /^[-+]/p' "$T/out" | tr '\n' ' '
}

exits 1 'an issue without a record has no work tree' "$PW" diff 42
like "$(cat "$T/err")" "there is no record of it in" 'which is said'

# ---- a linked work tree -------------------------------------------------------

begin 42 --worktree "$tree"
is "$(changed 42)" '' 'at first nothing is changed'
echo two >>"$tree/old"
git -C "$tree" commit -q -a -m two
echo three >>"$tree/old"
is "$(changed 42)" '+two +three ' 'what is committed, and what is not'
printf 'a\033[2Jb\n' >"$tree/new"
is "$(changed 42)" "$(printf '+a\033[2Jb +two +three ')" \
	'and a file that git does not know'
is "$(git -C "$tree" status --short | tr '\n' ';')" ' M old;?? new;' \
	'the index is left alone'
git -C "$P" worktree add -q --detach "$T/again" main
check 'it is a patch' git -C "$T/again" apply "$T/out"
check 'the file comes out of it' cmp "$tree/new" "$T/again/new"
"$PW" diff --color 42 >"$T/out"
like "$(cat "$T/out")" "$(printf '\033\\[32m')" 'colours if they are wanted'
like "$(cat "$T/out")" 'a\\x1b\[2Jb' 'then the rest is escaped'
"$PW" diff 42 -- --name-only >"$T/out"
is "$(cat "$T/out")" 'new
old' 'git gets the words behind --'

echo other >"$P/other"
git -C "$P" add other
git -C "$P" commit -q -m other
is "$(changed 42 -- --name-only; cat "$T/out")" 'new
old' 'what others change does not count'
git -C "$tree" stash -q -u
git -C "$tree" merge -q -m merge main
git -C "$tree" stash pop -q
is "$(changed 42 -- --name-only; cat "$T/out")" 'new
old' 'nor when the agent merges it'

# What an agent can write does not run.
script evil <<-'END'
	echo ran >>"${0%/*}/ran"
	cat
END
echo 'old diff=evil' >"$tree/.gitattributes"
git -C "$P" config diff.evil.command "$T/evil"
git -C "$P" config diff.evil.textconv "$T/evil"
git -C "$P" config core.fsmonitor "$T/evil"
git -C "$P" config core.pager "$T/evil"
changed 42 >"$T/lines"
like "$(cat "$T/lines")" '[+]two [+]three' 'a driver of the repository is not asked'
check 'none of its programs has run' no test -e "$T/ran"

# ---- what git is asked for ----------------------------------------------------

mkdir "$T/tmp"
export TMPDIR="$T/tmp"
is "$(changed 42 -- --name-only new; cat "$T/out")" 'new' \
	'a path is one of the work tree'
exits 0 'that there are changes is no failure' "$PW" diff 42 -- --exit-code
exits 3 'an option that git does not have is' "$PW" diff 42 -- --nonsense
is "$(ls "$TMPDIR")" '' 'nothing is left of the copied index'

# ---- on a terminal ------------------------------------------------------------

script pager <<-'END'
	sed 's/^/paged: /'
END
pane_run look "cd '$P' && PAGER='$T/pager' '$PW' diff 42; exec sleep 1000"
wait_until 10 pane_shows look 'three'
check 'the user'"'"'s pager shows it' pane_shows look 'paged: '
check 'without what a terminal obeys' pane_shows look 'a\x1b[2Jb'

# ---- other work trees ---------------------------------------------------------

begin 7
echo seven >>"$P/old"
is "$(changed 7)" '+seven ' 'in the main work tree: since the start'
mv "$tree" "$T/elsewhere"
exits 3 'a work tree that is gone is not shown' "$PW" diff 42
like "$(cat "$T/err")" "is gone; .*git log login" 'its branch is named'

done_testing
