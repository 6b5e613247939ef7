#!/usr/bin/perl
# Every case of tests/vectors/markers, through `paneward scan`: as a file, from
# standard input, and in pieces.  If a case is contested, a difference is
# printed and is not a failure.  (tests/unit/marker/marker.c has its sequences,
# and cases that are cut at given places.)
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;

use Paneward qw(paneward scratch slurp spew);

my $folder = "$FindBin::Bin/../vectors/markers";
my $index = decode_json(slurp("$folder/index.json"));
my @contested;

sub bytes_of {
	my ($text) = @_;

	utf8::encode($text);
	return $text;
}

# The path of the input, which is generated if it is missing.
sub input {
	my ($case) = @_;
	my $path;

	return "$folder/$case->{file}" if defined $case->{file};
	$path = scratch() . "/$case->{id}";
	spew($path, join '', map { bytes_of($_->{text}) x $_->{repeat} }
	    @{ $case->{generate} });
	return $path;
}

sub options {
	my ($case) = @_;
	my @options = ('--json', '--issue', $case->{issue});

	push @options, '--marker', bytes_of($case->{marker})
	    if defined $case->{marker};
	push @options, '--window' if $case->{scan} eq 'window';
	return @options;
}

# The difference between an answer and the expectation; empty if they agree.
sub differences {
	my ($got, $expect) = @_;
	my $answer = eval { decode_json($got->{out}) } // {};
	my %keys = map { $_ => 1 } keys %$answer, keys %$expect;
	my @differences;

	push @differences, "exit status $got->{exit}" if $got->{exit} ne 0;
	push @differences, "said: $got->{err}" if $got->{err} ne '';
	for my $key (sort keys %keys) {
		my ($is, $want) = map { $_->{$key} // '(nothing)' }
		    $answer, $expect;
		push @differences, bytes_of("$key is '$is', not '$want'")
		    if $is ne $want;
	}
	return @differences;
}

# All the ways to scan a file.
sub check {
	my ($case) = @_;
	my $path = input($case);
	my $text = slurp($path);
	my @options = options($case);
	my %ways = (
		'in one piece' => [ '', $path ],
		'from standard input' => [ $text, '-' ],
		'byte by byte' => [ '', '--chunk', 1, $path ],
		'by 7 bytes' => [ $text, '--chunk', 7, '-' ],
	);
	my @differences;

	push @differences, 'the input is not the one that was described'
	    if sha256_hex($text) ne $case->{sha256};
	for my $way (sort keys %ways) {
		my ($stdin, @arguments) = @{ $ways{$way} };
		my $got = paneward({ stdin => $stdin }, 'scan', @options,
		    @arguments);
		push @differences, map { "$way: $_" }
		    differences($got, $case->{expect});
	}
	return @differences;
}

for my $case (@{ $index->{cases} }) {
	my $name = bytes_of("$case->{id} $case->{category}: $case->{notes}");
	my @differences = check($case);

	if (@differences && $case->{contested}) {
		push @contested, $name, map { "    $_" } @differences;
		pass("$name (contested)");
	} else {
		ok(!@differences, $name) or diag(join "\n", @differences);
	}
}
is(scalar @{ $index->{cases} }, 157, 'no case is missing');
diag(join "\n", 'contested cases that differ:', @contested) if @contested;
done_testing();
