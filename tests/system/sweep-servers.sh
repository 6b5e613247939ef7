#!/bin/sh
# sweep and the tmux servers: several of them, one that ended, one that stands
# still, one that cannot be reached, and another one in the place of the first.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'
default=$(tm display-message -p '#{socket_path}')
other=${default%/*}/other

ot() { tmux -L other -f /dev/null "$@"; }

script handoff <<END
echo "\$PANEWARD_ISSUE" >>'$T/handed'
END
: >"$T/handed"

# configure SOCKET...
configure() {
	for socket; do
		printf '"%s"\n' "$socket"
	done | paste -sd , |
		sed "s|.*|{ \"handoff\": [\"$T/handoff\"], \"sockets\": [&] }|" \
		>"$P/.paneward.json"
}

sweeps() {
	want=$1
	description=$2
	shift 2
	"$PW" sweep "$@" >"$T/out" 2>"$T/err" </dev/null
	is "$? $(cat "$T/out" "$T/err")" "0 $want" "$description"
}

silent() { sweeps '' "$@"; }
handed() { grep -cx "$1" "$T/handed"; }

server() { tm display-message -p '#{pid}'; }

# swept STATUS OUT REGEX DESCRIPTION [MESSAGES]: so does a sweep end, with one message
# or so many.
swept() {
	exits "$1" "$4" "$PW" sweep
	is "$(sort "$T/out")" "$2" '... with this result'
	like "$(cat "$T/err")" "$3" '... and this message'
	is "$(grep -c '' "$T/err")" "${5:-1}" '... alone'
}

ended() {
	kill -KILL "$1"
	wait_until 5 no kill -0 "$1"
}

# ---- several ----------------------------------------------------------------
configure "$other"
mkdir -p "$S/.paneward"
silent 'a configured server that is not there'
ot new-session -d -s issue-1 "echo '###TASK_COMPLETE_1###'; $busy"
wait_until 5 eval 'ot capture-pane -p -t =issue-1: | grep -q TASK'
pane_run issue-2 "$busy"
sweeps '1 complete: a completion marker in the capture
1 handed off' 'a configured server is looked at, beside the own one'
is "$(fields 1 tmux.socket) $(fields 2 state tmux.socket)" \
	"$other working $default" 'the records know which'

# The same server by two names.
ln -s "$default" "$T/link"
configure "$other" "$T/link"
"$PW" signal complete --issue 2
sweeps '2 complete: signal-complete-2 is there
2 handed off' 'a server with two names is one'
pane_run issue-3 "$busy"
silent 'its panes belong to it once'
check 'so a new one is no two' recorded 3 working
rm "$T/link"

# A server that only a record knows.
configure "$other"
ot new-session -d -s issue-4 "$busy"
silent 'another run there'
configure
ot kill-session -t =issue-4:
sweeps '4 gone: its pane is no longer there, and there is no report' \
	'the server of a record is looked at'
ot new-session -d -s issue-5 "$busy"
silent 'also when all of its runs are over'
is "$(record 5 state)" working 'so that new ones are found'

# ---- one stands still -------------------------------------------------------
pane_run issue-10 "$busy"
pane_run issue-11 "$busy"
ot new-session -d -s issue-12 "$busy"
silent 'two runs here, one there'
"$PW" signal complete --issue 10
"$PW" signal complete --issue 12
"$PW" signal complete --issue 13
server=$(server)
freeze "$server"
swept 3 '12 complete: signal-complete-12 is there
12 handed off' "$default.*did not answer.*unknown" 'a server that stands still'
is "$(handed 10)/$(handed 13)" 0/0 \
	'nothing is handed off of what it may have panes of'
check 'nor recorded' no test -e "$S/.paneward/13.json"
kill -CONT "$server"
is "$("$PW" sweep 2>&1 | sort)" '10 complete: signal-complete-10 is there
10 handed off
13 complete: signal-complete-13 is there
13 handed off' 'when it answers again they are'
check 'and what works goes on' recorded 11 working
is "$(sort "$T/handed" | uniq -d)" '' 'nothing was handed off twice'

# ---- one cannot be reached --------------------------------------------------
mv "$default" "$T/away"
swept 3 '' "$server.*$default.*its process lives.*USR1" 'a socket that is gone'
check 'none of its panes is gone' recorded 11 working
mv "$T/away" "$default"
silent 'with it all is as before'

# A client may also fail to connect for a reason of its own.
mkdir "$T/full"
script full/tmux <<-'END'
	echo "error connecting to $3 (Too many open files in system)" >&2
	exit 1
END
"$PW" signal complete --issue 14
usual=$PATH
PATH=$T/full:$PATH
swept 3 '' "$default.*Too many open files.*unknown" 'no client can connect' 2
PATH=$usual
is "$(handed 14)/$(record 11 state)" 0/working 'and ends nothing'
sweeps '14 complete: signal-complete-14 is there
14 handed off' 'until it can'

# ---- it ends ----------------------------------------------------------------
pane_run issue-20 "$busy"
pane_run issue-21 "$busy"
silent 'two more'
"$PW" signal complete --issue 20
"$PW" signal error --issue 21 broken
ended "$server"
swept 0 '11 gone: its pane is no longer there, and there is no report
20 complete: signal-complete-20 is there
20 handed off
3 gone: its pane is no longer there, and there is no report' \
	"^paneward: the tmux server at '$default' has ended, and all its panes with it" \
	'when a server has ended, what has not reported is gone'
silent 'said once, although one has an error that is not looked for'
sweeps '21 error: signal-error-21 is there: broken' 'until it is' --check-errors

# The same names and ids in another server.
tmux_start
pane_run issue-30 "echo '###TASK_COMPLETE_30###'; $busy"
wait_until 5 pane_shows issue-30 TASK_COMPLETE
"$PW" sweep >"$T/said"
tm kill-session -t =issue-30:
pane_run issue-31 "$busy"
silent 'a run'
before="$(record 31 tmux.pane)/$(record 31 run)"
ended "$(server)"
tmux_start
pane_run issue-30x "$busy"
pane_run issue-31 "echo '###TASK_COMPLETE_31###'; $busy"
wait_until 5 pane_shows issue-31 TASK_COMPLETE
is "$(pane_tell issue-31 '#{pane_id}')" "${before%/*}" \
	'a new server has a pane of the same name'
swept 0 '31 gone: its pane is no longer there, and there is no report' \
	'has ended' 'it is not taken for the old one'
sweeps '31 complete: a completion marker in the capture
31 handed off' 'it is a new run'
unlike "$(record 31 run)" "^${before#*/}\$" 'with another id'

# ---- no tmux ----------------------------------------------------------------
pane_run issue-40 "$busy"
silent 'a run'
mkdir "$T/empty"
"$PW" signal complete --issue 40
exits 3 'without tmux it could not' env PATH="$T/empty" "$PW" sweep
like "$(cat "$T/err")" "cannot run tmux: no such program in PATH; the state of its panes is unknown" \
	'nothing is known'
is "$(handed 40)/$(record 40 state)" 0/working 'and nothing is done'
sweeps '40 complete: signal-complete-40 is there
40 handed off' 'but later'
ot kill-server

done_testing
