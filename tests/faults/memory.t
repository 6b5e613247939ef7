#!/usr/bin/perl
# Each allocation of a command fails in turn, alone or with all that follow it:
# the command ends with 3 and one line, or does what it always does.  A hook
# ends with 0, since anything else harms the agent.  What is on disk is whole,
# and a second run does what the first could not.
use strict;
use warnings;
use Config;
use File::Find;
use File::Path qw(remove_tree);
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use POSIX ();
use Test::More;

my $line = "paneward: out of memory\n";
my $library = "$T/memory.so";

project();
my ($box, $prepared) = ("$P/queue/inbox/ashigaru1.yaml", '');

sub there {
	my @all;

	find(sub { push @all, $File::Find::name, (stat)[1, 7, 9] }, $P);
	return "@all";
}

# An issue that has reported, an inbox with a task, a loop.  Most runs change
# nothing of that.
sub prepare {
	return if there() eq $prepared;
	remove_tree($P, { keep_root => 1 });
	spew("$P/.paneward.json", '{ "handoff": null, "sockets": [] }');
	spew("$P/.claude/th-loop.local.md", "---\nstatus: active\n" .
	    "started: 1\nmax: 3\niteration: 0\nduration: 0\n" .
	    "prompt: \"go on\"\n---\n");
	spew("$P/template", "<<issue_number>> in <<signal_dir|sh>>\n");
	# Lists in brackets are read by libyaml.
	spew($box, "tasks:\n  - subtask_id: one\n    status: assigned\n" .
	    "    tags: [ a, b ]\n");
	spew("$S/signal-complete-7", "done\n");
	spew("$S/output-7.log", "```\n###TASK_COMPLETE_7###\n```\n" .
	    "###TASK_ERROR_7### no disk\n");
	mkdir "$S/.paneward", 0700;
	$prepared = there();
}

# What a run leaves must be whole; '' if it is.
sub damage {
	my ($left) = grep { !/^\.\.?$/ } glob("$S/*.tmp $S/.paneward/*.tmp " .
	    "$P/queue/inbox/*.tmp");

	return "$left is left over" if defined $left;
	return 'a torn signal' if slurp("$S/signal-error-9") !~
	    /\A(?:(?:run=.*\n)?no disk\n)?\z/;
	return 'a torn inbox' if slurp($box) !~ /\Atasks:.*\n\z/s;
	for (map { split /\n/, slurp($_) }
	    glob("$S/.paneward/*.{json,ndjson,records}")) {
		return "a torn line: $_" if !defined eval { decode_json($_) };
	}
	return '';
}

my ($orders, $answers);

# The parent of the runs of a command, which has that input.
sub begin_parent {
	my ($input, @arguments) = @_;

	close($orders) && wait if $orders;
	pipe(my $ours, $orders) && pipe($answers, my $theirs) or die;

	spew("$T/in", $input);
	return if (fork() // die "fork: $!\n") != 0;
	chdir $P or die;
	open(STDIN, '<', "$T/in");
	open(STDOUT, '>>', "$T/out");
	open(STDERR, '>>', "$T/err");
	close($_) for $orders, $answers;
	my @ends = map { POSIX::dup2(fileno $_, 20 + fileno $_) }
	    $ours, $theirs;
	POSIX::dup2($ends[$_], 3 + $_) for 0, 1;
	$ENV{LD_PRELOAD} = $library;
	exec($pw, @arguments) or POSIX::_exit(127);
}

# A run in which that allocation fails: its { status, out, err }, and how many
# there were if none does.
sub fails {
	my ($nth, $stays) = @_;

	prepare();
	syswrite($orders, pack('ii', $nth, $stays)) or die "$!\n";
	my $count = $nth ? 0 : <$answers> // 0;
	my $status = <$answers> // 0;
	return { status => $status & 127 ? 'signal ' . ($status & 127) :
	    $status >> 8, count => int $count, out => slurp("$T/out"),
	    err => slurp("$T/err") };
}

# What is wrong with a run; '' if nothing is.
sub complaint {
	my ($got, $want, $failed) = @_;

	if ($got->{err} eq $line) {
		return 'there is output' if $got->{out} ne '' && $failed == 0;
		return "status $got->{status}" if $got->{status} ne $failed;
	} else {
		return "status $got->{status}"
		    if $got->{status} ne $want->{status};
		return 'other words' if $got->{err} ne $want->{err};
		return 'another answer' if $got->{out} ne $want->{out};
	}
	return damage();
}

my $stop = encode_json({ hook_event_name => 'Stop', session_id => 's',
    cwd => $P, last_assistant_message => "all of it" });

# The status if there is no memory, the input, the arguments.
my @commands = (
	[ 3, '', 'status' ],
	[ 3, '', 'status', '--json' ],
	[ 3, '', 'scan', '--issue', '7', "$S/output-7.log" ],
	[ 3, '', 'explain', '7', '--session', 'alive' ],
	[ 3, '', 'render', 'template', '--issue', '7' ],
	[ 3, '', 'inbox', 'list', '--json', 'ashigaru1' ],
	[ 3, '', 'signal', 'error', '--issue', '9', 'no disk' ],
	[ 3, '', 'inbox', 'write', 'ashigaru1', 'a message' ],
	[ 3, '', 'watch', '--once', '--no-handoff', '7' ],
	[ 0, $stop, 'hook', 'record' ],
	[ 0, $stop, 'hook', 'inbox' ],
	[ 0, $stop, 'hook', 'loop' ],
);

%ENV = (PATH => $ENV{PATH}, HOME => "$T/home", LC_ALL => 'C.UTF-8',
    TZ => 'UTC', PANEWARD_CEILING => '/tmp', TMUX_TMPDIR => "$T/tmux",
    PANEWARD_ISSUE => 8, PANEWARD_RUN => '11111111-2222-4333-8444-555555555555',
    PANEWARD_STATUS_DIR => $S, __STOP_HOOK_SCRIPT_DIR => $P,
    __STOP_HOOK_AGENT_ID => 'ashigaru1');
mkdir "$T/$_", 0700 for qw(home tmux);
plan(skip_all => 'no library can be put before the C library here')
    if system("'$Config{cc}' -shared -fPIC -o '$library' " .
    "'$FindBin::Bin/memory.c' >'$T/said' 2>&1") != 0;

for (@commands) {
	my ($failed, @command) = @$_;
	my @wrong;

	begin_parent(@command);
	my $want = fails(0, 0);
	my $n = $want->{count} or plan(skip_all => 'nothing is preloaded');
	# A third of those of a command that starts others is enough.
	for (my $nth = 1; $nth <= $n; $nth += $n > 500 ? 3 : 1) {
		for my $stays ($nth % 7 ? (0) : (0, 1)) {
			my $got = fails($nth, $stays);
			my $wrong = complaint($got, $want, $failed);

			push @wrong, "allocation $nth of $n" .
			    ($stays ? ' and all behind it' : '') .
			    ": $wrong\n$got->{err}" if $wrong ne '';
		}
	}
	note($want->{out}) if $failed == 0;
	shift @command;
	ok($n > 5 && !@wrong, join(' ', map { s|.*/||r } @command) .
	    ": $n allocations") or diag(@wrong);
}
chdir '/';
done_testing();
