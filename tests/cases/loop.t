#!/usr/bin/perl
# Every case of tests/vectors/loop: `loop run`, with each session manager that
# is here.
use strict;
use warnings;
use utf8;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use Paneward qw(paneward scratch spew vectors);

my (undef, $index) = vectors('loop');
$ENV{TMUX_TMPDIR} = scratch() . '/t';
# The name of a socket must be short.
$ENV{ZELLIJ_SOCKET_DIR} = tempdir('/tmp/pw-z.XXXXXX', CLEANUP => 1);
make_path($ENV{TMUX_TMPDIR});

# Is a manager here, as the program says itself?
sub present {
	my ($manager) = @_;
	my $dir = scratch() . "/present-$manager";
	make_path($dir);
	return paneward({ dir => $dir }, 'loop', 'run', '--session-manager',
	    $manager, '--max-iterations', 1, '--', 'true')->{exit} == 1;
}

# An agent that prints what the case says for each round, in as many writes.
sub agent {
	my ($dir, $case) = @_;
	return "$dir/no-such-agent" if $case->{runs}[0]{create_fails};
	spew("$dir/runs.json", encode_json($case->{runs}));
	spew("$dir/agent", <<'END');
#!/usr/bin/perl
use strict;
use warnings;
use JSON::PP;
my ($dir) = $0 =~ m{(.*)/};
open(my $fh, '<', "$dir/runs.json") or die;
my $runs = decode_json(do { local $/; <$fh> });
my $n = $ENV{PANEWARD_ITERATION};
my $run = $runs->[$n > @$runs ? -1 : $n - 1];
binmode STDOUT, ':utf8';
$| = 1;
for my $chunk (@{ $run->{chunks} }) {
	print $chunk->{text} x ($chunk->{repeat} // 1);
	select(undef, undef, undef, 0.03);
}
exit $run->{exit};
END
	chmod(0755, "$dir/agent");
	return "$dir/agent";
}

sub check {
	my ($case, $manager) = @_;
	my $dir = scratch() . "/$case->{id}-$manager";
	make_path($dir);
	my $got = paneward({ dir => $dir }, 'loop', 'run', '--json',
	    '--session-manager', $manager, '--keyword', $case->{keyword},
	    '--max-iterations', $case->{max_iterations}, '--',
	    agent($dir, $case));
	my ($last) = $got->{out} =~ /([^\n]*)\n\z/;
	my $answer = eval { decode_json($last // '') } // {};
	my $want = $case->{expect};

	is($answer->{reason}, $want->{reason}, 'reason') or diag($got->{err});
	is($answer->{iterations}, $want->{iterations}, 'iterations');
	is(!!$answer->{success}, !!$want->{success}, 'success');
	is($got->{exit}, $want->{success} ? 0 :
	    $want->{reason} eq 'error' ? 3 : 1, 'exit status');
}

for my $manager (qw(native tmux zellij)) {
	SKIP: {
		skip("$manager is not here", scalar @{ $index->{cases} }) if
		    !present($manager);
		for my $case (@{ $index->{cases} }) {
			subtest "$manager: $case->{id}: $case->{notes}" =>
			    sub { check($case, $manager) };
		}
	}
}
is(@{ $index->{cases} }, 14, 'no case is missing');
system('tmux -L default kill-server 2>/dev/null') if -e "$ENV{TMUX_TMPDIR}/tmux-$>/default";
done_testing();
