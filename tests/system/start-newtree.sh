#!/bin/sh
# paneward start --new-worktree: the work tree it makes, what it refuses, and the
# command that sets a work tree up.
. "${0%/*}/lib.sh"

tmux_start
git config --global user.name test
git config --global user.email test@localhost
git init -q -b main
trees=$P/.worktrees

# refuses STATUS REGEX WORD...: start is refused in one line, and neither work
# tree nor branch is left.
refuses() {
	known=$(git worktree list; git for-each-ref; ls -A "$trees")
	wanted=$1 regex=$2
	shift 2
	fails "$wanted" "$regex" start "$@"
	is "$(grep -c '' "$T/err") $(git worktree list; git for-each-ref
		ls -A "$trees")" "1 $known" 'in one line, and nothing is left'
}

# begins ISSUE WORD...: an agent is started without a watcher.
begins() { exits 0 "issue $1 is started" "$PW" start --no-watch "$@"; }

mkdir "$trees"
refuses 3 'has no commit yet' 40 --new-worktree -- true

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
begins 41 --new-worktree -- sh -c "pwd >'$T/pwd.new'
	mv '$T/pwd.new' '$T/pwd'; exec tail -f /dev/null"
like "$(cat "$T/out")" "^41: made work tree $trees/issue-41, branch issue-41\$" \
	'which is told'
wait_until 5 test -e "$T/pwd"
is "$(cat "$T/pwd")" "$trees/issue-41" 'the agent stands there'
is "$(fields 41 worktree branch base)" \
	"$trees/issue-41 issue-41 $(git rev-parse HEAD)" \
	'the record has it, its branch and its base'
scenario 'files are copied with their modes, links as links; git sees none' <<'END'
>>> cd "$trees/issue-41"; cat .env; stat -c %a .env; cat conf/local; readlink link
a secret
600
local
/etc/passwd
>>> cd "$P"; git status --porcelain | grep worktrees
[1]
END

begins 42 --new-worktree=fix/map --base HEAD -- true
is "$(git -C "$trees/issue-42" symbolic-ref --short HEAD)" fix/map \
	'another has a branch of its own name, and a base'
is "$(grep -cv '^#' .git/info/exclude)" 0 'what git ignores is not excluded'

printf '# no line feed' >.git/info/exclude
export PANEWARD_WORKTREE_ROOT='my [trees]'
begins 60 --new-worktree -- true
begins 61 --new-worktree -- true
unset PANEWARD_WORKTREE_ROOT
is "$(record 61 worktree)" "$P/my [trees]/issue-61" 'another folder is made'
is "$(cat .git/info/exclude)" "# no line feed
/my\\ \\[trees]/" 'which is excluded once'
is "$(git status --porcelain | grep trees)" '' 'and git does not see it'

git branch kept
begins 43 --new-worktree=kept -- true
is "$(record 43 branch)" kept 'a branch that is there is used'

ln -s "$T" "$P/out"
echo '{ "worktree": "new", "worktree_copy": ["out/pids"] }' >.paneward.json
: >"$T/pids"
begins 44 -- true
is "$(record 44 worktree)" "$trees/issue-44" \
	'the configuration makes one for each issue'
check 'no link is followed to what is copied' no test -e "$trees/issue-44/out"
begins 45 --worktree "$trees/issue-41" -- true
is "$(record 45 worktree)" "$trees/issue-41" 'another work tree overrules it'
echo '{}' >.paneward.json

# ---- what is refused --------------------------------------------------------
wait_until 5 eval '[ "$(pane_tell project-issue-44 "#{pane_dead}")" = 1 ]'
mkdir -p "$trees/issue-62/work"
refuses 3 "there is already a '$trees/issue-62'; start in it by --worktree" \
	62 --new-worktree -- true
check 'it is left as it is' test -d "$trees/issue-62/work"
rmdir "$trees/issue-62/work"
begins 62 --new-worktree -- true
refuses 3 "a session 'project-issue-42' is there already" \
	42 --new-worktree -- true
refuses 3 "kept.* '$trees/issue-43'" 46 --new-worktree=kept -- true
refuses 3 "'a..b' cannot be the name of a branch" 46 --new-worktree=a..b -- true
refuses 3 "there is no commit 'nowhere'" \
	46 --new-worktree --base nowhere -- true
refuses 3 "branch 'fix/map' is there already" \
	46 --new-worktree=fix/map --base HEAD -- true
refuses 2 'exclude each other' 46 --new-worktree --worktree "$P" -- true
refuses 2 'base is for --new-worktree' 46 --base HEAD -- true
refuses 3 "cannot start './nothing'" 46 --new-worktree -- ./nothing
tm new-session -d -s project-issue-46 'tail -f /dev/null'
refuses 3 'a session .project-issue-46. is there already' \
	46 --new-worktree -- true
