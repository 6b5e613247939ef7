#!/usr/bin/perl
# states.t - what real agents were at, by what their panes showed: the log up
# to a moment, the title, the screen and the program in front, as explain sees
# them.  Which moment was which, the recordings say.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Encode qw(encode_utf8);
use JSON::PP;
use Paneward qw(paneward slurp spew scratch);

binmode STDOUT, ':utf8';
my $folder = "$FindBin::Bin/../recordings";
my $recordings = decode_json(slurp("$folder/index.json"))->{recordings};

my %states = (
	(map { $_ => 'waiting' } qw(idle after-esc cut)),
	(map { $_ => 'asking' } qw(permission trust failed)),
	(map { $_ => 'working' } qw(busy tool queued)),
	(map { $_ => 'dead' } qw(exited killed)),
);

# OpenCode wants a second Esc, and works on until then.
my %own = ('opencode-s-busy after-esc' => 'working');

# A client that has given up needs a person; until then it is at work or held by
# a limit.
my %gave_up = map { $_ => 1 } ('claude-s-529 retry', 'claude-s-529 later',
    'codex-s-429 retry', 'codex-s-429 later', 'codex-s-500 later',
    (map { "pi-s-$_ later" } 429, 500, 529));

# What is asked, where the screen shows it.
my %asked = (
	'claude-s-permission permission' =>
	    'it asks for permission: Bash command rm -rf build && touch x',
	'claude-r-untrusted trust' => 'it asks whether to trust this folder',
	'opencode-s-permission permission' => 'it asks for permission: ' .
	    'Shell command $ touch /tmp/demo/issue-42/x && ls',
	'claude-s-idle idle' => 'it waits for a prompt',
);

sub wanted {
	my ($name, $label) = @_;

	my $known = $own{"$name $label"} // $states{$label};

	return $known if $known;
	return unless $label =~ /^(?:retry|later)$/;
	return $gave_up{"$name $label"} ? 'asking' : 'working or limited';
}

# The verdict; %with may leave out what a pane does not always show.
sub judged {
	my ($recording, $state, %with) = @_;
	my $name = $recording->{name};
	my $status = scratch() . '/status';
	my $capture = "$folder/$name.$state->{label}.capture.txt";
	my @replay = ('--session', 'alive', '--backend', $recording->{agent},
	    '--command', $state->{command});

	mkdir $status, 0700;
	spew("$status/output-42.log", $with{log} ?
	    substr(slurp("$folder/$name.raw"), 0, $state->{raw_offset}) : '');
	push @replay, '--title', encode_utf8($state->{title}) if $with{title};
	push @replay, '--capture', $capture if -e $capture && $with{capture};
	my $run = paneward({ dir => $status }, 'explain', 42, '--json',
	    '--status-dir', $status, @replay);
	my @lines = split /\n/, $run->{out};
	return @lines ? decode_json($lines[-1]) :
	    { verdict => "exit $run->{exit}: $run->{err}" };
}

my $number = 0;
sub result {
	my ($good, $what) = @_;
	printf "%sok %d - %s\n", $good ? '' : 'not ', ++$number, $what;
	return $good;
}

for my $recording (grep { !$_->{trimmed} } @$recordings) {
	for my $state (@{ $recording->{states} }) {
		my $what = "$recording->{name} $state->{label}";
		my $want = wanted($recording->{name}, $state->{label}) or next;
		my %all = (log => 1, title => 1, capture => 1);
		my $got = judged($recording, $state, %all);
		my $why = $asked{$what} // $got->{why};

		result($want =~ /\b\Q$got->{verdict}\E\b/ && $got->{why} eq
		    $why, "$what: $want") or
		    print "# it is $got->{verdict}: $got->{why}\n";

		# Without a log of ours, or with the screen alone.
		for my $less ('log', 'log and title') {
			my %some = %all;
			delete @some{split / and /, $less};
			$got = judged($recording, $state, %some);
			result($want =~ /\b\Q$got->{verdict}\E\b/,
			    "$what, without $less") or
			    print "# it is $got->{verdict}: $got->{why}\n";
		}
	}
}
print "1..$number\n";
