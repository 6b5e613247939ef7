#!/bin/sh
# A server that refuses a host again and again, and then takes it: the agent
# goes on by itself.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

# How often has the server refused a client since it started?
refused() {
	[ "$(grep -ci 'authentication error' "$T/server.log")" -ge "$1" ]
}

# And one whose certificate it does not take?
unsigned() {
	[ "$(grep -c 'TLS handshake error' "$T/server.log")" -ge "$1" ]
}

ends() {
	kill -TERM "$(agent_process alpha)"
	wait_until 10 no agent_process alpha >/dev/null
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
said_once() {
	wait_until 20 grep -q "$2" "$1"
	like "$(cat "$1")" "$2" "$3" &&
		is "$(grep 'cannot connect to' "$1" | uniq -d)" '' 'and once'
}
said_once "$T/agent.out" "knows no host by the certificate '.*/alpha.pem'" \
	'the agent says why'
on alpha "$PW" start 2 --no-watch -- sleep 1000 >/dev/null
server_stop
server_write alpha beta
server_start
wait_until 60 sent 2
result $? 'what happened meanwhile is sent once the server takes it'
check 'the agent ends' ends

(certificates=$T/others && certify alpha)
host_configure alpha '"cert": "'"$T"'/others/alpha.pem",
	"key": "'"$T"'/others/alpha.key"'
agent_start alpha
wait_until 60 unsigned 6
said_once "$T/alpha.out" "does not take the certificate '.*/others/alpha.pem'" \
	'a wrong certificate is named as well'
check 'and that agent ends, too' ends
done_testing
