#!/usr/bin/perl
# parked.pl - stands for a client that a usage limit holds, as Claude Code draws
# it.
#
#	claude parked.pl LOG SECONDS[,SECONDS...] [TEXT]
#
# The limit ends after so many seconds; each prompt but the last one meets
# another limit.  TEXT is typed in its prompt already.  LOG gets the end of each
# limit and each prompt, with their times.
use strict;
use warnings;
use POSIX 'strftime';
use Time::HiRes 'time';

my ($log, $limits, $box) = @ARGV;
my @limits = split /,/, $limits;
my $rule = '─' x 60;
my ($said, $spinner) = ('', '');
$box //= '';
open my $out, '>>', $log or die;
$out->autoflush(1);
system 'stty', 'raw', '-echo';
$| = 1;

sub show {
	my $text = "$said\n\n$spinner$rule\n❯ $box\n$rule\n  ? for shortcuts";
	$text =~ s/\n/\r\n/g;
	syswrite STDOUT, "\e[?25l\e[H\e[J$text\e[?2004h";
}

# The next limit, or work.
sub answer {
	my $seconds = shift @limits;
	if (defined $seconds) {
		my $end = int(time) + $seconds;
		print $out "limit $end\n";
		$said .= "\n  ⎿  You've hit your limit · resets " .
		    strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $end);
	} else {
		$said = "● I go on with it.";
		$spinner = "✻ Working… (esc to interrupt)\n\n";
	}
}

answer();
show();
while (sysread STDIN, my $bytes, 4096) {
	$bytes =~ s/\e\[20[01]~//g;
	for my $c (split //, $bytes) {
		if ($c eq "\r") {
			printf $out "prompt %d %s\n", time, $box;
			$said = "❯ $box\n";
			$box = '';
			answer();
		} else {
			$box .= $c;
		}
	}
	show();
}
