#!/usr/bin/perl
# Exactly one notice for each question of agents in many panes, while their
# watcher is killed again and again, a second after it has begun at the latest.
# An agent in each pane asks, and works on once its notice has come and its
# record says that it asks.  A notice takes a while, in which most watchers die.
#
# NOTICES in the environment says how many questions there are to be, and
# NOTICE_PANES in how many panes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use List::Util qw(max uniq);
use Test::More;
use Time::HiRes qw(time sleep);

my $count = $ENV{NOTICES} // 24;
my $panes = $ENV{NOTICE_PANES} // 3;
my $deadline = time + 90 + 1.5 * $count;

# What a hook of the agent reports.
my %events = (
	asking => '{"hook_event_name":"Notification","session_id":"s",' .
	    '"notification_type":"permission_prompt","message":"May I?"}',
	working => '{"hook_event_name":"UserPromptSubmit","session_id":"s"}',
);

begin_environment();
begin_tmux();
project('.paneward.json' => '{ "handoff": null, "notify": [["./note"]], ' .
    '"notify_on": ["asking"] }', note => "#!/bin/sh\nsleep 0.3\n" .
    "echo \"\$PANEWARD_EPISODE\" >>'$T/told.'\$PANEWARD_ISSUE\n");
for my $issue (1 .. $panes) {
	run($pw, 'start', $issue, '--no-watch', '--', 'sleep', '100000') eq '0'
	    or die said();
}

# ---- the agents -------------------------------------------------------------

my @agents = map { { issue => $_, asked => 0, is => 'working' } } 1 .. $panes;
my ($asked, @waits) = (0);

sub recorded { return json_in("$S/.paneward/$_[0].json")->{state} // '' }

sub told { return lines("$T/told.$_[0]") }

# True if it is done.
sub turn {
	my ($agent) = @_;
	my $issue = $agent->{issue};

	return 0 if recorded($issue) ne $agent->{is};
	if ($agent->{is} eq 'asking') {
		return 0 if told($issue) < $agent->{asked};
		push @waits, time - $agent->{at};
		$agent->{is} = 'working';
	} else {
		return 1 if $asked == $count;
		$asked++;
		$agent->{asked}++;
		@$agent{qw(is at)} = ('asking', time);
	}
	run({ input => "$events{$agent->{is}}\n", env => {
	    PANEWARD_ISSUE => $issue, PANEWARD_STATUS_DIR => $S } },
	    $pw, 'hook', 'record') eq '0' or die said();
	return 0;
}

# ---- the watcher ------------------------------------------------------------

my ($watcher, $kill_at, $killed) = (0, 0, 0);

sub watch {
	$watcher = fork // die "fork: $!";
	return if $watcher;
	chdir $P or die;
	open STDIN, '<', '/dev/null';
	open STDOUT, '>', '/dev/null';
	open STDERR, '>>', "$T/trouble";
	exec $pw, 'watch', '--all' or die "watch: $!";
}

sub end_watcher {
	kill KILL => $watcher;
	waitpid $watcher, 0;
	$watcher = 0;
}

# It dies at another moment each time, but holds the last lock before.
sub persecute {
	if (!$watcher) {
		watch();
		$kill_at = 0;
	} elsif (!$kill_at) {
		return if slurp("$S/.paneward/$panes.lock") !~ /^$watcher\b/;
		$kill_at = time + rand;
	} elsif (time >= $kill_at) {
		end_watcher();
		$killed++;
	}
}

my ($begun, @left) = (time, @agents);
while (@left && time < $deadline) {
	persecute();
	@left = grep { !turn($_) } @agents;
	sleep 0.02;
}
end_watcher() if $watcher;
diag(sprintf '%d questions in %d panes, %d watchers killed, %.0f s; from ' .
    'question to answer: longest %.1f s', $asked, $panes, $killed,
    time - $begun, max(0, @waits));
is_deeply([ map { "issue $_->{issue}: $_->{is}, recorded " .
    recorded($_->{issue}) . ", $_->{asked} asked, " . told($_->{issue}) .
    ' told' } @left ], [], 'every question comes to its notice');

my @told = map { split /\n/, slurp("$T/told.$_") } 1 .. $panes;
# A line of the journal that a killed watcher repeats has the same id.
my %ids = map { /"id":"([^"]*)"/ ? ($1 => 1) : () }
    grep { /"state":"asking"/ } split /\n/,
    slurp("$S/.paneward/journal.ndjson");
is(scalar(uniq @told), scalar @told, 'and none to two');
is(@told . ' of ' . keys %ids, "$count of $count",
    'as many as the journal has');
is(slurp("$T/trouble"), '', 'no watcher had a word to say');
chdir '/';
done_testing();
