#!/usr/bin/perl
# The engine of a loop, killed at any moment: no agent is left running, no two
# run at once, and the next engine, which begins at once, continues with the
# right iteration and leaves nothing behind.
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

# How many of the engine's system calls are tried for each manager.
my %tried = (native => $ENV{LOOP_POINTS} // 80, tmux => 25);

begin_faults(SHELL => '/bin/sh', TERM => 'screen');

my $case = 0;
my ($P, $D);

# An agent that writes down each of its rounds, and whether another one is
# there; it ends the loop in its third.
sub begin_case {
	remove_tree($P) if defined $P;
	$P = "$T/case" . $case++;
	$D = "$P/.worktrees/.status/.paneward";
	make_path($P);
	open(my $f, '>', "$P/agent") or die;
	print $f <<'END';
#!/bin/sh
other=$(cat running 2>/dev/null)
[ "$other" = '' ] || ! kill -0 "$other" 2>/dev/null ||
	echo "overlap $other" >>rounds
echo $$ >running
echo "$PANEWARD_ITERATION $$" >>rounds
echo "this is $PANEWARD_ITERATION"
sleep 0.02
[ "$PANEWARD_ITERATION" -lt 3 ] || echo LOOP_COMPLETE
END
	close($f);
	chmod 0700, "$P/agent";
}

# The status of a command in the project; -1: it was killed, or took too long.
sub run_here {
	my $status = run_in($P, 120, @_);

	return $status & 127 ? -1 : $status >> 8;
}

sub loop_under {
	my ($manager, @strace) = @_;

	return run_here(@strace, $pw, 'loop', 'run', '--session-manager',
	    $manager, '--', './agent');
}

sub points {
	my ($manager) = @_;

	begin_case();
	return traced_calls(sub { loop_under($manager, @_) });
}

# Goes on, as a person would who does not wait.
sub recover {
	return run_here($pw, 'loop', 'run', '--resume') if -e
	    "$D/loop-default.json";
	return run_here($pw, 'loop', 'run', '--', './agent');
}

sub alive {
	my ($pid) = @_;
	my $stat = slurp("/proc/$pid/stat");

	return $stat ne '' && $stat !~ /\) [ZX] /;
}

sub complaint {
	my ($status) = @_;
	my @rounds = split /\n/, slurp("$P/rounds");
	my @numbers = map { (split / /)[0] } @rounds;
	my $state = eval { decode_json(slurp("$D/loop-default.json")) };
	my @left;
	my $last = 0;

	return 'two at once' if grep { $_ eq 'overlap' } @numbers;
	return "the next engine ended with $status" if $status != 0;
	return 'a torn state' if !defined $state;
	return "ended as $state->{reason}" if $state->{reason} ne 'keyword';
	for my $number (@numbers) {
		return "rounds @numbers" if $number != $last &&
		    $number != $last + 1;
		$last = $number;
	}
	return "rounds @numbers" if $last != 3 || @numbers > 4;
	for my $pid (map { (split / /)[1] } @rounds) {
		return "agent $pid still runs" if alive($pid);
	}
	opendir(my $dir, $D) or return 'no directory';
	@left = grep { /\.(launch|agent|command|prompt)$/ } readdir($dir);
	return "left behind: @left" if @left;
	return '';
}

for my $manager (sort keys %tried) {
	SKIP: {
		skip("$manager is not here", 3) if $manager ne 'native' &&
		    system("command -v $manager >/dev/null 2>&1") != 0;
		my @points = points($manager);
		my $step = @points / $tried{$manager};
		my ($good, $n) = (1, 0);

		$step = 1 if $step < 1;
		is(complaint(0), '', "$manager: what is not killed is well");
		for (my $i = 0; $i < @points; $i += $step, $n++) {
			my ($name, $when) = @{$points[$i]};
			my $wrong;

			begin_case();
			loop_under($manager, 'strace', '-f', '-b', 'execve',
			    '-o', "$T/trace", '-e',
			    "inject=$name:signal=KILL:when=$when");
			$wrong = complaint(recover());
			next if $wrong eq '';
			diag("$manager, $name, $when: $wrong\n" .
			    slurp("$P/said") . slurp("$P/rounds"));
			$good = 0;
		}
		ok($good, "it may be killed anywhere ($n of " .
		    scalar(@points) . ' system calls)');
		is($manager eq 'tmux' ? `tmux list-sessions 2>/dev/null` : '',
		    '', 'and no session is left');
	}
}
system('tmux kill-server 2>/dev/null') if -e "$ENV{TMUX_TMPDIR}/tmux-$>/default";
done_testing();
