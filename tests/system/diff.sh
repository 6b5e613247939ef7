#!/bin/sh
# paneward diff: what an agent has changed in its work tree.
. "${0%/*}/lib.sh"

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

tmux_start
git_project
git -C "$P" config user.name test
git -C "$P" config user.email test@localhost
printf 'one\n' >"$P/old"
git -C "$P" add old
git -C "$P" commit -q -m old
tree=$P/.worktrees/issue-42-login
git worktree add -q -b login "$tree" 2>&1 | comment
fails 1 "there is no record of it in" diff 42
scenario 'what the agent changed is told, and the index left alone' <<'END'
>>> begin 42 --worktree "$tree"; is "$(changed 42)" ''
>>> echo two >>"$tree/old"; git -C "$tree" commit -q -a -m two
>>> echo three >>"$tree/old"; is "$(changed 42)" '+two +three '
>>> printf 'a\033[2Jb\n' >"$tree/new"
>>> is "$(changed 42)" "$(printf '+a\033[2Jb +two +three ')"
>>> is "$(git -C "$tree" status --short | tr '\n' ';')" ' M old;?? new;'
>>> git -C "$P" worktree add -q --detach "$T/again" main
>>> git -C "$T/again" apply "$T/out"; printf 'a\0' >"$tree/a	b"
>>> valid 0 diff 42 -j -- 'a	b' old; covers diff; grep -o '"files.*' "$T/out"; rm "$tree/a	b"
"files":[{"path":"a\tb","status":"A"},{"path":"old","status":"M","added":2,"deleted":0}],"changes":2}
>>> fails 2 "paths alone, not with '--stat'" diff -j 42 -- --stat
>>> cmp "$tree/new" "$T/again/new" && "$PW" diff --color 42 >"$T/out"
>>> like "$(cat "$T/out")" "$(printf '\033\\[32m')"
>>> like "$(cat "$T/out")" 'a\\x1b\[2Jb'
>>> "$PW" diff 42 -- --name-only >"$T/out"
>>> is "$(cat "$T/out")" 'new
... old'
>>> echo other >"$P/other"; git -C "$P" add other
>>> git -C "$P" commit -q -m other
>>> is "$(changed 42 -- --name-only; cat "$T/out")" 'new
... old'
>>> git -C "$tree" stash -q -u; git -C "$tree" merge -q -m merge main
>>> git -C "$tree" stash pop -q
>>> is "$(changed 42 -- --name-only; cat "$T/out")" 'new
... old'
END

script evil <<-'END'
	echo ran >>"${0%/*}/ran"
	cat
END

scenario 'no program of the repository is run' <<'END'
>>> echo 'old diff=evil' >"$tree/.gitattributes"
>>> git -C "$P" config diff.evil.command "$T/evil"
>>> git -C "$P" config diff.evil.textconv "$T/evil"
>>> git -C "$P" config core.fsmonitor "$T/evil"
>>> git -C "$P" config core.pager "$T/evil"; changed 42 >"$T/lines"
>>> like "$(cat "$T/lines")" '[+]two [+]three'; no test -e "$T/ran"
END

mkdir "$T/tmp"
export TMPDIR="$T/tmp"

scenario 'git'\''s words are passed on' <<'END'
>>> is "$(changed 42 -- --name-only new; cat "$T/out")" 'new'
>>> fails 0 '' diff 42 -- --exit-code; fails 3 '' diff 42 -- --nonsense
>>> is "$(ls "$TMPDIR")" ''
END

script pager <<-'END'
	sed 's/^/paged: /'
END

scenario 'the user'\''s pager shows it, without what a terminal obeys' <<'END'
>>> pane_run look "cd '$P' && PAGER='$T/pager' '$PW' diff 42; exec sleep 1000"
>>> wait_until 10 pane_shows look 'three'; pane_shows look 'paged: '
>>> pane_shows look 'a\x1b[2Jb'
END

scenario 'in the main work tree it is what changed since the start' <<'END'
>>> begin 7; echo seven >>"$P/old"; is "$(changed 7)" '+seven '
>>> mv "$tree" "$T/elsewhere"; gives 0 "is gone; this is its branch 'login'" \
... 	"$PW" diff 42; like "$(cat "$T/out")" '^[+]two'
END
done_testing
