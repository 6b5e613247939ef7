#!/bin/sh
# The faults of a link between hosts, which the run under chaos relies on: they
# come, they are what they are called, and they go.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"

# The server's host sends each datagram back.
cat >"$T/echo" <<'END'
#!/usr/bin/perl
use strict;
use warnings;
use IO::Socket::INET;
my $s = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '10.77.0.1:7') or die;
while (defined(my $from = $s->recv(my $text, 100))) {
	$s->send($text, 0, $from);
}
END

# `round`: the shortest of 20 round trips, in ms.  `count N`: sends the numbers
# to N, and prints them as they come back.
cat >"$T/ask" <<'END'
#!/usr/bin/perl
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use List::Util qw(min);
use Time::HiRes qw(sleep time);
my $s = IO::Socket::INET->new(Proto => 'udp', PeerAddr => '10.77.0.1:7') or die;
my $ready = IO::Select->new($s);

sub trip {
	my ($text) = @_;
	my $begun = time;
	do {
		$s->send($text) // sleep 0.01;
	} until $ready->can_read(1);
	$s->recv(my $got, 100);
	return 1000 * (time - $begun);
}

if ($ARGV[0] eq 'round') {
	printf "%.1f\n", min(map { trip($_) } 1 .. 20);
	exit;
}
my (%seen, @came);
alarm 60;
for my $n (1 .. $ARGV[1]) {
	$s->send($n);
	sleep 0.001;
}

# What comes back behind all others, unless it overtakes them.
until (keys %seen == $ARGV[1] || $seen{over}) {
	$s->send('over') if $ARGV[2];
	while ($ready->can_read(0.1)) {
		$s->recv(my $got, 100);
		push @came, $got unless $seen{$got}++ || $got eq 'over';
	}
}
print "$_\n" for @came;
END

round() { on alpha "$T/ask" round; }

# faster MS, slower MS: are round trips?
faster() { perl -e 'exit !($ARGV[0] < $ARGV[1])' "$(round)" "$1"; }
slower() { perl -e 'exit !($ARGV[0] >= $ARGV[1])' "$(round)" "$1"; }
counted() { on alpha "$T/ask" count "$@" >"$T/counted"; }
in_order() { sort -nc "$T/counted" 2>/dev/null; }

chmod +x "$T/echo" "$T/ask"
fleet_begin alpha
needs_netns
scenario 'the faults of a link are what they are called' <<'END'
>>> (inside hub "$T/echo") &
>>> wait_until 5 faster 30; link_slow alpha delay 30; wait_until 5 slower 60
>>> counted 200; in_order
>>> is "$(wc -l <"$T/counted")" 200
>>> link_slow alpha delay 10 jitter 20; counted 200; in_order
>>> is "$(wc -l <"$T/counted")" 200
>>> link_slow alpha delay 30 reorder 25; counted 200; no in_order
>>> is "$(sort -n "$T/counted" | tr '\n' ' ')" "$(seq 200 | tr '\n' ' ')"
>>> link_slow alpha loss 30; counted 200 over; came=$(wc -l <"$T/counted")
>>> [ "$came" -gt 20 ] && [ "$came" -lt 180 ]
>>> head -c 3000000 /dev/urandom >"$T/sent"
>>> link_slow alpha delay 5 jitter 5 reorder 5
END

cat >"$T/stream" <<'END'
use IO::Socket::INET;
my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '10.77.0.1:8') or die;
my $c = $s->accept;
print $c $_ while read STDIN, $_, 65536;
END

fetched() {
	on alpha perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(PeerAddr => "10.77.0.1:8") or
		    exit 1;
		print $_ while read $s, $_, 65536' >"$T/fetched" &&
		cmp "$T/sent" "$T/fetched"
}

scenario 'a stream goes through them, and they end' <<'END'
>>> (inside hub perl "$T/stream") <"$T/sent" &
>>> wait_until 60 fetched
>>> link_slow alpha delay 100; link_cut alpha; link_heal alpha
>>> wait_until 5 slower 200; link_swift alpha; wait_until 5 faster 30
>>> link_swift alpha; faster 30
>>> link_slow alpha delay 20; wait_until 5 slower 40
END
done_testing
