#!/usr/bin/perl
# mutants.pl [--all] [LIST]: how many wrong lines do the tests notice?
#
# LIST, tests/mutants.txt by default, has three lines for each: a source file, a
# line of it, and the wrong line, both behind a tab.  Each is tried in a clone of
# the last commit.  The units of its folder run first, then make test-fast's tests;
# with --all, those that stay unnoticed are tried with the other tests of make test.
# One test that fails is enough.  The clone stays in build/mutants.
use strict;
use warnings;

my $all = @ARGV && $ARGV[0] eq '--all' && shift;
my $list = shift // 'tests/mutants.txt';
my $clone = 'build/mutants';

# What a command prints; whether it succeeded is in $?.
sub run {
	my $pid = open my $out, '-|' // die "fork: $!\n";
	if ($pid == 0) {
		open STDERR, '>&', \*STDOUT;
		exec @_ or die "$_[0]: $!\n";
	}
	local $/;
	my $text = <$out>;
	close $out;
	return $text;
}

# The first of these tests that fails, and fails again alone.
sub failing {
	my $test = first_failing(@_);
	$test = undef if defined $test && !defined first_failing($test);
	return $test;
}

sub first_failing {
	my $pid = open my $out, '-|' // die "fork: $!\n";
	if ($pid == 0) {
		open STDERR, '>&', \*STDOUT;
		chdir $clone;
		$ENV{PANEWARD_BIN} = `pwd` =~ s/\n/\/paneward/r;
		exec 'build/tests/limit', 3600, 'prove', '-j', $ENV{JOBS} // 4,
		    '--exec', 'build/tests/limit 200', @_;
	}
	my ($test, $failed);
	while (<$out>) {
		$test = $1 if m{^((?:build/)?tests/\S+) \.\.};
		next if !/^(?:Failed \d|Dubious|No subtests)/;
		$failed = $test;
		kill TERM => $pid;
		last;
	}
	close $out;
	return $failed;
}

# The tests that a target runs, by its call of prove.
sub tests {
	my ($prove) = grep { / prove / } split /\n/,
	    run('make', '-nC', $clone, $_[0]);
	return grep { m{^(?:build/)?tests/.*[^t]$|\.t$} && !/limit/ }
	    split ' ', $prove;
}

open my $in, '<', $list or die "$list: $!\n";
chomp(my @lines = <$in>);
run('rm', '-rf', $clone);
run('git', 'clone', '-q', '.', $clone);
my $said = run('make', '-j2', '-C', $clone, 'programs');
die $said if $?;
my @fast = tests('test-fast');
my %fast = map { $_ => 1 } @fast;
my @slow = grep { !$fast{$_} } tests('test');
my ($tried, $caught) = (0, 0);
$| = 1;
while (my ($path, $right, $wrong) = splice @lines, 0, 3) {
	my ($folder) = $path =~ m{^(?:lib/)?([^/]+)/};
	my @own = grep { m{/unit/$folder/} } @fast;
	open my $file, '<', "$clone/$path" or die "$path: $!\n";
	my $text = do { local $/; <$file> };
	$text =~ s/^([ \t]*)\Q${\ substr $right, 1}\E$/$1 . substr $wrong, 1/em or
	    die "$path: no such line: $right\n";
	open $file, '>', "$clone/$path" or die "$path: $!\n";
	print $file $text;
	close $file;

	$said = run('make', '-j2', '-C', $clone, @own, 'paneward');
	my $by = $? ? 'the compiler' : failing(@own);
	if (!defined $by) {
		run('make', '-j2', '-C', $clone, 'programs');
		$by = failing(@fast) // ($all ? failing(@slow) : undef);
	}
	run('git', '-C', $clone, 'checkout', '-q', $path);
	$tried++;
	$caught++ if defined $by;
	printf "%-9s %s:%s%s\n", defined $by ? 'caught' : 'UNNOTICED', $path,
	    $wrong, defined $by ? "\t$by" : '';
}
print "$caught of $tried are caught\n";
