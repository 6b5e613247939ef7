# shellcheck shell=sh
# trees.sh - included by the tests of scripts/cleanup.sh, behind lib.sh: a
# repository, work trees in states, their clean-up, killed where a test wants it,
# and what it must not lose.

: "${T:?is set by lib.sh}"
# shellcheck disable=SC2153
CLEANUP=$ROOT/scripts/cleanup.sh
issue=0

git config --global user.name test
git config --global user.email test@localhost
git config --global init.defaultBranch main
git config --global protocol.file.allow always
git config --global advice.detachedHead false
git config --global maintenance.auto false

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
# cleanup [OPTION...]: for the issue; what it said is in $T/told, its exit
# status in status.  The program named in before, if any, runs it.
before=
program=$PW
cleanup() {
	status=0
	TMPDIR="$T" PANEWARD="$program" PANEWARD_ISSUE="$issue" \
		PANEWARD_RUN="$run" \
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
	admin=$P/.git/worktrees/issue-$issue
}

# begin_run START...: what begin_tree made has a pane.
begin_run() {
	"$PW" start "$issue" --no-watch "$@" >"$T/said" 2>&1 ||
		comment <"$T/said"
	record=$S/.paneward/$issue.json
	read -r run pane session socket <<-END
		$(fields "$issue" run tmux.pane tmux.session tmux.socket)
	END
}

pane_lives() { tm list-panes -a -F '#{pane_id}' | grep -qx "$pane"; }

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
		git rev-parse "refs/heads/$branch"
		contents "$tree"
		[ ! -e "$tree/.git" ] || {
			git -C "$tree" rev-parse -q --verify HEAD
			git -C "$tree" -c core.fsmonitor= ls-files -s |
				grep -v ^160000 | cut -d ' ' -f 2
		}
	} 2>/dev/null | sort -u >"$T/before"
}

# What of that is neither still in the work tree nor in what a ref reaches?
lost() {
	{
		git rev-list --objects --no-object-names --all --reflog \
			--indexed-objects
		contents "$tree"
		[ ! -e "$tree/.git" ] || git -C "$tree" rev-list --objects \
			--no-object-names --all
	} 2>/dev/null | sort -u >"$T/after"
	comm -23 "$T/before" "$T/after"
}

# cell STATE MANNER WANT: want is gone, kept or saved.
cell() {
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
	losses=$(lost)
	[ "$losses" = '' ] || echo "lost: $losses"
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
	rescued=$(git for-each-ref "refs/paneward/rescue/$issue")
	case $1${rescued:+1} in
	saved) echo 'nothing was saved' ;;
	gone1) echo 'something was saved' ;;
	esac
	! LC_ALL=C grep -q '[[:cntrl:]]' "$T/told" || echo 'control bytes'
	[ "$(find "$T" "$HOME" -maxdepth 2 -name '*pwn*' -o -name 'x-*')" \
		= '' ] || echo 'something was executed'
}

# ---- the states of a work tree ----------------------------------------------
# Each is of its own: a content or a commit that another work tree has as well
# would never be missed.
write() {
	case $1 in */*) mkdir -p "$tree/${1%/*}" ;; esac
	echo "issue $issue, $1" >>"$tree/$1"
}

commit() { git -C "$tree" commit -q --allow-empty -m "issue $issue" "$@"; }

# What nothing but the state says is worth keeping.
worthy() { git -C "$tree" rev-parse "$1" >>"$T/worthy"; }

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
state_build() { write build/a.o && write build/deep/.git/HEAD; }
state_committed() { state_modified && commit -a && worthy HEAD; }
state_left() { detached_commit && git -C "$tree" checkout -q "$branch"; }

# ---- being killed -----------------------------------------------------------
# Commands that count how often they are called, with CHANGES only to change
# something, and at the chosen number kill the whole group: before they begin, or
# when they have ended.  HALF makes git do a part of its removal before that.
script bin/fake <<'END'
with_fakes=$PATH
PATH=${PATH#*:}
read -r n <"$T/count"
case ${0##*/}$CHANGES/$* in
gittrue/*' worktree remove '* | [!gt]*true/* | tmuxtrue/*if-shell* | *false/*)
	n=$((n + 1)) ;;
esac
echo "$n" >"$T/count"
die() {
	kill -KILL "-$(cat "$T/group")"
	kill -KILL $$
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
case $0 in
*/paneward) PATH=$with_fakes "$T/real/paneward" "$@" ;;
*)          "${0##*/}" "$@" ;;
esac
status=$?
[ "$n" != "${KILL_AFTER:-}" ] || die
exit "$status"
END
for name in git tmux rm cp paneward; do
	cp "$T/bin/fake" "$T/bin/$name"
done
script killable <<'END'
PATH=$T/bin:$PATH exec perl -e 'setpgrp;
	open my $group, ">", "$ENV{T}/group"; print $group $$; close $group;
	exec @ARGV' "$@"
END
mkdir "$T/real" && ln -s "$PW" "$T/real/paneward"
export T

# killed AT AFTER HALF [OPTION...]: as far as it comes.
CHANGES=false
killed() {
	echo 0 >"$T/count"
	before=$T/killable
	program=$T/bin/paneward
	KILL_AT=$1 KILL_AFTER=$2 HALF=$3 TREE=$tree ADMIN=$admin
	export KILL_AT KILL_AFTER HALF TREE ADMIN CHANGES
	shift 3
	cleanup "$@"
	before=
	program=$PW
	unset KILL_AT KILL_AFTER HALF
}

# ---- a state is tried -------------------------------------------------------
# prepare STATE [AGENT]: a work tree in it, remembered.  With an agent, the
# command of a pane, that stood in it before.
prepare() {
	begin_tree
	[ "${2:-}" = '' ] || begin_run --worktree "$tree" -- "$2"
	: >"$T/worthy"
	"state_$1"
	remember
}

# try_state STATE PLAIN FORCED [AGENT]: a kill comes somewhere else each time.
try_state() {
	prepare "$1" "${4:-}"
	cleanup
	cell "$1" 'first try' "$2"
	cleanup
	cell "$1" retry "$2"
	[ "$2" = kept ] || prepare "$1"
	place=$((1 + issue * 7 % 24))
	killed "$place" '' ''
	cleanup
	cell "$1" "killed at command $place" "$2"
	[ "$2" = kept ] || prepare "$1"
	place=$((1 + issue * 11 % 40))
	killed '' "$place" '' --force
	cleanup --force
	cell "$1" "--force, killed behind command $place" "$3"
	[ "$3" != kept ] || return
	prepare "$1"
	cleanup --force
	cell "$1" --force "$3"
}

# table: tries each line of the input, STATE PLAIN FORCED [AGENT]: what comes of
# the state without and with --force.
table() {
	while read -r state plain forced agent; do
		try_state "$state" "$plain" "$forced" "${agent:+"$T/$agent"}"
	done
}

script agent <<'END'
exec tail -f /dev/null
END
