#!/usr/bin/perl
# soak.pl COMPLETIONS FOLDER PANEWARD - the soak of soak.sh: agents begin,
# report and end in fifty sessions, faults come every second, and what is wrong
# is written to FOLDER/wrong, a line "KIND: ..." each.
#
# There are two projects.  In "watched" there is a watch of everything that is
# never killed and one that is killed now and then; in "swept" there are the
# watchers of single issues and sweeps, so that what a killed watcher leaves is
# the next sweep's.
#
# A completion counts when it is certain that it was made: its file is there,
# or its text came through to the log, or a record says so.  Of a run whose
# report was under way when its server was killed nothing is certain: it may be
# handed off, once, or not.
use strict;
use warnings;
use Fcntl;
use FindBin;
use JSON::PP;
use lib $FindBin::Bin;
use Faults qw(slurp spew json_in);
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(time sleep);

my ($wanted, $T, $pw) = @ARGV;
my $patience = 90;              # seconds for anything to happen
my $starts = 6;                 # at a time
my $warm = 0.25;                # of all is the warm-up
my $most_wrong = 10;            # then it is no use to go on

# NAME, the orders of one after the other, and how its run may begin:
#	s start         q start --no-watch      n watch --new in the same pane
#	a adopted       f adopted, and another program has the pane's pipe
my @complete = (
	[ 'signal',             ['signal'],                     'sqanf' ],
	[ 'echo',               ['echo'],                       'sqanf' ],
	[ 'mv',                 ['move'],                       'sqanf' ],
	[ 'plain',              ['plain'],                      'sqan' ],
	[ 'swapped',            ['swapped'],                    'sqan' ],
	[ 'bound',              ['bound NONCE'],                'sqan' ],
	[ 'split',              ['split'],                      'sqan' ],
	[ 'bare',               ['bare'],                       'sqan' ],
	[ 'screen',             ['plain'],                      'f' ],
	[ 'screen bound',       ['bound NONCE'],                'f' ],
	[ 'noise',              ['noise', 'noise plain noise'], 'sqan' ],
	[ 'marker and exit',    ['plain leave'],                'sq' ],
	[ 'marker and crash',   ['bare crash'],                 'sq' ],
	[ 'signal and exit',    ['signal leave'],               'sqa' ],
	[ 'mv and crash',       ['move crash'],                 'sqanf' ],
	[ 'error, signal',      ['fail_signal', 'signal'],      'sqan' ],
	[ 'error, marker',      ['fail_marker', 'plain'],       'sqn' ],
	[ 'twice',              ['plain signal'],               'sqan' ],
	[ 'quoted, then plain', ['quoted fenced', 'swapped'],   'sqn' ],
);
my @false = (
	[ 'fenced',             ['fenced'],                     'sqanf' ],
	[ 'quoted',             ['quoted'],                     'sqanf' ],
	[ 'prompt',             ['prompt'],                     'sqanf' ],
	[ 'error',              ['fail_signal'],                'sqan' ],
	[ 'error marker',       ['fail_marker'],                'sq' ],
	[ 'exit',               ['noise leave'],                'sqan' ],
	[ 'crash',              ['crash'],                      'sqa' ],
	[ 'foreign',            ['foreign'],                    'sqanf' ],
	[ 'other nonce',        ['nonce'],                      'sqanf' ],
	[ 'stale',              ['stale OLD'],                  'sqan' ],
	[ 'old',                ['old'],                        'sqan' ],
);
# One a second, in turn.
my @faults = qw(watcher sweep cut all sweep move watcher sweep remove watcher
    sweep server);

my %project;
my @slots;
my (%child, %status);           # by pid: it runs; how it has ended
my (%must, %may);               # by run: what it was
my %count;
my ($begun, $runs, $wrong, $stopping, $hold) = (time, 0, 0, 0, 0);

# ---- files and processes ----------------------------------------------------

sub wrong {
	my ($kind, $text) = @_;

	open(my $f, '>>', "$T/wrong") or die "$T/wrong: $!\n";
	print $f "$kind: $_\n" for split /\n/, $text;
	close($f);
	$wrong++;
}

