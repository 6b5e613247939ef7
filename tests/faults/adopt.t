#!/usr/bin/perl
# A watcher that adopts an agent in a new pane, after an earlier run of the
# issue, is killed at its system calls: the next one follows that agent, and
# not the earlier run.  SOAK=1 tries each call.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use Test::More;

my ($earlier, @watch) = ('');

begin_faults();
begin_tmux();

# A project with an agent in a pane of issue 7, and the record of the earlier
# run, if there was one.
sub begin_case {
	project('.paneward.json' => '{}',
	    '.worktrees/.status/.paneward/7.json' => $earlier);
	unlink "$S/.paneward/7.json" if $earlier eq '';
	system('tmux', 'new-session', '-d', '-s', session(), '-c', $P,
	    'exec tail -f /dev/null') == 0 or die;
}

sub watch {
	return run(@_, $pw, 'watch', '7', @watch);
}

# The agent in the pane is what is recorded, under a run of its own.
sub followed {
	my $r = json_in("$S/.paneward/7.json");
	my $pane = `tmux list-panes -t "=@{[session()]}:" -F '#{pane_pid}'`;

	return $r->{state} eq 'working' && $r->{tmux}{pane_pid} == $pane &&
	    $r->{run} ne decode_json($earlier)->{run};
}

begin_case();
@watch = ('--exit-on', 'working');
is(watch(), 0, 'there is an earlier run');
spew("$S/signal-complete-7", "done\n");
@watch = ('--no-handoff');
is(watch(), 0, 'which has reported');
$earlier = slurp("$S/.paneward/7.json");

@watch = ('--exit-on', 'working');
kill_anywhere('its first watcher', begin => \&begin_case, run => \&watch,
    whole => sub { ok(followed(), 'an agent in another pane is followed') },
    wrong => sub { watch(); return followed() ? '' : 'not followed' });
chdir '/';
done_testing();
