#!/bin/sh
# paneward start --new-worktree: the work tree it makes, what it refuses, and the
# command that sets a work tree up.
. "${0%/*}/lib.sh"

tmux_start
git config --global user.name test
git config --global user.email test@localhost
git init -q -b main
trees=$P/.worktrees

# refuses STATUS PATTERN DESCRIPTION WORD...: start is refused in one line, and
# neither work tree, branch nor record is left.
refuses() {
	wanted=$1 pattern=$2 description=$3
	shift 3
	git worktree list >"$T/trees.before"
	git for-each-ref >"$T/refs.before"
	exits "$wanted" "$description" "$PW" start "$@"
	like "$(cat "$T/err")" "$pattern" 'the reason is told'
	is "$(wc -l <"$T/err")" 1 'in one line'
	git worktree list >"$T/trees.after"
	git for-each-ref >"$T/refs.after"
	check 'no work tree is made' cmp "$T/trees.before" "$T/trees.after"
	check 'and no branch' cmp "$T/refs.before" "$T/refs.after"
}

refuses 3 'has no commit yet' 'a project without a commit has no work tree' \
	40 --new-worktree -- true
check 'nor has it a folder for it' no test -e "$trees/issue-40"

printf 'a secret\n' >.env
mkdir conf
printf 'local\n' >conf/local
ln -s /etc/passwd link
printf 'mine\n' >tracked
git add tracked
git commit -q -m first

# ---- what is made -----------------------------------------------------------

echo '{ "worktree_copy": [".env", "conf/local", "link", "tracked", "none"] }' \
	>.paneward.json
chmod 600 .env
exits 0 'an agent is started in a new work tree' "$PW" start 41 \
	--new-worktree --no-watch -- sh -c "pwd >'$T/pwd.new'
	mv '$T/pwd.new' '$T/pwd'; exec tail -f /dev/null"
like "$(cat "$T/out")" "^41: made work tree $trees/issue-41, branch issue-41\$" \
	'which is told'
wait_until 5 test -e "$T/pwd"
is "$(cat "$T/pwd")" "$trees/issue-41" 'the agent stands there'
is "$(record 41 worktree) $(record 41 branch) $(record 41 base)" \
	"$trees/issue-41 issue-41 $(git rev-parse HEAD)" \
	'the record has it, its branch and its base'
is "$(cat "$trees/issue-41/.env") $(stat -c %a "$trees/issue-41/.env")" \
	'a secret 600' 'a file is copied in, with its mode'
is "$(cat "$trees/issue-41/conf/local")" local 'with its folder'
is "$(readlink "$trees/issue-41/link")" /etc/passwd 'a link as a link'
is "$(git status --porcelain | grep worktrees)" '' \
	'git does not see the work trees'

exits 0 'another has a branch of its own name, and a base' \
	"$PW" start 42 --new-worktree=fix/map --base HEAD --no-watch -- true
is "$(git -C "$trees/issue-42" symbolic-ref --short HEAD)" fix/map \
	'which is checked out'
is "$(grep -cv '^#' .git/info/exclude)" 0 'what git ignores is not excluded'

printf '# no line feed' >.git/info/exclude
for issue in 60 61; do
	exits 0 'another folder of work trees is made' env \
		PANEWARD_WORKTREE_ROOT='my [trees]' "$PW" start $issue \
		--new-worktree --no-watch -- true
done
is "$(record 61 worktree)" "$P/my [trees]/issue-61" 'with a work tree in it'
is "$(cat .git/info/exclude)" "# no line feed
/my\\ \\[trees]/" 'which is excluded once'
is "$(git status --porcelain | grep trees)" '' 'and git does not see it'

git branch kept
exits 0 'a branch that is there is used' \
	"$PW" start 43 --new-worktree=kept --no-watch -- true
is "$(record 43 branch)" kept 'as it is'

ln -s "$T" "$P/out"
echo '{ "worktree": "new", "worktree_copy": ["out/pids"] }' >.paneward.json
: >"$T/pids"
exits 0 'the configuration makes one for each issue' \
	"$PW" start 44 --no-watch -- true
is "$(record 44 worktree)" "$trees/issue-44" 'which is recorded'
check 'no link is followed to what is copied' \
	no test -e "$trees/issue-44/out"
exits 0 '--worktree overrules it' "$PW" start 45 --worktree "$trees/issue-41" \
	--no-watch -- true
