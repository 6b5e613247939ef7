#!/usr/bin/perl
# compare.pl FOLDER: compares FOLDER/wanted and FOLDER/got, the two texts of a
# scenario (lib.sh), step by step; prints their difference.
use strict;
use warnings;

my $folder = shift;

# The steps: each is a list of lines, its command first.
sub steps {
	my ($name) = @_;
	my @steps;
	open my $file, '<', "$folder/$name" or die "$name: $!\n";
	while (<$file>) {
		s/\Q$folder\E/\$T/g;
		push @steps, [] if /^>>> /;
		push @{ $steps[-1] }, $_ if @steps;
	}
	return @steps;
}

my @wanted = steps('wanted');
my @got = steps('got');
for my $i (0 .. $#wanted) {
	for my $j (0 .. $#{ $wanted[$i] }) {
		my ($pattern) = $wanted[$i][$j] =~ /^~ (.*)/ or next;
		my $line = $got[$i][$j] // next;
		$wanted[$i][$j] = $line if $line =~ /^$pattern$/;
	}
}
my ($wanted, $got) = map { join '', map { @$_ } @$_ } \@wanted, \@got;
exit 0 if $wanted eq $got;
for (["$folder/wanted", $wanted], ["$folder/got", $got]) {
	open my $file, '>', $_->[0] or die "$_->[0]: $!\n";
	print $file $_->[1];
	close $file;
}
exec 'diff', '-U', 100, '--label', 'wanted', '--label', 'got',
    "$folder/wanted", "$folder/got";
