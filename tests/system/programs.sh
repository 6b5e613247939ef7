#!/bin/sh
# No program of a repository runs when a person looks at a work tree or has it
# handed off: an agent may have written its configuration.  The user's own
# filters do run.
. "${0%/*}/lib.sh"

cat >"$HOME/.gitconfig" <<'END'
[user]
	name = test
	email = test@localhost
[advice]
	addEmbeddedRepo = false
[filter "mine"]
	clean = tr a-z A-Z
	smudge = tr A-Z a-z
	required = true
END
tmux_start
git_project
echo '*.up filter=mine' >"$P/.gitattributes"
echo '/.worktrees/' >"$P/.gitignore"
echo word >"$P/a.up"
printf 'one\r\n' >"$P/dos"
git config core.autocrlf true
git add -A 2>&1 | comment
git commit -q -m second
is "$(git cat-file blob HEAD:a.up)" WORD 'a filter of the user, in git'
printf '{ "handoff": ["%s"] }\n' "$ROOT/scripts/cleanup.sh" >"$P/.paneward.json"
echo /.paneward.json >>"$P/.git/info/exclude"

script evil <<-'END'
	echo "$0 $*" >>"${0%/*}/ran"
	cat
END

# begin ISSUE: it has a work tree, with a new file, and has ended.
begin() {
	tree=$P/.worktrees/issue-$1
	git worktree add -q -b "work-$1" "$tree" >"$T/said" 2>&1
	echo fresh >"$tree/new"
	"$PW" start "$1" --no-watch --worktree "$tree" -- true \
		>"$T/said" 2>&1 || comment <"$T/said"
	"$PW" signal complete --issue "$1"
	wait_until 10 grep -qs 'exit 0' "$S/.paneward/$1.agent"
}

# looks ISSUE: each command that a person types.  None of them says that all is
# well with the work tree, which a filter might have hidden.
looks() {
	rm -f "$T/ran"
	fails 0 '[+]fresh' diff "$1"
	fails 12 'it has the' handoff "$1" --dry-run
	fails 12 '' handoff "$1"
	test -e "$tree" && fails 0 '' handoff "$1" --force
	no test -e "$tree" && no test -e "$T/ran"
	git cat-file blob "$(git for-each-ref --format='%(refname)' \
		"refs/paneward/rescue/$1"):new"
}

mkdir "$T/hooks"
for hook in post-index-change reference-transaction post-checkout; do
	ln -s "$T/evil" "$T/hooks/$hook"
done
scenario "no program of the repository's own configuration runs" <<'END'
>>> begin 1; echo '* filter=evil diff=evil merge=evil' >"$tree/.gitattributes"
>>> for key in filter.evil.clean filter.evil.smudge diff.evil.command \
... 	diff.evil.textconv merge.evil.driver core.fsmonitor core.pager \
... 	core.editor core.sshCommand core.askPass core.gitProxy gpg.program \
... 	credential.helper diff.external core.alternateRefsCommand; do
... 	git config "$key" "$T/evil"
... done
>>> git config filter.evil.required true; git config alias.status "!$T/evil"
>>> git config core.hooksPath "$T/hooks"; looks 1
fresh
END
scenario 'nor one of a name with =, an included file, a work tree alone' <<'END'
>>> begin 2; printf '%s\n' 'new filter=a=b' 'dos filter=far' \
... 	'a.up filter=near' >"$tree/.gitattributes"
>>> git config filter.a=b.process "$T/evil"
>>> git config --file "$T/far" filter.far.clean "$T/evil"
>>> git config include.path "$T/far"; git config extensions.worktreeConfig true
>>> git -C "$tree" config --worktree filter.near.clean "$T/evil"; looks 2
fresh
END
scenario "nor one that replaces a driver of the user" <<'END'
>>> begin 3; echo 'new filter=evil' >>"$tree/.gitattributes"
>>> git config filter.mine.clean "$T/evil"
>>> git config filter.mine.process "$T/evil"; looks 3
fresh
>>> git config --remove-section filter.mine
END
# Its changed file has the same length and an older time.
scenario 'nor one of a repository within it' <<'END'
>>> begin 4; git init -q "$tree/lib"; echo lib >"$tree/lib/file"
>>> git -C "$tree/lib" add file; git -C "$tree/lib" commit -q -m lib
>>> git config --unset core.hooksPath; git config --unset core.fsmonitor
>>> git -C "$tree" add lib 2>"$T/said"
>>> git -C "$tree" -c core.fsmonitor= commit -q -m 'a link'; rm -f "$T/ran"
>>> git -C "$tree/lib" config filter.evil.clean "$T/evil"
>>> git -C "$tree/lib" config core.fsmonitor "$T/evil"
>>> echo '* filter=evil' >"$tree/lib/.gitattributes"; echo bil >"$tree/lib/file"
>>> touch -d '1 hour ago' "$tree/lib/file"; fails 0 '[+]fresh' diff 4
>>> "$PW" diff 4 -- --stat >"$T/diff" 2>&1; fails 12 '' handoff 4 --dry-run
>>> fails 12 '' handoff 4 --force; fails 12 '' handoff 4; no test -e "$T/ran"
END
scenario "the user's own filter and line ends count" <<'END'
>>> begin 5; cat "$tree/a.up" "$tree/dos" | tr '\r' R
wordR
oneR
>>> rm "$tree/new"; cp "$tree/a.up" "$T/a.up"; touch "$tree/a.up" "$tree/dos"
>>> prints '' diff 5; echo another >"$tree/a.up"; fails 0 '[+]ANOTHER' diff 5
>>> cp "$T/a.up" "$tree/a.up"; fails 0 '' handoff 5; no test -e "$tree"
END
done_testing
