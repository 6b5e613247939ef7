#!/bin/sh
# A server that refuses a host again and again, and then takes it: the agent
# goes on by itself.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

# How often has the server refused a client since it started?
refused() { [ "$(grep -ci 'authentication error' "$T/server.log")" -ge "$1" ]; }

# And one whose certificate it does not take?
unsigned() { [ "$(grep -c 'TLS handshake error' "$T/server.log")" -ge "$1" ]; }

ends() {
	kill -TERM "$(agent_process alpha)"
	wait_until 10 no agent_process alpha >/dev/null
}

sent() {
	on alpha "$BUILD/tests/fleet/dump" PANEWARD 'alpha.>' 2>/dev/null |
		grep -q "\"subject\":\"$1\""
}

# said_once FILE TEXT: the agent says why it cannot connect, and that once.
said_once() {
	wait_until 20 grep -q "$2" "$1"
	is "$(grep 'cannot connect to' "$1" | uniq -d)" ''
}

# server_knows HOST...: it is started anew with these.
server_knows() {
	server_stop
	server_write "$@"
	server_start
}

fleet_begin alpha beta
scenario 'an agent that is refused sends all once the server takes it' <<'END'
>>> on alpha "$FLEET" agent >"$T/agent.out" 2>&1 &
>>> on alpha "$PW" start 1 --no-watch -- sleep 1000 >"$T/said" 2>&1
>>> wait_until 20 sent 1; server_knows beta; wait_until 60 refused 4
>>> said_once "$T/agent.out" "knows no host by the certificate '.*/alpha.pem'"
>>> on alpha "$PW" start 2 --no-watch -- sleep 1000 >"$T/said" 2>&1
>>> server_knows alpha beta; wait_until 60 sent 2; ends
END
(certificates=$T/others && certify alpha)
scenario 'a wrong certificate is named as well' <<'END'
>>> host_configure alpha '"cert": "'"$T"'/others/alpha.pem",
... 	"key": "'"$T"'/others/alpha.key"'
>>> agent_start alpha; wait_until 60 unsigned 6
>>> said_once "$T/alpha.out" "does not take the certificate '.*/others/alpha.pem'"
>>> ends
END
done_testing
