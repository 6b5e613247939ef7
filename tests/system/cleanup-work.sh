#!/bin/sh
# scripts/cleanup.sh, the default hand-off: whatever work an agent has left in its
# tree and however often it is called, nothing is lost, and a refusal says what to
# do.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/trees.sh"

state_deleted() { rm "$tree/two"; }
state_mode() { chmod +x "$tree/two"; }
state_excluded() {
	echo excluded >>"$P/.git/info/exclude"
	write excluded
}
state_empty_folder() { mkdir "$tree/empty"; }
state_build_untracked() { write web/out/page; }
state_build_link() {
	mkdir "$T/target-$issue" "$tree/web"
	ln -s "$T/target-$issue" "$tree/web/out"
	write web/out/page
}
state_amended() {
	commit && worthy HEAD
	commit --amend -m amended
}
state_detached() { detached_commit; }
state_own_ref() {
	git -C "$tree" update-ref refs/worktree/mine \
		"$(git -C "$tree" commit-tree -m "issue $issue" 'HEAD^{tree}')"
	worthy refs/worktree/mine
}
state_stash() {
	state_modified
	git -C "$tree" stash -q
	worthy stash && worthy stash:two
}
state_merge() {
	detached_commit
	other=$(git -C "$tree" rev-parse HEAD)
	git -C "$tree" checkout -q "$branch"
	commit -m ours
	git -C "$tree" merge -q --no-commit --no-ff "$other" >"$T/said" 2>&1
}
state_conflict() {
	state_stash
	write two && write two && commit -a
	git -C "$tree" stash pop -q >"$T/said" 2>&1
}
state_rebase() {
	commit && worthy HEAD
	git -C "$tree" -c sequence.editor='f() { echo break >"$1"; }; f' \
		rebase -q -i HEAD~1 >"$T/said" 2>&1
}

table <<-END
	clean             gone gone agent
	modified          kept saved agent
	deleted           kept saved
	mode              kept saved
	staged            kept saved
	staged_only       kept saved
	untracked         kept saved
	ignored           kept saved agent
	excluded          kept saved
	empty_folder      gone gone
	build             gone gone
	build_untracked   kept saved
	build_link        kept saved
	committed         gone gone agent
	amended           gone gone
	detached          kept saved agent
	left              kept saved
	own_ref           kept saved
	stash             gone gone
	merge             kept saved
	conflict          kept kept
	rebase            kept saved
	END

done_testing
