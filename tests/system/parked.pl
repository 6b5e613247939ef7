#!/usr/bin/perl
# parked.pl - stands for a client that a usage limit holds, as Claude Code draws
# it.
#
#	claude parked.pl LOG SECONDS[,SECONDS...] [TEXT]
#	claude parked.pl --dialog LOG SECONDS
#	claude parked.pl --swap LOG SECONDS
#
# The limit ends after so many seconds; each prompt but the last one meets
# another limit.  TEXT is typed in its prompt already.  With --dialog, a dialog
# about the limit hides the prompt; with --swap, another one comes and goes at
# random moments from the limit's end on.  LOG gets the end of each limit, each
# choice of a dialog and each prompt, with their times; and "late" for input that
# the terminal sent to the second dialog though it had read that.
use strict;
use warnings;
use POSIX 'strftime';
use Time::HiRes 'time';

my $mode = $ARGV[0] =~ /^--(.*)/ ? shift && $1 : '';
my ($log, $limits, $box) = @ARGV;
my @limits = split /,/, $limits;
my $rule = '─' x 60;
my ($said, $spinner) = ('', '');
my $dialog = $mode eq 'dialog' ? "❯ /rate-limit-options\n$rule\n" .
    "  What do you want to do?\n\n  ❯ 1. Stop and wait for limit to reset\n" .
    "    2. Upgrade your plan\n\n  Enter to confirm · Esc to cancel" : '';
my $other = "$rule\n Bash command\n\n   rm -r it\n   what it is for\n\n" .
    " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel";
my $end;
my @drawn;                              # the dialogs that are not read yet
my $read = '';
$box //= '';
open my $out, '>>', $log or die;
$out->autoflush(1);
system 'stty', 'raw', '-echo';
$| = 1;

# The terminal answers a question behind each drawing when it has read that.
sub show {
	my $text = "$said\n\n$spinner" . ($dialog ||
	    "$rule\n❯ $box\n$rule\n  ? for shortcuts");
	push @drawn, $dialog;
	$text =~ s/\n/\r\n/g;
	syswrite STDOUT, "\e[?25l\e[H\e[J$text\e[?2004h\e[6n";
}

# The next limit, or work.
sub answer {
	my $seconds = shift @limits;
	if (defined $seconds) {
		$end = int(time) + $seconds;
		print $out "limit $end\n";
		$said .= "\n  ⎿  You've hit your limit · resets " .
		    strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $end);
	} else {
		$said = "● I go on with it.";
		$spinner = "✻ Working… (esc to interrupt)\n\n";
		$mode = '';
	}
}

sub take {
	my ($c) = @_;

	print $out "late\n" if $read eq $other;
	if ($dialog ne '') {
		print $out "choice $c\n";
		$dialog = '';
	} elsif ($c eq "\r") {
		printf $out "prompt %d %s\n", time, $box;
		$said = "❯ $box\n";
		$box = '';
		answer();
	} else {
		$box .= $c;
	}
}

# What was typed; "" if the dialog is to be swapped before.
sub input {
	my $ready = '';
	my $bytes = '';

	vec($ready, 0, 1) = 1;
	if (select $ready, undef, undef, $mode eq 'swap' ? rand 0.06 : undef) {
		sysread STDIN, $bytes, 4096 or exit;
	} elsif (time >= $end) {
		$dialog = $dialog eq '' ? $other : '';
		show();
	}
	return $bytes;
}

answer();
show();
while (1) {
	my $typed = 0;
	my $bytes = input();

	$bytes =~ s/\e\[20[01]~//g;
	while ($bytes =~ /\G(?:(\e\[\d+;\d+R)|(.))/gs) {
		$read = shift @drawn, next if defined $1;
		take($2);
		$typed = 1;
	}
	show() if $typed;
}