# A command beside us; what it says is in NAME.out and NAME.err.
sub run_beside {
	my ($name, $dir, @command) = @_;
	my $pid = fork // die "fork: $!\n";

	if ($pid == 0) {
		chdir $dir or POSIX::_exit(127);
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>>', "$name.out");
		open(STDERR, '>>', "$name.err");
		exec @command or POSIX::_exit(127);
	}
	delete $status{$pid};           # of an earlier process of that number
	$child{$pid} = 1;
	return $pid;
}

sub reap {
	while ((my $pid = waitpid(-1, WNOHANG)) > 0) {
		$status{$pid} = $?;
		delete $child{$pid};
	}
}

# Is that so within so many tenths of a second?
sub soon {
	my ($tenths, $fact) = @_;

	for (1 .. $tenths) {
		reap();
		return 1 if $fact->();
		sleep 0.1;
	}
}

sub tm {
	my $pid = fork // die "fork: $!\n";

	if ($pid == 0) {
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>', "$T/tmux.out");
		open(STDERR, '>', "$T/tmux.err");
		exec 'tmux', '-L', 'default', '-f', '/dev/null', @_
		    or POSIX::_exit(127);
	}
	waitpid($pid, 0);
	return $? == 0 ? slurp("$T/tmux.out") : undef;
}

# ---- an issue's files -------------------------------------------------------

sub file {
	my ($s, $name) = @_;

	return "$s->{project}{status}/" . $name =~ s/ISSUE/$s->{issue}/r;
}

