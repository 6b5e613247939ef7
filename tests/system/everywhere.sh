#!/bin/sh
# One watcher for all projects of a user: what is registered is followed, in
# each project by its own configuration, and no second process does the same.
. "${0%/*}/lib.sh"

tmux_start
projects=$HOME/.local/state/paneward/projects

# project NAME: makes a project that hands off into $T/NAME.handed, and enters
# it.
project() {
	mkdir -p "$T/$1" && cd "$T/$1" || exit 1
	cat >.paneward.json <<-END
		{ "handoff": "echo $1 \$PANEWARD_ISSUE >>'$T/$1.handed'" }
	END
	S=$T/$1/.worktrees/.status
}

# begin ISSUE [OPTION...]: an agent of the project that obeys `tell PROJECT-ISSUE`.
begin() {
	issue=$1
	name=${PWD##*/}-$1
	shift
	obedient "$name"
	"$PW" start "$issue" --session "$name" "$@" -- "$T/$name" \
		>"$T/said" 2>&1 || comment <"$T/said"
}

# in_project NAME COMMAND...: with S for that project.
in_project() {
	S=$T/$1/.worktrees/.status
	shift
	"$@"
}

# follows PROJECT ISSUE: does the watcher hold the lock?
follows() { in_project "$1" watch_holds w "$2"; }
printed() { grep -q "$1" "$T/w.out"; }
handed() { [ "$(sort "$T/$1.handed" 2>/dev/null | tr '\n' ' ')" = "$2" ]; }

report() { tell "$1" '"$PANEWARD" signal complete'; }

# unfollowable NAME: a project that is registered.
unfollowable() {
	mkdir -p "$T/$1/.worktrees/.status/.paneward"
	chmod 700 "$T/$1/.worktrees/.status" "$T/$1/.worktrees/.status/.paneward"
	echo "$T/$1/.worktrees/.status" >>"$projects"
}

# ---- three projects, two servers ----------------------------------------------
git init -q "$T/shop"
project shop
begin 1 --no-watch
project blog
begin 1 --no-watch
git init -q "$T/site"
project site
tmux -L other -f /dev/null new-session -d -s keeper 'exec tail -f /dev/null'
TMUX="$(tmux -L other display-message -p '#{socket_path},#{pid},0')"
export TMUX
begin 2 --no-watch
unset TMUX

# What must not be followed.
unfollowable broken
echo '{ "nonsense": 1 }' >"$T/broken/.paneward.json"
unfollowable foreign
[ "$(id -u)" -ne 0 ] || chown -R 65534 "$T/foreign"
echo "$T/nowhere/.worktrees/.status" >>"$projects"
project doomed
begin 1 --no-watch

# While $T/deaf is there, no server tells what its status line shows.
mkdir "$T/front"
script front/tmux <<END
[ ! -e "$T/deaf" ] || case "\$*" in *status-left*) exit 1 ;; esac
exec "$(command -v tmux)" "\$@"
END
PATH=$T/front:$PATH
cd / || exit 1
watch_begin w --everywhere
soon 'an issue of a project is followed' follows shop 1
soon 'as is the same one of another project' follows blog 1
soon 'and one on another tmux server' follows site 2
soon 'a line names the project' printed '^blog/1 working'
is "$(cat "$T/w.err")" "paneward: '$T/broken/.worktrees/.status' is left out: \
'$T/broken/.paneward.json' line 1: unknown key 'nonsense'" \
	'a wrong configuration is told once, what is gone or foreign is not'

[ "$(id -u)" -ne 0 ] || check 'and a foreign one is not touched' \
	no test -e "$T/foreign/.worktrees/.status/.paneward/.all.lock"

fails 3 "^paneward: cannot watch everywhere: process $(cat "$T/w.pid") does it; \
end that one first\$" watch --everywhere

