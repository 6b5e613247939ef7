#!/usr/bin/perl
# The hand-off, whatever is killed or fails where: nothing is lost, nothing is
# done twice, nothing is torn.
#
# A watcher, a sweep and the runner of a hand-off are killed at every system
# call that they make once they have found the status directory, some of them
# once more while the next one recovers, and each call that can fail is made to
# fail.  Afterwards somebody comes who is left alone, and then the completion
# must have been handed off under one id, the record say so, the signal be gone,
# and every line of the journal be whole.
use strict;
use warnings;
use Fcntl qw(:flock :DEFAULT);
use File::Path qw(remove_tree);
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use Test::More;

my @inject = qw(ENOSPC EIO EINTR EMFILE EACCES);
# What is made to fail; the rest cannot, or not in a way that matters.
my %fallible = map { $_ => 1 } qw(openat read write pwrite64 fsync fdatasync
    rename renameat renameat2 unlinkat flock pipe2 clone clone3 vfork ftruncate
    newfstatat fstat mkdirat);

begin_faults();

# ---- a case -----------------------------------------------------------------

my $case = 0;
my ($P, $D);

sub spew {
	my ($path, $text) = @_;
	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close($f) or die "$path: $!\n";
}

# A project in which issue 7 has reported and nobody has seen it yet.
sub begin_case {
	remove_tree($P) if defined $P;
	$P = "$T/case" . $case++;
	$D = "$P/.worktrees/.status";
	mkdir $_, 0700 for $P, "$P/.worktrees", $D;
	spew("$D/signal-complete-7", "done\n");
	# Two at once would meet in the folder.
	spew("$P/handoff", <<'END');
#!/bin/sh
mkdir busy 2>/dev/null || echo "overlap $PANEWARD_ATTEMPT" >>effects
echo "$PANEWARD_HANDOFF_ID $PANEWARD_ATTEMPT" >>effects
rmdir busy
END
	chmod 0700, "$P/handoff";
	spew("$P/.paneward.json", '{ "handoff": "./handoff" }');
}

# ---- who is killed ----------------------------------------------------------

# The runner gets the lock of its watcher, and a pipe that tells of its end.
sub runner {
	my @strace = @_;
	my $status;

	local $^F = 1000;
	sysopen(my $lock, "$D/.paneward/7.lock", O_RDWR | O_CREAT) or die;
	flock($lock, LOCK_EX | LOCK_NB) or die 'the lock is not free';
	pipe(my $end, my $alive) or die;
	$status = run_in($P, 20, @strace, $pw, 'handoff-run', '--lock',
	    fileno($lock), '--alive', fileno($alive), '--', '7', "$P/handoff");
	return $status;
}

my %subjects = (
	watcher => sub { run_in($P, 20, @_, $pw, 'watch', '7') },
	sweep   => sub { run_in($P, 20, @_, $pw, 'sweep') },
	runner  => \&runner,
);

# A record that waits for a runner, as a watcher leaves it that is killed
# between the two.
my $pending;

sub prepare {
	my ($subject) = @_;

	begin_case();
	return if $subject ne 'runner';
	mkdir "$D/.paneward", 0700;
	spew("$D/.paneward/7.json", $pending);
}

sub learn_pending {
	my $record;

	begin_case();
	run_in($P, 20, $pw, 'watch', '7', '--no-handoff');
	$record = decode_json(slurp("$D/.paneward/7.json"));
	$record->{handoff} = { state => 'pending', attempts => 0,
	    id => '00000000-0000-4000-8000-000000000000' };
	$pending = encode_json($record) . "\n";
}

sub points {
	my ($subject) = @_;

	prepare($subject);
	return traced_calls($subjects{$subject});
}

# ---- afterwards -------------------------------------------------------------

sub recover {
	run_in($P, 30, $pw, 'watch', '7');
}

sub complaint {
	my @effects = split /\n/, slurp("$P/effects");
	my %ids = map { (split / /)[0] => 1 } @effects;
	my $record = eval { decode_json(slurp("$D/.paneward/7.json")) };

	return 'lost' if !@effects;
	return 'two at once' if grep { /^overlap/ } @effects;
	return 'twice: ' . join(', ', keys %ids) if keys %ids != 1;
	return 'a torn record' if !defined $record;
	return "recorded as $record->{state}, hand-off " .
	    ($record->{handoff}{state} // 'none')
	    if $record->{state} ne 'complete' ||
	    ($record->{handoff}{state} // '') ne 'done';
	return 'another id is recorded' if !$ids{$record->{handoff}{id}};
	return 'the signal is still there' if -e "$D/signal-complete-7";
	for my $line (split /\n/, slurp("$D/.paneward/journal.ndjson")) {
		return 'a torn line in the journal'
		    if !defined eval { decode_json($line) };
	}
	return '';
}

my %tried;

# One case: what is done to a subject, and perhaps to the one that recovers.
sub try_case {
	my ($kind, $subject, $what, $then) = @_;
	my $wrong;

	prepare($subject);
	$subjects{$subject}->('strace', '-f', '-b', 'execve', '-o',
	    "$T/trace", '-e', "inject=$what");
	run_in($P, 20, 'strace', '-f', '-b', 'execve', '-o', "$T/trace", '-e',
	    "inject=$then", $pw, 'watch', '7') if defined $then;
	recover();
	$tried{$kind}++;
	$wrong = complaint();
	diag("$subject, $what" . (defined $then ? ", then $then" : '') .
	    ": $wrong\n" . slurp("$P/said")) if $wrong ne '';
	return $wrong eq '';
}

# ---- the tests --------------------------------------------------------------

learn_pending();

for my $subject (qw(watcher runner sweep)) {
	my @points = points($subject);
	my $good = 1;

	is(complaint(), '', "the $subject alone hands off once");
	cmp_ok(scalar @points, '>', 20, 'its system calls are known');
	for my $point (@points) {
		$good &= try_case('killed', $subject,
		    "$point->[0]:signal=KILL:when=$point->[1]");
	}
	ok($good, "the $subject may be killed at each of them");

	$good = 1;
	for (my $i = 0; $i < @points; $i += 5) {
		my $then = $points[($i * 7 + 3) % @points];

		$good &= try_case('killed twice', $subject,
		    "$points[$i][0]:signal=KILL:when=$points[$i][1]",
		    "$then->[0]:signal=KILL:when=$then->[1]");
	}
	ok($good, 'and who recovers as well');

	$good = 1;
	for my $i (0 .. $#points) {
		my ($name, $when) = @{$points[$i]};

		next if !$fallible{$name};
		# Each call fails, and each of them in every way over all.
		for my $error ($inject[$i % 5], $inject[($i + 2) % 5]) {
			$good &= try_case('failed', $subject,
			    "$name:error=$error:when=$when");
		}
	}
	ok($good, 'and each of them may fail');
}

my $sum = 0;
for my $kind (sort keys %tried) {
	note("$kind: $tried{$kind} points");
	$sum += $tried{$kind};
}
cmp_ok($sum, '>=', 300, "$sum points were tried");
chdir '/';
done_testing();
