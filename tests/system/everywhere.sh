#!/bin/sh
# One watcher for all projects of a user: each registered project is followed by its
# own configuration, and no second process does the same.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"

tmux_start
projects=$HOME/.local/state/paneward/projects

# project NAME: makes a project that hands off into $T/NAME.handed, and enters
# it.  Its agents may be reading the configuration.
project() {
	mkdir -p "$T/$1" && cd "$T/$1" || exit 1
	cat >config <<-END
		{ "handoff": "echo $1 \$PANEWARD_ISSUE >>'$T/$1.handed'" }
	END
	mv config .paneward.json
	S=$T/$1/.worktrees/.status
}

# begin PROJECT ISSUE [OPTION...]: an agent of the project that obeys `tell
# PROJECT-ISSUE`.
begin() {
	project "$1"
	issue=$2
	name=$1-$2
	shift 2
	obedient "$name"
	"$PW" start "$issue" --session "$name" "$@" -- "$T/$name" \
		>"$T/said" 2>&1 || cat "$T/said"
}

# in_project NAME COMMAND...: with S for that project.
in_project() {
	S=$T/$1/.worktrees/.status
	shift
	"$@"
}

# follows PROJECT ISSUE: does the watcher hold the lock?
follows() { wait_until 10 in_project "$1" watch_holds w "$2"; }
printed() { grep -q "$1" "$T/w.out"; }
handed() { [ "$(sort "$T/$1.handed" 2>/dev/null | tr '\n' ' ')" = "$2" ]; }
hands_off() { wait_until 10 handed "$1" "$2 "; }
report() { tell "$1" '"$PANEWARD" signal '"${2:-complete}"; }

# unfollowable NAME: a project that is registered.
unfollowable() {
	mkdir -p "$T/$1/.worktrees/.status/.paneward"
	chmod 700 "$T/$1/.worktrees/.status" "$T/$1/.worktrees/.status/.paneward"
	echo "$T/$1/.worktrees/.status" >>"$projects"
}

# While $T/deaf is there, no server tells what its status line shows.
mkdir "$T/front"
script front/tmux <<END
[ ! -e "$T/deaf" ] || case "\$*" in *status-left*) exit 1 ;; esac
exec "$(command -v tmux)" "\$@"
END
# shellcheck disable=SC2032,SC2033
other() { tmux -L other -f /dev/null "$@"; }
# What is gone, or of another user, is left out without a word.
scenario 'projects on all servers are followed, once, but for a broken one' <<'END'
>>> git init -q "$T/shop"; begin shop 1 --no-watch; begin blog 1 --no-watch
>>> git init -q "$T/site"; other new-session -d -s keeper 'exec tail -f /dev/null'
>>> export TMUX="$(other display-message -p '#{socket_path},#{pid},0')"
>>> begin site 2 --no-watch; unset TMUX; begin doomed 1 --no-watch
>>> unfollowable broken; echo '{ "nonsense": 1 }' >"$T/broken/.paneward.json"
>>> unfollowable foreign
>>> [ "$(id -u)" -ne 0 ] || chown -R 65534 "$T/foreign"
>>> echo "$T/nowhere/.worktrees/.status" >>"$projects"; PATH=$T/front:$PATH; cd /
>>> watch_begin w --everywhere; follows shop 1; follows blog 1; follows site 2
>>> wait_until 10 printed '^blog/1 working'; cat "$T/w.err"
paneward: '$T/broken/.worktrees/.status' is left out: '$T/broken/.paneward.json' line 1: unknown key 'nonsense'
>>> [ "$(id -u)" -ne 0 ] ||
... 	no test -e "$T/foreign/.worktrees/.status/.paneward/.all.lock"
>>> fails 3 "^paneward: cannot watch everywhere: process $(cat "$T/w.pid") does \
... it; end that one first\$" watch --everywhere
END

# Also one that is not to be handed off as configured.
scenario 'start leaves its issue to it, in a new project, too' <<'END'
>>> begin shop 2; follows shop 2; test ! -e "$S/.paneward/2.watch.log"
>>> fails 0 'a watcher follows all issues' doctor; grep unwatched "$T/out"
[1]
>>> begin shop 3 --no-handoff; follows shop 3; begin later 1; follows later 1
>>> test ! -e "$S/.paneward/1.watch.log"
>>> for project in shop blog later; do
... 	report $project-1
... 	hands_off $project "$project 1"
... done
>>> wait_until 10 printed '^later/1 handed off'; follows doomed 1
>>> cd /; rm -rf "$T/doomed"; let_pass; test ! -e "$T/doomed"; follows shop 2
END

# A configuration that is mended counts at the next look at the registry.
scenario 'nothing is lost when it is killed, and a mended project is followed' <<'END'
>>> kill -KILL "$(cat "$T/w.pid")"; wait_until 10 command_ended w
>>> report shop-2; report site-2; begin shop 4; wait_until 10 watched 4
>>> test -e "$S/.paneward/4.watch.log"; cd /; watch_begin w --everywhere
>>> hands_off shop 'shop 1 shop 2'; hands_off site 'site 2'; report shop-4
>>> hands_off shop 'shop 1 shop 2 shop 4'; for project in blog site later; do
... 	sort "$T/$project.handed" | uniq -d
... done
>>> begin broken 9 --no-watch; begin newest 1; follows broken 9
END

queue() { tm display-message -p '#{PANEWARD_QUEUE}'; }
queue_says() { queue | grep -q "$1"; }
state_of_window() { tm display-message -p -t "=$1:" '#{@paneward_state}'; }
has_open() { find "/proc/$(cat "$T/w.pid")/fd" -lname "$T/$1/*" 2>"$T/closed" |
	grep -q .; }

# A loop of links hides a project without removing it.  When a directory moves
# all projects are checked, in their order.
scenario 'a status line that shows the queue gets it; no fault ends the watch' <<'END'
>>> queue; report newest-1 error; wait_until 10 in_project newest recorded 1 error

>>> tm source-file "$ROOT/templates/tmux.conf"; wait_until 10 queue_says '1 error'
>>> wait_until 10 eval '[ "$(state_of_window newest-1)" = error ]'
>>> : >"$T/deaf"; begin deafened 1; follows deafened 1; report deafened-1 error
>>> wait_until 10 queue_says '2 error'; rm "$T/deaf"; begin last 1; follows last 1
>>> cd /; mv "$T/last" "$T/hidden"; ln -s last "$T/last"
>>> mv "$T/deafened/.worktrees/.status" "$T/moved"
>>> wait_until 10 grep -q "deafened.* was replaced; going on" "$T/w.err"
>>> has_open hidden; rm "$T/last"; mv "$T/hidden" "$T/last"
>>> kill "$(cat "$T/w.pid")"; wait_until 10 command_ended w; queue

>>> other kill-server
END
done_testing
