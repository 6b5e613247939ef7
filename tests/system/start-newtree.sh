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
		ls -A "$trees")" "1 $known"
}

# begins ISSUE WORD...: an agent is started without a watcher.
begins() { fails 0 '' start --no-watch "$@"; }

mkdir "$trees"
refuses 3 'has no commit yet' 40 --new-worktree -- true

printf 'a secret\n' >.env
mkdir conf
printf 'local\n' >conf/local
ln -s /etc/passwd link
printf 'mine\n' >tracked
git add tracked
git commit -q -m first
chmod 600 .env

# ---- what is made -----------------------------------------------------------
scenario 'an agent stands in a new work tree, which its record names' <<'END'
>>> copied='".env", "conf/local", "link", "tracked", "none"'
>>> echo "{ \"worktree_copy\": [$copied] }" >.paneward.json
>>> begins 41 --new-worktree -- sh -c "pwd >'$T/pwd.new'
... 	mv '$T/pwd.new' '$T/pwd'; exec tail -f /dev/null"
>>> head -n 1 "$T/out"; wait_until 5 test -e "$T/pwd"; cat "$T/pwd"
41: made work tree $T/project/.worktrees/issue-41, branch issue-41
$T/project/.worktrees/issue-41
>>> fields 41 worktree branch base | sed "s/$(git rev-parse HEAD)/HEAD/"
$T/project/.worktrees/issue-41 issue-41 HEAD
END
scenario 'files are copied with their modes, links as links; git sees none' <<'END'
>>> cd "$trees/issue-41"; cat .env; stat -c %a .env; cat conf/local; readlink link
a secret
600
local
/etc/passwd
>>> cd "$P"; git status --porcelain | grep worktrees
[1]
END
scenario 'branch, base and folder can be chosen' <<'END'
>>> begins 42 --new-worktree=fix/map --base HEAD -- true
>>> git -C "$trees/issue-42" symbolic-ref --short HEAD
fix/map
>>> grep -v '^#' .git/info/exclude; printf '# no line feed' >.git/info/exclude
>>> export PANEWARD_WORKTREE_ROOT='my [trees]'
>>> begins 60 --new-worktree -- true; begins 61 --new-worktree -- true
>>> unset PANEWARD_WORKTREE_ROOT; fields 61 worktree; cat .git/info/exclude
$T/project/my [trees]/issue-61
# no line feed
/my\ \[trees]/
>>> git branch kept; begins 43 --new-worktree=kept -- true; record 43 branch
kept
>>> git status --porcelain | grep trees
[1]
END
scenario 'the configuration makes one; no link is followed' <<'END'
>>> ln -s "$T" "$P/out"; : >"$T/pids"
>>> echo '{ "worktree": "new", "worktree_copy": ["out/pids"] }' >.paneward.json
>>> begins 44 -- true; record 44 worktree; no test -e "$trees/issue-44/out"
$T/project/.worktrees/issue-44
>>> usual=$HOME/.config/paneward/config.json; mv "$usual" "$T/usual"
>>> begins 63 --backend pi --prompt me -- true
>>> stays() { grep -c '"handoff_command":\[\]' "$S/.paneward/$1.json"; }
>>> sed -n 2p "$T/out"; stays 63
63: it stays until 'paneward merge 63'
1
>>> fails 0 '' start 64 --no-watch --at-once 9 --backend pi --prompt me -- true
>>> wait_until 9 recorded 64 working; stays 64
0
[1]
>>> mv "$T/usual" "$usual"
>>> begins 45 --worktree "$trees/issue-41" -- true; record 45 worktree
$T/project/.worktrees/issue-41
>>> echo '{}' >.paneward.json
END

