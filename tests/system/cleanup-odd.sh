#!/bin/sh
# scripts/cleanup.sh, the default hand-off: a work tree that is locked, linked,
# elsewhere, gone, another repository, or in use, and files that git does not look
# at.  Nothing is lost, and a refusal says what to do.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/trees.sh"

state_locked() {
	git worktree lock --reason "$(printf 'mine\033[2J\nonly')" "$tree"
}
state_submodule() {
	git -C "$tree" submodule -q add "$T/lib" lib 2>"$T/said" && commit
}
state_submodule_left() {
	state_submodule
	git -C "$tree" submodule -q deinit -f lib >"$T/said" 2>&1
}
state_submodule_files() {
	git -C "$tree" update-index --add --cacheinfo \
		"160000,$(git -C "$T/lib" rev-parse HEAD),lib"
	commit
	write lib/file
}
state_process() {
	rm -f "$T/inside"
	(cd "$tree/src" && : >"$T/inside" && exec sleep 1000) &
	inside=$!
	wait_until 5 test -e "$T/inside"
}
state_link() {
	mv "$tree" "$T/moved-$issue"
	ln -s "$T/moved-$issue" "$tree"
}
state_link_above() {
	mkdir "$root/real-$issue"
	git worktree move "$tree" "$root/real-$issue/it"
	ln -s "real-$issue" "$root/link-$issue"
	tree=$root/link-$issue/it
}
state_other_git() {
	rm "$tree/.git"
	git init -q "$tree"
	write new && git -C "$tree" add -A && commit
	git -C "$tree" config core.fsmonitor "touch '$T/pwn'; true"
}
flag() { git -C "$tree" update-index "$1" two && state_modified; }
state_skip() { flag --skip-worktree; }
state_assume() { flag --assume-unchanged; }
state_sparse() { git -C "$tree" sparse-checkout set --no-cone /src 2>"$T/said"; }
# As long and as old as git remembers it.
state_same_look() {
	git -C "$tree" config core.trustctime false
	git -C "$tree" config core.checkStat minimal
	write two && git -C "$tree" add two && commit
	touch -t 202001010000 "$tree/two"
	git -C "$tree" status >"$T/said"
	tr a-y b-z <"$tree/two" >"$T/two" && cat "$T/two" >"$tree/two"
	touch -t 202001010000 "$tree/two"
}
state_nested() {
	git init -q "$tree/vendor"
	git -C "$tree/vendor" commit -q --allow-empty -m own
	write vendor/file
}
state_nested_ignored() { write a.tmp/.GIT/file; }
state_nested_empty() { write src/.git/file; }
state_outside() {
	git worktree move "$tree" "$T/outside-$issue"
	tree=$T/outside-$issue
}
state_main() {
	tree=$P
	root=$T
}
state_unknown() { rm "$admin/gitdir"; }
state_vanished() { rm -rf "$tree"; }
state_vanished_detached() { detached_commit && rm -rf "$tree"; }
state_vanished_staged() {
	state_staged
	worthy :new
	rm -rf "$tree"
}
state_orphan() {
	git -C "$tree" checkout -q --orphan "orphan-$issue"
	git -C "$tree" rm -q -r --cached .
	write own
}
state_odd_files() {
	write "$(printf 'a\nb\033]0;x\007\302\233\377 $(touch pwn)')"
	write --output=x
}
state_odd_branch() {
	branch=--output=x-$issue
	commit
	git update-ref "refs/heads/$branch" "work-$issue"
	git -C "$tree" symbolic-ref HEAD "refs/heads/$branch"
}

table <<-END
	locked            kept kept agent
	submodule         kept kept agent
	submodule_left    kept kept
	submodule_files   kept kept
	process           kept kept agent
	link              kept kept agent
	link_above        kept kept
	other_git         kept kept
	skip              kept saved
	assume            kept saved
	sparse            gone gone
	same_look         kept saved
	nested            kept kept
	nested_ignored    kept kept
	nested_empty      kept kept
	outside           kept kept agent
	main              kept kept
	unknown           kept kept
	vanished          gone gone agent
	vanished_detached kept saved
	vanished_staged   kept saved
	orphan            kept saved
	odd_files         kept saved agent
	odd_branch        gone gone
	END
kill "$inside"

done_testing