# ---- start --------------------------------------------------------------------
cd "$T/shop" && project shop
begin 2
soon 'start leaves its issue to it' follows shop 2
check 'and starts no watcher' no test -e "$S/.paneward/2.watch.log"
"$PW" doctor >"$T/out" 2>&1
like "$(cat "$T/out")" 'a watcher follows all issues' 'doctor tells of it'
unlike "$(cat "$T/out")" 'unwatched' 'and finds no issue unwatched'
begin 3 --no-handoff
soon 'also one that is not to be handed off as configured' follows shop 3

project later
begin 1
soon 'a project that is new is followed' follows later 1
check 'from its first run on' no test -e "$S/.paneward/1.watch.log"

# ---- each by its own configuration --------------------------------------------
report shop-1
report blog-1
report later-1
for project in shop blog later; do
	soon 'each project has its own hand-off' handed $project "$project 1 "
done
wait_until 10 printed '^later/1 handed off'

# ---- a project that is gone ---------------------------------------------------
wait_until 10 follows doomed 1
cd / && rm -rf "$T/doomed"
let_pass
check 'a project that was removed is not made again' no test -e "$T/doomed"
check 'and the others are followed' follows shop 2

# ---- killed, and begun again --------------------------------------------------
kill -KILL "$(cat "$T/w.pid")"
wait_until 10 command_ended w
cd "$T/shop" && project shop
report shop-2
report site-2
begin 4
wait_until 10 watched 4
check 'without it start begins a watcher' test -e "$S/.paneward/4.watch.log"
cd / || exit 1
watch_begin w --everywhere
wait_until 10 handed shop 'shop 1 shop 2 '
soon 'nothing is lost' handed site 'site 2 '
report shop-4
wait_until 10 handed shop 'shop 1 shop 2 shop 4 '
for project in shop blog site later; do
	is "$(sort "$T/$project.handed" | uniq -d)" '' \
		"$project: each completion is handed off once"
done

# A configuration that is mended counts at the next look at the registry.
echo '{ "handoff": null }' >"$T/broken/.paneward.json"
cd "$T/broken" && S=$T/broken/.worktrees/.status
begin 9 --no-watch
project newest
begin 1
soon 'a project whose configuration was mended is followed' follows broken 9

# ---- what tmux shows ----------------------------------------------------------
queue() { tm display-message -p '#{PANEWARD_QUEUE}'; }
queue_says() { queue | grep -q "$1"; }

is "$(queue)" '' 'without a status line that shows the queue nothing is set'
# shellcheck disable=SC2016
tell newest-1 '"$PANEWARD" signal error'
wait_until 10 in_project newest recorded 1 error
tm source-file "$ROOT/templates/tmux.conf"
soon 'with one, how many agents need a person' queue_says '1 error'
soon 'and the state of each window' eval '[ "$(tm display-message -p \
	-t =newest-1: "#{@paneward_state}")" = error ]'
: >"$T/deaf"
project deafened
begin 1
wait_until 10 follows deafened 1
# shellcheck disable=SC2016
tell deafened-1 '"$PANEWARD" signal error'
soon 'a server that does not answer ends nothing' queue_says '2 error'
rm "$T/deaf"
project last
begin 1
wait_until 10 follows last 1

# A loop of links hides a project without removing it.  When a directory moves
# all projects are checked, in their order.
has_open() { find "/proc/$(cat "$T/w.pid")/fd" -lname "$T/$1/*" | grep -q .; }

cd / || exit 1
mv "$T/last" "$T/hidden"
ln -s last "$T/last"
mv "$T/deafened/.worktrees/.status" "$T/moved"
wait_until 10 grep -q "deafened.* was replaced; going on" "$T/w.err"
check 'a project that cannot be looked at is no project that is gone' \
	has_open hidden
rm "$T/last"
mv "$T/hidden" "$T/last"

kill "$(cat "$T/w.pid")"
wait_until 10 command_ended w
is "$(queue)" '' 'which ends with the watch'

tmux -L other kill-server
done_testing
