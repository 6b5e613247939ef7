#!/bin/sh
# scripts/cleanup.sh, the default hand-off: whatever state a work tree is in and
# however often it is called, nothing is lost, and a refusal says what to do.
. "${0%/*}/lib.sh"

CLEANUP=$ROOT/scripts/cleanup.sh
MERGED=$ROOT/scripts/merged.sh
cells=0
issue=0

git config --global user.name test
git config --global user.email test@localhost
git config --global init.defaultBranch main
git config --global protocol.file.allow always
git config --global advice.detachedHead false

git_project
cat >"$P/.gitignore" <<-END
	*.tmp
	/build/
	/.worktrees/
END
mkdir "$P/src"
echo one >"$P/src/one"
echo two >"$P/two"
git add -A && git commit -q -m second
git init -q "$T/lib" && git -C "$T/lib" commit -q --allow-empty -m lib

tmux_start

# ---- calling it -------------------------------------------------------------

# cleanup [OPTION...]: for the issue; what it said is in $T/told, its exit status
# in status.  The program named in before, if any, runs it.
before=
cleanup() {
	status=0
	env PANEWARD="$PW" PANEWARD_ISSUE="$issue" PANEWARD_RUN="$run" \
		PANEWARD_STATE=complete PANEWARD_SOURCE=signal \
		PANEWARD_MESSAGE='$(touch pwn)' PANEWARD_SESSION="$session" \
		PANEWARD_PANE="$pane" PANEWARD_SOCKET="$socket" \
		PANEWARD_STATUS_DIR="$S" PANEWARD_WORKTREE="$tree" \
		PANEWARD_BRANCH="$branch" PANEWARD_HANDOFF_ID=1 \
		PANEWARD_ATTEMPT=1 PANEWARD_WORKTREE_ROOT="$root" \
		PANEWARD_BUILD_DIRS=build:web/out \
		${before:+"$before"} "$CLEANUP" "$@" \
		<"$record" >"$T/told" 2>&1 || status=$?
}

# begin_tree: the next issue, with a work tree and no pane.
begin_tree() {
	issue=$((issue + 1))
	tree=$P/.worktrees/issue-$issue
	branch=work-$issue
	root=$P/.worktrees
	run=00000000-0000-4000-8000-$(printf '%012d' $issue)
	pane=
	session=
	socket=
	record=$T/record
	printf '{"v":1,"issue":"%s","run":"%s","state":"complete"}\n' \
		"$issue" "$run" >"$record"
	git worktree add -q -b "$branch" "$tree"
	admin=$(git -C "$tree" rev-parse --absolute-git-dir)
}

# begin_run START...: what begin_tree made has a pane.
begin_run() {
	"$PW" start "$issue" --no-watch --worktree "$tree" "$@" >"$T/said" 2>&1 ||
		comment <"$T/said"
	record=$S/.paneward/$issue.json
	run=$(record "$issue" run)
	pane=$(record "$issue" tmux.pane)
	session=$(record "$issue" tmux.session)
	socket=$(record "$issue" tmux.socket)
}

pane_lives() {
	tm list-panes -a -F '#{pane_id}' | grep -qx "$pane"
}

# ---- what is lost -----------------------------------------------------------

# The content of every file of a folder, git's own and what is built apart.
contents() {
	(cd "$1" 2>/dev/null && find . \( -path ./.git -o -path ./build \
		-o -path ./.worktrees \) -prune -o -type f -print0 |
		xargs -0 git hash-object --no-filters --)
}

# Every content and commit that the work tree has; besides, $T/worthy has what
# only the state knows of.
remember() {
	{
		cat "$T/worthy"
		contents "$tree"
		[ ! -e "$tree/.git" ] || {
			git -C "$tree" rev-parse -q --verify HEAD
			git -C "$tree" ls-files -s | grep -v ^160000 |
				cut -d ' ' -f 2
		}
	} 2>/dev/null | sort -u >"$T/before"
}

# How much of that is neither still in the work tree nor in what a ref reaches?
lost() {
	{
		git rev-list --objects --all --reflog --indexed-objects |
			cut -d ' ' -f 1
		contents "$tree"
		[ ! -d "$tree/.git" ] || git -C "$tree" rev-list --objects \
			--all | cut -d ' ' -f 1
	} 2>/dev/null | sort -u >"$T/after"
	comm -23 "$T/before" "$T/after" | wc -l
}

