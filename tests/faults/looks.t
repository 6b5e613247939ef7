#!/usr/bin/perl
# A failed look is never an answer.  Each open, stat and readdir of a command
# fails once, with EIO, EACCES, EMFILE and ENOMEM.  It decided nothing, and the
# command does what it always does; or the command says what it cannot look at
# and ends with 3 (a hook: with 0).  The project above is left alone, and a
# second, undisturbed command does what is left to do: once.
#
# LOOKS=all tries every call with every error (some 9,500, ten minutes); else
# each call of `signal` fails once, and of the others some.  LOOKS_OF names the
# cases.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $all = ($ENV{LOOKS} // '') eq 'all';
my $only = $ENV{LOOKS_OF};
my $workers = 4;
my @errors = qw(EIO EACCES EMFILE ENOMEM);
my $looks = qr/^(?:openat|open|newfstatat|fstatat64|statx|fstat|stat|lstat|
    access|faccessat|faccessat2|readlink|readlinkat|getdents64)$/x;
# What the C library and the program's start look at.
my $system = qr{["<](?:/etc/|/usr/(?:lib|share/(?:locale|zoneinfo|terminfo))|/lib
    |/dev/)}x;
my $run = '11111111-2222-4333-8444-555555555555';
my $standin = "$FindBin::Bin/../system/standin.pl";

begin_faults();
plan(skip_all => 'tmux or git is not here')
    if system("tmux -V >'$T/said' && git --version >'$T/said'") != 0;

# ---- a place ----------------------------------------------------------------

my ($P, $D, $U);
my $places = 0;

sub spew {
	my ($path, $text) = @_;

	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close($f) or die "$path: $!\n";
}

sub tm {
	return system("tmux -L default -f /dev/null @_ >'$T/said' 2>&1") == 0;
}

sub until_true {
	my ($fact) = @_;
	my $until = time + 60;

	until ($fact->()) {
		return 0 if time > $until;
		sleep 0.02;
	}
	return 1;
}

# A project inside another one, both with all that makes one: a repository, or
# only a configuration and a status directory.  Issue 7 of each has reported.
sub place {
	my ($kind) = @_;

	system("rm -rf '$U' 2>/dev/null") if defined $U;
	$U = "$T/up" . $places++;
	$P = "$U/p";
	$D = "$P/.worktrees/.status";
	for ($U, $P) {
		mkdir $_, 0700 or die "$_: $!\n";
		mkdir "$_/.worktrees", 0700;
		mkdir "$_/.worktrees/.status", 0700;
		mkdir "$_/.worktrees/.status/.paneward", 0700;
		system("cp -R '$T/git' '$_/.git'") if $kind eq 'git';
		spew("$_/.paneward.json", '{ "handoff": "./handoff", ' .
		    '"notify": [["./notice"]] }');
		for my $name (qw(handoff notice)) {
			spew("$_/$name", "#!/bin/sh\necho \$PANEWARD_ISSUE " .
			    "\$PANEWARD_HANDOFF_ID >>'$_/effects-$name'\n");
			chmod 0700, "$_/$name";
		}
		spew("$_/.worktrees/.status/signal-complete-7", "done\n");
	}
	return;
}

# Issue 8 of the directory runs, as its record says; its agent's hooks tell what
# it does.
sub with_run {
	my ($dir) = @_;

	spew(($dir // $D) . '/.paneward/8.json', encode_json({ issue => '8',
	    run => $run, state => 'asking', source => 'process',
	    since => '2026-01-01T00:00:00.000Z', backend => 'claude',
	    started => '2026-01-01T00:00:00.000Z' }) . "\n");
}

# Issue 9 runs beside it, in another session.
sub with_two {
	with_run();
	for my $n (8, 9) {
		my $record = decode_json(slurp("$D/.paneward/8.json"));

		$record->{issue} = "$n";
		$record->{agent} = { session => "session$n" };
		spew("$D/.paneward/$n.json", encode_json($record) . "\n");
	}
}

# An event of that session, with the environment of issue 8.
sub hook_of {
	my ($session, $lines) = @_;

	return (words => ['hook', 'record'], hook => 1, prepare => \&with_two,
	    input => encode_json({ hook_event_name => 'Stop',
	        session_id => $session, last_assistant_message => 'all' }),
	    env => { PANEWARD_ISSUE => 8, PANEWARD_RUN => $run },
	    only => qr/\.paneward\b/,
	    done => sub { lines("$D/.paneward/8.records") == $lines },
	    after => sub { lines("$D/.paneward/8.records") > $lines ?
	        'of another run' : '' });
}

