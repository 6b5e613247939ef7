#!/usr/bin/perl
# start --new-worktree, killed at its system calls: the next start goes on, or
# refuses and says how to; once what is left is removed as it says, it goes on.
# SOAK=1 tries each call, otherwise every ninth.
use strict;
use warnings;
use File::Path qw(remove_tree);
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;
use Time::HiRes qw(sleep time);

my $every = $ENV{SOAK} ? 1 : 9;
my $patience = 120;
my $case = 0;
my $P;

begin_faults();
$ENV{"GIT_$_"} = 'test@localhost' for qw(AUTHOR_NAME AUTHOR_EMAIL
    COMMITTER_NAME COMMITTER_EMAIL);
system('tmux -f /dev/null new-session -d -s keeper "exec tail -f /dev/null"')
    == 0 or plan(skip_all => 'tmux does not run');
END { system('tmux kill-server 2>/dev/null') }

# The agent leaves a line in the project for each of its starts.
my @start = ($pw, 'start', '7', '--new-worktree', '--no-watch', '--', 'sh',
    '-c', 'echo begun >>../../begun; exec tail -f /dev/null');

sub begin_case {
	if (defined $P) {
		system('tmux kill-session -t =case' . ($case - 1) .
		    '-issue-7: 2>/dev/null');
		remove_tree($P);
	}
	$P = "$T/case" . $case++;
	mkdir $P or die "$P: $!\n";
	system("cd '$P' && git init -q && echo x >file && git add file && " .
	    'git commit -q -m first && echo secret >.env') == 0 or die;
	open(my $f, '>', "$P/.paneward.json") or die;
	print $f '{ "worktree_copy": [".env"], "worktree_setup": "true" }';
	close($f) or die;
}

sub start_killed {
	my @strace = @_;

	return run_in($P, $patience, @strace, @start);
}

sub begun {
	my $text = slurp("$P/begun");

	return scalar(() = $text =~ /^begun$/mg);
}

sub wait_begun {
	my $until = time + $patience;

	sleep 0.02 while !begun() && time < $until;
	return begun() == 1;
}

# The git of a start that was killed goes on for a moment.
sub wait_git {
	my $until = time + $patience;

	sleep 0.02 while time < $until && grep {
		(readlink("$_/cwd") // '') =~ /^\Q$P\E/ && slurp("$_/comm") =~ /^git/
	} glob '/proc/[0-9]*';
}

# Starts again, and does what a refusal says; '' or what is wrong.
sub complaint {
	my ($said, $status);

	wait_git();
	unlink "$P/said";
	$status = run_in($P, $patience, @start);
	$said = slurp("$P/said");
	if ($status != 0 && $said =~
	    /run \w+ in .* is alive in pane|a session '\S+' is there already/) {
		return wait_begun() ? '' : 'the pane that is there has no agent';
	}
	if ($status != 0) {
		return "not one line: $said" if $said !~ /\A[^\n]+\n\z/;
		return "no advice: $said" if
		    $said !~ /or remove it by: (git worktree remove '[^']+')/;
		system("cd '$P' && $1 --force --force >said2 2>&1") == 0 or
		    return 'the advice fails: ' . slurp("$P/said2");
		unlink "$P/said";
		$status = run_in($P, $patience, @start);
		return 'still refused: ' . slurp("$P/said") if $status != 0;
	}
	return 'no agent' if !wait_begun();
	return 'no copy' if slurp("$P/.worktrees/issue-7/.env") ne "secret\n";
	return '';
}

begin_case();
my @points = traced_calls(\&start_killed);
cmp_ok(scalar @points, '>', 20, 'the system calls are known');
my (@wrong, $tried);
for (my $i = 0; $i < @points; $i += $every) {
	my ($name, $when) = @{$points[$i]};

	begin_case();
	start_killed('strace', '-f', '-b', 'execve', '-o', "$T/trace", '-e',
	    "inject=$name:signal=KILL:when=$when");
	my $what = complaint();
	push @wrong, "$name $when: $what" if $what ne '';
	$tried++;
}
is("@wrong", '', "start may be killed at any of them ($tried tried)");
done_testing();
