#!/usr/bin/perl
# The runner of a hand-off is stopped behind any of its system calls, as with
# Ctrl-Z or by a machine that runs out of memory, while two sweeps and a watch
# come by, and mostly the file of its lock is removed.  As long as it stands
# still nobody else may begin the hand-off, and each sweep says why; once it
# goes on, the hand-off has been run once and is recorded as done.
#
#	ROUNDS=300 STOPS=1,5,60 prove -v tests/faults/frozen.t
#
# STOPS are the seconds for which it stands still at least.
use strict;
use warnings;
use Config;
use File::Path qw(remove_tree);
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $rounds = $ENV{ROUNDS} // 24;
my @stops = split /,/, $ENV{STOPS} // '0';
my $workers = 4;                # mostly they wait
my $patience = 120;             # seconds that a command is given at most
my $frozen = "$T/frozen";
my ($P, $D);

begin_faults();
plan(skip_all => 'no process can be traced here')
    if system("'$Config{cc}' -o '$frozen' '$FindBin::Bin/frozen.c' " .
    ">'$T/said' 2>&1 && '$frozen' '$T/trial' x 1 true") != 0;

# ---- a case -----------------------------------------------------------------

sub spew {
	my ($path, $text) = @_;

	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close($f) or die "$path: $!\n";
}

# A project in which issue 7 has reported, not yet noticed.
sub begin_case {
	my ($name) = @_;

	$P = "$T/$name";
	$D = "$P/.worktrees/.status";
	remove_tree($P);
	mkdir $_, 0700 for $P, "$P/.worktrees", $D;
	spew("$D/signal-complete-7", "done\n");
	spew("$P/handoff", <<'END');
#!/bin/sh
mkdir busy 2>/dev/null || echo "overlap $PANEWARD_ATTEMPT" >>effects
echo "begun $PANEWARD_HANDOFF_ID $PANEWARD_ATTEMPT" >>effects
sleep 0.1
rmdir busy
END
	chmod 0700, "$P/handoff";
	spew("$P/.paneward.json", '{ "handoff": "./handoff", "sockets": [] }');
}

sub wait_for {
	my ($fact, $seconds) = @_;
	my $until = time + ($seconds // $patience);

	sleep 0.02 while !$fact->() && time < $until;
	return $fact->();
}

sub begin {
	my @command = @_;
	my $pid = fork() // die "fork: $!\n";

	return $pid if $pid != 0;
	POSIX::_exit(run_in($P, $patience, @command) >> 8);
}

sub record {
	return eval { decode_json(slurp("$D/.paneward/7.json")) } // {};
}

# How far has the runner come, by what it has left behind?
sub step {
	my $state = record()->{handoff}{state} // 'none';

	return 'nothing is recorded' if $state ne 'running' && $state ne 'done';
	return 'its end is recorded' if $state eq 'done';
	return slurp("$P/effects") eq '' ? 'its beginning is recorded' :
	    -e "$P/busy" ? 'the command runs' : 'the command has ended';
}

# Does the process stand still?
sub stopped {
	my ($pid) = @_;

	return slurp("/proc/$pid/stat") =~ /\) T /;
}

# ---- a round ----------------------------------------------------------------

# What is wrong; '' if nothing is.
sub complaint {
	my @effects = split /\n/, slurp("$P/effects");
	my $handoff = record()->{handoff} // {};
	my $begun = grep { /"attempt \d+ begins"/ }
	    split /\n/, slurp("$D/.paneward/journal.ndjson");

	return 'lost' if !@effects;
	return "begun @{[scalar @effects]} times: @effects" if @effects != 1;
	return "begun $begun times in the journal" if $begun != 1;
	return "recorded as $handoff->{state}, attempt $handoff->{attempts}"
	    if $handoff->{state} ne 'done' || $handoff->{attempts} != 1;
	return 'the signal is still there' if -e "$D/signal-complete-7";
	return '';
}

# While it stands still: what others do, which must be nothing.
sub pass_by {
	my ($pid, $remove, $seconds) = @_;
	my $step = step();
	my $until = time + $seconds;
	my $why = "paneward: issue '7' is left alone: the process holding " .
	    "its lock ($pid) is suspended\n";
	my ($watch, $before, $said, @wrong);

	unlink "$D/.paneward/7.lock" if $remove;
	$before = slurp("$P/effects");
	$watch = begin($pw, 'watch', '7');
	for (1, 2) {
		open(my $f, '-|', "cd '$P' && '$pw' sweep 2>&1 </dev/null");
		local $/;
		$said = <$f> // '';
		push @wrong, "$step: a sweep says '$said'"
		    if -e "$D/signal-complete-7" && $said ne $why;
		sleep($until - time > 0 ? $until - time : 0) if $_ == 1;
	}
	# Later on, its gate may be open.
	push @wrong, "$step: somebody else has begun it" if $before eq '' &&
	    $step eq 'nothing is recorded' && slurp("$P/effects") ne '';
	push @wrong, "$step: it has gone on" if !stopped($pid);
	return ($watch, $step, @wrong);
}

