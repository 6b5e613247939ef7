#!/usr/bin/perl
# revive, killed at its system calls: the next one goes on, and there are never
# two agents of the run.  SOAK=1 tries each call, otherwise every ninth.
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
my ($P, $beside);

begin_faults();
mkdir "$T/bin" or die;
# The agent leaves a line in the project for each of its starts.
open(my $agent, '>', "$T/bin/claude") or die;
print $agent "#!/bin/sh\ncase \"\$*\" in *--help*) exit ;; esac\n" .
    "echo \"begun \$*\" >>begun\nexec tail -f /dev/null\n";
close($agent) or die;
chmod 0755, "$T/bin/claude";
$ENV{PATH} = "$T/bin:$ENV{PATH}";
system('tmux -f /dev/null new-session -d -s keeper "exec tail -f /dev/null"')
    == 0 or plan(skip_all => 'tmux does not run');
END { system('tmux kill-server 2>/dev/null') }

my @revive = ($pw, 'revive', '7', '--no-watch');

sub begun {
	my $text = slurp("$P/begun");

	return scalar(() = $text =~ /^begun/mg);
}

sub wait_begun {
	my ($n) = @_;
	my $until = time + $patience;

	sleep 0.02 while begun() < $n && time < $until;
	return begun() == $n;
}

sub run_id {
	return slurp("$P/.worktrees/.status/.paneward/7.json") =~
	    /"run":"([^"]+)"/ ? $1 : 'none';
}

# The panes of the run whose process lives.
sub panes {
	my $run = run_id();

	return grep { $_ eq "$run 0" } split /\n/,
	    `tmux list-panes -a -F '#{\@paneward_run} #{pane_dead}'`;
}

# The pane is closed before the last process of its session has ended.
sub wait_ended {
	my ($leader) = @_;
	my $until = time + $patience;

	sleep 0.05 while (panes() || system("pgrep -s $leader >'$T/said'") == 0)
	    && time < $until;
}

# A run whose pane is killed; the other pane of its session stays, if $beside.
sub begin_case {
	if (defined $P) {
		system('tmux kill-session -t =case' . ($case - 1) .
		    '-issue-7: 2>/dev/null');
		remove_tree($P, { error => \my $left });
	}
	my $name = "case$case-issue-7";
	$P = "$T/case" . $case++;
	mkdir $P or die "$P: $!\n";
	system("cd '$P' && git init -q") == 0 or die;
	run_in($P, $patience, $pw, 'start', '7', '--backend', 'claude',
	    '--no-watch') == 0 or die slurp("$P/said");
	wait_begun(1) or die 'no agent';
	system("tmux split-window -d -t =$name: 'exec tail -f /dev/null'")
	    if $beside;
	chomp(my $leader = `tmux display-message -p -t =$name:.0 '#{pane_pid}'`);
	system("tmux kill-pane -t =$name:.0");
	wait_ended($leader);
}

sub revive_killed {
	my @strace = @_;

	return run_in($P, $patience, @strace, @revive);
}

# Revives again; '' or what is wrong.
sub complaint {
	my ($run, $said, $status) = (run_id());

	unlink "$P/said";
	$status = run_in($P, $patience, @revive);
	$said = slurp("$P/said");
	return "left alone: $said" if $status != 0 &&
	    $said !~ /: its pane %\d+ is alive$/m;
	return 'agents begun: ' . begun() if !wait_begun(2);
	return 'another run' if run_id() ne $run;
	return 'no conversation: ' . slurp("$P/begun") if
	    slurp("$P/begun") !~ /^begun .*--resume \Q$run\E$/m;
	run_in($P, $patience, $pw, 'watch', '--once', '7');
	unlink "$P/said";
	run_in($P, $patience, @revive);
	return 'once more: ' . slurp("$P/said") if
	    slurp("$P/said") !~ /: its pane %\d+ is alive$/m;
	return 'panes: ' . panes() if panes() != 1;
	return 'agents begun: ' . begun() if begun() != 2;
	return '';
}

for my $where (0, 1) {
	$beside = $where;
	begin_case();
	my @points = traced_calls(\&revive_killed);
	cmp_ok(scalar @points, '>', 20, 'the system calls are known');
	my (@wrong, $tried);
	for (my $i = 0; $i < @points; $i += $every) {
		my ($name, $when) = @{$points[$i]};

		begin_case();
		revive_killed('strace', '-f', '-b', 'execve', '-o', "$T/trace",
		    '-e', "inject=$name:signal=KILL:when=$when");
		my $what = complaint();
		push @wrong, "$name $when: $what" if $what ne '';
		$tried++;
	}
	is("@wrong", '', 'revive may be killed at any of them, ' .
	    ($beside ? 'beside another pane' : 'without its session') .
	    " ($tried tried)");
}
done_testing();
