#!/usr/bin/perl
# start --new-worktree, killed at its system calls: the next start goes on, or
# refuses and says how to; once what is left is removed as it says, it goes on.
# SOAK=1 tries each call, otherwise every ninth.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;

begin_faults();
begin_tmux();

# The agent leaves a line in the project for each of its starts.
sub start {
	return run(@_, $pw, 'start', '7', '--new-worktree', '--no-watch', '--',
	    'sh', '-c', 'echo begun >>../../begun; exec tail -f /dev/null');
}

sub begun_once {
	return until_true(sub { lines("$P/begun") }) == 1;
}

# The git of a start that was killed goes on for a moment.
sub no_git {
	return !grep {
		(readlink("$_/cwd") // '') =~ /^\Q$P\E/ && slurp("$_/comm") =~ /^git/
	} glob '/proc/[0-9]*';
}

# Starts again, and does what a refusal says; '' or what is wrong.
sub complaint {
	my $there = qr/run \w+ in .* is alive in pane|a session '\S+' is there/;

	until_true(\&no_git);
	if (start() ne '0') {
		return begun_once() ? '' : 'the pane that is there has no agent'
		    if said() =~ $there;
		return 'not one line: ' . said() if said() !~ /\A[^\n]+\n\z/;
		return 'no advice: ' . said() if said() !~
		    /or remove it by: (git worktree remove '[^']+')/;
		run('sh', '-c', "$1 --force --force") eq '0' or
		    return 'the advice fails: ' . said();
		return 'still refused: ' . said() if start() ne '0';
	}
	return 'no agent' if !begun_once();
	return 'no copy' if slurp("$P/.worktrees/issue-7/.env") ne "secret\n";
	return '';
}

kill_anywhere('start', every => 9, begin => \&git_project, run => \&start,
    wrong => \&complaint);
done_testing();
