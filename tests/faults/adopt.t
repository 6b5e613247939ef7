#!/usr/bin/perl
# A watcher that adopts an agent in a new pane, after an earlier run of the
# issue, is killed at its system calls: the next one follows that agent, and
# not the earlier run.  So is one that becomes the program of an upgrade while
# its agent reports: the report is handed off once.  SOAK=1 tries each call.
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

# ---- an upgrade ------------------------------------------------------------------

my ($old, $link, $new) = ($pw, "$T/bin/paneward", slurp($pw));
my ($was) = `$pw --version` =~ /(\S+)$/;
$new =~ s/\Q$was\E\0/$was =~ tr{0-9}{9}r . "\0"/eg;
spew("$T/new/paneward", $new);
chmod 0755, "$T/new/paneward";
symlink("$FindBin::Bin/../../backends", "$T/new/backends");
mkdir "$T/bin";
$ENV{PATH} = "$T/bin:$ENV{PATH}";
($pw, @watch) = ($link, '--handoff', 'echo handed >>effects', '--interval', 1);

sub link_to {
	unlink $link;
	symlink($_[0], $link) or die "$link: $!\n";
}

# The agent reports once the journal says that the watcher goes on, or it has
# ended, or has refused the new program, since the check of that was killed.
sub upgrade {
	my $pid = fork() // die;
	my $over = "$P/over";

	if ($pid == 0) {
		until_true(sub { -e $over || slurp("$T/out") =~ /working/ });
		link_to("$T/new/paneward");
		until_true(sub { -e $over || slurp("$T/err") =~ /is new, but/
		    || slurp("$S/.paneward/journal.ndjson") =~ /goes on as/ });
		spew("$S/signal-complete-7", "done\n");
		POSIX::_exit(0);
	}
	watch(@_);
	spew($over, '');
	waitpid($pid, 0);
}

sub handed_off {
	watch();
	return slurp("$P/effects") eq "handed\n" ? '' : 'not once: ' . said();
}

kill_anywhere('a watcher that becomes another program', every => 4,
    begin => sub { link_to($old); begin_case() }, run => \&upgrade,
    from => qr{access.*/bin/paneward"}, wrong => \&handed_off,
    whole => sub { is(handed_off(), '', 'the report is handed off once') });
chdir '/';
done_testing();
