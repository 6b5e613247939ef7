#!/bin/sh
# The faults of a link between hosts, which the run under chaos relies on: they
# come, they are what they are called, and they go.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

# The server's host sends each datagram back.
cat >"$T/echo" <<'END'
use IO::Socket::INET;
my $s = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '10.77.0.1:7') or die;
open my $begun, '>', $ARGV[0] or die;
while (defined(my $from = $s->recv(my $text, 100))) {
	$s->send($text, 0, $from);
}
END

# ask N [LOSSY]: sends the numbers to N, and prints them as they come back;
# $T/round has the shortest round trip, in ms.
cat >"$T/ask" <<'END'
use IO::Select;
use IO::Socket::INET;
use Time::HiRes qw(sleep time);
my ($file, $count, $lossy) = @ARGV;
my $s = IO::Socket::INET->new(Proto => 'udp', PeerAddr => '10.77.0.1:7') or die;
my $ready = IO::Select->new($s);
my ($came, $over, $shortest, %sent) = (0, 0, 1000);
alarm 60;
for my $n (1 .. $count) {
	$sent{$n} = time;
	$s->send($n);
	sleep 0.001;
}
until ($came == $count || $over) {
	# It comes back behind all others.
	$s->send('over') if $lossy;
	while ($ready->can_read(0.1)) {
		$s->recv(my $got, 100);
		if ($got eq 'over') {
			$over = 1;
			next;
		}
		print "$got\n";
		$came++;
		my $round = 1000 * (time - $sent{$got});
		$shortest = $round if $round < $shortest;
	}
}
open my $f, '>', $file or die;
printf $f "%d\n", $shortest;
END

ask() { on alpha perl "$T/ask" "$T/round" "$@" >"$T/counted"; }
in_order() { sort -nc "$T/counted" 2>/dev/null; }

# round OPERATOR MS
round() {
	ask 20
	test "$(cat "$T/round")" "$@"
}

# all_came: each of 200, once.
all_came() {
	ask 200
	sort -n "$T/counted" >"$T/sorted"
	seq 200 | cmp - "$T/sorted"
}

fleet_begin alpha
needs_netns
registered alpha
scenario 'the faults of a link are what they are called' <<'END'
>>> (inside hub perl "$T/echo" "$T/begun") &
>>> wait_until 5 test -e "$T/begun"; wait_until 5 round -lt 30
>>> link_slow alpha delay 30; wait_until 5 round -ge 60; all_came; in_order
>>> link_slow alpha delay 10 jitter 20; all_came; in_order
>>> link_slow alpha delay 30 reorder 25; all_came; no in_order
>>> link_slow alpha loss 30; ask 200 lossy; came=$(wc -l <"$T/counted")
>>> [ "$came" -gt 20 ] && [ "$came" -lt 180 ]
END

scenario 'a stream goes through them, and they end' <<'END'
>>> link_slow alpha delay 5 jitter 5 reorder 5
>>> journal_add alpha 1 30 100000; agent_start alpha; wait_until 60 has alpha 30
>>> link_slow alpha delay 100; link_cut alpha; link_heal alpha
>>> wait_until 5 round -ge 200; link_swift alpha; wait_until 5 round -lt 30
>>> link_swift alpha; wait_until 5 round -lt 30
>>> link_slow alpha delay 20; wait_until 5 round -ge 40
END
done_testing
