#!/usr/bin/perl
# The engine of a loop, killed at any moment: no agent is left running, no two
# run at once, and the next engine, which begins at once, continues with the
# right iteration and leaves nothing behind.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;

# Every so many-th of the engine's system calls is tried for each manager.
my %every = (native => 2, tmux => 5);

begin_faults(SHELL => '/bin/sh', TERM => 'screen');

# An agent that writes down each of its rounds, and whether another one is
# there; it ends the loop in its third.
sub begin_case {
	project(agent => <<'END');
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
}

sub alive { return slurp("/proc/$_[0]/stat") =~ /\) [^ZX] / }

sub complaint {
	my ($status) = @_;
	my @rounds = map { [ split / / ] } split /\n/, slurp("$P/rounds");
	my $numbers = join ' ', map { $_->[0] } @rounds;
	my $state = json_in("$S/.paneward/loop-default.json");

	return 'two at once' if $numbers =~ /overlap/;
	return "the next engine ended with $status: " . said()
	    if $status ne '0';
	return 'ended as ' . ($state->{reason} // 'nothing: a torn state')
	    if ($state->{reason} // '') ne 'keyword';
	# One that was killed may have begun before it was written down.
	return "rounds $numbers" if @rounds > 4 ||
	    $numbers !~ /^1( 1)*( 2)+( 3)+$/;
	for (@rounds) {
		return "agent $_->[1] still runs" if alive($_->[1]);
	}
	my @left = glob("$S/.paneward/{,.}*.{launch,agent,command,prompt}");
	return @left ? "left behind: @left" : '';
}

# Goes on, as a person would who does not wait.
sub recover {
	return complaint(run($pw, 'loop', 'run', -e
	    "$S/.paneward/loop-default.json" ? '--resume' : ('--', './agent')));
}

for my $manager (sort keys %every) {
	SKIP: {
		skip("$manager is not here", 4) if $manager ne 'native' &&
		    system("command -v $manager >/dev/null 2>&1") != 0;
		kill_anywhere("its engine with $manager", begin => \&begin_case,
		    every => $every{$manager}, wrong => \&recover,
		    run => sub { run(@_, $pw, 'loop', 'run',
		        '--session-manager', $manager, '--', './agent') },
		    whole => sub { is(complaint('0'), '',
		        "$manager: what is not killed is well") });
		is($manager eq 'tmux' ? `tmux list-sessions 2>/dev/null` : '',
		    '', 'and no session is left');
	}
}
system('tmux kill-server 2>/dev/null') if -e "$ENV{TMUX_TMPDIR}/tmux-$>/default";
done_testing();
