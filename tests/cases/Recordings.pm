# Recordings.pm - the recordings of real agents, as explain judges them.
package Recordings;

use strict;
use warnings;
use Exporter qw(import);
use FindBin;
use JSON::PP;
use Paneward qw(paneward slurp spew scratch);

our @EXPORT_OK = qw(recordings known hook_inputs replay kind_of);

my $folder = "$FindBin::Bin/../recordings";
my $json = JSON::PP->new->utf8->canonical;
my $replays = 0;

# The recordings that are complete.
sub recordings {
	return grep { !$_->{trimmed} }
	    @{ $json->decode(slurp("$folder/index.json"))->{recordings} };
}

# The scoreboard's rows of one kind of evidence: { NAME => KIND }.
sub known {
	my ($evidence) = @_;
	my %known;

	for (split /\n/, slurp("$folder/scoreboard.txt")) {
		my ($row, $kind, $name) = /^(\w\S*)\s+(\S+)\s+(\S+)\s+\S/
		    or next;
		$known{$name} = $kind if $row eq $evidence;
	}
	return \%known;
}

# The input of the agent's hooks, call by call.
sub hook_inputs {
	my ($name) = @_;
	my $path = "$folder/hooks/$name.jsonl";

	return -e $path ? grep { defined } map { $json->decode($_)->{stdin} }
	    split /\n/, slurp($path) : ();
}

# Lays a recording into a status directory; returns that, and a function that
# says the verdict.
sub replay {
	my ($recording) = @_;
	my $name = $recording->{name};
	my $status = scratch() . '/replay-' . $replays++;
	my $capture = "$folder/$name.capture-joined.txt";
	my @replay = ('--session', 'alive', '--check-errors',
	    -e $capture ? ('--capture', $capture) : ());

	mkdir $_, 0700 or die "$_: $!\n" for $status, "$status/.paneward";
	spew("$status/output-42.log", slurp("$folder/$name.raw"));
	spew("$status/$recording->{signal_file}", "done\n")
	    if defined $recording->{signal_file};
	return ($status, sub {
		my $run = paneward({ dir => $status }, 'explain', 42, '--json',
		    '--status-dir', $status, @replay);
		my @lines = split /\n/, $run->{out};
		return @lines ? $json->decode($lines[-1])->{verdict} :
		    "exit $run->{exit}";
	});
}

# A recording without a report is right unless it is judged as one.
sub kind_of {
	my ($recording, $verdict) = @_;
	my $report = $verdict =~ /^(?:complete|error|exit .*)$/ ? $verdict :
	    'none';

	return $report eq $recording->{expect} ? 'right' :
	    $report eq 'none' ? 'missed' : 'false';
}

1;
