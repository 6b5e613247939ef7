#!/usr/bin/perl
# The runner of a hand-off is stopped behind any of its system calls, as with
# Ctrl-Z or by a machine that runs out of memory, while two sweeps and a watch
# come by, and mostly the file of its lock is removed.  As long as it stands
# no other process may begin the hand-off, and each sweep says why; once it
# goes on, the hand-off has been run once and is recorded as done.
#
#	ROUNDS=300 STOPS=1,5,60 prove -v tests/faults/frozen.t
#
# STOPS are the seconds for which it stands still at least.
use strict;
use warnings;
use Config;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;
use Time::HiRes qw(sleep time);

my $rounds = $ENV{ROUNDS} // 24;
my @stops = split /,/, $ENV{STOPS} // '0';
my $frozen = "$T/frozen";

begin_faults();
plan(skip_all => 'no process can be traced here')
    if system("'$Config{cc}' -o '$frozen' '$FindBin::Bin/frozen.c' " .
    ">'$T/said' 2>&1 && '$frozen' '$T/trial' x 1 true") != 0;

# A project in which issue 7 has reported, not yet noticed, and the command of
# its hand-off.
sub begin_case {
	project('.worktrees/.status/signal-complete-7' => "done\n",
	    '.paneward.json' => '{ "handoff": "./handoff", "sockets": [] }',
	    handoff => "#!/bin/sh\n$_[0]");
}

sub record { return json_in("$S/.paneward/7.json") }

# How far has the runner come, by what it has left behind?
sub step {
	my $state = record()->{handoff}{state} // 'none';

	return 'nothing is recorded' if $state ne 'running' && $state ne 'done';
	return 'its end is recorded' if $state eq 'done';
	return !lines("$P/effects") ? 'its beginning is recorded' :
	    -e "$P/busy" ? 'the command runs' : 'the command has ended';
}

# What is wrong in the end; nothing if nothing is.
sub complaints {
	my $handoff = record()->{handoff} // {};
	my $begun = () = slurp("$S/.paneward/journal.ndjson") =~
	    /"attempt \d+ begins"/g;
	my $got = join ' ', lines("$P/effects"), 'begun,', $begun,
	    'in the journal,', $handoff->{state} // 'none', 'of attempt',
	    $handoff->{attempts} // 0,
	    -e "$S/signal-complete-7" ? 'and the signal' : ();

	return $got eq '1 begun, 1 in the journal, done of attempt 1' ? () :
	    $got;
}

# While it stands still: what others do, which must be nothing.
sub pass_by {
	my ($pid, $remove, $seconds) = @_;
	my $step = step();
	my $until = time + $seconds;
	my $why = "paneward: issue '7' is left alone: the process holding " .
	    "its lock ($pid) is suspended\n";
	my @wrong;

	unlink "$S/.paneward/7.lock" if $remove;
	my $before = lines("$P/effects");
	my $watch = begin($pw, 'watch', '7');
	for (1, 2) {
		my $said = `cd '$P' && '$pw' sweep 2>&1 </dev/null`;

		push @wrong, "$step: a sweep says '$said'"
		    if -e "$S/signal-complete-7" && $said ne $why;
		sleep($until - time > 0 ? $until - time : 0) if $_ == 1;
	}
	# Later on, its gate may be open.
	push @wrong, "$step: somebody else has begun it" if !$before &&
	    $step eq 'nothing is recorded' && lines("$P/effects");
	push @wrong, "$step: it has gone on" if !stopped($pid);
	return ($watch, $step, @wrong);
}

# Stops the runner of a sweep or of a watch behind that call; prints how far it
# had come, and what is wrong.
sub try_round {
	my ($call, $parent, $remove, $seconds) = @{$_[0]};
	my ($watch, $step, @wrong) = (0, 'it has ended');

	begin_case(<<'END');
mkdir busy 2>/dev/null || echo "overlap $PANEWARD_ATTEMPT" >>effects
echo "begun $PANEWARD_HANDOFF_ID $PANEWARD_ATTEMPT" >>effects
sleep 0.1
rmdir busy
END
	my $first = begin($frozen, "$P/stopped", 'handoff-run', $call, $pw,
	    @$parent);
	until_true(sub { -s "$P/stopped" });
	if (slurp("$P/stopped") =~ /^(\d+)$/) {
		my $pid = $1;

		# Its parent names it in the record at once.
		until_true(sub { (record()->{runner}{pid} // 0) == $pid }, 20);
		($watch, $step, @wrong) = pass_by($pid, $remove, $seconds);
		kill CONT => $pid;
		waitpid($watch, 0);
	}
	waitpid($first, 0);
	# One whose lock was removed may have left the rest to others.
	run($pw, 'sweep');
	push @wrong, complaints();
	print "$step\t", map({ s/\s+/ /gr . ' / ' } @wrong), "\n";
	note("call $call of $parent->[0]: @wrong") if @wrong;
}

begin_case('true');
run($frozen, "$P/stopped", 'handoff-run', 1 << 30, $pw, 'sweep');
my ($calls) = (slurp("$P/stopped") =~ /^ended (\d+)$/, 0);
# The first ones are the loader's.
my $from = $ENV{ROUNDS} ? 1 : int($calls / 3);
my (%steps, @wrong);

cmp_ok($calls, '>', 60, 'its system calls are known');
for (workers(4, \&try_round, map { [
    $from + int(($calls - $from) * $_ / $rounds),
    $_ % 2 ? ['sweep'] : ['watch', '7'], $_ % 3 != 0, $stops[$_ % @stops] ] }
    0 .. $rounds - 1)) {
	my ($step, $what) = split /\t/;

	$steps{$step}++;
	push @wrong, $what if $what;
}
is_deeply(\@wrong, [], "the hand-off was begun once in each of $rounds rounds");
ok($steps{$_}, "the runner stood still when $_") for 'nothing is recorded',
    'its beginning is recorded', 'the command has ended', 'its end is recorded';
note("$_: $steps{$_} rounds") for sort keys %steps;

# While the command runs, too.
for my $remove (0, 1) {
	begin_case("echo begun >>effects\nuntil test -e go; do sleep 0.02\ndone\n");
	my $first = begin($pw, 'sweep');
	until_true(sub { -e "$P/effects" });
	my $pid = stop_runner();
	my ($watch, $step, @wrong) = pass_by($pid, $remove, 0);
	# It ends, and is nobody's child but the stopped runner's.
	spew("$P/go", '');
	push @wrong, (pass_by($pid, 0, 0))[2] // ();
	kill CONT => $pid;
	waitpid($_, 0) for $first, $watch;
	run($pw, 'sweep');
	is(join(' / ', @wrong, complaints()), '', 'it may stand still while ' .
	    'the command runs' . ($remove ? ', without its lock' : ''));
}
chdir '/';
done_testing();