is "$(record 45 worktree)" "$trees/issue-41" 'by another work tree'
echo '{}' >.paneward.json

# ---- what is refused --------------------------------------------------------

wait_until 5 eval '[ "$(pane_tell project-issue-44 "#{pane_dead}")" = 1 ]'
mkdir -p "$trees/issue-62/work"
refuses 3 "there is already a '$trees/issue-62'; start in it by --worktree" \
	'a folder that is there is not taken' 62 --new-worktree -- true
check 'and left as it is' test -d "$trees/issue-62/work"
rmdir "$trees/issue-62/work"
exits 0 'an empty one is' "$PW" start 62 --new-worktree --no-watch -- true
refuses 3 "a session 'project-issue-42' is there already" \
	'nor is a session' 42 --new-worktree -- true
refuses 3 "kept.* '$trees/issue-43'" 'a branch is checked out once' \
	46 --new-worktree=kept -- true
check 'no folder is left of it' no test -e "$trees/issue-46"
refuses 3 "'a..b' cannot be the name of a branch" 'a wrong name is refused' \
	46 --new-worktree=a..b -- true
refuses 3 "there is no commit 'nowhere'" 'so is a commit that is none' \
	46 --new-worktree --base nowhere -- true
refuses 3 "branch 'fix/map' is there already" 'and a base of a branch that has one' \
	46 --new-worktree=fix/map --base HEAD -- true
refuses 2 'exclude each other' 'one work tree is enough' \
	46 --new-worktree --worktree "$P" -- true
refuses 2 'base is for --new-worktree' 'a base needs a new work tree' \
	46 --base HEAD -- true
refuses 3 "cannot start './nothing'" 'a program that the work tree lacks' \
	46 --new-worktree -- ./nothing
check 'takes the work tree back' no test -e "$trees/issue-46"
tm new-session -d -s project-issue-46 'tail -f /dev/null'
refuses 3 'a session .project-issue-46. is there already' 'so does tmux' \
	46 --new-worktree -- true
check 'and the folder' no test -e "$trees/issue-46"
check 'and nothing is recorded' no test -e "$S/.paneward/46.json"
tm kill-session -t =project-issue-46:

echo changed >>tracked
refuses 3 "has uncommitted changes.*--base HEAD" \
	'what is not committed would be missing' 46 --new-worktree -- true
exits 0 'a base says that it is not wanted' \
	"$PW" start 46 --new-worktree --base HEAD --no-watch -- true
is "$(cat "$trees/issue-46/tracked")" mine 'and then it is not there'
rm tracked && mkdir tracked && : >tracked/new
echo '{ "worktree_copy": ["tracked/new"] }' >.paneward.json
refuses 3 "cannot copy '$P/tracked/new' into the work tree: Not a directory" \
	'a copy has no folder where git has a file' \
	49 --new-worktree --base HEAD -- true
check 'the work tree goes' no test -e "$trees/issue-49"
echo '{}' >.paneward.json
rm -r tracked
git checkout -q tracked

# Git is in the middle of it.
printf '#!/bin/sh\n: >%s/hooked\nexec sleep 1000\n' "$T" >.git/hooks/post-checkout
chmod +x .git/hooks/post-checkout
begin_command broken start 48 --new-worktree -- true
wait_until 10 test -e "$T/hooked"
kill "$(cat "$T/broken.pid")"
wait_until 10 command_ended broken
is "$(cat "$T/broken.status" "$T/broken.err")" "3
paneward: cannot start issue '48': cannot make the work tree '$trees/issue-48': interrupted" \
	'one that is interrupted says so'
check 'its work tree is taken back' no test -e "$trees/issue-48"
is "$(git worktree list | grep -c issue-48; git branch --list issue-48)" 0 \
	'and so are what git knows of it and the branch'
rm .git/hooks/post-checkout

mkdir "$T/plain" && cd "$T/plain" || exit 1
exits 3 'outside git there is no work tree' \
	"$PW" start 47 --new-worktree -- true
like "$(cat "$T/err")" 'is in no git repository' 'which is told'
cd "$P" || exit 1

# ---- the setup --------------------------------------------------------------

cat >"$P/setup" <<-'END'
	#!/bin/sh
	pwd
	echo "$PANEWARD_ISSUE" >&2
	echo '###TASK_COMPLETE_48###'
	: >ready