# The status record, read again only when it is another file.
sub record {
	my ($s) = @_;
	my $path = file($s, '.paneward/ISSUE.json');
	my @st = Time::HiRes::stat($path) or return {};
	my $stamp = "@st[1, 7, 9]";

	if ($stamp ne ($s->{stamp} // '')) {
		my $r = json_in($path);

		return {} if !%$r;
		($s->{stamp}, $s->{record}) = ($stamp, $r);
	}
	return $s->{record};
}

# Did the marker come through to the log?
sub logged {
	my ($s) = @_;

	for my $name ('output-ISSUE.log', 'output-ISSUE.log.1') {
		my $text = slurp(file($s, $name));
		my $at = rindex($text, "reports $s->{run}{key}\r\n");

		return 1 if $at >= 0 && substr($text, $at) =~
		    /[#]{3}(?:TASK_COMPLETE|COMPLETE_TASK)_\Q$s->{issue}\E
		    (?::[0-9a-f]{8})?[#]{3}/x;
	}
	return 0;
}

# ---- what goes on in a session ----------------------------------------------

my %stage;

sub enter {
	my ($s, $stage) = @_;

	@$s{qw(stage since)} = ($stage, time);
}

sub about {
	my ($s) = @_;
	my $r = $s->{run};

	return "issue $s->{issue} of $s->{project}{name}, '$r->{name}' by " .
	    "$r->{way}, run " . ($r->{id} // 'unknown') . ", $s->{stage}";
}

sub last_lines {
	my ($what, $text) = @_;
	my @lines = grep { /\S/ } split /\n/, $text =~ s/[^ -~\n]/?/gr;

	splice(@lines, 0, -8) if @lines > 8;
	return join '', map { "  $what: $_\n" } @lines;
}

# What it waits for does not come: told with all there is to know, once.
sub give_up {
	my ($s, $kind) = @_;

	wrong($kind, about($s) . sprintf(', for %d s', time - $s->{since}) .
	    ($s->{run}{fate} // '') . "\n" .
	    last_lines('record', slurp(file($s, '.paneward/ISSUE.json'))) .
	    last_lines('log', slurp(file($s, 'output-ISSUE.log'))) .
	    last_lines('screen', $s->{session} && tm('capture-pane', '-p', '-t',
	    "=$s->{session}:") // '') .
	    last_lines('journal', join '', map {
		/"time":"([^"]*)".*"data":(.*)\}$/ ? "$1 $2\n" : ()
	    } grep { /"subject":"$s->{issue}"/ }
	    split /\n/, slurp(file($s, '.paneward/journal.ndjson'))));
	close_pane($s);
	finish($s);
}

sub close_pane {
	my ($s) = @_;

	tm('kill-session', '-t', "=$s->{session}:") if $s->{session};
	$s->{session} = undef;
}

sub finish {
	my ($s, $counted) = @_;

	$count{$counted}++ if $counted;
	$s->{last} = $s->{run}{id} // $s->{last};
	enter($s, 'idle');
}

# Which kind of run comes next, and how does it begin?
sub plan {
	my ($s) = @_;
	my $n = $count{planned}++;
	my $true = $n % 5 != 4;
	my $kind = $true ? $complete[($n - int($n / 5)) % @complete] :
	    $false[int($n / 5) % @false];
	my $may_go_on = $s->{session} && $s->{going} && $kind->[2] =~ /n/;
	my @ways = $may_go_on && rand() < 0.5 ? 'n' :
	    grep { $_ ne 'n' || $may_go_on } split //, $kind->[2];

	return { name => $kind->[0], steps => $kind->[1], true => $true,
	    way => $ways[rand @ways], step => 0, acked => 0, fate => '' };
}

$stage{idle} = sub {
	my ($s, $old) = @_;

	return if $hold || $s->{wait_until} > time;
	if ($stopping) {
		close_pane($s);
		return;
	}
	return if grep({ $_->{stage} eq 'starting' } @slots) >= $starts;
	my $r = $s->{run} = plan($s);

	$count{begun}++;
	if ($r->{way} eq 'n') {
		@$r{qw(path key orders acked pane_pid)} =
		    @$old{qw(path key orders acked pane_pid)};
		begin_again($s);
		return;
	}
	close($old->{orders}) if $old && $old->{orders};
	close_pane($s);
	$r->{key} = ++$runs;
	$r->{path} = "$T/runs/$runs";
	POSIX::mkfifo("$r->{path}.orders", 0600) or die "mkfifo: $!\n";
	# Open at both ends, so that no order is lost or waited for.
	sysopen($r->{orders}, "$r->{path}.orders", O_RDWR | O_NONBLOCK)
	    or die "$r->{path}.orders: $!\n";
	$r->{agent} = ["$T/agent", $r->{path}, $s->{issue},
	    $s->{project}{status}];
	$r->{way} =~ /[sq]/ ? begin_start($s) : begin_adopted($s);
};

sub begin_start {
	my ($s) = @_;
	my $r = $s->{run};

	$s->{session} = "$s->{project}{name}-issue-$s->{issue}";
	unlink "$r->{path}.out", "$r->{path}.err";
	$r->{start} = run_beside($r->{path}, $s->{project}{root}, $pw, 'start',
	    $s->{issue}, '--session', $s->{session}, $r->{way} eq 'q' ?
	    '--no-watch' : ('--handoff', "$T/h.sh"), '--', @{ $r->{agent} });
	enter($s, 'starting');
}

sub begin_adopted {
	my ($s) = @_;
	my $r = $s->{run};

	$s->{session} = "$s->{project}{letter}-issue-$s->{issue}";
	my $said = tm('new-session', '-d', '-P', '-F', '#{pane_pid}', '-s',
	    $s->{session}, '-x', 80, '-y', 24, '-c', $s->{project}{root},
	    "exec @{ $r->{agent} }", $r->{way} eq 'f' ? (';', 'pipe-pane',
	    '-t', "=$s->{session}:", 'cat >/dev/null') : ());
	if (!defined $said) {
		wrong('trouble', 'tmux: ' . slurp("$T/tmux.err"));
		finish($s);
		return;
	}
	($r->{pane_pid}) = $said =~ /(\d+)/;
	enter($s, 'adopting');
}

sub begin_again {
	my ($s) = @_;

	$s->{run}{watch} = run_beside($s->{run}{path}, $s->{project}{root},
	    $pw, 'watch', $s->{issue}, '--new', '--handoff', "$T/h.sh");
	enter($s, 'renewing');
}

sub began {
	my ($s, $id) = @_;

	$s->{run}{id} = $id;
	spew("$T/runs/ends-$id", '') if rand() < 0.3;
	enter($s, 'opening');
}

$stage{starting} = sub {
	my ($s, $r, $now) = @_;
	my $status = $status{$r->{start}} // return;

	if ($status == 0 &&
	    slurp("$r->{path}.out") =~ /\(run ([-0-9a-f]{36})\)/) {
		# Perhaps on the server that was killed meanwhile.
		my $server = $now->{tmux}{server_pid} // 0;

		$r->{hit} = 1 if $server && !kill(0, $server);
		began($s, $1);
		return;
	}
	# Another process acts on it now, or the server was killed.
	$count{refused}++;
	$r->{refused} //= time;
	if (time - $r->{refused} > $patience || $status != 3 << 8) {
		wrong('trouble', about($s) . ": start: $status " .
		    slurp("$r->{path}.err"));
		finish($s);
	} else {
		sleep 0.01;
		close_pane($s);
		begin_start($s);
	}
};

$stage{adopting} = sub {
	my ($s, $r, $now) = @_;

	if ($r->{hit}) {
		finish($s, 'lost');
	} elsif (($now->{run} // '') ne ($s->{last} // '') &&
	    ($now->{tmux}{pane_pid} // 0) == $r->{pane_pid}) {
		began($s, $now->{run});
	}
};

$stage{renewing} = sub {
	my ($s, $r, $now) = @_;
	my $ended = defined $status{$r->{watch}};

	if ($r->{hit}) {
		finish($s, 'lost') if $ended;
	} elsif ($now->{run} && $now->{run} ne $s->{last}) {
		began($s, $now->{run});
	} elsif ($ended) {
		begin_again($s);                # it was killed before that
	}
};

$stage{opening} = sub {
	my ($s, $r) = @_;

	($r->{pid}) = slurp("$r->{path}.pid") =~ /(\d+)/;
	if ($r->{pid}) {
		$r->{order_at} = time + rand(2.5);
		enter($s, 'working');
	}
	lose($s) if $r->{hit};
};

# It had not reported when its server was killed, and never will.
sub lose {
	my ($s) = @_;

	$count{lost}++;
	$s->{run}{true} = 0;
	$s->{run}{fate} .= ', lost with its server';
	enter($s, 'closing');
}

$stage{working} = sub {
	my ($s, $r) = @_;

	return if $hold || time < $r->{order_at};
	my $text = $r->{steps}[$r->{step}++];
	my $nonce = substr($r->{id}, 0, 8);
	my $old = $s->{last} // '00000000-0000-4000-8000-000000000000';

	$text =~ s/NONCE/$nonce/;
	$text =~ s/OLD/$old/;
	$r->{acked}++;
	syswrite($r->{orders}, "$text\n") or die "an order: $!\n";
	$r->{file} = $text =~ /^(?:signal|echo|move)\b|signal$/;
	$r->{leaves} = $text =~ /leave|crash/;
	enter($s, $r->{step} == @{ $r->{steps} } ? 'reporting' : 'preparing');
};

sub obeyed { return -e "$_[0]{path}.$_[0]{acked}" }

# The first of two orders has its effect before the second is given.
$stage{preparing} = sub {
	my ($s, $r, $now) = @_;

	return if !obeyed($r) || ($r->{steps}[0] =~ /^fail/ &&
	    ($now->{state} // '') ne 'error');
	$r->{order_at} = time + rand(0.3);
	enter($s, 'working');
};

# Is it certain that it has reported?  Then it must be handed off.
sub known {
	my ($s, $r, $now) = @_;
	my $known = (($now->{run} // '') eq $r->{id} &&
	    $now->{state} eq 'complete') ||
	    ($r->{file} ? obeyed($r) : logged($s));

	return 0 if !$known && !($s->{stage} eq 'resolving' && $r->{file} &&
	    -e file($s, 'signal-complete-ISSUE'));
	$must{$r->{id}} = about($s);
	enter($s, 'reported');
	return 1;
}

$stage{reporting} = sub {
	my ($s, $r, $now) = @_;

	if ($r->{true}) {
		known($s, $r, $now);
	} elsif (obeyed($r)) {
		# Long enough for the screen to be read.
		$r->{close_at} = time + (rand() < 0.5 ? 0.1 : 2.5);
		enter($s, 'closing');
	}
};

$stage{reported} = sub {
	my ($s, $r, $now) = @_;
	my $signal = file($s, 'signal-complete-ISSUE');

	if (($now->{run} // '') ne $r->{id}) {
		give_up($s, 'record');
		return;
	}
	return if ($now->{handoff}{state} // '') ne 'done';
	return if $r->{name} eq 'twice' ? !obeyed($r) && kill(0, $r->{pid}) :
	    $r->{file} && -e $signal;
	wrong('record', about($s) . ": $now->{state}")
	    if $now->{state} ne 'complete';
	# A report that came during the hand-off belongs to no run.
	unlink $signal if $r->{name} eq 'twice';
	$s->{going} = !$r->{leaves} && !$r->{hit} && $r->{way} ne 'f' &&
	    !-e "$T/runs/ends-$r->{id}";
	finish($s, 'completed');
};

# A report was under way when the server was killed.
$stage{resolving} = sub {
	my ($s, $r, $now) = @_;

	return if kill(0, $r->{pid}) || known($s, $r, $now);
	$may{$r->{id}} = about($s);
	$count{uncertain}++;
	lose($s);
};

# A run that is to end without a hand-off.
$stage{closing} = sub {
	my ($s, $r, $now) = @_;
	my $state = $now->{state} // '';

	if ($r->{close_at} && time >= $r->{close_at} && !$r->{hit}) {
		$r->{close_at} = undef;
		if ($r->{leaves}) {
			# It has done so itself.
		} elsif (rand() < 0.5) {
			close_pane($s);
		} else {
			syswrite($r->{orders}, "leave\n");
		}
	}
	return if $r->{close_at} && !$r->{hit};
	if (($now->{run} // '') ne $r->{id}) {
		give_up($s, 'record');
		return;
	}
	return if $state !~ /^(?:dead|gone|complete)$/ &&
	    !($state eq 'error' && exists $now->{exit});
	return if $state eq 'complete' &&
	    ($now->{handoff}{state} // '') ne 'done';
	if ($state eq 'complete' && !$may{$r->{id}}) {
		give_up($s, 'false');
		return;
	}
	$s->{going} = 0;
	finish($s, 'not_completed');
};

# ---- faults -----------------------------------------------------------------

sub kill_child {
	my ($pid) = @_;

	return $child{$pid} ? kill(KILL => $pid) : 0;
}

# Who holds an issue's lock, if that is a watcher?
sub watcher_of {
	my ($s) = @_;
	my ($pid) = slurp(file($s, '.paneward/ISSUE.lock')) =~ /^(\d+)/;

	return 0 if !$pid || $pid == ($project{watched}{spared} // 0);
	my $words = slurp("/proc/$pid/cmdline") || `ps -o args= -p $pid`;
	return $words =~ /^\Q$pw\E[ \0]watch[ \0]/ ? $pid : 0;
}

# Something is done to some logs, of those whose report cannot get lost by it:
# the screen still shows it, not under a fence that may begin or end a block.
sub spoil_logs {
	my ($what, $how) = @_;
	my @there = grep {
		my $r = $_->{run};

		$_->{stage} =~ /^(?:working|reported)$/ && !$r->{hit} &&
		    $r->{way} ne 'f' && $r->{name} !~ /error|quoted/ &&
		    (!$r->{leaves} || $r->{way} =~ /[sq]/) &&
		    -s file($_, 'output-ISSUE.log');
	} @slots;
	my @some = map { splice(@there, rand @there, 1) } 1 .. (@there < 4 ?
	    @there : 4);

	for my $s (@some) {
		$s->{run}{cut} = 1;
		$s->{run}{fate} .= ", its log $what while $s->{stage}";
		$how->(file($s, 'output-ISSUE.log'));
	}
	return @some;
}

my %fault = (
	watcher => sub {
		my @there = grep { $_->{stage} ne 'idle' } @slots;
		my $killed = 0;

		for (@there ? 1 .. 8 : ()) {
			my $pid = watcher_of($there[rand @there]) or next;

			$killed += kill KILL => $pid;
			last if $killed == 2;
		}
		return $killed;
	},
	all => sub { kill_child($project{watched}{victim}) },
	sweep => sub {
		my $p = $project{qw(swept swept watched)[rand 3]};

		begin_sweep($p) if !$p->{sweep} || !$child{$p->{sweep}};
		sleep rand(0.06);
		return kill_child($p->{sweep});
	},
	cut => sub { spoil_logs('cut', sub { truncate($_[0], 0) }) },
	move => sub { spoil_logs('moved', sub { rename($_[0], "$_[0].1") }) },
	remove => sub { spoil_logs('removed', sub { unlink($_[0]) }) },
	# Not before what was ordered is done, if that does not take long.
	server => sub { ($hold = time + 1) && 1 },
);

sub kill_server {
	my $n = $count{servers}++;
	my ($pid) = (tm('display-message', '-p', '#{pid}') // '') =~ /(\d+)/;

	$hold = 0;
	if ($pid) {
		$n % 2 ? tm('kill-server') : kill(KILL => $pid);
		soon(20, sub { !kill(0, $pid) });
	}
	hit($_) for @slots;
	tm('new-session', '-d', '-s', 'keeper', '-x', 80, '-y', 24,
	    'exec tail -f /dev/null');
}

# What becomes of a session whose server was killed.
sub hit {
	my ($s) = @_;
	my $r = $s->{run} or return;
	my $stage = $s->{stage};

	$s->{session} = undef if $stage ne 'starting';
	$s->{going} = 0;
	return if $stage eq 'idle';
	$r->{hit} = 1 if $stage ne 'starting';
	$r->{fate} .= ", its server killed while $stage";
	if ($stage eq 'working' || $stage eq 'preparing') {
		lose($s);
	} elsif ($stage eq 'reporting' && !$r->{true}) {
		enter($s, 'closing');
	} elsif ($stage eq 'reporting' ||
	    ($stage eq 'reported' && $r->{cut} && !$r->{file})) {
		delete $must{$r->{id}};
		enter($s, 'resolving');
	}
}

# ---- beside it --------------------------------------------------------------

sub begin_all {
	my ($who) = @_;

	$project{watched}{$who} = run_beside("$T/$who",
	    $project{watched}{root}, $pw, 'watch', '--all', '--handoff',
	    "$T/h.sh");
}

sub begin_sweep {
	my ($p) = @_;

	$p->{sweep} = run_beside("$T/sweep-$p->{name}", $p->{root}, $pw,
	    'sweep', $p->{sweeps}++ % 2 ? '--check-errors' : ());
	$p->{sweep_at} = undef;
}

# Sweeps, one after the other, and the watch that is killed now and then.
sub go_on_beside {
	for my $p (values %project) {
		next if $p->{sweep} && $child{$p->{sweep}};
		$p->{sweep_at} //= time + $p->{pause};
		begin_sweep($p) if time >= $p->{sweep_at};
	}
	begin_all('victim') if !$child{$project{watched}{victim}};
}

# Nothing goes on any more: the descriptors of the watch that is not killed, and
# its size.
sub measure {
	my $pid = $project{watched}{spared};
	my ($same, @last) = 0;

	soon(300, sub {
		my @now = map { readlink($_) // () } glob "/proc/$pid/fd/*";

		$same = @now == @last ? $same + 1 : 0;
		@last = @now;
		return $same >= 20;
	});
	return (\@last, (slurp("/proc/$pid/status") =~ /^VmRSS:\s*(\d+)/m)[0] //
	    `ps -o rss= -p $pid` + 0);
}

# ---- the soak ---------------------------------------------------------------

sub make_project {
	my ($name, $pause, @issues) = @_;
	my $p = $project{$name} = { name => $name, root => "$T/$name",
	    letter => substr($name, 0, 1), pause => $pause,
	    status => "$T/$name/.worktrees/.status" };

	mkdir $p->{root} or die "$p->{root}: $!\n";
	spew("$p->{root}/.paneward.json", encode_json({
	    handoff => ["$T/h.sh"],
	    session_pattern => "^$p->{letter}-issue-(?<issue>[0-9]+)\$" }));
	push @slots, map +{ issue => $_, project => $p, stage => 'idle',
	    since => time, wait_until => time + rand(2) }, @issues;
}

sub turn {
	reap();
	for my $s (@slots) {
		$stage{$s->{stage}}->($s, $s->{run}, record($s));
		give_up($s, $s->{stage} eq 'reported' ? 'missed' : 'trouble')
		    if $s->{stage} ne 'idle' && time - $s->{since} > $patience;
	}
	go_on_beside();
	sleep 0.05;
}

# Until so many have completed; then until nothing goes on any more.
sub soak {
	my ($completions) = @_;
	my $fault_at = time + 1;

	$stopping = 0;
	while (!$stopping || grep { $_->{stage} ne 'idle' } @slots) {
		$stopping ||= ($count{completed} // 0) >= $completions ||
		    $wrong >= $most_wrong;
		turn();
		kill_server() if $hold && (time >= $hold || !grep {
			$_->{stage} eq 'reporting' && $_->{run}{true}
		} @slots);
		if (time >= $fault_at && !$stopping && !$hold) {
			my $fault = $faults[$count{faults}++ % @faults];

			$count{"fault $fault"} += $fault{$fault}->();
			$fault_at += 1;
			$fault_at = time + 1 if $fault_at < time;
		}
	}
	turn() while grep { $_->{session} } @slots;
}

sub check_effects {
	my (%times, %ids);

	for (split /\n/, slurp("$T/effects")) {
		my ($issue, $run, $id, $attempt, $state) = split / /;

		$times{$run}++;
		$ids{$run}{$id}++;
		wrong('false', "issue $issue, run $run, which has not " .
		    'reported') if !$must{$run} && !$may{$run};
		wrong('record', "issue $issue is handed off as $state")
		    if $state ne 'complete';
	}
	for my $run (grep { !$times{$_} } keys %must) {
		wrong('missed', "$must{$run}: no hand-off");
	}
	for my $run (grep { $times{$_} > 1 } keys %times) {
		wrong('twice', ($must{$run} // $run) . ": $times{$run} times, "
		    . keys(%{ $ids{$run} }) . ' ids');
	}
	$count{effects} = keys %times;
	$count{uncertain_handed} = grep { $may{$_} } keys %times;
}

sub check_journals {
	for my $p (values %project) {
		for (split /\n/, slurp("$p->{status}/.paneward/journal.ndjson")) {
			my $o = eval { decode_json($_) };

			$count{journal}++;
			wrong('journal', "$p->{name}: $_")
			    if ref $o ne 'HASH' || !$o->{type};
		}
	}
}

# Only what we have begun, and the keeper, may be there when all is over.
sub check_left {
	my @left;

	soon(100, sub {
		@left = grep { /^\s*(\d+)\s+\Q$pw\E / && !$child{$1} &&
		    index($_, $T) >= 0 } `ps -axww -o pid= -o args=`;
		return !@left;
	});
	wrong('left', $_) for @left;
}

srand(1);
make_project('watched', 1, 1 .. 30);
make_project('swept', 0.3, 31 .. 50);
begin_all($_) for qw(spared victim);
soak($wanted * $warm);
my ($fds, $size) = measure();

printf "# %d s: warm, %d descriptors, %d KiB\n", time - $begun, scalar @$fds,
    $size;
soak($wanted);
my ($fds_now, $size_now) = measure();

soon(300, sub { !grep { $_->{sweep} && $child{$_->{sweep}} } values %project });
check_left();
check_effects();
check_journals();
# The end of a tmux server and of another watcher are waited for, or not.
wrong('grown', "the descriptors are @$fds_now, not @$fds")
    if @$fds_now > @$fds + 2;
wrong('grown', "$size KiB, now $size_now") if $size_now > $size + 1024;
wrong('grown', 'the watch has ended') if !$child{$project{watched}{spared}};
printf "# %d s: %d descriptors, %d KiB\n", time - $begun, scalar @$fds_now,
    $size_now;
printf "# %d %s\n", $count{$_}, $_ for sort keys %count;
spew("$T/ended", '') if ($count{completed} // 0) >= $wanted;
