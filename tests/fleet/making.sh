#!/bin/sh
# A server that is slow to make a stream: nats-server before 2.9.15 dies if it is
# asked for a message of it meanwhile.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"
command -v strace >/dev/null || skip_all 'strace is not here'
fleet_begin alpha beta gamma
known() {
	on alpha "$BUILD/tests/fleet/dump" KV_PANEWARD_HOSTS ">" |
		grep -q "HOSTS.$1"
}

scenario 'a server is slow to make a stream' <<'END'
>>> server_stop; server_wipe
>>> for host in $hosts; do
... 	on "$host" "$FLEET" agent >"$T/$host.out" 2>&1 &
... 	on "$host" "$FLEET" work >"$T/$host.work" 2>&1 &
... done
>>> : >"$T/server.log"
>>> (inside hub strace -f -qq -o "$T/calls" -e trace=mkdirat \
... 	-e inject=mkdirat:delay_enter=200000 nats-server -c "$T/server.conf") \
... 	>"$T/server.log" 2>&1 &
>>> server=$!; wait_until 60 server_settled
>>> for host in $hosts; do wait_until 60 known "$host"; done
>>> gives 0 '' on gamma "$FLEET" submit 1; grep '^panic' "$T/server.log"
[1]
END

done_testing
