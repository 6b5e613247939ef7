#!/usr/bin/perl
# The start of a queued issue in a new work tree, killed at its system calls: a
# sweep does not judge it, the next look goes on with it, as the same run, and
# starts it once.  The same
# for the process that begins such starts.  SOAK=1 tries each call, otherwise
# every 23rd.
use strict;
use warnings;
use File::Path qw(remove_tree);
use FindBin;
use JSON::PP;
use lib $FindBin::Bin;
use Faults;
use Test::More;
use Time::HiRes qw(sleep time);

my $every = $ENV{SOAK} ? 1 : 23;
my $patience = 120;
my $case = 0;
my ($P, $S);

begin_faults();
$ENV{"GIT_$_"} = 'test@localhost' for qw(AUTHOR_NAME AUTHOR_EMAIL
    COMMITTER_NAME COMMITTER_EMAIL);
system('tmux -f /dev/null new-session -d -s keeper "exec tail -f /dev/null"')
    == 0 or plan(skip_all => 'tmux does not run');
END { system('tmux kill-server 2>/dev/null') }

# An issue that waits for its turn, which has come.  The agent leaves a line in
# the project for each of its starts.
sub begin_case {
	my ($held, $list);

	if (defined $P) {
		system('tmux kill-session -t =case' . ($case - 1) .
		    '-issue-7: 2>/dev/null');
		remove_tree($P);
	}
	$P = "$T/case" . $case++;
	$S = "$P/.worktrees/.status";
	mkdir $P or die "$P: $!\n";
	system("cd '$P' && git init -q && echo x >file && git add file && " .
	    'git commit -q -m first && echo secret >.env') == 0 or die;
	open(my $f, '>', "$P/.paneward.json") or die;
	print $f '{ "worktree_copy": [".env"], "worktree_setup": "true" }';
	close($f) or die;
	run_in($P, $patience, $pw, 'start', '6', '--no-watch', '--',
	    'tail', '-f', '/dev/null') == 0 or die slurp("$P/said");
	run_in($P, $patience, $pw, 'start', '7', '--new-worktree',
	    '--no-watch', '--at-once', '1', '--', 'sh', '-c',
	    'echo begun >>../../begun; exec tail -f /dev/null') == 0 or
	    die slurp("$P/said");
	system('tmux kill-session -t =case' . ($case - 1) . '-issue-6:') == 0
	    or die;
	$held = record(6)->{tmux}{pane_pid};
	sleep 0.02 while kill 0, $held;
}

sub record {
	my ($issue) = @_;

	return eval { decode_json(slurp("$S/.paneward/$issue.json")) } // {};
}

# Its input is the lock that it would have.
sub one_killed {
	return run_in($P, $patience, 'sh', '-c',
	    'exec <>"$0" && flock 0 && exec "$@"', "$S/.paneward/.starts.lock",
	    @_, $pw, 'start-queued', $S, '7');
}

sub all_killed {
	return run_in($P, $patience, @_, $pw, 'start-queued', $S);
}

# Looks again; '' or what is wrong.
sub complaint {
	my ($run) = slurp("$S/.paneward/queued") =~ /"issue":"7","run":"([^"]+)/;
	my $until = time + $patience;
	my $begun;

	run_in($P, $patience, $pw, 'sweep', '--status-dir', $S) == 0 or
	    return 'the sweep fails: ' . slurp("$P/said");
	return 'it counts as gone' if (record(7)->{state} // '') eq 'gone';
	run_in($P, $patience, $pw, 'start-queued', $S) == 0 or
	    return 'the next look fails: ' . slurp("$P/said");
	sleep 0.02 while (-e "$S/.paneward/queued" || !-s "$P/begun") &&
	    time < $until && (record(7)->{state} // '') ne 'dead';
	return 'it still waits' if -e "$S/.paneward/queued";
	return 'another run' if defined $run && record(7)->{run} ne $run;
	return 'it is dead: ' . record(7)->{why} if
	    record(7)->{state} eq 'dead';
	return 'it has no pane' if !defined record(7)->{tmux}{pane};
	$begun = () = slurp("$P/begun") =~ /^begun$/mg;
	return "begun $begun times" if $begun != 1;
	return 'no copy' if slurp("$P/.worktrees/issue-7/.env") ne "secret\n";
	return '';
}

sub try_points {
	my ($run, $what) = @_;
	my (@points, @wrong, $tried);

	begin_case();
	@points = traced_calls($run);
	cmp_ok(scalar @points, '>', 20, "the system calls of $what are known");
	for (my $i = 0; $i < @points; $i += $every) {
		my ($name, $when) = @{$points[$i]};

		begin_case();
		$run->('strace', '-f', '-b', 'execve', '-o', "$T/trace", '-e',
		    "inject=$name:signal=KILL:when=$when");
		my $wrong = complaint();
		push @wrong, "$name $when: $wrong" if $wrong ne '';
		$tried++;
	}
	is("@wrong", '', "$what may be killed at any of them ($tried tried)");
}

try_points(\&one_killed, 'a start');
try_points(\&all_killed, 'what begins starts');
done_testing();
