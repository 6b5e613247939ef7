#!/usr/bin/perl
# Eight writers and four readers on one inbox, one of the twelve killed every
# 50 ms: what a writer says it has written is in the file, or journaled as
# pushed out by newer notices, and the file is whole at every moment.
#
# INBOX_ENTRIES in the environment says how many entries there are to be.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../cases";
use JSON::PP;
use POSIX qw(:sys_wait_h);
use Test::More;
use Time::HiRes qw(sleep time);

use Paneward qw(program scratch slurp spew);

my $entries = $ENV{INBOX_ENTRIES} // 1500;

my $dir = scratch();
my $file = "$dir/queue/inbox/box.yaml";
my $own = "# kept by hand\nreports:\n  - subtask_id: own   # mine\n" .
    "    read: true\n";
my %jobs;               # by pid: what it does
my (%written, %wrong);  # entries whose writer exited 0; what went wrong
my ($begun, $killed, $looks) = (0, 0, 0);

mkdir $_ for "$dir/queue", "$dir/queue/inbox";
spew($file, $own);
delete @ENV{qw(TMUX TMUX_PANE)};
$ENV{__STOP_HOOK_SCRIPT_DIR} = $dir;
$ENV{PANEWARD_STATUS_DIR} = "$dir/status";
chdir $dir or die;

# Begins a command: its name, and its arguments.
sub begin {
	my ($what, @arguments) = @_;
	my $pid = fork() // die "fork: $!\n";
	if ($pid == 0) {
		open STDOUT, '>', '/dev/null';
		open STDERR, '>>', "$dir/said";
		exec(program(), 'inbox', @arguments) or exit 127;
	}
	$jobs{$pid} = $what;
}

sub begin_writer {
	my $name = 'entry-' . ++$begun;
	begin($name, 'write', 'box', $name);
}

my @readers = ('list box', 'list --json box', 'read box', 'ack box');

sub ended {
	my ($pid, $status) = @_;
	my $what = delete $jobs{$pid} or return;
	my $writes = $what =~ /^entry/;

	$written{$what} = 1 if $writes && $status == 0;
	$wrong{"status $status of $what"} = 1 if $status != 0 && $status != 9;
	return if $begun >= $entries;
	$writes ? begin_writer() : begin($what, split / /, $what);
}

# Nothing but whole entries, in an order and with an indentation of their own.
my $entry = qr/  - subtask_id: stophook_notification
    worker: "unknown"
    status: notification
    reported_at: "[-0-9T:.]+Z"
    summary: "entry-\d+"
    type: "wake_up"
    read: (?:true|false)
/;

sub look {
	my $text = slurp($file);
	$looks++;
	$wrong{'a file that is not whole'} = $text
	    unless $text =~ /\A\Q$own\E(?:$entry)*\z/;
}

begin_writer() for 1 .. 8;
begin($_, split / /) for @readers;
my $next = time() + 0.05;
while (%jobs) {
	while ((my $pid = waitpid(-1, WNOHANG)) > 0) {
		ended($pid, $?);
	}
	look();
	if (time() >= $next) {
		my @pids = keys %jobs;
		$killed += kill KILL => $pids[rand @pids] if @pids;
		$next += 0.05;
	}
	sleep(0.001);
}

my $text = slurp($file);
my %there = map { $_ => 1 } $text =~ /"(entry-\d+)"/g;
my %gone;
for my $line (split /\n/, slurp("$dir/status/.paneward/journal.ndjson")) {
	# A writer that was killed may have left half a line.
	my $event = eval { decode_json($line) } or next;
	$gone{$1} = 1 if $event->{subject} eq 'queue/inbox/box.yaml' &&
	    $event->{data}{entry} =~ /"(entry-\d+)"/;
}
my @lost = grep { !$there{$_} && !$gone{$_} } sort keys %written;

is_deeply(\@lost, [], 'no entry is lost whose writer said it was written');
is_deeply(\%wrong, {}, 'nothing else went wrong') or
    diag(slurp("$dir/said"));
is(scalar(my @all = $text =~ /"entry-\d+"/g), scalar(keys %there),
    'no entry is there twice');
cmp_ok(scalar(keys %there), '<=', 50, 'fifty are there at most');
cmp_ok(scalar(keys %written), '>', $entries * 0.5, 'most were written');
cmp_ok($killed, '>', 0, 'and some were killed');
is_deeply([ glob("$dir/queue/inbox/.*.tmp") ], [], 'nothing is left beside')
    if system(program(), 'inbox', 'write', 'box', 'entry-0') == 0;
diag("$entries entries, " . keys(%written) . " written, " . keys(%gone) .
    " pushed out, $killed killed, $looks looks");
done_testing();
