#!/usr/bin/perl
# A failed look is never an answer.  Each open, stat and readdir of a command
# fails once, with EIO, EACCES, EMFILE and ENOMEM.  It decided nothing, and the
# command does what it always does; or the command says what it cannot look at
# and ends with 3 (a hook: with 0).  The project above is left alone, and a
# second, undisturbed command does what is left to do: once.
#
# LOOKS=all tries every call with every error (some 9,500, ten minutes); else
# each call of `signal` fails once, and of the others looks at some things; in a
# place without a repository, what finds the project.  LOOKS_OF names the cases.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);

my $all = ($ENV{LOOKS} // '') eq 'all';
my $only = $ENV{LOOKS_OF};
my @errors = qw(EIO EACCES EMFILE ENOMEM);
my $looks = qr/^(?:openat|open|newfstatat|fstatat64|statx|fstat|stat|lstat|
    access|faccessat|faccessat2|readlink|readlinkat|getdents64)$/x;
# What the C library and the program's start look at.
my $system = qr{["<](?:/etc/|/usr/(?:lib|share/(?:locale|zoneinfo|terminfo))|/lib
    |/dev/)}x;
# The place is looked for with these.
my $finding = qr{/\.git"|/HEAD"|/\.paneward\.json"};
my $run = '11111111-2222-4333-8444-555555555555';
my $standin = "$FindBin::Bin/../system/standin.pl";
my $U;                  # the project above $P

begin_faults();
plan(skip_all => 'tmux or git is not here')
    if system("tmux -V >'$T/said' && git --version >'$T/said'") != 0;

# ---- a place ----------------------------------------------------------------

sub tm { return system("tmux -f /dev/null @_ >'$T/said' 2>&1") == 0 }

# A project inside another one, both with all that makes one: a repository, or
# only a configuration and a status directory.  Issue 7 of each has reported.
sub place {
	my ($kind) = @_;

	$P = $U if defined $U;
	project();
	$U = $P;
	for ($U, "$U/p") {
		spew("$_/.paneward.json", '{ "handoff": "./handoff", ' .
		    '"notify": [["./notice"]] }');
		for my $name (qw(handoff notice)) {
			spew("$_/$name", "#!/bin/sh\necho \$PANEWARD_ISSUE " .
			    "\$PANEWARD_HANDOFF_ID >>'$_/effects-$name'\n");
		}
		spew("$_/.worktrees/.status/signal-complete-7", "done\n");
		mkdir "$_/.worktrees/.status/.paneward", 0700;
		next if $kind ne 'git';
		spew("$_/.git/HEAD", "ref: refs/heads/main\n");
		spew("$_/.git/config", "[core]\n\tbare = false\n");
		mkdir $_ for "$_/.git/objects", "$_/.git/refs";
	}
	$P = "$U/p";
	$S = "$P/.worktrees/.status";
}

# An issue's record.
sub recorded {
	my ($issue, %more) = @_;
	my $dir = delete $more{dir} // $S;

	spew("$dir/.paneward/$issue.json", encode_json({ issue => "$issue",
	    run => $run, source => 'process', map({
	    ($_ => '2026-01-01T00:00:00.000Z') } qw(since started)), %more }) .
	    "\n");
}

# Issue 8 of the directory runs, as its record says; its agent's hooks tell what
# it does.
sub with_run { recorded(8, state => 'asking', backend => 'claude', @_) }

# Issue 9 runs beside it, in another session.
sub with_two {
	recorded($_, state => 'asking', backend => 'claude',
	    agent => { session => "session$_" }) for 8, 9;
}

# An event of that session, with the environment of issue 8.
sub hook_of {
	my ($session, $lines) = @_;

	return { words => ['hook', 'record'], hook => 1, prepare => \&with_two,
	    input => encode_json({ hook_event_name => 'Stop',
	        session_id => $session, last_assistant_message => 'all' }),
	    env => { PANEWARD_ISSUE => 8, PANEWARD_RUN => $run },
	    only => qr/\.paneward\b/,
	    done => sub { lines("$S/.paneward/8.records") == $lines },
	    after => sub { lines("$S/.paneward/8.records") > $lines ?
	        'of another run' : '' } };
}

# Issue 4 has the only place, 5 waits for it: it was complete, and comes again.
sub with_queued {
	recorded(4, state => 'working', tmux => { socket => "$T/none",
	    pane => '%1', pane_pid => $$ });
	recorded(5, state => 'error');
	spew("$S/.paneward/queued", encode_json({ v => 1, queued => [{
	    issue => '5', run => $run =~ s/1/2/gr, at_once => 1, cwd => $P,
	    words => [qw(start 5 --no-watch -- true)], env => [] }] }) . "\n");
}

# The user has another project, in which an agent asks, and no other one does.
sub with_other {
	my $other = "$T/other/.worktrees/.status";

	tm('kill-session -t =ask');
	with_run(dir => $other);
	run($pw, 'status', '--status-dir', $other);
}

# The runner of issue 7 stands still, and the file of its lock is gone.
my ($frozen, $runner);

sub with_frozen {
	spew("$P/handoff", "#!/bin/sh\necho \$PANEWARD_ATTEMPT " .
	    ">>effects-handoff\nuntil test -e go; do sleep 0.02; done\n");
	$frozen = begin($pw, 'sweep');
	until_true(sub { lines("$P/effects-handoff") == 1 }) or die;
	$runner = stop_runner();
	unlink "$S/.paneward/7.lock";
	spew("$P/go", '');
}

sub thawed {
	kill CONT => $runner;
	waitpid($frozen, 0);
	return handed_off();
}

# Done once: its own project's hand-off ran once, and the signal is gone.
sub handed_off {
	run($pw, 'sweep');
	return 'lost' if !until_true(sub { lines("$P/effects-handoff") > 0 });
	run($pw, 'sweep');
	return lines("$P/effects-handoff") > 1 ? 'doubled' : '';
}

# A stand-in of claude asks; what is typed into it is in a file.
my $pane;

sub with_dialog {
	tm('kill-session -t =ask');
	unlink "$T/typed";
	tm("new-session -d -s ask -n one -x 80 -y 24 -c '$P' \"exec " .
	    "'$T/bin/claude' '$standin' '$T/typed' '$T/dialog' '$T/gone'\"");
	until_true(sub { slurp("$T/typed") =~ /^shown/m }) or die "no dialog\n";
	chomp($pane = qx(tmux list-panes -t =ask -F '#{pane_id}'));
}

sub typed {
	return join '', grep { !/^shown/ } split /\n/, slurp("$T/typed");
}

# No signal, but a pane that shows the marker: the next sweep knows of it.
sub with_marker {
	unlink "$S/signal-complete-7";
	tm('kill-session -t =x-issue-7');
	tm("new-session -d -s x-issue-7 -c '$P' 'echo \"###TASK_COMPLETE_7###\"; " .
	    "exec sleep 1000'");
	until_true(sub { qx(tmux capture-pane -p -t =x-issue-7:) =~ /COMPLETE/ })
	    or die "no marker\n";
}

my %marker = (prepare => \&with_marker, any => 1, after => \&handed_off,
    calls => qr/^read$/, only => qr{/proc/|^read\(\d+<pipe});
# The marker of a run that is handed off is still there.
my %again = (prepare => sub { with_marker(); handed_off() },
    after => \&handed_off, calls => qr/^read$/, each => 1, only => qr/7\.json/);

# What is kept of an issue that has no record.
sub with_log { spew("$S/.paneward/logs/5-$run.log", "text\n") }

# ---- what is run ------------------------------------------------------------

my @start = (qw(start 8 --no-watch -- sh -c),
    'echo x >>started; exec sleep 1000');

# words: the command; prepare: what there is before; only: the looks that are
# tried, with these calls, too; any: whatever it makes of them; done: what is
# true if it did its work; after: what is wrong in the end; both: standard error is
# compared, too; each: each call is tried, not each thing that is looked at;
# refusal: what it may say with status 1; hook: it ends with 0 in any case.
my %cases = (
	status => { words => ['status'], prepare => \&with_run },
	json => { words => ['status', '--json'], prepare => \&with_run },
	all => { words => ['status', '--all'], prepare => \&with_other },
	next => { words => ['next', '--print'], prepare => \&with_other,
	    both => 1 },
	frozen => { words => ['sweep'], each => 1, prepare => \&with_frozen,
	    after => \&thawed, only => qr/7\.(?:json|lock)/ },
	signal => { each => 1,
		words => ['signal', 'complete', '--issue', '5', 'all done'],
		done => sub { slurp("$S/signal-complete-5") eq "all done\n" },
	},
	sweep => { words => ['sweep'], after => \&handed_off,
	    calls => qr/^(?:pipe2|flock)$/ },
	watch => { words => ['watch', '--once', '7'], after => \&handed_off },
	marker => { %marker, words => ['sweep'] },
	seen => { %marker, words => ['watch', '--once', '7'] },
	again => { %again, words => ['sweep'] },
	once => { %again, words => ['watch', '--once', '7'] },
	log => { words => ['log', '5'], prepare => \&with_log,
	    only => qr/^getdents64.*\.paneward\b/ },
	hook => { %{ hook_of('s', 1) }, prepare => \&with_run, only => qr/./,
	    after => sub { '' } },
	foreign => hook_of('session9', 0),
	fresh => hook_of('another', 1),
	doctor => { words => ['doctor'], prepare => \&with_run,
	    only => qr/\.paneward[\/">]/, both => 1, finding => 1 },
	wait => { words => ['wait', '5', '--timeout', '1'],
	    prepare => \&with_queued, only => qr/queued|5\.json/ },
	queued => { each => 1,
		words => sub { 'start-queued', $S },
		prepare => \&with_queued, only => qr/\.paneward\b/,
		after => sub { slurp("$S/.paneward/queued") =~ /"5"/ ?
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
		words => \@start,
		prepare => sub { tm('kill-session -t =p-issue-8') },
		done => sub { until_true(sub { lines("$P/started") == 1 }) },
		after => sub {
			return 'started in the project above'
			    if -e "$U/started";
			run($pw, @start);
			return 'lost' if !until_true(sub {
			    lines("$P/started") > 0 });
			return lines("$P/started") > 1 ? 'doubled' : '';
		},
	},
	answer => {
		words => sub { 'answer', $pane, 'yes' },
		# A refusal, after which nothing was typed, does no harm.
		refusal => qr/^paneward:\ cannot\ answer\ /x,
		prepare => \&with_dialog,
		done => sub { until_true(sub { typed() eq '1' }) },
		after => sub { typed() =~ /^1?$/ ? '' : 'typed ' . typed() },
	},
);

# A run of it in a place of its own, perhaps traced: { status, out, err }.
sub attempt {
	my ($kind, $case, @tracer) = @_;

	place($kind);
	$case->{prepare}->() if $case->{prepare};
	my $words = $case->{words};
	my $status = run($case, @tracer, $pw,
	    ref $words eq 'CODE' ? $words->() : @$words);
	return { status => $status, out => slurp("$T/out"),
	    err => slurp("$T/err") };
}

# Times, ids and the width of a column differ from run to run.
sub plain {
	my ($text) = @_;

	$text =~ s/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/ID/g;
	$text =~ s/\d{4}-\d\d-\d\dT[\d:.]+Z?/TIME/g;
	$text =~ s/%\d+/PANE/g;
	$text =~ s/\d+/N/g;
	$text =~ s/ +/ /g;
	return $text;
}

# The calls of the command that look: [name, number among those of the name,
# its line].
sub points {
	my ($case, $kind) = @_;
	my (%count, %seen, @points, $begun);

	for my $line (split /\n/, slurp("$T/trace")) {
		my ($call) = $line =~ /^(\w+)\(/ or next;

		$count{$call}++;
		# main() begins by asking for its own program, or a path.
		$begun ||= $line =~ m{\.worktrees|\Q$T\E} &&
		    $line !~ /^execve/;
		next if !$begun || ($call !~ $looks &&
		    $call !~ ($case->{calls} // qr/^$/));
		next if $line =~ $system || $line !~ ($case->{only} // qr/./);
		my $thing = $line =~ s/\{[^}]*\}|\b0x\w+|\d+(?=<)| += \d.*//gr =~
		    s/\d{2,}/N/gr;
		push @points, [$call, $count{$call}, $line] if $all ||
		    (($kind eq 'git' || $line =~ $finding) &&
		    ($case->{each} || !$seen{$thing}++));
	}
	return @points;
}

sub complaint {
	my ($case, $want, $got) = @_;
	my $above = join ' ', grep { !/^\.\.?$/ && !/^signal-complete-7$/ }
	    map { s{.*/}{}r } glob("$U/effects-* $U/.worktrees/.status/* " .
	    "$U/.worktrees/.status/.paneward/*");
	my $text = "$got->{err}$got->{out}";
	my $said = $text =~ /Input|Permission|Too many|memory|No such/;

	return "wrong project: $above" if $above ne '';
	return "ended by $got->{status}" if $got->{status} !~ /^\d+$/;
	return '' if $case->{any};
	return '' if $got->{status} eq $want->{status} &&
	    plain($got->{out}) eq plain($want->{out}) &&
	    (!$case->{both} || plain($got->{err}) eq plain($want->{err})) &&
	    (!$case->{done} || $case->{done}->());
	return '' if $case->{refusal} && $got->{status} eq '1' &&
	    $text =~ $case->{refusal};
	return '' if $got->{err} =~ /is not executable/;    # EACCES of a look
	return 'not a word' if !$said && $got->{status} ne '3';
	return 'no reason' if !$said && $got->{err} !~ / a runner /;
	return '' if $got->{err} =~ /of notify/ || $case->{finding};
	return "status $got->{status}" if $got->{status} ne
	    ($case->{hook} ? '0' : '3');
	return '';
}

# ---- the tests --------------------------------------------------------------

# Each worker has a tmux server of its own.
sub begin_worker {
	mkdir $_, 0700 for map { "$T/$_" } qw(home tmux bin);
	$ENV{HOME} = "$T/home";
	$ENV{TMUX_TMPDIR} = "$T/tmux";
	$ENV{PATH} = "$T/bin:$ENV{PATH}";
	system('cp', $^X, "$T/bin/claude");
	spew("$T/gone", "I go on.\n");
	my $rule = "\xe2\x94\x80" x 40;
	spew("$T/dialog", join("\n", $rule, ' Bash command', '', '   make it',
	    '   what it is for', '', ' Do you want to proceed?',
	    " \xe2\x9d\xaf 1. Yes", '   2. No', '',
	    " Esc to cancel \xc2\xb7 Tab to amend") . "\n");
	tm("new-session -d -s keeper -x 80 -y 24 'exec tail -f /dev/null'");
	# All other commands find the list of the user's projects.
	attempt('git', $cases{all});
}

# The looks of a command in a place of that kind.
sub try_looks {
	my ($name, $kind) = @{$_[0]};
	my $case = $cases{$name};

	begin_worker() if !-e "$T/dialog";
	my $want = attempt($kind, $case);
	thawed() if $name eq 'frozen';
	attempt($kind, $case, 'strace', '-y', '-s', '200', '-o', "$T/trace");
	my @points = points($case, $kind);
	thawed() if $name eq 'frozen';
	my $step = $all || $case->{each} ? 1 :
	    1 + int(@points / ($kind eq 'git' ? 16 : 4));

	for my $i (grep { $_ % $step == 0 || $points[$_][2] =~
	    m{"/proc/self/exe"|^getdents64|^read.*<pipe} } 0 .. $#points) {
		my ($call, $when, $line) = @{$points[$i]};

		for my $error ($all ? @errors : $errors[$i / $step % @errors]) {
			# It counts also if it may not be read.
			next if $error eq 'EACCES' &&
			    $line =~ /^openat.*signal-/;
			my $got = attempt($kind, $case, 'strace', '-o',
			    "$T/trace", '-e', "trace=$call", '-e',
			    "inject=$call:error=$error:when=$when");
			my $wrong = complaint($case, $want, $got);
			my $after = $case->{after} ? $case->{after}->() : '';

			print "tried $name\n";
			next if "$wrong$after" eq '';
			print "wrong $name: $kind $call $when $error: " .
			    ($wrong || $after) . ': ' . substr($line, 0, 150) .
			    ' -- ' . ($got->{err} =~ s/\n/ | /gr) . "\n";
		}
	}
}

my (%tried, %wrong);
my @names = sort { ($b eq 'signal') - ($a eq 'signal') || $a cmp $b }
    grep { !defined $only || /^(?:$only)$/ } keys %cases;
for (workers(4, \&try_looks, map { ([$_, 'git'], [$_, 'plain']) } @names)) {
	diag($_) if /^wrong/;
	$tried{$1}++ if /^tried (\w+)/;
	$wrong{$1}++ if /^wrong (\w+)/;
}
system("TMUX_TMPDIR='$_' tmux kill-server 2>/dev/null") for glob("$T/*/tmux");
for my $name (sort keys %tried) {
	is($wrong{$name} // 0, 0, "$name: $tried{$name} failed looks");
}
chdir '/';
done_testing();
