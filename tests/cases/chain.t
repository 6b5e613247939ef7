#!/usr/bin/perl
# chain.t - tests/vectors/chain: the order of detection, through explain.
# tests/system/chain.sh runs the same cases with a watcher.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Encode qw(encode_utf8);
use JSON::PP;
use Test::More;
use Paneward qw(paneward spew scratch vectors);

# Lays the files of a case, and returns the words that replay it.
sub lay {
	my ($case, $folder) = @_;
	my @words = ('--session', $case->{session});

	mkdir $_, 0700 or die "$_: $!\n" for $folder, "$folder/status";
	for my $name (sort keys %{ $case->{status_dir} }) {
		my $content = $case->{status_dir}{$name};

		ref $content ? mkdir "$folder/status/$name" :
		    spew("$folder/status/$name", encode_utf8($content));
	}
	if (defined $case->{capture}) {
		spew("$folder/capture", encode_utf8($case->{capture}));
		push @words, '--capture', "$folder/capture";
	}
	return (@words, $case->{check_errors} ? '--check-errors' : ());
}

my (undef, $index) = vectors('chain');
for my $case (@{ $index->{cases} }) {
	my $folder = scratch() . "/$case->{id}";
	my @words = lay($case, $folder);
	my $want = $case->{expect};
	my $run = paneward({ dir => $folder }, 'explain', $case->{issue},
	    '--json', '--status-dir', "$folder/status", @words);
	my $got = eval { decode_json((split /\n/, $run->{out})[-1]) } // {};

	my @told = exists $want->{error_message} ? $got->{message} // '' : ();

	is_deeply([ $run->{exit}, @$got{qw(verdict source)}, @told ],
	    [ 0, @$want{qw(verdict source)}, $want->{error_message} // () ],
	    "$case->{id} $case->{notes}") or diag($run->{err});
}
done_testing();
