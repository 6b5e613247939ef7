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
# had read before it typed the key, and the last one that was drawn before the
# key came.  The terminal's answer to a question behind each drawing tells the
# first: it comes in the order of the keys.  A key that comes while a dialog is
# drawn belongs to the one before.  The moments move to where half of the keys
# come too late.
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

# Is something typed within so many seconds?
sub pending {
	my ($seconds) = @_;
	my $ready = '';

	vec($ready, 0, 1) = 1;
	return select $ready, undef, undef, $seconds;
}

# What was typed within so many seconds; '' if nothing was.
sub input {
	my ($seconds) = @_;
	my $bytes = '';

	if (pending($seconds)) {
		sysread STDIN, $bytes, 4096 or exit;
	}
	return $bytes;
}

sub race {
	my ($drawn, $read, $owner, $pause) = (1, 0, 1, 0.75);

	srand $files[1];
	show(dialog($drawn));
	my $until = time + $pause;
	while (1) {
		my $bytes = input($until > time ? $until - time : 0);
		my $key = 0;

		while ($bytes =~ /\G(?:(\e\[\d+;\d+R)|(.))/gs) {
			$read++, next if $1;
			print $out "$2 $read $owner\n";
			$key = 1;
		}
		$owner = $drawn;
		next if !$key && ($bytes ne '' || time < $until);
		$pause += $key ? -0.01 : 0.01;
		show(dialog(++$drawn));
		$owner = $drawn unless pending(0);
		$until = time + $pause + 0.15 * (rand() - 0.5);
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
