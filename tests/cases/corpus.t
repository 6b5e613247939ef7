#!/usr/bin/perl
# corpus.t - the corpus of real agents, scored: paneward is right with every
# channel that a run has, and tests/corpus/README.md has the scores of today.
#
# From the pane alone not every report can be told from an example: several
# clients remove the fence lines when they render Markdown.
# tests/recordings/scoreboard.txt lists what is judged wrong then, and why.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;

use Paneward qw(program slurp);
use Recordings qw(known);

my $corpus = "$FindBin::Bin/../corpus";
my $readme = slurp("$corpus/README.md");

$ENV{PANEWARD_BIN} = program();
# The folders of cases are ten thousand files, which no disk needs to see.
$ENV{TMPDIR} = '/dev/shm' if -w '/dev/shm';

# What score prints of a program, with these options.
sub score {
	my ($name, @options) = @_;
	open(my $out, '-|', "$corpus/score", @options,
	    "$corpus/programs/$name") or die "score: $!\n";
	local $/;
	my $text = <$out>;
	close($out) or die "score: $?\n";
	return $text;
}

# The counts of all clients, in the order of the columns; `-` if none is asked.
sub counts {
	my ($text, $question) = @_;
	return $text =~ /^$question .*\n(?:.+\n)*?all +(\d.*)$/m ?
	    split(' ', $1) : ('-') x 3;
}

# The README has the row of a program.
sub row_is_there {
	my ($name, $channels, $text) = @_;
	my $row = join ' | ', "`$name`", $channels, counts($text, 'reports'),
	    counts($text, 'states');

	ok(index($readme, "| $row |\n") >= 0, "README.md: $name, $channels") or
	    diag("| $row |");
}

# The names of the cases that are wrong.
sub wrong {
	return [ sort $_[0] =~ /^(\S+): \S+, is /mg ];
}

my $text = score('paneward', '--many');
is_deeply(wrong($text), [],
    'with every channel all reports and states are right');
row_is_there('paneward', 'all', $text);

$text = score('paneward', '--many', '--channels', 'pane', '--question',
    'report');
is_deeply(wrong($text), [ sort keys %{ known('pane') } ],
    'by the pane alone those of scoreboard.txt are wrong');
row_is_there('paneward', 'pane', $text);

row_is_there($_, 'pane', score($_, '--many', '--channels', 'pane',
    '--question', 'report')) for qw(bytes line);
row_is_there('screen', 'pane', score('screen', '--many', '--channels',
    'pane'));

done_testing();