# ---- what is refused --------------------------------------------------------
is_dead() { [ "$(pane_tell project-issue-44 "#{pane_dead}")" = 1 ]; }
scenario 'what is in the way is refused, and left as it is' <<'END'
>>> wait_until 5 is_dead; mkdir -p "$trees/issue-62/work"
>>> refuses 3 "there is already a '$trees/issue-62'; start in it by --work" \
... 	62 --new-worktree -- true
>>> rmdir "$trees/issue-62/work"; begins 62 --new-worktree -- true
>>> refuses 3 "a session 'project-issue-42' is there already" \
... 	42 --new-worktree -- true
>>> refuses 3 "kept.* '$trees/issue-43'" 46 --new-worktree=kept -- true
>>> refuses 3 "'a..b' cannot be the name of a branch" \
... 	46 --new-worktree=a..b -- true
>>> refuses 3 "there is no commit 'nowhere'" \
... 	46 --new-worktree --base nowhere -- true
>>> refuses 3 "branch 'fix/map' is there already" \
... 	46 --new-worktree=fix/map --base HEAD -- true
>>> refuses 2 'exclude each other' 46 --new-worktree --worktree "$P" -- true
>>> refuses 2 'base is for --new-worktree' 46 --base HEAD -- true
>>> refuses 3 "cannot start './nothing'" 46 --new-worktree -- ./nothing
>>> tm new-session -d -s project-issue-46 'tail -f /dev/null'
>>> refuses 3 'a session .project-issue-46. is there already' \
... 	46 --new-worktree -- true
>>> tm kill-session -t =project-issue-46:; no test -e "$S/.paneward/46.json"
END
scenario 'uncommitted changes need a base' <<'END'
>>> echo changed >>tracked
>>> refuses 3 "has uncommitted changes.*--base HEAD" 46 --new-worktree -- true
>>> begins 46 --new-worktree --base HEAD -- true; cat "$trees/issue-46/tracked"
mine
>>> rm tracked && mkdir tracked && : >tracked/new
>>> echo '{ "worktree_copy": ["tracked/new"] }' >.paneward.json
>>> refuses 3 "cannot copy '$P/tracked/new' into the .*: Not a directory" \
... 	49 --new-worktree --base HEAD -- true
>>> echo '{}' >.paneward.json; rm -r tracked; git checkout -q tracked
>>> mkdir "$T/plain" && cd "$T/plain"
>>> fails 3 'is in no git repository' start 47 --new-worktree -- true; cd "$P"
END
printf '#!/bin/sh\n: >%s/hooked\nexec sleep 1000\n' "$T" >.git/hooks/post-checkout
chmod +x .git/hooks/post-checkout
scenario 'a start that is interrupted in git takes everything back' <<'END'
>>> begin_command broken start 48 --new-worktree -- true
>>> wait_until 10 test -e "$T/hooked"; kill "$(cat "$T/broken.pid")"
>>> wait_until 10 command_ended broken; cat "$T/broken.status" "$T/broken.err"
3
paneward: cannot start issue '48': cannot make the work tree '$T/project/.worktrees/issue-48': interrupted
>>> unlike "$(git worktree list; git branch; ls "$trees")" issue-48
>>> rm .git/hooks/post-checkout
END

# ---- the setup --------------------------------------------------------------
cat >"$P/setup" <<-'END'
	#!/bin/sh
	pwd
	echo "$PANEWARD_ISSUE" >&2
	echo '###TASK_COMPLETE_48###'
	: >ready
END
chmod +x "$P/setup"
scenario 'a new work tree is set up before the agent begins' <<'END'
>>> echo '{ "worktree_setup": "./setup" }' >.paneward.json
>>> begins 48 --new-worktree -- \
... 	sh -c "test -e ready && : >'$T/ready'; exec tail -f /dev/null"
>>> wait_until 10 test -e "$T/ready"; cat "$S/.paneward/48.setup.log"
$T/project/.worktrees/issue-48
48
###TASK_COMPLETE_48###
>>> wait_until 5 logged 48 'setting up the work tree'
>>> logged 48 '48.setup.log' && no logged 48 TASK_COMPLETE
>>> begins 49 --worktree "$trees/issue-41" -- true
>>> no test -e "$S/.paneward/49.setup.log"
END
scenario 'a setup that fails is an error, and starts no agent' <<'END'
>>> echo '{ "worktree_setup": "echo broken; exit 3" }' >.paneward.json
>>> fails 0 '' start 50 --new-worktree --no-handoff -- sh -c ": >'$T/begun'"
>>> wait_until 10 recorded 50 error; fields 50 state source
error signal
>>> like "$(record 50 why)$(record 50 message)" \
... 	'worktree_setup ended with status 3; see 50.setup.log'
>>> cat "$S/.paneward/50.setup.log"; ls -d "$trees/issue-50"
broken
$T/project/.worktrees/issue-50
>>> no test -e "$T/begun"
>>> echo '{ "worktree_setup": "./no-setup" }' >.paneward.json
>>> refuses 2 'worktree_setup: ' 51 --new-worktree -- true
END

# ---- handing it off ---------------------------------------------------------
# hands_off ISSUE STATE COMMANDS: its agent does this and reports; it ends so.
hands_off() {
	"$PW" start "$1" --new-worktree -- sh -c "$3
		\"\$PANEWARD\" signal complete" >"$T/out" 2>&1
	wait_until 20 ended "$1" "$2"
}

ended() { [ "$(record "$1" handoff.state)" = "$2" ]; }

# copies WHAT: these are copied into a work tree.
copies() {
	printf '{ "worktree_copy": [%s], "handoff": "%s" }' "$1" \
		"$ROOT/scripts/cleanup.sh" >.paneward.json
}
scenario 'an ignored copy keeps a work tree only if it was changed' <<'END'
>>> printf '%s\n' .env '*.tmp' >>.git/info/exclude; copies '".env"'
>>> hands_off 71 'done' :; no test -e "$trees/issue-71"
>>> hands_off 72 refused 'echo more >>.env'; grep more "$trees/issue-72/.env"
more
>>> ln -s "$trees/issue-73/dir" dir
>>> hands_off 73 refused 'mkdir dir; echo work >dir/a.tmp'
>>> cat "$trees/issue-73/dir/a.tmp"
work
END
# What git does not ignore, and a folder that it ignores as a whole.
mkdir -p .tool/cache
echo c >.tool/c
echo d >.tool/cache/d
scenario 'so does a copied folder that git ignores in part' <<'END'
>>> echo /.tool/cache/ >>.git/info/exclude; copies '".env", ".tool/"'
>>> hands_off 74 'done' :; cat .tool/c .tool/cache/d
... no test -e "$trees/issue-74"
c
d
>>> hands_off 75 refused 'echo more >>.tool/cache/d'
>>> cd "$trees/issue-75/.tool" && cat cache/d c
d
more
c
END
done_testing