END
chmod +x "$P/setup"
echo '{ "worktree_setup": "./setup" }' >.paneward.json
exits 0 'a new work tree is set up' "$PW" start 48 --new-worktree --no-watch \
	-- sh -c "test -e ready && : >'$T/ready'; exec tail -f /dev/null"
wait_until 5 test -e "$T/ready"
check 'before the agent begins' test -e "$T/ready"
is "$(cat "$S/.paneward/48.setup.log")" "$trees/issue-48
48
###TASK_COMPLETE_48###" 'its output has a log of its own'
wait_until 5 logged 48 'setting up the work tree'
check 'the pane tells of it' logged 48 '48.setup.log'
check 'but its output is not there' no logged 48 TASK_COMPLETE
exits 0 'another work tree is not set up' "$PW" start 49 \
	--worktree "$trees/issue-41" --no-watch -- true
check 'and has no log of it' no test -e "$S/.paneward/49.setup.log"

echo '{ "worktree_setup": "echo broken; exit 3" }' >.paneward.json
exits 0 'a setup may fail' "$PW" start 50 --new-worktree --no-handoff \
	-- sh -c ": >'$T/begun'"
wait_until 10 recorded 50 error
is "$(record 50 state) $(record 50 source)" 'error signal' \
	'which is an error of the issue'
like "$(record 50 why)$(record 50 message)" \
	'worktree_setup ended with status 3; see 50.setup.log' 'it says which'
is "$(cat "$S/.paneward/50.setup.log")" broken 'its log is kept'
check 'so is the work tree' test -d "$trees/issue-50"
check 'the agent is not started' no test -e "$T/begun"

echo '{ "worktree_setup": "./no-setup" }' >.paneward.json
refuses 2 'worktree_setup: ' 'a setup that cannot be run is refused' \
	51 --new-worktree -- true

# ---- handing it off ---------------------------------------------------------

# ended ISSUE STATE: the hand-off has ended so.
ended() {
	[ "$(record "$1" handoff.state)" = "$2" ]
}

printf '%s\n' .env '*.tmp' >>.git/info/exclude
printf '{ "worktree_copy": [".env"], "handoff": "%s" }' \
	"$ROOT/scripts/cleanup.sh" >.paneward.json
"$PW" start 71 --new-worktree -- sh -c '"$PANEWARD" signal complete' \
	>"$T/out" 2>&1
wait_until 20 ended 71 'done'
check 'a copy that is ignored does not keep a work tree' \
	no test -e "$trees/issue-71"
"$PW" start 72 --new-worktree -- sh -c 'echo more >>.env
	"$PANEWARD" signal complete' >"$T/out" 2>&1
wait_until 20 ended 72 refused
check 'one that was changed does' grep -q more "$trees/issue-72/.env"
ln -s "$trees/issue-73/dir" dir
"$PW" start 73 --new-worktree -- sh -c 'mkdir dir; echo work >dir/a.tmp
	"$PANEWARD" signal complete' >"$T/out" 2>&1
wait_until 20 ended 73 refused
check 'so does a file that the project has by a link into it' \
	grep -q work "$trees/issue-73/dir/a.tmp"

# What git does not ignore, and a folder that it ignores as a whole.
mkdir -p .tool/cache
echo c >.tool/c
echo d >.tool/cache/d
echo /.tool/cache/ >>.git/info/exclude
printf '{ "worktree_copy": [".env", ".tool/"], "handoff": "%s" }' \
	"$ROOT/scripts/cleanup.sh" >.paneward.json
"$PW" start 74 --new-worktree -- sh -c '"$PANEWARD" signal complete' \
	>"$T/out" 2>&1
wait_until 20 ended 74 'done'
check 'copies that are not ignored do not keep a work tree' \
	no test -e "$trees/issue-74"
is "$(cat .tool/c .tool/cache/d | tr -d '\n')" cd "... the project's stay"
"$PW" start 75 --new-worktree -- sh -c 'echo more >>.tool/cache/d
	"$PANEWARD" signal complete' >"$T/out" 2>&1
wait_until 20 ended 75 refused
check 'one of them that was changed does' \
	grep -q more "$trees/issue-75/.tool/cache/d"
check '... with all of them' test -e "$trees/issue-75/.tool/c"

done_testing
