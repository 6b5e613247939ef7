# Recordings.pm - the recordings of real agents, as explain judges them.
package Recordings;

use strict;
use warnings;
use Exporter qw(import);
use FindBin;
use JSON::PP;
use Paneward qw(paneward slurp spew scratch);

our @EXPORT_OK = qw(recordings known hook_calls judged kind_of);

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

sub hook_calls {
	my ($name) = @_;
	return scalar(() = hook_inputs($name));
}

# Repeats the wanted calls.
sub replay_hooks {
	my ($name, $status, $wanted) = @_;

	for my $in (grep { $wanted->($_) } hook_inputs($name)) {
		my $run = paneward({ dir => $status, stdin =>
		    $json->encode($in), env => { PANEWARD_ISSUE => 42,
		    PANEWARD_STATUS_DIR => $status } }, 'hook', 'record');
		die "$name: hook record: $run->{exit} $run->{out}$run->{err}\n"
		    if "$run->{exit}$run->{out}$run->{err}" ne '0';
	}
}

# The verdict on a recording; %with may have hooks, a function that says whether
# an input of a hook is passed on.
sub judged {
	my ($recording, %with) = @_;
	my $name = $recording->{name};
	my $status = scratch() . '/replay-' . $replays++;
	my $capture = "$folder/$name.capture-joined.txt";
	my @replay = ('--session', 'alive', '--check-errors');

	mkdir $_, 0700 or die "$_: $!\n" for $status, "$status/.paneward";
	spew("$status/output-42.log", slurp("$folder/$name.raw"));
	spew("$status/$recording->{signal_file}", "done\n")
	    if defined $recording->{signal_file};
	replay_hooks($name, $status, $with{hooks}) if $with{hooks};
	push @replay, '--capture', $capture if -e $capture;
	my $run = paneward({ dir => $status }, 'explain', 42, '--json',
	    '--status-dir', $status, @replay);
	my @lines = split /\n/, $run->{out};
	return @lines ? $json->decode($lines[-1])->{verdict} :
	    "exit $run->{exit}";
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