check 'and nothing is recorded' no test -e "$S/.paneward/46.json"
tm kill-session -t =project-issue-46:

echo changed >>tracked
refuses 3 "has uncommitted changes.*--base HEAD" 46 --new-worktree -- true
begins 46 --new-worktree --base HEAD -- true
is "$(cat "$trees/issue-46/tracked")" mine 'a base says that they are not wanted'
rm tracked && mkdir tracked && : >tracked/new
echo '{ "worktree_copy": ["tracked/new"] }' >.paneward.json
refuses 3 "cannot copy '$P/tracked/new' into the work tree: Not a directory" \
	49 --new-worktree --base HEAD -- true
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
unlike "$(git worktree list; git branch; ls "$trees")" issue-48 \
	'its work tree, what git knows of it and the branch are taken back'
rm .git/hooks/post-checkout

mkdir "$T/plain" && cd "$T/plain" || exit 1
fails 3 'is in no git repository' start 47 --new-worktree -- true
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
begins 48 --new-worktree -- \
	sh -c "test -e ready && : >'$T/ready'; exec tail -f /dev/null"
soon 'a new work tree is set up before the agent begins' test -e "$T/ready"
is "$(cat "$S/.paneward/48.setup.log")" "$trees/issue-48
48
###TASK_COMPLETE_48###" 'its output has a log of its own'
wait_until 5 logged 48 'setting up the work tree'
check 'the pane tells of it' logged 48 '48.setup.log'
check 'but its output is not there' no logged 48 TASK_COMPLETE
begins 49 --worktree "$trees/issue-41" -- true
check 'another work tree is not set up' no test -e "$S/.paneward/49.setup.log"

echo '{ "worktree_setup": "echo broken; exit 3" }' >.paneward.json
exits 0 'a setup may fail' "$PW" start 50 --new-worktree --no-handoff \
	-- sh -c ": >'$T/begun'"
wait_until 10 recorded 50 error
is "$(fields 50 state source)" 'error signal' 'which is an error of the issue'
like "$(record 50 why)$(record 50 message)" \
	'worktree_setup ended with status 3; see 50.setup.log' 'it says which'
is "$(cat "$S/.paneward/50.setup.log"; ls -d "$trees/issue-50")" \
	"broken
$trees/issue-50" 'its log and the work tree are kept'
check 'the agent is not started' no test -e "$T/begun"

echo '{ "worktree_setup": "./no-setup" }' >.paneward.json
refuses 2 'worktree_setup: ' 51 --new-worktree -- true

# ---- handing it off ---------------------------------------------------------
# hands_off ISSUE STATE COMMANDS: its agent does this and reports; it ends so.
hands_off() {
	"$PW" start "$1" --new-worktree -- sh -c "$3
		\"\$PANEWARD\" signal complete" >"$T/out" 2>&1
	wait_until 20 ended "$1" "$2"
}

ended() { [ "$(record "$1" handoff.state)" = "$2" ]; }

printf '%s\n' .env '*.tmp' >>.git/info/exclude
printf '{ "worktree_copy": [".env"], "handoff": "%s" }' \
	"$ROOT/scripts/cleanup.sh" >.paneward.json
hands_off 71 'done' :
check 'a copy that is ignored does not keep a work tree' \
	no test -e "$trees/issue-71"
hands_off 72 refused 'echo more >>.env'
check 'one that was changed does' grep -q more "$trees/issue-72/.env"
ln -s "$trees/issue-73/dir" dir
hands_off 73 refused 'mkdir dir; echo work >dir/a.tmp'
check 'so does a file that the project has by a link into it' \
	grep -q work "$trees/issue-73/dir/a.tmp"

# What git does not ignore, and a folder that it ignores as a whole.
mkdir -p .tool/cache
echo c >.tool/c
echo d >.tool/cache/d
echo /.tool/cache/ >>.git/info/exclude
printf '{ "worktree_copy": [".env", ".tool/"], "handoff": "%s" }' \
	"$ROOT/scripts/cleanup.sh" >.paneward.json
hands_off 74 'done' :
check 'copies that are not ignored do not keep a work tree' \
	no test -e "$trees/issue-74"
is "$(cat .tool/c .tool/cache/d | tr -d '\n')" cd "... the project's stay"
hands_off 75 refused 'echo more >>.tool/cache/d'
check 'one of them that was changed does, with all of them' \
	grep -q more "$trees/issue-75/.tool/cache/d" "$trees/issue-75/.tool/c"

done_testing
