#!/usr/bin/perl
# slowlink.pl INTERFACE INTERFACE <>FIFO - joins two network interfaces of
# Linux, as a bad cable does: each frame that comes in at one goes out at the other.
#
# A line of standard input says what frames suffer; the last line holds:
#
#	delay 40 jitter 10 reorder 25 loss 5
#
# A frame is kept for delay ms and up to jitter ms more, in each direction.
# Frames keep their order, but reorder per cent of them overtake all that wait.
# Loss per cent are dropped.  What a line does not name is 0.  The line "end"
# sends what waits, and ends it.
use strict;
use warnings;
use List::Util qw(max min);
use Socket qw(SOCK_NONBLOCK SOCK_RAW);
use Time::HiRes qw(time);

# As Linux numbers them.
use constant {
	AF_PACKET => 17, ETH_P_ALL => 3, SIOCGIFINDEX => 0x8933,
	SOL_PACKET => 263, PACKET_VNET_HDR => 15, PACKET_IGNORE_OUTGOING => 23,
	FRAME => 128 << 10,             # bytes: more than one, unsegmented
};

my %fault;

# A socket for all frames of an interface.  Frames of this machine are neither
# split nor summed yet; a header tells, which goes with them.
sub frames_of {
	my ($interface) = @_;
	my $request = pack('a16 x24', $interface);
	my $s;

	socket($s, AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0) &&
	    ioctl($s, SIOCGIFINDEX, $request) &&
	    setsockopt($s, SOL_PACKET, PACKET_VNET_HDR, 1) &&
	    setsockopt($s, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) &&
	    bind($s, pack('S n i x12', AF_PACKET, ETH_P_ALL,
	    unpack('x16 i', $request))) or die "$interface: $!\n";
	return $s;
}

sub chance { return rand(100) < ($fault{$_[0]} // 0) }

# Takes what has come in.  What cannot be sent is lost, as on any cable.
sub take {
	my ($way) = @_;

	while (sysread($way->{from}, my $frame, FRAME)) {
		next if chance('loss');
		if (chance('reorder')) {
			syswrite($way->{to}, $frame);
			next;
		}
		$way->{last} = max($way->{last}, time + ($fault{delay} // 0) /
		    1000 + rand($fault{jitter} // 0) / 1000);
		push @{ $way->{waits} }, [$way->{last}, $frame];
	}
}

sub send_until {
	my ($way, $time) = @_;
	my $waits = $way->{waits};

	syswrite($way->{to}, (shift @$waits)->[1])
	    while @$waits && $waits->[0][0] <= $time;
}

my ($one, $other) = map { frames_of($_) } @ARGV;
my @ways = map +{ from => $_->[0], to => $_->[1], waits => [], last => 0 },
    [$one, $other], [$other, $one];
my $inputs = '';
vec($inputs, fileno $_, 1) = 1 for *STDIN, $one, $other;

while (1) {
	my $due = min(map { $_->[0][0] } grep { @$_ }
	    map { $_->{waits} } @ways);

	select(my $ready = $inputs, undef, undef,
	    defined $due ? max(0, $due - time) : undef) >= 0 or next;
	if (vec($ready, fileno STDIN, 1)) {
		sysread(STDIN, my $text, 4096) or last;
		my ($last) = $text =~ /(.*)\n\z/ or next;

		last if $last eq 'end';
		%fault = split / /, $last;
	}
	for my $way (@ways) {
		take($way);
		send_until($way, time);
	}
}
send_until($_, 9**9**9) for @ways;
