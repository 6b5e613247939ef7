#!/bin/sh
# What a host shows of the others: follow, status, top, next and history.
. "${0%/*}/lib.sh"

fleet_begin alpha beta gamma

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

agent_begin() { begin "$1.agent" "$1" "$FLEET" agent; }

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

# What becomes of gamma is seen after a while, so that it goes on in parallel.
scenario 'a host is lost' <<'END'
>>> agent_begin gamma; agent_begin alpha; issue gamma 6
>>> begin lost alpha "$FLEET" follow --host gamma
>>> wait_until 30 grep -q ' gamma  *6  *working' "$T/lost"; end gamma.agent KILL
END

scenario 'follow has the rows of other hosts' <<'END'
>>> agent_begin beta; issue beta 5
>>> begin follow alpha "$FLEET" follow --json
>>> wait_until 10 grep -q '"issue":"5".*"state":"working".*"host":"beta"' \
... 	"$T/follow"
>>> wait_until 10 grep -qx '' "$T/follow"
>>> on beta "$PW" signal complete --issue 5
>>> on beta "$PW" watch 5 --once >"$T/said" 2>&1
>>> wait_until 10 grep -q '"issue":"5".*"state":"complete"' "$T/follow"
>>> server_kill
>>> wait_until 10 grep -q '"host":"fleet","problem":"the fleet.s server' \
... 	"$T/follow"
>>> server_start
>>> wait_until 10 grep -q '"key":"fleet:server","gone":true' "$T/follow"
>>> issue beta 6
>>> wait_until 10 grep -q '"issue":"6".*"host":"beta"' "$T/follow"
>>> end follow TERM; grep "^{" "$T/follow" >"$T/out"; conforms follow
END

named() {
	on alpha "$PW" status --all --json |
		grep -q '"key":"beta:/[^"]*/5","host":"beta"'
}

next_is() { on alpha "$PW" next --print | grep -Eqx "$1"; }

scenario 'so have status and next' <<'END'
>>> wait_until 10 shows alpha '^beta 5 complete'
>>> wait_until 10 shows alpha '^beta 6 working'; wait_until 10 named
>>> on beta "$PW" status --all >"$T/said"
>>> unlike "$(cat "$T/said")" '^(alpha|beta)'
>>> begin sent alpha "$PW" status --all --json --follow
>>> wait_until 10 grep -qx '' "$T/sent"
>>> end sent TERM; unlike "$(cat "$T/sent")" beta
>>> wait_until 10 next_is 'paneward attach beta:[0-9]*%[0-9]+'
END

told() {
	on alpha "$PW" history "$@" >"$T/told" 2>"$T/err"
	cat "$T/told"
}
tells() {
	what=$1
	shift
	told "$@" | grep -Eq -e "$what"
}

scenario 'history has their events, and says what it lacks' <<'END'
>>> wait_until 20 tells ' beta:project/6 ' --all
>>> like "$(told --all)" '^[0-9:]*  beta:project/5  complete '
>>> issue alpha 5; wait_until 20 tells '^[0-9:]*  project/5 ' --all
>>> wait_until 20 tells '^[0-9:]*  alpha:project/5 ' alpha:5
>>> unlike "$(told --all)" 'alpha:'
>>> like "$(told beta:5)" 'beta:project/5 .*complete'
>>> unlike "$(cat "$T/told")" '/6|alpha'
>>> like "$(told beta:5 --json)" '"subject":"5".*"host":"beta"'
>>> cp "$T/told" "$T/out"; conforms history; covers history.host
>>> gives 1 '' on alpha "$PW" history beta:99
>>> gives 2 '' on alpha "$PW" history 'be ta:5'
>>> is "$(told --all --since 1970-01-01 | grep -c beta:)" \
... 	"$(told --all | grep -c beta:)"
>>> is "$(told beta:5 --since 2100-01-01)" ''
>>> fails 2 "no fleet is configured" history beta:5
>>> mv "$T/hosts/alpha/bin/paneward-fleet" "$T/kept"
>>> mkdir "$T/alone"; cp "$PW" "$T/alone/paneward"
>>> gives 0 'there is no .*/paneward-fleet, which is built where' on alpha \
... 	"$T/alone/paneward" status --all
END

# again NAME FIRST THEN: in $T/NAME a line like THEN comes behind one like FIRST.
again() { sed -n "/$2/,\$p" "$T/$1" | grep -q "$3"; }

# A follow looks at the hosts anew as soon as it is connected again.
scenario 'a host that goes is told from one that is lost' <<'END'
>>> issue beta 8; wait_until 20 tells ' beta:project/8 ' --all
>>> begin lines alpha "$FLEET" follow --host beta
>>> wait_until 10 grep -q ' beta  *6  *working' "$T/lines"
>>> end beta.agent TERM; wait_until 10 grep -q ' 6  *left the list' "$T/lines"
>>> unlike "$(cat "$T/lines")" 'not heard of'; agent_begin beta
>>> wait_until 10 again lines ' 6  *left the list' ' beta  *6  *working'
>>> wait_until 90 shows alpha '^gamma gamma - .*not heard of; its newest row is'
>>> grep -Eq '^gamma 6 working[?] .*not watched since' "$T/all"
>>> server_stop; told --all >/dev/null
>>> like "$(cat "$T/err")" 'cannot read the events of the fleet'
>>> like "$(cat "$T/told")" 'project/5'
>>> gives 0 "^fleet .* the fleet's server" on alpha "$PW" status --all
>>> server_start
>>> wait_until 30 grep -q ' gamma  *gamma .*not heard of since [0-9]' "$T/lost"
>>> wait_until 10 grep -q ' gamma  *6  *working? .*not watched since' "$T/lost"
>>> end lines TERM; end lost TERM
>>> agent_begin gamma; wait_until 10 shows alpha '^gamma 6 working '
END
done_testing
