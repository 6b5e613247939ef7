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
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $patience = 120;     # seconds that a command is given at most
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

# A project in which issue 7 has reported, not yet noticed.
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
	$status = run_in($P, $patience, @strace, $pw, 'handoff-run', '--lock',
	    fileno($lock), '--alive', fileno($alive), '--', '7', "$P/handoff");
	return $status;
}

my %subjects = (
	watcher => sub { run_in($P, $patience, @_, $pw, 'watch', '7') },
	sweep   => sub { run_in($P, $patience, @_, $pw, 'sweep') },
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
	run_in($P, $patience, $pw, 'watch', '7', '--no-handoff');
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
	run_in($P, $patience, $pw, 'watch', '7');
}

# A runner that outlives its watcher removes the signal a moment after it has
# recorded the end.
sub goes {
	my ($path) = @_;
	my $until = time + $patience;

	sleep 0.02 while -e $path && time < $until;
	return !-e $path;
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
	return 'the signal is still there' if !goes("$D/signal-complete-7");
	for my $line (split /\n/, slurp("$D/.paneward/journal.ndjson")) {
		return 'a torn line in the journal'
		    if !defined eval { decode_json($line) };
	}
	return '';
}

# One case: what is done to a subject, and perhaps to the one that recovers.
sub try_case {
	my ($subject, $what, $then) = @_;
	my $wrong;

	prepare($subject);
	$subjects{$subject}->('strace', '-f', '-b', 'execve', '-o',
	    "$T/trace", '-e', "inject=$what");
	run_in($P, $patience, 'strace', '-f', '-b', 'execve', '-o', "$T/trace", '-e',
	    "inject=$then", $pw, 'watch', '7') if defined $then;
	recover();
	$wrong = complaint();
	diag("$subject, $what" . (defined $then ? ", then $then" : '') .
	    ": $wrong\n" . slurp("$P/said")) if $wrong ne '';
	return $wrong eq '';
}

# ---- the tests --------------------------------------------------------------

# All that is done to a subject: of which kind, and the words of try_case().
sub cases {
	my ($subject, @points) = @_;
	my @cases;

	for my $i (0 .. $#points) {
		my ($name, $when) = @{$points[$i]};
		my $then = $points[($i * 7 + 3) % @points];
		my $killed = "$name:signal=KILL:when=$when";

		push @cases, ['killed', $subject, $killed];
		push @cases, ['killed twice', $subject, $killed,
		    "$then->[0]:signal=KILL:when=$then->[1]"] if $i % 5 == 0;
		next if !$fallible{$name};
		# Each call fails, and each of them in every way over all.
		push @cases, map { ['failed', $subject,
		    "$name:error=$_:when=$when"] } @inject[$i % 5, ($i + 2) % 5];
	}
	return @cases;
}

# Each of the workers has a folder, and every so many-th case; what went wrong
# is a line "SUBJECT KIND".  Mostly they wait.
my $workers = 8;

sub begin_worker {
	my ($n, @cases) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!\n";

	return $out if $pid != 0;
	$T .= "/$n";
	mkdir $T, 0700 or die "$T: $!\n";
	$P = undef;
	for (my $i = $n; $i < @cases; $i += $workers) {
		my ($kind, @case) = @{$cases[$i]};

		print "$case[0] $kind\n" if !try_case(@case);
	}
	print "done\n";
	close(STDOUT);
	POSIX::_exit(0);
}

my (@cases, %tried, %bad);
my @subjects = qw(watcher runner sweep);

learn_pending();
for my $subject (@subjects) {
	my @points = points($subject);

	is(complaint(), '', "the $subject alone hands off once");
	cmp_ok(scalar @points, '>', 20, 'its system calls are known');
	push @cases, cases($subject, @points);
}
$tried{$_->[0]}++ for @cases;
for my $out (map { begin_worker($_, @cases) } 0 .. $workers - 1) {
	chomp(my @lines = <$out>);
	is(pop @lines, 'done', 'a worker is done');
	$bad{$_}++ for @lines;
}
for my $subject (@subjects) {
	is($bad{"$subject killed"}, undef,
	    "the $subject may be killed at each of them");
	is($bad{"$subject killed twice"}, undef, 'and who recovers as well');
	is($bad{"$subject failed"}, undef, 'and each of them may fail');
}
note("$_: $tried{$_} points") for sort keys %tried;
cmp_ok(scalar @cases, '>=', 300, @cases . ' points were tried');
chdir '/';
done_testing();