# Issue 4 has the only place, 5 waits for it: it was complete, and comes again.
sub with_queued {
	my @words = qw(start 5 --no-watch -- true);
	my %record = (run => $run, source => 'process',
	    since => '2026-01-01T00:00:00.000Z',
	    started => '2026-01-01T00:00:00.000Z');

	spew("$D/.paneward/4.json", encode_json({ %record, issue => '4',
	    state => 'working', tmux => { socket => "$T/none",
	    pane => '%1', pane_pid => $$ } }) . "\n");
	spew("$D/.paneward/5.json", encode_json({ %record, issue => '5',
	    state => 'error' }) . "\n");
	spew("$D/.paneward/queued", encode_json({ v => 1, queued => [{
	    issue => '5', run => $run =~ s/1/2/gr, at_once => 1, cwd => $P,
	    words => \@words, env => [] }] }) . "\n");
}

# The user has another project, in which an agent asks, and no other one does.
sub with_other {
	my $other = "$T/other/.worktrees/.status";

	tm('kill-session -t =ask');
	system("mkdir -p -m 700 '$other/.paneward'");
	with_run($other);
	run({ words => ['status', '--status-dir', $other] });
}

# The runner of issue 7 stands still, and the file of its lock is gone.
my ($frozen, $runner);

sub with_frozen {
	spew("$P/handoff", "#!/bin/sh\necho \$PANEWARD_ATTEMPT " .
	    ">>effects-handoff\nuntil test -e go; do sleep 0.02; done\n");
	$frozen = fork() // die "fork: $!\n";
	if ($frozen == 0) {
		run({ words => ['sweep'] });
		POSIX::_exit(0);
	}
	until_true(sub { lines("$P/effects-handoff") == 1 }) or die;
	$runner = decode_json(slurp("$D/.paneward/7.json"))->{runner}{pid};
	kill STOP => $runner;
	until_true(sub { slurp("/proc/$runner/stat") =~ /\) T / }) or die;
	unlink "$D/.paneward/7.lock";
	spew("$P/go", '');
}

sub thawed {
	kill CONT => $runner;
	waitpid($frozen, 0);
	return handed_off();
}

# ---- what is run ------------------------------------------------------------