# Stops the runner of a sweep or of a watch behind that call; returns how far it
# had come, and what is wrong.
sub try_round {
	my ($call, $parent, $remove, $seconds) = @_;
	my ($first, $watch, $pid, $step, @wrong);

	$first = begin($frozen, "$P/stopped", 'handoff-run', $call, $pw,
	    @$parent);
	wait_for(sub { -e "$P/stopped" });
	($pid) = slurp("$P/stopped") =~ /^(\d+)$/;
	if (defined $pid) {
		# Its parent names it in the record at once.
		wait_for(sub { (record()->{runner}{pid} // 0) == $pid }, 20);
		($watch, $step, @wrong) = pass_by($pid, $remove, $seconds);
		kill CONT => $pid;
		waitpid($watch, 0);
	}
	waitpid($first, 0);
	# One whose lock was removed may have left the rest to others.
	run_in($P, $patience, $pw, 'sweep');
	push @wrong, complaint();
	return ($step // 'it has ended', grep { $_ ne '' } @wrong);
}

# How many calls it makes.
sub calls {
	begin_case('calls');
	run_in($P, $patience, $frozen, "$P/stopped", 'handoff-run', 1 << 30,
	    $pw, 'sweep');
	return slurp("$P/stopped") =~ /^ended (\d+)$/ ? $1 : 0;
}

# ---- all of them ------------------------------------------------------------

# Each of the workers does every so many-th round, and prints how it went.
sub begin_worker {
	my ($n, @all) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!\n";

	return $out if $pid != 0;
	for (my $i = $n; $i < @all; $i += $workers) {
		begin_case("round$i");
		my ($step, @wrong) = try_round(@{$all[$i]});
		print "$step\t" . join(' / ', map { s/\s+/ /gr } @wrong) . "\n";
		note("round $i: call $all[$i][0] of $all[$i][1][0]: @wrong\n" .
		    slurp("$P/said")) if @wrong;
		remove_tree($P);
	}
	print "done\t\n";
	close(STDOUT);
	POSIX::_exit(0);
}

my $calls = calls();
# The first ones are the loader's.
my $from = $ENV{ROUNDS} ? 1 : int($calls / 3);
my (@all, %steps, @wrong);

cmp_ok($calls, '>', 60, 'its system calls are known');
for my $i (0 .. $rounds - 1) {
	my $at = $from + int(($calls - $from) * $i / $rounds);

	push @all, [$at, $i % 2 ? ['sweep'] : ['watch', '7'], $i % 3 != 0,
	    $stops[$i % @stops]];
}
for my $out (map { begin_worker($_, @all) } 0 .. $workers - 1) {
	chomp(my @lines = <$out>);
	is(pop @lines, "done\t", 'a worker is done');
	for my $line (@lines) {
		my ($step, $what) = split /\t/, $line, 2;

		$steps{$step}++;
		push @wrong, $what if ($what // '') ne '';
	}
}
is_deeply(\@wrong, [], "the hand-off was begun once in each of $rounds rounds");
ok($steps{$_}, "the runner stood still when $_") for 'nothing is recorded',
    'its beginning is recorded', 'the command has ended', 'its end is recorded';
note("$_: $steps{$_} rounds") for sort keys %steps;

# While the command runs, too.
for my $remove (0, 1) {
	begin_case("run$remove");
	spew("$P/handoff", "#!/bin/sh\necho begun >>effects\n" .
	    "until test -e go; do sleep 0.02; done\n");
	my $first = begin($pw, 'sweep');
	wait_for(sub { -e "$P/effects" });
	my $pid = record()->{runner}{pid};
	kill STOP => $pid;
	wait_for(sub { stopped($pid) });
	my ($watch, $step, @wrong) = pass_by($pid, $remove, 0);
	# It ends, and is nobody's child but the stopped runner's.
	spew("$P/go", '');
	push @wrong, (pass_by($pid, 0, 0))[2] // ();
	kill CONT => $pid;
	waitpid($_, 0) for $first, $watch;
	run_in($P, $patience, $pw, 'sweep');
	is(join(' / ', grep { $_ ne '' } @wrong, complaint()), '',
	    'it may stand still while the command runs' .
	    ($remove ? ', without the file of its lock' : ''));
}
chdir '/';
done_testing();
