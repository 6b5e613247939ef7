#!/usr/bin/perl
# notices.pl COUNT PANES FOLDER PROGRAM STATUS-DIR: an agent in each pane asks,
# and works on once its notice has come and its record says that it asks, until
# there were so many questions.  $FOLDER/ended is made at the end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults qw(json_in lines slurp spew);
use Time::HiRes qw(time sleep);

my ($count, $panes, $folder, $program, $status) = @ARGV;
my $state = "$status/.paneward";
my $deadline = time + 90 + 1.5 * $count;

# What a hook of the agent reports.
my %events = (
	asking => '{"hook_event_name":"Notification","session_id":"s",' .
	    '"notification_type":"permission_prompt","message":"May I?"}',
	working => '{"hook_event_name":"UserPromptSubmit","session_id":"s"}',
);

sub report {
	my ($issue, $event) = @_;
	local @ENV{qw(PANEWARD_ISSUE PANEWARD_STATUS_DIR)} =
	    ($issue, $status);
	open my $hook, '|-', $program, 'hook', 'record' or die "hook: $!";
	print $hook "$events{$event}\n";
	close $hook or die "hook: $?";
}

sub recorded { return json_in("$state/$_[0].json")->{state} // '' }

sub told { return lines("$folder/told.$_[0]") }

# ---- the agents -------------------------------------------------------------

my @agents = map { { issue => $_, asked => 0, is => 'working', told => 0 } }
    1 .. $panes;
my ($asked, @waits) = (0);

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
	report($issue, $agent->{is});
	return 0;
}

# ---- the watcher ------------------------------------------------------------

my ($watcher, $kill_at, $killed) = (0, 0, 0);

sub watch {
	$watcher = fork // die "fork: $!";
	return if $watcher;
	open STDIN, '<', '/dev/null';
	open STDOUT, '>', '/dev/null';
	open STDERR, '>>', "$folder/trouble";
	exec $program, 'watch', '--all' or die "watch: $!";
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
		return if slurp("$state/$panes.lock") !~ /^$watcher\b/;
		$kill_at = time + rand;
	} elsif (time >= $kill_at) {
		end_watcher();
		$killed++;
	}
}

my ($begun, $left) = (time, $panes);
while ($left > 0 && time < $deadline) {
	persecute();
	$left = grep { !turn($_) } @agents;
	sleep 0.02;
}
end_watcher() if $watcher;
@waits = sort { $a <=> $b } @waits;
printf "# %d questions in %d panes, %d notices, %d watchers killed, %.0f s; " .
    "from question to answer: median %.2f s, longest %.1f s\n", $asked,
    $panes, scalar @waits, $killed, time - $begun,
    @waits ? @waits[@waits / 2, -1] : (0, 0);
if ($left > 0) {
	printf "# issue %d: %s, recorded %s, %d asked, %d told\n",
	    @$_{qw(issue is)}, recorded($_->{issue}), $_->{asked},
	    told($_->{issue}) for grep { !turn($_) } @agents;
	exit 1;
}
spew("$folder/ended", '');