# cell STATE MANNER WANT: want is gone, kept or saved.
cell() {
	cells=$((cells + 1))
	wrong=$(wrongs "$3")
	[ "$wrong" = '' ]
	result $? "$1, $2: $3, nothing lost" && return
	echo "$wrong" | comment
	comment <"$T/told"
}

wrongs() {
	want=0
	[ "$1" != kept ] || want=77
	[ "$status" -eq "$want" ] || echo "status $status, not $want"
	number=$(lost)
	[ "$number" -eq 0 ] || echo "lost: $(comm -23 "$T/before" "$T/after")"
	if [ "$1" = kept ]; then
		[ -e "$tree" ] || [ -L "$tree" ] || [ -d "$admin" ] ||
			echo 'the work tree is gone'
		tail -n 1 "$T/told" | grep -q "then run 'paneward handoff" ||
			echo 'the last line does not say what to do'
		[ "$pane" = '' ] || pane_lives || echo 'the pane was ended'
	else
		[ ! -e "$tree" ] || echo 'the work tree is there'
		git worktree list --porcelain | grep -qx "worktree $tree" &&
			echo 'git remembers the work tree'
		[ "$pane" = '' ] || ! pane_lives || echo 'the pane lives'
		git rev-parse -q --verify "refs/heads/$branch" >"$T/said" ||
			echo 'the branch is gone'
		[ "$pane" = '' ] || find "$S" -name "output-$issue.*" -o \
			-name "$issue.*" ! -name '*.json' ! -name '*.lock'
	fi
	rescued=$(git for-each-ref "refs/paneward/rescue/$issue" | wc -l)
	case $1$rescued in
	saved0) echo 'nothing was saved' ;;
	gone[1-9]*) echo 'something was saved' ;;
	esac
	! LC_ALL=C tr '\n' ' ' <"$T/told" | LC_ALL=C grep -q '[[:cntrl:]]' ||
		echo 'control bytes'
	[ "$(find "$T" "$HOME" -maxdepth 2 -name '*pwn*' -o -name 'x-*')" \
		= '' ] || echo 'something was executed'
}

# ---- the states of a work tree ----------------------------------------------

# Each is of its own: a content or a commit that another work tree has as well
# would never be missed.
write() {
	mkdir -p "$tree/${1%/*}" 2>/dev/null
	echo "issue $issue, $1" >>"$tree/$1"
}

commit() {
	git -C "$tree" commit -q --allow-empty -m "issue $issue" "$@"
}

# What nothing but the state says is worth keeping.
worthy() {
	git -C "$tree" rev-parse "$1" >>"$T/worthy"
}

detached_commit() {
	git -C "$tree" checkout -q --detach
	commit
	worthy HEAD
}

