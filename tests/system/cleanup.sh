#!/bin/sh
# scripts/cleanup.sh, the default hand-off: what it is told, which panes and files
# of a run it removes, a dry run, and what it has saved; scripts/merged.sh, the
# gate before it.  The other cleanup-*.sh try it on work trees in every state.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/trees.sh"

MERGED=$ROOT/scripts/merged.sh

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
exits 2 'a step that is given twice, too' "$PW" cleanup --check --check
like "$(cat "$T/err")" 'takes one step' 'with a word'

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

done_testing
