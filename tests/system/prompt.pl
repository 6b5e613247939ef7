#!/usr/bin/perl
# prompt.pl - stands for a client at its prompt, as Claude Code draws it.
#
#	claude prompt.pl LOG SECONDS    each turn takes so long
#	claude prompt.pl LOG race SEED  the prompt gives way to a dialog, to work or
#	                                to a text of a person at random moments
#
# A turn runs the command TELLS, if set; Ctrl+U empties the prompt.  LOG has
# each prompt in hexadecimal, with its turn's end; and "wrong" with what the
# terminal had read when it sent something to anything but an empty prompt, or
# Enter to anything but the text, as its answers behind each drawing tell.
use strict;
use warnings;
use Time::HiRes 'time';

my ($log, $seconds, $seed) = @ARGV;
my $rule = '─' x 60;
my %below = (
	busy => "✻ Working… (esc to interrupt)\n\n$rule\n❯ \n$rule\n  ? for shortcuts",
	dialog => "$rule\n Bash command\n\n   rm -r it\n   what it is for\n\n" .
	    " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel",
);
my ($box, $half, $said, $turns, $end) = ('', '', '● Ready.', 0, undef);
my ($shown, $read) = ('prompt', '');
my @drawn;                              # what is not read yet
open my $out, '>>', $log or die;
$out->autoflush(1);
system 'stty', 'raw', '-echo';
$| = 1;
srand $seed if defined $seed;

# What the screen shows, in a word.
sub state {
	return $shown ne 'prompt' ? $shown : $half ne '' ? 'half' :
	    $box ne '' ? 'text' : 'empty';
}

sub show {
	my $more = $box =~ tr/\n//;
	my $lines = $more > 9 ? "[Pasted text #1 +$more lines]" : $half . $box =~ s/\n/\n  /gr =~ s/\t/    /gr;
	my $text = "$said\n\n" . ($below{$shown} //
	    "$rule\n❯ $lines\n$rule\n  ? for shortcuts");
	push @drawn, state();
	# Clearing all at once would leave the old text above the screen.
	$text =~ s/\n/\e[K\r\n/g;
	syswrite STDOUT, "\e[?25l\e[H$text\e[J\e[?2004h\e[6n";
}

sub turn {
	$turns++;
	$said = "❯ " . substr($box =~ s/\n.*//sr, 0, 50) . "\n\n● Answer $turns.";
	$end = time + ($seconds eq 'race' ? 0.3 : $seconds);
	printf $out "prompt %s %.3f\n", unpack('H*', $box), $end;
	$box = '';
	$shown = 'busy';
	system $ENV{TELLS} if $ENV{TELLS};
}

# What was typed until the time comes.
sub input {
	my ($until) = @_;
	my $ready = '';
	my $bytes = '';
	my $left = defined $until ? $until - time : undef;

	vec($ready, 0, 1) = 1;
	sysread STDIN, $bytes, 65536 or exit
	    if select $ready, undef, undef, defined $left && $left < 0 ? 0 :
	    $left;
	return $bytes;
}

my ($swap, $kept, $pasting) = (undef, '', 0);
show();
while (1) {
	$swap //= time + rand 0.08 if $seconds eq 'race' && !defined $end;
	my $bytes = $kept . input($end // $swap);
	my $drew = state() . length $box;

	$kept = $bytes =~ s/(\e(?:\[[\d;]*)?)\z// ? $1 : '';
	while ($bytes =~ /\G(?:(\e\[\d+;\d+R)|\e\[(20[01])~|(.))/gs) {
		my ($answer, $paste, $c) = ($1, $2, $3);

		$read = shift @drawn, next if defined $answer;
		$pasting = $paste eq '200', next if defined $paste;
		$box = '', next if $c eq "\cU";
		print $out "wrong $read\n" if !$pasting &&
		    $read ne ($c eq "\r" ? 'text' : 'empty') ||
		    $pasting && $read ne 'empty';
		if ($c eq "\r" && !$pasting) {
			turn() if $box ne '' && $shown eq 'prompt';
		} else {
			$box .= $c eq "\r" ? "\n" : $c;
		}
	}
	if (defined $end && time >= $end) {
		($shown, $end, $swap) = ('prompt', undef, undef);
	} elsif (defined $swap && time >= $swap) {
		$swap = undef;
		my $next = (qw(prompt prompt prompt dialog busy half))[rand 6];
		$shown = $next eq 'half' ? 'prompt' : $next;
		$half = $next eq 'half' ? 'of a person' : '';
	}
	show() if $drew ne state() . length $box;
}
