#!/usr/bin/perl
# recordings.t - real agents' panes, replayed: the log, the last capture and
# the signal file, as explain sees them.
#
# Not all of them can be judged right without the agents' hooks: several
# clients remove the fence lines when they render Markdown, so that an example
# looks like a report.  tests/recordings/scoreboard.txt says which ones are
# judged wrong and why; the test holds it to that, so it can only get better.
# A recording that is judged right now and listed there must be taken out.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Paneward qw(paneward slurp spew scratch);

binmode STDOUT, ':utf8';
my $folder = "$FindBin::Bin/../recordings";
my $recordings = decode_json(slurp("$folder/index.json"))->{recordings};
my (%known, %board, $number);

for (split /\n/, slurp("$folder/scoreboard.txt")) {
	next if /^#/ || !/\S/;
	my ($kind, $name, $why) = split ' ', $_, 3;
	$known{$name} = { kind => $kind, why => $why };
}

sub judged {
	my ($recording) = @_;
	my $name = $recording->{name};
	my $status = scratch() . "/$name";
	my $capture = "$folder/$name.capture-joined.txt";
	my @replay = ('--session', 'alive', '--check-errors');

	mkdir $status, 0700 or die "$status: $!\n";
	spew("$status/output-42.log", slurp("$folder/$name.raw"));
	spew("$status/$recording->{signal_file}", "done\n")
	    if defined $recording->{signal_file};
	push @replay, '--capture', $capture if -e $capture;
	my $run = paneward({ dir => $status }, 'explain', 42, '--json',
	    '--status-dir', $status, @replay);
	my @lines = split /\n/, $run->{out};
	return @lines ? decode_json($lines[-1])->{verdict} : "exit $run->{exit}";
}

for my $recording (@$recordings) {
	next if $recording->{trimmed};
	my ($name, $want) = @$recording{qw(name expect)};
	my $got = judged($recording);
	my $kind = $got eq $want ? 'right' : $got eq 'none' ? 'missed' : 'false';
	my $expected = $known{$name} ? $known{$name}{kind} : 'right';

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
