#!/usr/bin/perl
# Every case of tests/vectors/markers, through `paneward scan`: as a file, from
# standard input, and in pieces.  If a case is contested, a difference is
# printed and is not a failure.  (tests/unit/marker/marker.c has those
# that grow, and cuts everywhere.)
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Encode qw(encode_utf8);
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;

use Paneward qw(paneward scratch slurp spew vectors);

my ($folder, $index) = vectors('markers');
my @contested;
# Older than the letters of any script in rule 4, which refuses both.
my %older = map { $_ => 1 } 'MK-P051', 'MK-P146';

# The path of the input, which is generated if it is missing.
sub input {
	my ($case) = @_;
	my $path;

	return "$folder/$case->{file}" if defined $case->{file};
	$path = scratch() . "/$case->{id}";
	spew($path, join '', map { encode_utf8($_->{text}) x $_->{repeat} }
	    @{ $case->{generate} });
	return $path;
}

sub options {
	my ($case) = @_;
	my @options = ('--json', '--issue', $case->{issue});

	push @options, '--marker', encode_utf8($case->{marker})
	    if defined $case->{marker};
	push @options, '--window' if $case->{scan} eq 'window';
	return @options;
}

sub listed {
	my (%keys) = @_;
	return join ', ', map { "$_ $keys{$_}" }
	    grep { defined $keys{$_} } sort keys %keys;
}

# The difference between an answer and the expectation; empty if they agree.
sub differences {
	my ($got, $expect) = @_;
	my $answer = eval { decode_json($got->{out}) } // {};
	my $is = listed(%$answer, said => $got->{err}, exit => $got->{exit});
	my $want = listed(%$expect, said => '', exit => 0);

	return $is eq $want ? () : "it is $is; not $want";
}

# All the ways to scan a file.
sub check {
	my ($case) = @_;
	my $path = input($case);
	my $text = slurp($path);
	my @differences;

	push @differences, 'the input is not the one that was described'
	    if sha256_hex($text) ne $case->{sha256};
	for ([ $path ], [ '-' ], [ '--chunk', 1, $path ],
	    [ '--chunk', 7, '-' ]) {
		my $got = paneward({ stdin => $text }, 'scan', options($case),
		    @$_);
		my @options = @$_;
		push @differences, map { "scan @options: $_" }
		    differences($got, $case->{expect});
	}
	return @differences;
}

for my $case (@{ $index->{cases} }) {
	my $name = "$case->{id} $case->{category}: $case->{notes}";
	my @differences = check($case);

	if (@differences && ($case->{contested} || $older{ $case->{id} })) {
		push @contested, $name, map { "    $_" } @differences;
		pass("$name (contested)");
	} else {
		ok(!@differences, $name) or diag(join "\n", @differences);
	}
}

# Rule 4 asks Unicode for letters: every character that is assigned, before a
# marker and a blank.  The signs of emoji are none, whatever their category.
sub counted {
	my (@characters) = @_;
	my $path = scratch() . '/characters';
	my $got;

	spew($path, encode_utf8(join '', map {
	    chr($_) . " ###TASK_COMPLETE_42###\n" } @characters));
	$got = paneward({}, 'scan', '--json', '--issue', 42, $path);
	return decode_json($got->{out})->{complete};
}

# A list of constants would be there from the start, and each start above copy it.
my $last = 0xeffff;
my @assigned = grep { chr =~ /[^\p{Cn}\p{Cs}\p{Cc}]/ &&
    !grep { $_ } $_ == 0x20e3, $_ == 0x2139, ($_ & ~1) == 0xfe0e } 1 .. $last;
my @letters = grep { chr =~ /[\p{L}\p{N}\p{M}]/ } @assigned;
my @others = grep { chr !~ /[\p{L}\p{N}\p{M}]/ } @assigned;

is(counted(@letters), 0, 'every letter, digit and mark refuses');
is(counted(@others), scalar @others, 'no other character does');
is(counted(0x20e3, 0x2139, 0xfe0e, 0xfe0f), 4, 'nor a sign of emoji');
is(scalar @{ $index->{cases} }, 168, 'no case is missing');
diag(join "\n", 'contested cases that differ:', @contested) if @contested;
done_testing();
