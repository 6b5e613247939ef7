#!/usr/bin/perl
# The start of a queued issue in a new work tree, killed at its system calls: a
# sweep does not judge it, the next look goes on with it, as the same run, and
# starts it once, and not the one that waits behind it, too.  The same for the
# process that begins such starts.  SOAK=1 tries each call, otherwise every
# 23rd.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;

begin_faults();
begin_tmux();

sub record { return json_in("$S/.paneward/$_[0].json") }

# Two issues wait for their turn, which has come for the first one.  The agents
# leave a line in the project for each of their starts.
sub begin_case {
	git_project();
	run($pw, 'start', '6', '--no-watch', '--', 'tail', '-f', '/dev/null')
	    eq '0' or die said();
	for my $issue (7, 8) {
		run($pw, 'start', $issue, '--new-worktree', '--no-watch',
		    '--at-once', '1', '--', 'sh', '-c',
		    'echo begun >>../../begun; exec sleep 100000') eq '0' or
		    die said();
	}
	my $held = record(6)->{tmux}{pane_pid};
	system('tmux kill-session -t =' . session() =~ s/7$/6/r . ':') == 0
	    or die;
	until_true(sub { !kill 0, $held });
}

sub waits { return slurp("$S/.paneward/queued") =~ /"issue":"$_[0]"/ }

# Looks again; '' or what is wrong.
sub complaint {
	my ($run) = slurp("$S/.paneward/queued") =~ /"issue":"7","run":"([^"]+)/;

	run($pw, 'sweep', '--status-dir', $S) eq '0' or
	    return 'the sweep fails: ' . said();
	return 'it counts as gone' if (record(7)->{state} // '') eq 'gone';
	run($pw, 'start-queued', $S) eq '0' or
	    return 'the next look fails: ' . said();
	until_true(sub { (!waits(7) && -s "$P/begun") ||
	    (record(7)->{state} // '') eq 'dead' });
	return 'it still waits' if waits(7);
	return 'the next one waits no more' if !waits(8);
	my $now = record(7);
	return 'another run' if defined $run && $now->{run} ne $run;
	return "it is dead: $now->{why}" if $now->{state} eq 'dead';
	return 'it has no pane' if !defined $now->{tmux}{pane};
	return 'begun ' . slurp("$P/begun") if slurp("$P/begun") ne "begun\n";
	return 'no copy' if slurp("$P/.worktrees/issue-7/.env") ne "secret\n";
	return '';
}

my %how = (every => 23, begin => \&begin_case, wrong => \&complaint);

# Its input is the lock that it would have.
kill_anywhere('a start', %how, run => sub { run('sh', '-c',
    'exec <>"$0" && flock 0 && exec "$@"', "$S/.paneward/.starts.lock", @_,
    $pw, 'start-queued', $S, '7') });
kill_anywhere('what begins starts', %how, run => sub {
    run(@_, $pw, 'start-queued', $S) });
done_testing();
