#!/usr/bin/perl
# What starts an agent, killed at its system calls: the next one goes on, and
# there are never two agents of a run.  SOAK=1 tries each call.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;

begin_faults();
spew("$T/bin/claude", <<'END');
#!/bin/sh
case "$*" in *--help*) exit ;; esac
echo "begun $*" >>begun
exec tail -f /dev/null
END
$ENV{PATH} = "$T/bin:$ENV{PATH}";
begin_tmux();

sub record { return json_in("$S/.paneward/$_[0].json") }

# Each agent leaves a line in the project for each of its starts.
sub begun {
	my ($n) = @_;

	return until_true(sub { lines("$P/begun") >= $n }) &&
	    lines("$P/begun") == $n;
}

# ---- start --new-worktree ----------------------------------------------------

sub start {
	return run(@_, $pw, 'start', '7', '--new-worktree', '--no-watch', '--',
	    'sh', '-c', 'echo begun >>../../begun; exec tail -f /dev/null');
}

# The git of a start that was killed goes on for a moment.
sub no_git {
	return !grep {
		(readlink("$_/cwd") // '') =~ /^\Q$P\E/ && slurp("$_/comm") =~ /^git/
	} glob '/proc/[0-9]*';
}

# Starts again, and does what a refusal says; '' or what is wrong.
sub start_complaint {
	my $there = qr/run \w+ in .* is alive in pane|a session '\S+' is there/;

	until_true(\&no_git);
	if (start() ne '0') {
		return begun(1) ? '' : 'the pane that is there has no agent'
		    if said() =~ $there;
		return 'not one line: ' . said() if said() !~ /\A[^\n]+\n\z/;
		return 'no advice: ' . said() if said() !~
		    /or remove it by: (git worktree remove '[^']+')/;
		run('sh', '-c', "$1 --force --force") eq '0' or
		    return 'the advice fails: ' . said();
		return 'still refused: ' . said() if start() ne '0';
	}
	return 'no agent' if !begun(1);
	return 'no copy' if slurp("$P/.worktrees/issue-7/.env") ne "secret\n";
	return '';
}

kill_anywhere('start', every => 2, begin => \&git_project, run => \&start,
    wrong => \&start_complaint);

# ---- queued issues -----------------------------------------------------------

# Two issues wait for their turn, which has come for the first one.
sub begin_queue {
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

# A sweep does not judge it, the next look goes on with it, as the same run, and
# starts it once, and not the one behind it, too.  '' or what is wrong.
sub queue_complaint {
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

my %how = (every => 3, begin => \&begin_queue, wrong => \&queue_complaint);

# Its input is the lock that it would have.
kill_anywhere('a queued start', %how, run => sub { run('sh', '-c',
    'exec <>"$0" && flock 0 && exec "$@"', "$S/.paneward/.starts.lock", @_,
    $pw, 'start-queued', $S, '7') });
kill_anywhere('what begins queued starts', %how, run => sub {
    run(@_, $pw, 'start-queued', $S) });

# ---- revive ------------------------------------------------------------------

sub revive { return run(@_, $pw, 'revive', '7', '--no-watch') }

sub run_id { return record(7)->{run} // 'none' }

# The panes of the run whose process lives.
sub panes {
	my $run = run_id();

	return grep { $_ eq "$run 0" } split /\n/,
	    `tmux list-panes -a -F '#{\@paneward_run} #{pane_dead}'`;
}

my $beside;

# A run whose pane is killed; the other pane of its session stays, if $beside.
sub begin_revival {
	git_project();
	my $pane = '=' . session() . ':.0';
	run($pw, 'start', '7', '--backend', 'claude', '--no-watch') eq '0' or
	    die said();
	begun(1) or die 'no agent';
	system("tmux split-window -d -t '$pane' 'exec tail -f /dev/null'")
	    if $beside;
	chomp(my $leader = `tmux display-message -p -t '$pane' '#{pane_pid}'`);
	my @session = split ' ', `pgrep -s $leader`;
	system("tmux kill-pane -t '$pane'");
	# It is closed before the last process of its session has ended.
	until_true(sub { !grep({ kill 0, $_ } @session) && !panes() });
}

# Revives again; '' or what is wrong.
sub revival_complaint {
	my $run = run_id();
	my $alive = qr/: its pane %\d+ is alive$/m;

	return 'left alone: ' . said() if revive() ne '0' && said() !~ $alive;
	return 'agents begun: ' . slurp("$P/begun") if !begun(2);
	return 'another run' if run_id() ne $run;
	return 'no conversation: ' . slurp("$P/begun") if
	    slurp("$P/begun") !~ /^begun .*--resume \Q$run\E$/m;
	run($pw, 'watch', '--once', '7');
	revive();
	return 'once more: ' . said() if said() !~ $alive;
	return 'panes: ' . panes() if panes() != 1;
	return 'agents begun: ' . slurp("$P/begun") if lines("$P/begun") != 2;
	return '';
}

for my $where ('without its session', 'beside another pane') {
	$beside = $where =~ /beside/;
	kill_anywhere("revive $where", every => 2, begin => \&begin_revival,
	    run => \&revive, wrong => \&revival_complaint);
}
done_testing();
