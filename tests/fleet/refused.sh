#!/bin/sh
# A server that refuses a host again and again, and then takes it: the agent
# goes on by itself.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"

# How often has the server refused a client since it started?
refused() {
	[ "$(grep -ci 'authentication error' "$T/server.log")" -ge "$1" ]
}

sent() {
	on alpha "$BUILD/tests/fleet/dump" PANEWARD 'paneward.alpha.>' 2>/dev/null |
		grep -q "\"subject\":\"$1\""
}

fleet_begin alpha beta
on alpha "$FLEET" agent >"$T/agent.out" 2>&1 &
on alpha "$PW" start 1 --no-watch -- sleep 1000 >/dev/null
wait_until 20 sent 1
result $? 'an event is sent'

server_stop
server_write beta
server_start
wait_until 60 refused 4
result $? 'the server refuses it, more often than nats.c tries'
on alpha "$PW" start 2 --no-watch -- sleep 1000 >/dev/null
server_stop
server_write alpha beta
server_start
wait_until 60 sent 2
result $? 'what happened meanwhile is sent once the server takes it'
done_testing
