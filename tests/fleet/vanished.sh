#!/bin/sh
# A server vanishes while a host waits for its part of the TLS handshake: no
# word of that reaches the host, which goes on once the server is there again.
# shellcheck disable=SC1091
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

fleet_begin alpha
needs_netns
# It says that it wants TLS, and no more.  Its end is told once at most.
registered alpha
journal_add alpha 1 20
server_kill
cat >"$T/ghost" <<'END'
use strict;
use warnings;
use IO::Socket::INET;
use Socket;
my ($port, $heard) = @ARGV;
my $listen = IO::Socket::INET->new(LocalPort => $port, Listen => 5,
    ReuseAddr => 1) or die "$port: $@";
my @all;
while (my $one = $listen->accept) {
	setsockopt $one, SOL_SOCKET, SO_LINGER, pack("ii", 1, 0);
	syswrite $one, 'INFO {"server_id":"ghost","version":"2.9.15",' .
	    '"proto":1,"max_payload":1048576,"headers":true,' .
	    qq("tls_required":true}\r\n);
	sysread $one, my $hello, 1;
	push @all, $one;
	open my $f, '>', $heard or die;
}
END

scenario 'the events of a host come when its server is back' <<'END'
>>> (inside hub perl "$T/ghost" "$port" "$T/heard") 2>"$T/ghost.err" &
>>> ghost=$!; agent_start alpha; wait_until 20 test -e "$T/heard"
>>> link_cut alpha; kill -KILL "$ghost"; wait "$ghost" || :
>>> link_heal alpha; server_start; wait_until 120 has alpha 20
>>> agent_kill || :
END
done_testing
