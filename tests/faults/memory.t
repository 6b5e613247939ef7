#!/usr/bin/perl
# Each allocation of a command fails in turn, alone or with all that follow it:
# the command ends with 3 and one line, or does what it always does.  A hook
# ends with 0, since anything else harms the agent.  What is on disk is whole,
# and a second run does what the first could not.
use strict;
use warnings;
use Config;
use File::Path qw(remove_tree);
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use Test::More;

my $line = "paneward: out of memory\n";
my $run = '11111111-2222-4333-8444-555555555555';
my $library = "$T/memory.so";
my $P = "$T/project";
my $D = "$P/.worktrees/.status";
my $box = "$P/queue/inbox/ashigaru1.yaml";

# ---- a place ----------------------------------------------------------------

sub spew {
	my ($path, $text) = @_;

	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close($f) or die "$path: $!\n";
}

# An issue that has reported, an inbox with a task, a loop.
sub prepare {
	remove_tree($P);
	mkdir $_, 0700 for $P, "$P/.worktrees", $D, "$D/.paneward",
	    "$P/queue", "$P/queue/inbox", "$P/.claude";
	spew("$P/.paneward.json", '{ "handoff": null, "sockets": [] }');
	spew("$P/.claude/th-loop.local.md", "---\nstatus: active\n" .
	    "started: 1\nmax: 3\niteration: 0\nduration: 0\n" .
	    "prompt: \"go on\"\n---\n");
	spew("$P/template", "<<issue_number>> in <<signal_dir|sh>>\n");
	# Lists in brackets are read by libyaml.
	spew($box, "tasks:\n  - subtask_id: one\n    status: assigned\n" .
	    "    tags: [ a, b ]\n");
	spew("$D/signal-complete-7", "done\n");
	spew("$D/output-7.log", "```\n###TASK_COMPLETE_7###\n```\n" .
	    "###TASK_ERROR_7### no disk\n");
}

# What a run leaves must be whole; '' if it is.
sub damage {
	my @lines = map { split /\n/, slurp($_) }
	    glob("$D/.paneward/*.{json,ndjson,records}");
	my $signal = slurp("$D/signal-error-9");
	my ($left) = grep { !/^\.\.?$/ } glob("$D/*.tmp $D/.paneward/*.tmp " .
	    "$P/queue/inbox/*.tmp");

	return "$left is left over" if defined $left;
	return 'a torn signal' if $signal !~ /\A(?:(?:run=.*\n)?no disk\n)?\z/;
	return 'a torn inbox' if slurp($box) !~ /\Atasks:.*\n\z/s;
	for (@lines) {
		return "a torn line: $_" if !defined eval { decode_json($_) };
	}
	return '';
}

# ---- a run ------------------------------------------------------------------

# Runs a command and returns { status, out, err }; what is given is its input.
sub run {
	my ($env, $input, @arguments) = @_;
	my $pid;

	spew("$T/in", $input);
	$pid = fork() // die "fork: $!\n";
	if ($pid == 0) {
		chdir $P or die;
		open(STDIN, '<', "$T/in");
		open(STDOUT, '>', "$T/out");
		open(STDERR, '>', "$T/err");
		@ENV{keys %$env} = values %$env;
		$ENV{LD_PRELOAD} = $library if %$env;
		exec($pw, @arguments) or exit 127;
	}
	waitpid($pid, 0);
	return { status => $? & 127 ? 'signal ' . ($? & 127) : $? >> 8,
	    out => slurp("$T/out"), err => slurp("$T/err") };
}

# How many allocations a command makes; undef if they cannot be counted.
sub count {
	my ($input, @arguments) = @_;

	unlink "$T/count";
	run({ MEMORY_COUNT => "$T/count" }, $input, @arguments);
	return slurp("$T/count") || undef;
}

# What is wrong with a run; '' if nothing is.
sub complaint {
	my ($got, $want, $failed) = @_;

	return "status $got->{status}" if $got->{status} ne $want->{status} &&
	    $got->{status} ne $failed;
	if ($got->{err} eq $line) {
		return 'there is output' if $got->{out} ne '' && $failed == 0;
		return "status $got->{status}" if $got->{status} ne $failed;
	} else {
		return 'other words' if $got->{err} ne $want->{err} ||
		    $got->{status} ne $want->{status};
		return 'another answer' if $got->{out} ne $want->{out};
	}
	return damage();
}

# ---- the commands -----------------------------------------------------------

my $stop = encode_json({ hook_event_name => 'Stop', session_id => 's',
    cwd => $P, last_assistant_message => "all of it" });

my @commands = (
	[ 3, '', 'status' ],
	[ 3, '', 'status', '--json' ],
	[ 3, '', 'scan', '--issue', '7', "$D/output-7.log" ],
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
    TZ => 'UTC', PANEWARD_CEILING => '/tmp', TMUX_TMPDIR => "$T/tmux", PANEWARD_ISSUE => 8,
    PANEWARD_RUN => $run, PANEWARD_STATUS_DIR => $D,
    __STOP_HOOK_SCRIPT_DIR => $P, __STOP_HOOK_AGENT_ID => 'ashigaru1');
mkdir "$T/$_", 0700 for qw(home tmux);
prepare();
plan(skip_all => 'no library can be put before the C library here')
    if system("'$Config{cc}' -shared -fPIC -o '$library' " .
    "'$FindBin::Bin/memory.c' >'$T/said' 2>&1") != 0 ||
    !defined count('', 'status');

for (@commands) {
	my ($failed, $input, @arguments) = @$_;
	my ($n, $step, $want, $got, $wrong, @wrong);

	prepare();
	chomp($n = count($input, @arguments) // 0);
	prepare();
	$want = run({}, $input, @arguments);
	# A third of those of a command that starts others is enough.
	$step = $n > 500 ? 3 : 1;
	for (my $nth = 1; $nth <= $n; $nth += $step) {
		for my $all ($nth % 7 ? (0) : (0, 1)) {
			prepare();
			$got = run({ MEMORY_FAILS => $nth,
			    $all ? (MEMORY_STAYS_OUT => 1) : () }, $input,
			    @arguments);
			$wrong = complaint($got, $want, $failed);
			push @wrong, "allocation $nth of $n" .
			    ($all ? ' and all behind it' : '') .
			    ": $wrong\n$got->{err}" if $wrong ne '';
		}
	}
	note($want->{out}) if $failed == 0;
	ok($n > 5 && !@wrong, join(' ', map { s|.*/||r } @arguments) .
	    ": $n allocations") or diag(@wrong);
}

done_testing();
