#!/bin/sh
# paneward merge: a finished run's branch comes into its base, and the run is
# handed off; if it is refused, nothing has changed.
. "${0%/*}/lib.sh"

tmux_start
git config --global user.name test
git config --global user.email test@localhost
git_project
# begins ISSUE [=BRANCH]: its agent commits twice.
begins() {
	issue=$1 tree=$P/.worktrees/issue-$1
	obeys "$1" "--new-worktree${2-}"
	tell "a$issue" "echo $issue >file; git add .; git commit -qm 'Add $issue'
		echo >>new; git add .; git commit -qm 'Change $issue'"
	wait_until 10 git -C "$tree" rev-parse ":/Change $issue"
}
reports() {
	: >"$S/signal-complete-$issue"
	wait_until 10 recorded "$issue" complete
}
subjects() { git log --first-parent --format=%s "-$1" main | tr '\n' ' '; }
# merges WORD...: and all of the run is gone; what it said is in $T/out.
merges() {
	gives 0 '' "$PW" merge "$issue" "$@" && no test -e "$tree" &&
		no git show-ref -q "issue-$issue" && no pane_placed "s$issue"
}
# refused REGEX [OPTION...]: and nothing is different.
refused() {
	everything >"$T/before"
	fails 1 "$1" merge "$issue" ${2:+"$2"} ${3:+"$3"}
	everything | cmp - "$T/before"
}
everything() {
	git show-ref; git worktree list; git status --short; ls -A "$tree"
	tm list-panes -a -F '#{pane_id}'; cat "$S/.paneward/journal.ndjson"
}

scenario 'a branch becomes one commit; the hooks of the repository rest' <<'END'
>>> begins 51; reports; is "$("$PW" diff 51 | grep -c '^+[^+]')" 1
>>> mkdir -p .git/hooks; for hook in pre-commit commit-msg post-merge; do
... 	echo "exit 1" | script project/.git/hooks/$hook; done
>>> was=$(git rev-parse main) tip=$(git rev-parse issue-51); merges --squash
>>> rm -r .git/hooks; sed "2,5d; s/$was/WAS/; s/$tip/TIP/" "$T/out"
51: 'main' has 'issue-51' now
~ 51: .* git -C '.*' reset --keep WAS && git -C '.*' branch 'issue-51' TIP
>>> git log -1 --format=%B | grep .; git status --short; cat file
Issue 51: Add 51
Change 51
~ Branch 'issue-51' at [0-9a-f]*\.
51
>>> journal 51 merge | grep -q "$tip into main, from $was to $(git rev-parse @)"
END

scenario 'as a merge, whose JSON undoes it, or rebased' <<'END'
>>> begins 52 '=a;$(touch$IFS"pwn)'; reports; was=$(git show-ref)
>>> merges --json; conforms merge; covers merge; subjects 2
... 	grep -c '"branch_removed":true' "$T/out"
Merge issue 52: Add 52 Issue 51: Add 51 1
>>> eval "$(perl -MJSON::PP -e 'print decode_json(<>)->{undo}' "$T/out")"
>>> is "$(git show-ref)" "$was"; no test -e pwn; begins 53; reports
>>> echo >other; git add .; git commit -qm other; merges --rebase; subjects 3
Change 53 Add 53 other 
END

scenario 'refused, nothing has changed' <<'END'
>>> fails 1 'no record of it' merge 1; fails 2 both merge 1 --squash --rebase
>>> begins 54; refused 'its run is working'; reports; echo >"$tree/more"
>>> refused "it has the untracked file 'more'"; rm "$tree/more"
>>> echo x >>other; refused "'other' in '$P' is not committed"; git stash -q
>>> refused "no branch 'none'" --into none; git branch aside
>>> refused "'aside' is checked out nowhere" --into aside
>>> git switch -q --detach; refused 'project is on no branch'; git switch -q -
>>> git -C "$tree" switch -q --detach; refused 'its work tree is on no branch'
>>> git -C "$tree" switch -q issue-54; echo mine >file; git commit -qam mine
>>> refused "conflicts with 'main' in 'file'"; refused "in 'file'" --squash
>>> refused "in 'file'; bring 'main' into 'issue-54' first" --rebase
>>> git worktree add -q ../aside aside; merges --into aside; cat ../aside/file
54
>>> obeys 55; issue=55 tree=.; reports; refused 'no work tree of its own'
END

# A git that kills its caller after a command with the words in $T/at.
script bin/git <<END
"$(command -v git)" "\$@" || exit
case \$* in *"\$(cat '$T/at')"*) kill -KILL \$PPID ;; esac
END
scenario 'a killed merge is repeated, or continued; of two one merges' <<'END'
>>> begins 56; reports; was=$(git rev-parse main); killed() { echo "$1" >"$T/at"
... 	PATH=$T/bin:$PATH gives 137 '' "$PW" merge 56 --squash; }
>>> for at in 'worktree add' '--squash' 'commit -q' 'worktree remove'; do
... 	killed "$at"; is "$(git rev-parse main)" "$was"; done
>>> killed --ff-only; subjects 1; echo >file; git commit -qam later
Issue 56: Add 56 
>>> merges; sed q "$T/out"; begins 57; reports
56: 'main' had 'issue-56' already
>>> begin_command one merge 57; begin_command two merge 57
>>> wait_until 20 command_ended one; wait_until 20 command_ended two
>>> sort "$T/one.status" "$T/two.status" | tr '\n' ' '; subjects 2
~ 0 [13] Merge issue 57: Add 57 later 
END

scenario 'a hand-off that fails says so; the next merge repeats it' <<'END'
>>> echo '{ "handoff": "echo no; exit 77" }' >.paneward.json; begins 58; reports
>>> wait_until 10 has 58 handoff.state refused; fails 12 'refused: no' merge 58
>>> test -e "$tree"; rm .paneward.json; merges; sed q "$T/out"
58: 'main' had 'issue-58' already
END
done_testing
