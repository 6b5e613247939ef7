#!/usr/bin/perl
# chain.pl INDEX FOLDER MODE - lays the cases of tests/vectors/chain that are for
# a watch or a sweep out as files: FOLDER/ID/{status/,capture,facts}, for a
# shell to use.
use strict;
use warnings;
use Encode qw(encode_utf8);
use JSON::PP;

my ($index, $folder, $mode) = @ARGV;

sub spew {
	my ($path, $text) = @_;

	open(my $fh, '>:raw', $path) or die "$path: $!\n";
	print $fh encode_utf8($text);
	close($fh) or die "$path: $!\n";
}

open(my $fh, '<:raw', $index) or die "$index: $!\n";
my $cases = decode_json(do { local $/; <$fh> })->{cases};

for my $case (grep { $_->{mode} eq $mode } @$cases) {
	my $at = "$folder/$case->{id}";
	my $want = $case->{expect};

	mkdir $at or die "$at: $!\n";
	mkdir "$at/status", 0700 or die "$at/status: $!\n";
	for my $name (keys %{ $case->{status_dir} }) {
		my $content = $case->{status_dir}{$name};

		ref $content ? mkdir "$at/status/$name" :
		    spew("$at/status/$name", $content);
	}
	spew("$at/capture", $case->{capture} // '');
	spew("$at/captured", '') if defined $case->{capture};
	spew("$at/check_errors", '') if $case->{check_errors};
	spew("$at/session", $case->{session});
	spew("$at/verdict", $want->{verdict});
	spew("$at/source", $want->{source} // '');
	spew("$at/message", $want->{error_message} // '');
	spew("$at/gone", join("\n", @{ $want->{files_gone} }));
	spew("$at/kept", join("\n", @{ $want->{files_kept} }));
	spew("$at/notes", $case->{notes});
}
