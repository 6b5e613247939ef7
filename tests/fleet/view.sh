#!/bin/sh
# What a host shows of the others: follow, status, top, next and history.
. "${0%/*}/lib.sh"

fleet_begin alpha beta

# begin NAME HOST COMMAND...: in the background, until `end NAME SIGNAL`.  Its
# output is $T/NAME, its process in $T/NAME.pid.
begin() {
	name=$1
	shift
	rm -f "$T/$name.pid"
	(exec <"$(desk_keys "$1")" >>"$T/$name" 2>&1
	# shellcheck disable=SC2016
	on "$1" sh -c 'echo $$ >"$0"; shift; exec "$@"' "$T/$name.pid" "$@") &
	wait_until 10 test -s "$T/$name.pid"
}

end() {
	kill -s "$2" "$(cat "$T/$1.pid")"
	wait_until 10 no kill -0 "$(cat "$T/$1.pid")"
}

agent_begin() {
	begin "$1.agent" "$1" "$FLEET" agent
}

# An agent that does nothing, on that host.
issue() {
	on "$1" tmux -L default -f /dev/null new-session -d -s keeper \
		'exec tail -f /dev/null' 2>/dev/null
	on "$1" "$PW" start "$2" --no-watch -- sleep 1000 >"$T/said" 2>&1
}

# shows HOST PATTERN: its status has such a line, with one blank between cells.
shows() {
	on "$1" timeout 30 "$PW" status --all 2>"$T/err" |
		sed 's/  */ /g' >"$T/all"
	grep -Eq -e "$2" "$T/all"
}

# ---- follow ------------------------------------------------------------------

agent_begin beta
agent_begin alpha
issue beta 5
begin follow alpha "$FLEET" follow --json
soon "another host's row comes" \
	grep -q '"issue":"5".*"state":"working".*"host":"beta"' "$T/follow"
soon 'and ends a batch' grep -qx '' "$T/follow"
on beta "$PW" signal complete --issue 5
on beta "$PW" watch 5 --once >"$T/said" 2>&1
soon 'a change there is a line here' \
	grep -q '"issue":"5".*"state":"complete"' "$T/follow"

server_kill
soon 'a server that goes is a row' \
	grep -q '"host":"fleet","problem":"the fleet.s server' "$T/follow"
server_start
soon 'which leaves when it is back' \
	grep -q '"key":"fleet:server","gone":true' "$T/follow"
issue beta 6
soon 'and rows come as before' \
	grep -q '"issue":"6".*"host":"beta"' "$T/follow"
end follow TERM

# ---- the queue ---------------------------------------------------------------

soon "status --all shows another host's agents" shows alpha '^beta 5 complete'
soon 'all of them' shows alpha '^beta 6 working'
named() {
	on alpha "$PW" status --all --json |
		grep -q '"key":"beta:/[^"]*/5","host":"beta"'
}
soon 'with JSON each is named with its host' named
on beta "$PW" status --all >"$T/said"
unlike "$(cat "$T/said")" '^(alpha|beta)' 'not on that host'
begin sent alpha "$PW" status --all --json --follow
wait_until 10 grep -qx '' "$T/sent"
end sent TERM
unlike "$(cat "$T/sent")" beta 'and what the agent sends has none'
next_is() {
	on alpha "$PW" next --print | grep -Eqx "$1"
}
soon 'next goes there' next_is 'paneward attach beta:[0-9]*%[0-9]+'

# ---- history -----------------------------------------------------------------

told() {
	on alpha "$PW" history "$@" >"$T/told" 2>"$T/err"
	cat "$T/told"
}
tells() {
	what=$1
	shift
	told "$@" | grep -Eq -e "$what"
}
wait_until 20 tells ' beta:project/6 ' --all
like "$(told --all)" '^[0-9:]*  beta:project/5  complete ' \
	'history --all has the events of other hosts'
issue alpha 5
wait_until 20 tells '^[0-9:]*  project/5 ' --all
wait_until 20 tells '^[0-9:]*  alpha:project/5 ' alpha:5
unlike "$(told --all)" 'alpha:' 'the own ones are those of the journals'
like "$(told beta:5)" 'beta:project/5 .*complete' 'and of one issue'
unlike "$(cat "$T/told")" '/6|alpha' 'that alone'
like "$(told beta:5 --json)" '"subject":"5".*"host":"beta"' 'as JSON, too'
exits 1 'an issue without events' on alpha "$PW" history beta:99
exits 2 'a wrong host' on alpha "$PW" history 'be ta:5'
is "$(told --all --since 1970-01-01 | grep -c beta:)" \
	"$(told --all | grep -c beta:)" 'since a time'
is "$(told beta:5 --since 2100-01-01)" '' 'after the last of them'
"$PW" history beta:5 >"$T/out" 2>"$T/err"
like "$(cat "$T/err")" 'no fleet is configured' 'without a fleet'

server_stop
told --all
like "$(cat "$T/err")" 'cannot read the events of the fleet' \
	'history says what it lacks'
like "$(cat "$T/told")" 'project/5' 'but has the rest'
exits 0 'without a server status is as before' on alpha "$PW" status --all
like "$(cat "$T/out")" "^fleet .* the fleet's server" 'and says so'
server_start
mv "$T/hosts/alpha/bin/paneward-fleet" "$T/kept"
mkdir "$T/alone"
cp "$PW" "$T/alone/paneward"
exits 0 'without paneward-fleet as well' on alpha "$T/alone/paneward" status --all
like "$(cat "$T/out")" 'there is no .*/paneward-fleet, which is built where' \
	'which says how to get it'

# ---- a host that goes --------------------------------------------------------

# Its agent is connected again.
issue beta 8
wait_until 20 tells ' beta:project/8 ' --all

begin lines alpha "$FLEET" follow --host beta
soon 'follow has lines for people' grep -q ' beta  *6  *working' "$T/lines"
end beta.agent TERM
soon 'an agent that ends in order takes its rows along' \
	grep -q ' 6  *left the list' "$T/lines"
unlike "$(cat "$T/lines")" 'not heard of' 'and is not missed'
agent_begin beta
back() {
	sed -n '/ 6  *left the list/,$p' "$T/lines" |
		grep -q ' beta  *6  *working'
}
soon 'they come again with it' back
end beta.agent KILL
wait_until 90 grep -q ' beta  *beta .*not heard of since' "$T/lines"
check 'one that is killed has not been heard of since' \
	grep -q ' beta  *beta .*not heard of since [0-9]*:' "$T/lines"
soon 'its rows stay, not watched' \
	grep -q ' beta  *6  *working? .*not watched since' "$T/lines"
soon 'also for a viewer that comes late' \
	shows alpha '^beta 6 working[?] .*not watched since'
soon 'who sees why' shows alpha '^beta beta - .*not heard of; its newest row is'
agent_begin beta
again() {
	sed -n '/not heard of since/,$p' "$T/lines" |
		grep -q ' beta  *left the list'
}
soon 'until it is back' again
end lines TERM

done_testing
