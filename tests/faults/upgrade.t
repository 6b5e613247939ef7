#!/usr/bin/perl
# A watcher whose program is replaced, and whose agent reports in that moment, is
# killed at its system calls, before it becomes the new program and behind that:
# the report is handed off once.  SOAK=1 tries each call.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;

begin_faults();
begin_tmux();
my ($old, $link) = ($pw, "$T/bin/paneward");
my ($was) = `$pw --version` =~ / (.*)/;
(my $is = $was) =~ tr/0-9/9/;
(my $new = slurp($old)) =~ s/\Q$was\E\0/$is\0/g;
spew("$T/new/paneward", $new);
chmod 0755, "$T/new/paneward";
symlink("$FindBin::Bin/../../backends", "$T/new/backends");
mkdir "$T/bin";
$ENV{PATH} = "$T/bin:$ENV{PATH}";
$pw = $link;

sub link_to {
	unlink $link if -l $link;
	symlink($_[0], $link) or die "$link: $!\n";
}

sub begin_case {
	link_to($old);
	project('.paneward.json' => '{ "handoff": "./handoff" }', handoff =>
	    "#!/bin/sh\necho \"\$PANEWARD_HANDOFF_ID\" >>effects\n");
	run($pw, "start", "7", "--session", session(), "--no-watch", "--",
	    'sh', '-c', "until [ -e '$P/go' ]; do sleep 0.1; done; " .
	    'echo "###TASK_COMPLETE_7###"; exec sleep 1000') == 0 or die said();
}

# The agent reports as soon as the journal says that the watcher goes on, or it
# has ended, or has refused the new program, of which the check was killed.
sub watch {
	my ($over, $case) = ("$P/over", $P);
	my $pid = fork() // die;

	if ($pid == 0) {
		until_true(sub { slurp("$T/out") =~ /working/ || -e $over });
		link_to("$T/new/paneward");
		until_true(sub { -e $over || slurp("$T/err") =~ /cannot go on/
		    || slurp("$S/.paneward/journal.ndjson") =~ /goes on as/ });
		spew("$case/go", '');
		POSIX::_exit(0);
	}
	my $status = run(@_, $pw, 'watch', '7', '--interval', '1');
	spew($over, '');
	waitpid($pid, 0);
	return $status;
}

sub complaint {
	run($pw, 'watch', '7');
	my @effects = split /\n/, slurp("$P/effects");
	return @effects == 1 ? '' : 'handed off ' . @effects . " times\n" . said();
}

kill_anywhere('a watcher that goes on as another program', every => 4,
    begin => \&begin_case, run => \&watch, from => qr{access.*/bin/paneward"},
    whole => sub { is(complaint(), '', 'its report is handed off once') },
    wrong => \&complaint);
chdir '/';
done_testing();
