#!/usr/bin/perl
# revive, killed at its system calls: the next one goes on, and there are never
# two agents of the run.  SOAK=1 tries each call, otherwise every ninth.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;

my $beside;

begin_faults();
# The agent leaves a line in the project for each of its starts.
spew("$T/bin/claude", <<'END');
#!/bin/sh
case "$*" in *--help*) exit ;; esac
echo "begun $*" >>begun
exec tail -f /dev/null
END
$ENV{PATH} = "$T/bin:$ENV{PATH}";
begin_tmux();

sub revive { return run(@_, $pw, 'revive', '7', '--no-watch') }

sub begun {
	my ($n) = @_;

	return until_true(sub { lines("$P/begun") >= $n }) &&
	    lines("$P/begun") == $n;
}

sub run_id { return json_in("$S/.paneward/7.json")->{run} // 'none' }

# The panes of the run whose process lives.
sub panes {
	my $run = run_id();

	return grep { $_ eq "$run 0" } split /\n/,
	    `tmux list-panes -a -F '#{\@paneward_run} #{pane_dead}'`;
}

# A run whose pane is killed; the other pane of its session stays, if $beside.
sub begin_case {
	git_project();
	my $pane = '=' . session() . ':.0';
	run($pw, 'start', '7', '--backend', 'claude', '--no-watch') eq '0' or
	    die said();
	begun(1) or die 'no agent';
	system("tmux split-window -d -t '$pane' 'exec tail -f /dev/null'")
	    if $beside;
	chomp(my $leader = `tmux display-message -p -t '$pane' '#{pane_pid}'`);
	system("tmux kill-pane -t '$pane'");
	# It is closed before the last process of its session has ended.
	until_true(sub { !panes() &&
	    system("pgrep -s $leader >'$T/said'") != 0 });
}

# Revives again; '' or what is wrong.
sub complaint {
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
	kill_anywhere("revive $where", every => 9, begin => \&begin_case,
	    run => \&revive, wrong => \&complaint);
}
done_testing();
