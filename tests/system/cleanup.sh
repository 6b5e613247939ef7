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

# cleanup [OPTION...]: for the issue; what it said is in $T/told, its exit
# status in status.  The program named in before, if any, runs it.
before=
program=$PW
cleanup() {
	status=0
	env TMPDIR="$T" PANEWARD="$program" PANEWARD_ISSUE="$issue" \
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
	admin=$(git -C "$tree" rev-parse --absolute-git-dir)
}

# begin_run START...: what begin_tree made has a pane.
begin_run() {
	"$PW" start "$issue" --no-watch "$@" >"$T/said" 2>&1 ||
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
		git rev-parse "refs/heads/$branch"
		contents "$tree"
		[ ! -e "$tree/.git" ] || {
			git -C "$tree" rev-parse -q --verify HEAD
			git -C "$tree" -c core.fsmonitor= ls-files -s |
				grep -v ^160000 | cut -d ' ' -f 2
		}
	} 2>/dev/null | sort -u >"$T/before"
}

# How much of that is neither still in the work tree nor in what a ref reaches?
lost() {
	{
		git rev-list --objects --all --reflog --indexed-objects |
			cut -d ' ' -f 1
		contents "$tree"
		[ ! -e "$tree/.git" ] || git -C "$tree" rev-list --objects \
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
	case $1 in */*) mkdir -p "$tree/${1%/*}" ;; esac
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
}

# ---- being killed -----------------------------------------------------------

# Commands that count how often they are called, with CHANGES only to change
# something, and at the chosen number kill everybody: before they begin, or when
# they have ended.  HALF makes git do a part of its removal before that.
mkdir "$T/bin"
cat >"$T/bin/fake" <<'END'
#!/bin/sh
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
chmod +x "$T/bin"/*
cat >"$T/killable" <<'END'
#!/bin/sh
PATH=$T/bin:$PATH exec perl -e 'setpgrp;
	open my $group, ">", "$ENV{T}/group"; print $group $$; close $group;
	exec @ARGV' "$@"
END
chmod +x "$T/killable"
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

# ---- the table --------------------------------------------------------------

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

cat >"$T/agent" <<'END'
#!/bin/sh
exec tail -f /dev/null
END
chmod +x "$T/agent"
inside=
while read -r state plain forced agent; do
	try_state "$state" "$plain" "$forced" "${agent:+"$T/$agent"}"
done <<END
$(states)
END
kill "$inside"

# ---- killed at every step ---------------------------------------------------

CHANGES=true
step=1
while prepare build "$T/agent"; do
	: >"$S/.paneward/$issue.watch.log"
	killed "$step" '' ''
	[ "$status" -eq 137 ] || break
	cleanup
	cell build "killed at change $step" gone
	step=$((step + 1))
done
CHANGES=false
is "$status" 0 'these were all its changes'
check "(there were $step)" test "$step" -ge 10

# Each process of a clean-up is killed at that one of its changes to a folder.
cat >"$T/traced" <<'END'
#!/bin/sh
calls=unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir
exec strace -f -qq -o "$T/trace" -e trace="$calls" \
	-e inject="$calls:signal=KILL:when=$KILL_AT" "$@"
END
chmod +x "$T/traced"
if strace -f -o "$T/trace" true 2>"$T/said"; then
	for step in 1 2 3 5 8; do
		prepare build "$T/agent"
		: >"$S/.paneward/$issue.watch.log"
		before=$T/traced
		KILL_AT=$step
		export KILL_AT
		cleanup
		before=
		unset KILL_AT
		check 'a process was killed' test "$status" -ne 0
		cleanup
		cell build "killed at change $step of a process" gone
	done
else
	skip 'killed at a change of a process' 'strace may not trace'
fi

for half in some link files folders gone admin name; do
	prepare committed
	killed '' '' "$half"
	is "$status" 137 "git is killed half-way ($half)"
	cleanup
	cell committed "half removed ($half)" gone
done

prepare modified
killed '' '' link --force
cleanup
cell modified 'half removed with --force, then without it' saved

prepare committed
killed '' '' some
state_untracked
remember
cleanup
cell committed 'half removed, then written to' kept

if [ "$(id -u)" -ne 0 ]; then
	prepare committed
	chmod 555 "$tree/src"
	cleanup
	cell 'read-only folder' 'first try' kept
	chmod 755 "$tree/src"
	cleanup
	cell 'writable folder' 'next try' gone
else
	skip 'a read-only folder stops nothing half-way' 'root minds none'
fi

# ---- ended by a signal ------------------------------------------------------

# As at its deadline, the whole process group gets it.
mkdir "$T/slow"
cat >"$T/slow/git" <<'END'
#!/bin/sh
case $* in
*' status '*) echo $$ >"$T/slow.pid"; exec sleep 1000 ;;
esac
PATH=${PATH#*:}
exec git "$@"
END
cat >"$T/grouped" <<'END'
#!/bin/sh
PATH=$T/slow:$PATH exec perl -e 'setpgrp;
	open my $group, ">", "$ENV{T}/group"; print $group $$; close $group;
	exec @ARGV' "$@"
END
chmod +x "$T/slow/git" "$T/grouped"
prepare clean
rm -rf "$T"/paneward.*
before=$T/grouped
cleanup &
wait_until 5 test -s "$T/slow.pid"
kill -s TERM -- "-$(cat "$T/group")"
wait $!
before=
soon 'a clean-up that gets SIGTERM ends its git' \
	no kill -0 "$(cat "$T/slow.pid")"
is "$(find "$T" -maxdepth 1 -name 'paneward.*')" '' 'and leaves no index behind'
cleanup
cell clean 'after that' gone

# ---- what it is told --------------------------------------------------------

begin_tree
for wrong in ISSUE= ISSUE=../../x 'ISSUE=$(touch pwn)' ISSUE=-x RUN= \
    RUN=../x 'PANE=%1;kill-server' PANE=1 STATUS_DIR=x WORKTREE=x \
    WORKTREE_ROOT=x BUILD_DIRS=../x BUILD_DIRS=/x BUILD_DIRS=a/.. \
    BUILD_DIRS=. BUILD_DIRS=.git; do
	exits 2 "PANEWARD_$wrong is refused" env PANEWARD_ISSUE=1 \
		PANEWARD="$PW" PANEWARD_RUN="$run" PANEWARD_STATUS_DIR="$S" \
		"PANEWARD_$wrong" "$CLEANUP"
	like "$(cat "$T/err")" . 'with a word'
done
check 'nothing of it was executed' no test -e pwn
cleanup --all
is "$status" 2 'so is an unknown option'

# ---- the pane ---------------------------------------------------------------

begin_tree
begin_run --worktree "$tree" --session shared -- "$T/agent"
other=$(tm new-window -d -P -F '#{pane_id}' -t shared: 'tail -f /dev/null')
echo other >"$S/output-999.log"
: >"$S/signal-complete-$issue"
wait_until 5 test -e "$S/.paneward/$issue.pipe"
echo said >>"$S/output-$issue.log"
cleanup
is "$status" 0 'a pane in a session with another window'
check 'is ended' no pane_lives
is "$(tm list-panes -s -t shared -F '#{pane_id}')" "$other" \
	'the other window stays'
is "$(find "$S" -path "*/logs/*" -o \( -name "*-$issue*" -o \
	-name "$issue.*" \) -print | sed 's|.*/||' | sort)" \
	"$issue.json
$issue.lock
signal-complete-$issue" 'of the run remain its record, its lock and its signal'
check 'its log is kept' test -e "$S/.paneward/logs/$issue-$run.log.gz"
check 'and what is not of it' test -e "$S/output-999.log"
check 'like the journal' test -e "$S/.paneward/journal.ndjson"

begin_tree
tree=
begin_run -- "$T/agent"
tm pipe-pane -t "$pane"
mine=$record
sed "s/$run/00000000-0000-4000-8000-000000000000/" "$mine" >"$T/record.other"
record=$T/record.other
cleanup
is "$status" 0 'a pane that is of another run'
check 'is left alone' pane_lives
record=$mine
tm respawn-pane -k -t "$pane" "$T/agent"
cleanup
is "$status" 0 'one that somebody used again'
check 'too' pane_lives

begin_tree
begin_run --worktree "$tree" -- "$T/agent"
tm respawn-pane -k -c "$tree" -t "$pane" "$T/agent"
wait_until 5 all_placed
cleanup
is "$status" 77 'somebody who works in the work tree meanwhile'
like "$(cat "$T/told")" 'current directory' 'is not disturbed'

# Without the pane's end its agent is like any other process.
begin_tree
begin_run --worktree "$tree" -- "$T/agent"
export PANEWARD_ISSUE="$issue" PANEWARD_RUN="$run" PANEWARD_PANE="$pane" \
	PANEWARD_SOCKET="$socket" PANEWARD_STATUS_DIR="$S" \
	PANEWARD_WORKTREE="$tree" PANEWARD_WORKTREE_ROOT="$root"
exits 77 'the work tree of an open pane is not removed' \
	"$PW" cleanup --remove-tree
unset PANEWARD_ISSUE PANEWARD_RUN PANEWARD_PANE PANEWARD_SOCKET \
	PANEWARD_STATUS_DIR PANEWARD_WORKTREE PANEWARD_WORKTREE_ROOT
check 'while its agent is in it' test -e "$tree/two"

# A server that does not let us in still has its panes.
mkdir "$T/shut"
cat >"$T/shut/tmux" <<'END'
#!/bin/sh
echo "error connecting to $3 (Permission denied)" >&2
exit 1
END
chmod +x "$T/shut/tmux"
usual=$PATH
PATH=$T/shut:$PATH
cleanup
PATH=$usual
is "$status" 1 'a server that does not let us in'
like "$(cat "$T/told")" 'does not answer .*Permission denied' 'is named'
check 'and the work tree of its pane stays' test -e "$tree/two"
cleanup
is "$status" 0 'until it does'

# Its last words come when its pane ends, after the first look.
cat >"$T/late" <<END
#!/bin/sh
trap 'sleep 0.5; echo last words >late; exit' HUP
: >'$T/trapped'
while :; do sleep 0.1; done
END
chmod +x "$T/late"
prepare clean "$T/late"
wait_until 5 test -e "$T/trapped"
cleanup
is "$status" 77 'what an agent writes at its end is waited for'
is "$(cat "$tree/late")" 'last words' 'and kept'
like "$(tail -n 1 "$T/told")" "untracked file 'late'" 'and named'

# A server whose own current directory is in the work tree, as are its pipes;
# those of tmux 3.7 and later lead groups of their own.
begin_tree
pane=$(cd "$tree" && tmux -L other -f /dev/null new-session -d -P \
	-F '#{pane_id}' "$T/agent")
tmux -L other pipe-pane -t "$pane" 'cat >/dev/null' ';' \
	new-window -c "$T" 'tail -f /dev/null' ';' pipe-pane \
	'exec perl -e "setpgrp; exec q(cat)" >/dev/null'
wait_until 5 all_placed tmux -L other
socket=$(tmux -L other display-message -p '#{socket_path}')
printf '{"run":"%s","tmux":%s}\n' "$run" "$(tmux -L other display-message -p \
	-t "$pane" '{"server_pid":#{pid},"server_start":#{start_time},"pane_pid":#{pane_pid}}')" \
	>"$record"
cleanup
is "$status" 0 'a tmux server that was started in it holds nothing up'
is "$(tmux -L other list-panes -a | wc -l)" 1 'only its pane is ended'
tmux -L other kill-server

begin_tree
pane=%1
socket=$T/no-server
cleanup
is "$status" 0 'without a server there is no pane to be ended'

# ---- the files --------------------------------------------------------------

begin_tree
tree=
echo precious >"$T/precious"
ln -s "$T/precious" "$S/output-$issue.log"
mkdir "$S/output-$issue.log.1"
cleanup
is "$status" 0 'a log that is a link'
check 'is removed' no test -L "$S/output-$issue.log"
is "$(cat "$T/precious")" precious 'what it leads to is not'
check 'nor is a folder' test -d "$S/output-$issue.log.1"

echo log >"$S/output-$issue.log"
sed 's/"run":"/&f/' <"$record" >"$T/record.other"
record=$T/record.other
cleanup
is "$status" 0 'with the record of another run'
is "$(cat "$S/output-$issue.log")" log 'its log stays'

begin_tree
tree=
S=$T/status
mkdir "$S" "$T/theirs"
ln -s "$T/theirs" "$S/.paneward"
echo theirs >"$T/theirs/$issue.agent"
cleanup
is "$status" 1 'a status directory that leads elsewhere is not followed'
check 'and nothing there removed' test -e "$T/theirs/$issue.agent"
S=$P/.worktrees/.status

# ---- a dry run --------------------------------------------------------------

everything() {
	find "$P" ! -path "*/objects/*" ! -type d -exec cksum {} + | sort
	find "$P" -type d | sort
	git for-each-ref
	tm list-panes -a
}

# dry STATE STATUS TEXT [OPTION...]
dry() {
	want=$2
	text=$3
	prepare "$1" "$T/agent"
	: >"$S/output-$issue.log.1"
	shift 3
	everything >"$T/all.before"
	cleanup --dry-run "$@"
	is "$status" "$want" "a dry run${*:+ with $*} (exit $want)"
	like "$(cat "$T/told")" "$text" 'says what would be done'
	everything >"$T/all.after"
	check 'and does nothing' cmp "$T/all.before" "$T/all.after"
}

dry clean 0 "^would end pane %[0-9]+\$"
like "$(cat "$T/told")" "would remove work tree '$tree'" 'each thing'
like "$(cat "$T/told")" "would remove .*output-$issue.log.1" 'of it'
dry ignored 77 "ignored file 'notes.tmp'"
dry modified 0 "would save it first.*modified file 'two'" --force

# The main work tree never lies below the root of the others.
begin_tree
tree=$P
cleanup --force
is "$status" 77 'the main work tree is refused'
like "$(cat "$T/told")" "main work tree.*let the run have a linked one" \
	'as what it is'

# ---- having it back ---------------------------------------------------------

prepare left
state_staged_only
write 'new file'
write notes.tmp
write build/a.o
cleanup --force
is "$status" 0 'everything together is saved'
ref=$(git for-each-ref --format='%(refname)' "refs/paneward/rescue/$issue")
like "$ref" "^refs/paneward/rescue/$issue/[0-9]{8}T[0-9]{6}Z-${run%%-*}\$" \
	'under its name'
like "$(cat "$T/told")" "git worktree add --detach FOLDER $ref" 'which is told'
git worktree add -q --detach "$T/back" "$ref"
is "$(cd "$T/back" && cat notes.tmp 'new file')" "issue $issue, notes.tmp
issue $issue, new file" 'untracked and ignored files are there'
check 'what was built is not' no test -e "$T/back/build"
is "$(git rev-parse "$ref^1")" "$(git rev-parse "$branch")" \
	'the first parent is the branch'
is "$(git show "$ref^2:two" | tail -n 1)" "issue $issue, two" \
	'the second what was staged'
is "$(git rev-parse "$ref^3")" "$(cat "$T/worthy")" \
	'the third the commit that was on no branch'

# ---- what a repository may have run -----------------------------------------

for hook in post-index-change reference-transaction post-checkout pre-commit; do
	printf '#!/bin/sh\ntouch "%s"\n' "$T/pwn" >"$P/.git/hooks/$hook"
	chmod +x "$P/.git/hooks/$hook"
done
begin_tree
state_staged_only
rm -f "$T/pwn"
git config core.fsmonitor "touch '$T/pwn'; true"
cleanup
is "$status" 77 'a repository with hooks'
cleanup --force
is "$status" 0 'is looked at, saved and removed'
check 'none of them is run' no test -e "$T/pwn"
git config --unset core.fsmonitor
rm "$P/.git/hooks"/*

# ---- other projects ---------------------------------------------------------

begin_tree
exits 0 'the environment of cron is enough' env -i PATH=/usr/bin:/bin \
	HOME="$HOME" PANEWARD="$PW" PANEWARD_ISSUE="$issue" \
	PANEWARD_RUN="$run" PANEWARD_STATUS_DIR="$S" PANEWARD_WORKTREE="$tree/" "$CLEANUP"
check 'to remove a work tree' no test -e "$tree"

git clone -q --bare "$P" "$T/bare/.bare"
cd "$T/bare" || exit 1
issue=$((issue + 1))
tree=$T/bare/issue-$issue
root=$T/bare
git --git-dir=.bare worktree add -q -b "$branch-bare" "$tree"
write notes.tmp
cleanup
is "$status" 77 'work trees of a bare repository are looked after'
rm "$tree/notes.tmp"
cleanup
is "$status" 0 'and removed'
is "$(git --git-dir=.bare worktree list | wc -l)" 1 'from its list, too'

mkdir "$T/plain" "$T/plain/.worktrees" && cd "$T/plain" || exit 1
tree=$T/plain/.worktrees/it
root=$T/plain/.worktrees
mkdir "$tree"
cleanup
is "$status" 77 'without git no folder is removed'
tree=
cleanup
is "$status" 0 'but what is left of a run'
cd "$P" || exit 1

# ---- the gate ---------------------------------------------------------------

mkdir "$T/gh"
cat >"$T/gh/gh" <<'END'
#!/bin/sh
printf '%s\n' "$*" >"$T/gh.args"
cat "$T/gh.says"
exit "$(cat "$T/gh.status")"
END
chmod +x "$T/gh/gh"

# gate STATUS BRANCH GH-STATUS GH-SAYS DESCRIPTION
gate() {
	echo "$3" >"$T/gh.status"
	printf '%s\n' "$4" >"$T/gh.says"
	rm -f "$T/gh.args"
	exits "$1" "$5" env PATH="$T/gh:$PATH" PANEWARD_BRANCH="$2" "$MERGED"
	[ "$1" -eq 0 ] || like "$(cat "$T/err")" "^[ -~]+; [ -~]+\$" \
		'it says what to do'
}

gate 0 work 0 '{"mergedAt":"2026-01-02T03:04:05Z","state":"MERGED"}' \
	'a merged pull request opens the gate'
is "$(cat "$T/gh.args")" 'pr view --json state,mergedAt -- work' \
	'the branch is data'
gate 75 work 0 '{"mergedAt":null,"state":"OPEN"}' 'an open one is waited for'
gate 77 work 0 '{ "state": "CLOSED" }' 'a closed one is not'
gate 75 work 1 'no pull requests found for branch "work"' \
	'one that is not there may come'
gate 75 work 1 "$(printf 'connect: no route\033[2J\nto host')" \
	'a network may come back'
gate 75 work 0 'what?' 'an answer that is none is no yes'
gate 77 '--repo=theirs/x' 0 '{"state":"MERGED"}' 'an option is no branch'
check 'and not passed on' no test -e "$T/gh.args"
gate 77 12 0 '{"state":"MERGED"}' 'nor is the number of a pull request'
gate 77 '' 0 '{"state":"MERGED"}' 'nor is nothing'
mkdir "$T/bare-path"
for name in tr cut; do
	ln -s "$(command -v $name)" "$T/bare-path/$name"
done
exits 75 'without gh it is not yet' env PATH="$T/bare-path" \
	PANEWARD_BRANCH=work /bin/sh "$MERGED"
exits 0 'the gate leaves the record to the command behind it' \
	env PATH="$T/gh:$PATH" PANEWARD_BRANCH=work sh -c 'echo "{
	\"state\":\"MERGED\"}" >"$T/gh.says"; echo 0 >"$T/gh.status"
	echo record | { "$1" && cat; } >"$T/record.read"' - "$MERGED"
is "$(cat "$T/record.read")" record 'as it is'

echo "# $cells cells of state and manner"
done_testing