state_clean() { :; }
state_modified() { write two; }
state_deleted() { rm "$tree/two"; }
state_mode() { chmod +x "$tree/two"; }
state_staged() { write new && git -C "$tree" add new; }
state_staged_only() {
	state_modified
	git -C "$tree" add two
	echo two >"$tree/two"
}
state_untracked() { write new/file; }
state_ignored() { write notes.tmp; }
state_excluded() {
	echo excluded >>"$P/.git/info/exclude"
	write excluded
}
state_empty_folder() { mkdir "$tree/empty"; }
state_build() { write build/a.o && write build/deep/.git/HEAD; }
state_build_untracked() { write web/out/page; }
state_build_link() {
	mkdir "$T/target-$issue" "$tree/web"
	ln -s "$T/target-$issue" "$tree/web/out"
	write web/out/page
}
state_committed() { state_modified && commit -a && worthy HEAD; }
state_amended() {
	commit && worthy HEAD
	commit --amend -m amended
}
state_detached() { detached_commit; }
state_left() { detached_commit && git -C "$tree" checkout -q "$branch"; }
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
state_locked() {
	git worktree lock --reason "$(printf 'mine\033[2J\nonly')" "$tree"
}
state_submodule() {
	git -C "$tree" submodule -q add "$T/lib" lib 2>"$T/said"
	commit
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
	(cd "$tree/src" && exec sleep 1000) &
	inside=$!
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
state_skip() {
	git -C "$tree" update-index --skip-worktree two
	state_modified
}
state_assume() {
	git -C "$tree" update-index --assume-unchanged two
	state_modified
}
state_sparse() {
	git -C "$tree" sparse-checkout set --no-cone /src 2>"$T/said"
}
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

# What comes of it, without and with --force.
states() {
	cat <<-END
		clean             gone gone
		modified          kept saved
		deleted           kept saved
		mode              kept saved
		staged            kept saved
		staged_only       kept saved
		untracked         kept saved
		ignored           kept saved
		excluded          kept saved
		empty_folder      gone gone
		build             gone gone
		build_untracked   kept saved
		build_link        kept saved
		committed         gone gone
		amended           gone gone
		detached          kept saved
		left              kept saved
		own_ref           kept saved
		stash             gone gone
		merge             kept saved
		conflict          kept kept
		rebase            kept saved
		locked            kept kept
		submodule         kept kept
		submodule_left    kept kept
		submodule_files   kept kept
		process           kept kept
		link              kept kept
		link_above        kept kept
		other_git         kept kept
		skip              kept saved
		assume            kept saved
		sparse            gone gone
		same_look         kept saved
		nested            kept kept
		nested_ignored    kept kept
		nested_empty      kept kept
		outside           kept kept
		main              kept kept
		unknown           kept kept
		vanished          gone gone
		vanished_detached kept saved
		vanished_staged   kept saved
		orphan            kept saved
		odd_files         kept saved
		odd_branch        gone gone
	END
}

# prepare STATE: a work tree in it, remembered.
prepare() {
	begin_tree
	: >"$T/worthy"
	"state_$1"
	remember
}

# ---- being killed -----------------------------------------------------------

# Commands that count how often they are called, and at the chosen number kill
# everybody: before they begin, or after they have ended.  HALF makes git do a
# part of its removal before that.
mkdir "$T/bin"
cat >"$T/bin/fake" <<'END'
#!/bin/sh
PATH=${PATH#*:}
read -r n <"$T/count"
n=$((n + 1))
echo "$n" >"$T/count"
die() {
	kill -KILL "-$(cat "$T/group")"
}
[ "$n" != "${KILL_AT:-}" ] || die
case $HALF/$*/ in
/*) ;;
*'/worktree/remove/'*) ;;
*' worktree remove '*)
	cd "$TREE" || exit 1
	case $HALF in
	some)    rm two ;;
	link)    rm .git two ;;
	files)   find . ! -type d -exec rm {} + ;;
	folders) find . ! -type d -exec rm {} + ; rm -r "$ADMIN" ;;
	gone)    rm -r "$TREE" ;;
	admin)   rm -r "$TREE" "$ADMIN/HEAD" "$ADMIN/commondir" ;;
	name)    rm -r "$TREE"; cd "$ADMIN" && find . -type f ! -name gitdir \
			-exec rm {} + ;;
	esac
	die ;;
esac
"${0##*/}" "$@"
status=$?
[ "$n" != "${KILL_AFTER:-}" ] || die
exit "$status"
END
for name in git tmux rm mv mkdir cp; do
	cp "$T/bin/fake" "$T/bin/$name"
done
chmod +x "$T/bin"/*
cat >"$T/killable" <<'END'
#!/bin/sh
PATH=$T/bin:$PATH exec perl -e 'setpgrp;
	open my $group, ">", "$ENV{T}/group"; print $group $$; close $group;
	exec @ARGV' "$@"
END
chmod +x "$T/killable"
export T

# killed AT AFTER HALF [OPTION...]: as far as it comes.
killed() {
	echo 0 >"$T/count"
	before=$T/killable
	KILL_AT=$1 KILL_AFTER=$2 HALF=$3 TREE=$tree ADMIN=$admin
	export KILL_AT KILL_AFTER HALF TREE ADMIN
	shift 3
	cleanup "$@"
	before=
	unset KILL_AT KILL_AFTER HALF
}

# ---- the table --------------------------------------------------------------

state=clean
while read -r state plain forced; do
	prepare "$state"
	begin_run -- tail -f /dev/null
	cleanup
	cell "$state" 'first try' "$plain"
	cleanup
	cell "$state" retry "$plain"
	# Killed somewhere else each time.
	if [ "$plain" = gone ]; then
		tm kill-pane -t "$pane" 2>/dev/null
		prepare "$state"
	fi
	killed $((1 + issue * 7 % 20)) '' ''
	cleanup
	cell "$state" "killed at $((1 + issue * 7 % 20))" "$plain"
	if [ "$plain" = gone ]; then
		prepare "$state"
	fi
	killed '' $((1 + issue * 11 % 40)) '' --force
	cleanup --force
	cell "$state" "forced, killed after $((1 + issue * 11 % 40))" "$forced"
	if [ "$forced" != kept ]; then
		prepare "$state"
		cleanup --force
	else
		cleanup --force
	fi
	cell "$state" forced "$forced"
	[ "$state" != process ] || kill "$inside"
done <<END
$(states)
END
echo "# $cells cells"
done_testing