# Returns { status, out, err }; the first words may be a tracer's.
sub run {
	my ($case, @tracer) = @_;
	my $pid;

	spew("$T/in", $case->{input} // '');
	unlink map { "$T/$_" } qw(out err);
	$pid = fork() // die "fork: $!\n";
	if ($pid == 0) {
		chdir $P or die;
		open(STDIN, '<', "$T/in");
		open(STDOUT, '>', "$T/out");
		open(STDERR, '>', "$T/err");
		%ENV = (%ENV, %{$case->{env} // {}});
		exec(@tracer, $pw, @{$case->{words}}) or POSIX::_exit(127);
	}
	local $SIG{ALRM} = sub { kill KILL => $pid };
	alarm 120;
	waitpid($pid, 0);
	alarm 0;
	return { status => $? & 127 ? 'signal ' . ($? & 127) : $? >> 8,
	    out => slurp("$T/out"), err => slurp("$T/err") };
}

sub lines { return scalar(() = slurp($_[0]) =~ /\n/g) }

# The state of an issue of the project.
sub state_of {
	my ($issue) = @_;
	my $record = eval { decode_json(slurp("$D/.paneward/$issue.json")) };

	return $record ? $record->{state} : 'none';
}

# Done once: its own project's hand-off ran once, and the signal is gone.
sub handed_off {
	run({ words => ['sweep'] });
	return 'lost' if !until_true(sub { lines("$P/effects-handoff") > 0 });
	run({ words => ['sweep'] });
	return 'doubled' if lines("$P/effects-handoff") > 1;
	return '';
}

my $stop = encode_json({ hook_event_name => 'Stop', session_id => 's',
    last_assistant_message => 'all of it' });

my %cases;
%cases = (
	status => { words => ['status'], prepare => \&with_run },
	json => { words => ['status', '--json'], prepare => \&with_run },
	all => { words => ['status', '--all'], prepare => \&with_other },
	next => { words => ['next', '--print'], prepare => \&with_other,
	    both => 1 },
	frozen => { words => ['sweep'], prepare => \&with_frozen,
	    after => \&thawed, only => qr/7\.(?:json|lock)/ },
	signal => {
		words => ['signal', 'complete', '--issue', '5', 'all done'],
		done => sub { slurp("$D/signal-complete-5") eq "all done\n" },
	},
	sweep => { words => ['sweep'], after => \&handed_off },
	watch => { words => ['watch', '--once', '7'], after => \&handed_off },
	hook => {
		words => ['hook', 'record'], input => $stop, hook => 1,
		prepare => \&with_run,
		env => { PANEWARD_ISSUE => 8, PANEWARD_RUN => $run },
		done => sub { lines("$D/.paneward/8.records") == 1 },
	},
	foreign => { hook_of('session9', 0) },
	fresh => { hook_of('another', 1) },
	doctor => { words => ['doctor'], prepare => \&with_run,
	    only => qr/\.paneward[\/">]/, both => 1, finding => 1 },
	wait => { words => ['wait', '5', '--timeout', '1'],
	    prepare => \&with_queued, only => qr/queued|5\.json/ },
	queued => {
		words => ['start-queued', 'DIRECTORY'],
		prepare => sub {
			with_queued();
			$cases{queued}{words}[1] = $D;
		},
		only => qr/\.paneward\b/,
		after => sub { slurp("$D/.paneward/queued") =~ /"5"/ ?
		    '' : 'a place given away' },
	},
	panes => { words => ['status', '--all'], prepare => \&with_dialog,
	    only => qr{/backends|/proc/|tmux} },
	notify => {
		# A way that fails is an answer of the test of ways.
		refusal => qr/./,
		words => ['notify', '--test'],
		done => sub { lines("$P/effects-notice") == 1 },
		after => sub { lines("$P/effects-notice") > 1 ? 'doubled' : '' },
	},
	start => {
		words => ['start', '8', '--no-watch', '--', 'sh', '-c',
		    'echo x >>started; exec sleep 1000'],
		prepare => sub { tm('kill-session -t =p-issue-8') },
		done => sub { until_true(sub { lines("$P/started") == 1 }) },
		after => sub {
			return 'started in the project above'
			    if -e "$U/started";
			run({ words => ['start', '8', '--no-watch', '--',
			    'sh', '-c', 'echo x >>started; exec sleep 1000'] });
			return 'lost' if !until_true(sub {
			    lines("$P/started") > 0 });
			return lines("$P/started") > 1 ? 'doubled' : '';
		},
	},
	answer => {
		words => ['answer', 'PANE', 'yes'],
		# A refusal, after which nothing was typed, does no harm.
		refusal => qr/^paneward:\ cannot\ answer\ /x,
		prepare => \&with_dialog,
		done => sub { until_true(sub { typed() eq '1' }) },
		after => sub { typed() =~ /^1?$/ ? '' : 'typed ' . typed() },
	},
);

# A stand-in of claude asks; what is typed into it is in a file.
my $dialogs = 0;

sub with_dialog {
	my $n = ++$dialogs;

	tm("kill-session -t =ask");
	unlink "$T/typed";
	tm("new-session -d -s ask -n one -x 80 -y 24 -c '$P' " .
	    "\"exec '$T/bin/claude' '$standin' '$T/typed' '$T/dialog' '$T/gone'\"");
	until_true(sub { slurp("$T/typed") =~ /^shown/m }) or die "no dialog\n";
	chomp(my $pane = qx(tmux -L default list-panes -t =ask -F '#{pane_id}'));
	$cases{answer}{words}[1] = $pane;
}

sub typed {
	return join '', grep { !/^shown/ } split /\n/, slurp("$T/typed");
}

# ---- a case -----------------------------------------------------------------

my %same = ();          # what the command does undisturbed

sub prepare {
	my ($kind, $name) = @_;

	place($kind);
	$cases{$name}{prepare}->() if $cases{$name}{prepare};
}

# Times and ids differ from run to run.
sub plain {
	my ($text) = @_;

	$text =~ s/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/ID/g;
	$text =~ s/\d{4}-\d\d-\d\dT[\d:.]+Z?/TIME/g;
	$text =~ s/%\d+/PANE/g;
	$text =~ s/\d+/N/g;
	return $text;
}

# The calls of the command that look: [name, number among those of the name,
# its line].
sub points {
	my ($kind, $name) = @_;
	my (%count, @points, $begun);

	prepare($kind, $name);
	run($cases{$name}, 'strace', '-y', '-s', '200', '-o', "$T/trace");
	thawed() if $name eq 'frozen';
	for my $line (split /\n/, slurp("$T/trace")) {
		my ($call) = $line =~ /^(\w+)\(/ or next;

		$count{$call}++;
		# main() begins by asking for its own program, or a path.
		$begun ||= $line =~ m{\.worktrees|\Q$T\E} &&
		    $line !~ /^execve/;
		next if !$begun || $call !~ $looks;
		push @points, [$call, $count{$call}, $line]
		    if $line !~ $system &&
		    $line =~ ($cases{$name}{only} // qr/./);
	}
	return @points;
}

sub complaint {
	my ($kind, $name, $got) = @_;
	my $case = $cases{$name};
	my $want = $same{"$kind $name"};
	my $above = join ' ', grep { !/^\.\.?$/ && !/^signal-complete-7$/ }
	    map { s{.*/}{}r } glob("$U/effects-* $U/.worktrees/.status/* " .
	    "$U/.worktrees/.status/.paneward/*");
	my $like = $got->{status} eq $want->{status} &&
	    plain($got->{out}) eq plain($want->{out}) &&
	    (!$case->{both} || plain($got->{err}) eq plain($want->{err})) &&
	    (!$case->{done} || $case->{done}->());
	my $said = "$got->{err}$got->{out}" =~ /^.*(?:Input|Permission|Too\ many|
	    memory|No\ such)/mx;

	return "wrong project: $above" if $above ne '';
	return "ended by $got->{status}" if $got->{status} !~ /^\d+$/;
	return '' if $like;
	return '' if $case->{refusal} && $got->{status} eq '1' &&
	    "$got->{err}$got->{out}" =~ $case->{refusal};
	return '' if $got->{err} =~ /is not executable/;    # EACCES of a look
	return 'not a word' if !$said && $got->{status} ne '3';
	return 'no reason' if !$said && $got->{err} !~ / a runner /;
	return '' if $got->{err} =~ /of notify/ || $case->{finding};
	return "status $got->{status}" if $got->{status} ne
	    ($case->{hook} ? '0' : '3');
	return '';
}

sub try_case {
	my ($kind, $name, $call, $when, $error) = @_;
	my ($got, $wrong, $after);

	prepare($kind, $name);
	$got = run($cases{$name}, 'strace', '-o', "$T/trace", '-e',
	    "trace=$call", '-e', "inject=$call:error=$error:when=$when");
	$wrong = complaint($kind, $name, $got);
	$after = $cases{$name}{after} ? $cases{$name}{after}->() : '';
	return ($wrong eq '' ? $after : $wrong, $got);
}

# ---- the tests --------------------------------------------------------------

sub begin_place {
	my ($folder) = @_;

	$T = $folder;
	mkdir $_, 0700 for $T, map { "$T/$_" } qw(home tmux bin);
	$ENV{HOME} = "$T/home";
	$ENV{TMUX_TMPDIR} = "$T/tmux";
	$ENV{PATH} = "$T/bin:$ENV{PATH}";
	system("cp '$^X' '$T/bin/claude'; git init -q '$T/repository'; " .
	    "mv '$T/repository/.git' '$T/git'");
	spew("$T/gone", "I go on.\n");
	my $rule = "\xe2\x94\x80" x 40;
	spew("$T/dialog", join("\n", $rule, ' Bash command', '', '   make it',
	    '   what it is for', '', ' Do you want to proceed?',
	    " \xe2\x9d\xaf 1. Yes", '   2. No', '',
	    " Esc to cancel \xc2\xb7 Tab to amend") . "\n");
	tm("new-session -d -s keeper -x 80 -y 24 'exec tail -f /dev/null'");
}

sub work {
	my ($n) = @_;
	my (%tried, @wrong);
	my $turn = 0;

	begin_place("$T/$n");
	for my $name (sort keys %cases) {
		next if defined $only && $name !~ /^(?:$only)$/;
		for my $kind (qw(git plain)) {
			my @points = points($kind, $name);

			prepare($kind, $name);
			$same{"$kind $name"} = run($cases{$name});
			thawed() if $name eq 'frozen';
			my $step = $all || $name eq 'signal' ? 1 :
			    1 + int(@points / 8);

			for my $i (grep { $_ % $step == 0 } 0 .. $#points) {
				my ($call, $when, $line) = @{$points[$i]};

				for my $e (0 .. $#errors) {
					next if !$all &&
					    $i / $step % @errors != $e;
					# It counts also if it may not be read.
					next if $errors[$e] eq 'EACCES' &&
					    $line =~ /^openat.*signal-/;
					next if $turn++ % $workers != $n;
					my ($wrong, $got) = try_case($kind,
					    $name, $call, $when, $errors[$e]);
					print "tried $name\n";
					print "wrong $name: $kind $call " .
					    "$when $errors[$e]: $wrong: " .
					    substr($line, 0, 150) . ' -- ' .
					    ($got->{err} =~ s/\n/ | /gr) . "\n"
					    if $wrong ne '';
				}
			}
		}
	}
	tm('kill-server');
	print "done\n";
	close(STDOUT);
	POSIX::_exit(0);
}

my (%tried, %wrong, @outs);
for my $n (0 .. $workers - 1) {
	my $pid = open(my $out, '-|') // die "fork: $!\n";

	work($n) if $pid == 0;
	push @outs, $out;
}
for my $out (@outs) {
	my $last = '';

	while (my $line = <$out>) {
		chomp($last = $line);
		diag($line) if $line =~ /^wrong/;
		$tried{$1}++ if $line =~ /^tried (\w+)/;
		$wrong{$1}++ if $line =~ /^wrong (\w+)/;
	}
	is($last, 'done', 'a worker is done');
}
for my $name (sort keys %tried) {
	is($wrong{$name} // 0, 0, "$name: $tried{$name} failed looks");
}
chdir '/';
done_testing();
