#!/usr/bin/perl
# Every case of tests/vectors/templates, through `paneward render`.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use MIME::Base64;
use Test::More;

use Paneward qw(paneward slurp vectors);

my ($folder, $index) = vectors('templates');

# A value with a NUL byte cannot be an argument; tests/unit/data/template.c has
# those.
sub bytes_of {
	my ($value) = @_;
	my $bytes = ref $value ? decode_base64($value->{b64}) : $value;

	utf8::encode($bytes) unless ref $value;
	die "a value holds a NUL byte\n" if $bytes =~ /\0/;
	return $bytes;
}

sub check {
	my ($case, $template, $input) = @_;
	my $values = $case->{variables};
	my @set = map { ('--set', "$_=" . bytes_of($values->{$_})) }
	    sort keys %$values;
	my $got = paneward({ stdin => $input }, 'render', @set, $template);
	my $told = join('', map {
	    "paneward: render: '$template': unknown name '$_'\n"
	} @{ $case->{unknown} });

	return is($got->{exit}, 0, 'exit status') &&
	    ok($got->{out} eq slurp("$folder/$case->{expected}"), 'text') &&
	    is($got->{err}, $told, 'unknown names');
}

for my $case (@{ $index->{cases} }) {
	my $path = "$folder/$case->{template}";

	subtest "$case->{id} $case->{category}: $case->{notes}" => sub {
		check($case, $path, '');
		check($case, '-', slurp($path));
	};
}
is(scalar @{ $index->{cases} }, 36, 'no case is missing');
done_testing();
