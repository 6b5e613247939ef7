#!/usr/bin/perl
# A watcher that adopts an agent in a new pane, after an earlier run of the
# issue, is killed at its system calls: the next one follows that agent, and
# not the earlier run.  SOAK=1 tries each call, otherwise every fifth and all
# that write.
use strict;
use warnings;
use File::Path qw(remove_tree);
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use Test::More;

my $every = $ENV{SOAK} ? 1 : 5;
my $patience = 120;
my $case = 0;
my ($P, $earlier, @watch);

begin_faults();
system('tmux -f /dev/null new-session -d -s keeper "exec tail -f /dev/null"')
    == 0 or plan(skip_all => 'tmux does not run');
END { system('tmux kill-server 2>/dev/null') }

sub record {
	return eval { decode_json(slurp(
	    "$P/.worktrees/.status/.paneward/7.json")) } // {};
}

sub spew {
	my ($path, $text) = @_;

	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close($f) or die "$path: $!\n";
}

# A project with an agent in a pane of issue 7, and the record of the earlier
# run, if there was one.
sub begin_case {
	if (defined $P) {
		system('tmux kill-session -t "=c' . ($case - 1) . '-issue-7:"');
		remove_tree($P, { error => \my $left });
	}
	$P = "$T/case$case";
	mkdir $_, 0700 for $P, map { "$P/.worktrees$_" } '', '/.status',
	    '/.status/.paneward';
	spew("$P/.paneward.json", '{ "session_pattern": ' .
	    '"^c[0-9]+-issue-(?<issue>[0-9]+)$" }');
	spew("$P/.worktrees/.status/.paneward/7.json", $earlier)
	    if defined $earlier;
	system("tmux new-session -d -s c$case-issue-7 -c $P " .
	    '"exec tail -f /dev/null"') == 0 or die;
	$case++;
}

sub watched {
	return run_in($P, $patience, @_, @watch);
}

# The agent in the pane is what is recorded, under a run of its own.
sub followed {
	my $r = record();
	my $pane = `tmux list-panes -t "=c@{[$case - 1]}-issue-7:" -F '#{pane_pid}'`;

	return $r->{state} eq 'working' && $r->{tmux}{pane_pid} == $pane &&
	    $r->{run} ne decode_json($earlier)->{run};
}

begin_case();
@watch = ($pw, 'watch', '7', '--exit-on', 'working');
is(watched(), 0, 'there is an earlier run');
spew("$P/.worktrees/.status/signal-complete-7", "done\n");
@watch[3, 4] = ('--no-handoff');
pop @watch;
is(watched(), 0, 'which has reported');
$earlier = slurp("$P/.worktrees/.status/.paneward/7.json");

@watch = ($pw, 'watch', '7', '--exit-on', 'working');
begin_case();
my @points = traced_calls(\&watched);
ok(followed(), 'an agent in another pane is followed');
cmp_ok(scalar @points, '>', 20, 'the system calls are known');

my ($tried, @bad) = (0);
for my $i (0 .. $#points) {
	my ($name, $when) = @{$points[$i]};

	next if $i % $every != 0 && $name !~ /^(?:rename|f.*sync|clone|vfork)/;
	begin_case();
	watched('strace', '-f', '-b', 'execve', '-o', "$T/trace", '-e',
	    "inject=$name:signal=KILL:when=$when");
	watched();
	$tried++;
	push @bad, "$name $when" if !followed();
}
is("@bad", '', "also if its first watcher is killed ($tried points)");
chdir '/';
done_testing();
