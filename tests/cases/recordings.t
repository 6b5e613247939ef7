#!/usr/bin/perl
# recordings.t - real agents' panes, replayed: the log, the last capture and
# the signal file, as explain sees them.
#
# Not all of them can be judged right without the agents' hooks (see hooks.t):
# several clients remove the fence lines when they render Markdown, so that an
# example looks like a report.  tests/recordings/scoreboard.txt lists those that
# are judged wrong, and why.  The test fails for any other wrong one, and for a
# listed one that is judged right.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Recordings qw(recordings known judged kind_of);

binmode STDOUT, ':utf8';
my $known = known('pane');
my (%board, $number);

for my $recording (recordings()) {
	my ($name, $want) = @$recording{qw(name expect)};
	my $got = judged($recording);
	my $kind = kind_of($recording, $got);
	my $expected = $known->{$name} // 'right';

	$board{ $recording->{agent} }{$kind}++;
	$number++;
	printf "%sok %d - %s is %s\n", $kind eq $expected ? '' : 'not ',
	    $number, $name, $kind;
	print "# judged $got, meant $want: $recording->{why}\n"
	    if $kind ne $expected;
}

my %sum;
printf "# %-10s %6s %6s %6s\n", qw(agent right false missed);
for my $agent (sort keys %board) {
	printf "# %-10s %6d %6d %6d\n", $agent,
	    map { $sum{$_} += $board{$agent}{$_} // 0; $board{$agent}{$_} // 0 }
	    qw(right false missed);
}
printf "# %-10s %6d %6d %6d\n", 'all', map { $sum{$_} } qw(right false missed);
print "1..$number\n";
