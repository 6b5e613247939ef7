#!/usr/bin/perl
# Every case of tests/vectors/th-loop: `hook loop`.
use strict;
use warnings;
use utf8;
use File::Path qw(make_path);
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use Paneward qw(paneward scratch slurp spew vectors);

my $json = JSON::PP->new->utf8;
my ($folder, $index) = vectors('th-loop');

sub put {
	my ($dir, $path, $from) = @_;
	make_path("$dir/$path" =~ s{/[^/]*$}{}r);
	spew("$dir/$path", slurp("$folder/$from"));
}

sub prepare {
	my ($case) = @_;
	my $dir = scratch() . "/$case->{id}";
	make_path($dir);
	put($dir, $case->{state_path}, $case->{state_file})
	    if defined $case->{state_file};
	put($dir, $_, $case->{channels}{$_}) for keys %{ $case->{channels} };
	return $dir;
}

sub check_answer {
	my ($want, $got) = @_;
	is($got->{exit}, $want->{exit}, 'exit status');
	if ($want->{decision} eq 'allow') {
		is($got->{out}, '', 'no answer');
		like($got->{err}, qr/^paneward: hook loop: \Q$want->{stop_reason}\E:/,
		    'why');
		return;
	}
	is($got->{err}, '', 'nothing is wrong');
	my $answer = eval { $json->decode($got->{out}) } // {};
	is($answer->{decision}, 'block', 'decision');
	my $reason = $answer->{reason} // '';
	isnt($reason, '', 'a reason');
	ok(index($reason, $_) >= 0, "'$_' in the reason")
	    for @{ $want->{reason_contains} };
	ok(index($reason, $_) < 0, "no '$_' in the reason")
	    for @{ $want->{reason_not_contains} };
}

# The values of the frontmatter, and the text below it.
sub state_of {
	my ($text, @keys) = @_;
	my ($head) = $text =~ /\A(.*?^---\r?\n.*?^---)/ms;
	my %values = $head =~ /^(\w+): *"?([^\s"#]*)/mg;
	$text =~ s/^last_read_timestamp: \d+\r?\n//m;
	for my $key (@keys) {
		$text =~ s/^($key:) *[^\s#]*/$1/m or
		    $text =~ s/^(---\r?\n.*?)^---/$1$key:\n---/ms;
	}
	return \%values, $text;
}

sub check_state {
	my ($want, $before, $after) = @_;
	return is($after, undef, 'no state') if $want eq 'absent';
	return ok($after eq $before, 'untouched') if $want eq 'unchanged';
	my @changed = grep { $_ ne 'last_read_timestamp' } sort keys %$want;
	my ($values, $rest) = state_of($after, @changed);
	for my $key (sort keys %$want) {
		if ($want->{$key} eq 'present') {
			like($values->{$key}, qr/^\d+$/, $key);
		} else {
			is($values->{$key}, $want->{$key}, $key);
		}
	}
	is($rest, (state_of($before, @changed))[1], 'all else is as it was');
}

sub check {
	my ($case) = @_;
	my $dir = prepare($case);
	my $file = "$dir/$case->{state_path}";
	my $before = -e $file ? slurp($file) : undef;
	my $stdin = ref $case->{stdin} ? $json->encode($case->{stdin}) :
	    $case->{stdin};
	my $got = paneward({ dir => $dir, stdin => $stdin, env => {
	    PANEWARD_NOW => $case->{now}, %{ $case->{env} } } },
	    'hook', 'loop');
	my $after = -e $file ? slurp($file) : undef;

	check_answer($case->{expect}, $got);
	check_state($case->{expect}{state_after}, $before, $after);
	ok(!-e "$dir/pwned", 'nothing was run');
	is_deeply([ grep { /tmp$/ } glob("$dir/.claude/.* $dir/.claude/*") ],
	    [], 'nothing lies about');
	ok(!-e "$dir/.claude", 'nothing was made') unless defined $before;
}

for my $case (@{ $index->{cases} }) {
	subtest "$case->{id} $case->{category}: $case->{notes}" =>
	    sub { check($case) };
}
is(@{ $index->{cases} }, 54, 'no case is missing');
done_testing();
