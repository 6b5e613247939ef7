#!/usr/bin/perl
# standin.pl - stands for a client that shows dialogs, as Claude Code draws them.
#
#	claude standin.pl LOG FILE...    each input is logged, and the next file
#	                                 is shown
#	claude standin.pl LOG soon FILE...    the same, and drops what comes in
#	                                 the first 0.3 s of a file
#	claude standin.pl LOG race SEED  a new dialog at random moments
#
# In a race each key is logged with two dialogs: the last one that the terminal
# had read before it typed the key, and the last one that was drawn.  The
# terminal's answer to a question behind each drawing tells: it comes in the
# order of the keys.
use strict;
use warnings;
use Time::HiRes qw(time);

my ($log, @files) = @ARGV;
my $rule = '─' x 60;
open my $out, '>>', $log or die;
$out->autoflush(1);
system 'stty', 'raw', '-echo';
$| = 1;

sub show {
	my ($text) = @_;
	$text =~ s/\n/\r\n/g;
	syswrite STDOUT, "\e[?25l\e[H\e[J$text\e[?2004h\e[6n";
}

sub dialog {
	my ($number) = @_;
	return "$rule\n Bash command\n\n   job $number\n   what it is for\n\n" .
	    " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n" .
	    " Esc to cancel · Tab to amend";
}

# What was typed within so many seconds; '' if nothing was.
sub input {
	my ($seconds) = @_;
	my $ready = '';
	my $bytes = '';

	vec($ready, 0, 1) = 1;
	if (select $ready, undef, undef, $seconds) {
		sysread STDIN, $bytes, 4096 or exit;
	}
	return $bytes;
}

sub race {
	my ($drawn, $read) = (1, 0);

	srand $files[1];
	show(dialog($drawn));
	while (1) {
		# An answer comes about 0.75 s after the last one.
		my $bytes = input(0.7 + rand 0.15);
		my $key = 0;

		while ($bytes =~ /\G(?:(\e\[\d+;\d+R)|(.))/gs) {
			$read++, next if $1;
			print $out "$2 $read $drawn\n";
			$key = 1;
		}
		show(dialog(++$drawn)) if $key || $bytes eq '';
	}
}

race() if $files[0] eq 'race';
my $soon = $files[0] eq 'soon';
shift @files if $soon;
for my $file (@files) {
	open my $in, '<', $file or die;
	local $/;
	show(<$in>);
	my $bytes = '';
	$bytes .= input(10) until $bytes =~ s/\e\[\d+;\d+R//;
	print $out "shown $file\n";
	my $until = time + ($soon ? 0.3 : 0);
	$bytes = input($until - time) while time < $until;
	$bytes = input(10) while $bytes eq '';
	$bytes =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;
	print $out "$bytes\n";
}
input(1000);
