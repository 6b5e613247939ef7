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
use JSON::PP;
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
my (%count, %by_kind);
my ($begun, $runs, $wrong, $stopping, $hold) = (time, 0, 0, 0, 0);

# ---- files and processes ----------------------------------------------------

sub slurp {
	my ($path) = @_;

	open(my $f, '<:raw', $path) or return '';
	local $/;
	return <$f> // '';
}

sub spew {
	my ($path, $text) = @_;

	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close($f) or die "$path: $!\n";
}

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

sub kill_child {
	my ($pid) = @_;

	return 0 if !$child{$pid};
	kill KILL => $pid;
	return 1;
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

	return "$s->{project}{status}/$name";
}

# The status record, read again only when it is another file.
sub record {
	my ($s) = @_;
	my $path = file($s, ".paneward/$s->{issue}.json");
	my @st = stat $path or return {};
	my $stamp = "$st[1] $st[7] " . (Time::HiRes::stat($path))[9];

	if ($stamp ne ($s->{stamp} // '')) {
		my $r = eval { decode_json(slurp($path)) };

		return {} if !$r;
		($s->{stamp}, $s->{record}) = ($stamp, $r);
	}
	return $s->{record};
}

sub signalled {
	my ($s) = @_;

	return -e file($s, "signal-complete-$s->{issue}");
}

# Did the marker come through to the log?
sub logged {
	my ($s) = @_;
	my $r = $s->{run};

	for my $name ("output-$s->{issue}.log", "output-$s->{issue}.log.1") {
		my $text = slurp(file($s, $name));
		my $at = index($text, "reports $r->{key}\r\n");

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

	$s->{stage} = $stage;
	$s->{since} = time;
}

sub since {
	my ($s) = @_;

	return time - $s->{since};
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
	return map { "$what: $_" } @lines;
}

# What it waits for does not come: told with all there is to know, once.
sub give_up {
	my ($s, $kind) = @_;
	my $n = $s->{issue};
	my $text = about($s) . sprintf(', for %d s', since($s)) .
	    ($s->{run}{fate} // '') . "\n";

	$text .= '  record ' . slurp(file($s, ".paneward/$n.json")) . "\n";
	$text .= join '', map { "  $_\n" } last_lines("output-$n.log",
	    slurp(file($s, "output-$n.log"))), last_lines('screen',
	    $s->{session} && tm('capture-pane', '-p', '-t',
	    "=$s->{session}:") // '');
	$text .= join '', map { "  $_\n" } last_lines('journal', join '',
	    map { /"time":"([^"]*)".*"data":(.*)\}$/ ? "$1 $2\n" : () }
	    grep { /"subject":"$n"/ } split /\n/,
	    slurp(file($s, '.paneward/journal.ndjson')));
	wrong($kind, $text);
	close_pane($s);
	finish($s);
}

sub close_pane {
	my ($s) = @_;

	tm('kill-session', '-t', "=$s->{session}:") if $s->{session};
	$s->{session} = undef;
}

sub finish {
	my ($s) = @_;
	my $r = $s->{run};

	$s->{last} = $r->{id} // $s->{last};
	enter($s, 'idle');
}

# Which kind of run comes next, and how does it begin?
sub plan {
	my ($s) = @_;
	my $n = $count{planned}++;
	my $kinds = $n % 5 == 4 ? \@false : \@complete;
	my $which = $n % 5 == 4 ? int($n / 5) : $n - int($n / 5);
	my $kind = $kinds->[$which % @$kinds];
	my @ways = split //, $kind->[2];
	my $may_go_on = $s->{session} && $s->{going};

	@ways = grep { $_ ne 'n' } @ways if !$may_go_on;
	@ways = ('n') if $may_go_on && $kind->[2] =~ /n/ && rand() < 0.5;
	return {
		name => $kind->[0], steps => $kind->[1],
		true => $kinds == \@complete,
		way => $ways[rand @ways], step => 0, acked => 0,
	};
}

sub next_key {
	return sprintf('%s/runs/%d', $T, ++$runs);
}

sub prepare_agent {
	my ($s) = @_;
	my $r = $s->{run};

	$r->{path} = next_key();
	($r->{key}) = $r->{path} =~ m{([^/]+)$};
	POSIX::mkfifo("$r->{path}.orders", 0600) or die "mkfifo: $!\n";
	# Open at both ends, so that no order is lost or waited for.
	sysopen($r->{orders}, "$r->{path}.orders", O_RDWR | O_NONBLOCK)
	    or die "$r->{path}.orders: $!\n";
	return ("$T/agent", $r->{path}, $s->{issue}, $s->{project}{status});
}

$stage{idle} = sub {
	my ($s) = @_;

	return if $hold || $s->{wait_until} > time;
	if ($stopping) {
		close_pane($s);
		return;
	}
	return if grep({ $_->{stage} eq 'starting' } @slots) >= $starts;
	my $old = $s->{run};
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
	my @agent = prepare_agent($s);

	if ($r->{way} eq 's' || $r->{way} eq 'q') {
		begin_start($s, @agent);
	} else {
		begin_adopted($s, @agent);
	}
};

sub begin_start {
	my ($s, @agent) = @_;
	my $r = $s->{run};
	my @how = $r->{way} eq 'q' ? '--no-watch' : ('--handoff', "$T/h.sh");

	$r->{agent} = \@agent;
	$s->{session} = "$s->{project}{name}-issue-$s->{issue}";
	unlink "$r->{path}.out", "$r->{path}.err";
	$r->{start} = run_beside($r->{path}, $s->{project}{root}, $pw, 'start',
	    $s->{issue}, '--session', $s->{session}, @how, '--', @agent);
	enter($s, 'starting');
}

sub begin_adopted {
	my ($s, @agent) = @_;
	my $r = $s->{run};

	$s->{session} = "$s->{project}{letter}-issue-$s->{issue}";
	my $said = tm('new-session', '-d', '-P', '-F', '#{pane_pid}', '-s',
	    $s->{session}, '-x', 80, '-y', 24, '-c', $s->{project}{root},
	    "exec @agent", $r->{way} eq 'f' ? (';', 'pipe-pane', '-t',
	    "=$s->{session}:", 'cat >/dev/null') : ());
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
	my $r = $s->{run};

	$r->{id} = $id;
	spew("$T/runs/ends-$id", '') if rand() < 0.3;
	enter($s, 'opening');
}

$stage{starting} = sub {
	my ($s) = @_;
	my $r = $s->{run};
	my $status = $status{$r->{start}};

	return if !defined $status;
	my ($out, $err) = map { slurp("$r->{path}.$_") } qw(out err);

	if ($status == 0 && $out =~ /\(run ([-0-9a-f]{36})\)/) {
		# Perhaps on the server that was killed meanwhile.
		my $server = record($s)->{tmux}{server_pid} // 0;

		$r->{hit} = 1 if $server && !kill(0, $server);
		began($s, $1);
		return;
	}
	# Another process acts on it now, or the server was killed.
	$count{refused}++;
	$r->{refused} //= time;
	if (time - $r->{refused} > $patience || $status != 3 << 8) {
		wrong('trouble', about($s) . ": start: $status $err");
		finish($s);
	} else {
		sleep 0.01;
		close_pane($s);
		begin_start($s, @{ $r->{agent} });
	}
};

$stage{adopting} = sub {
	my ($s) = @_;
	my $r = $s->{run};
	my $now = record($s);

	if ($r->{hit}) {
		$count{lost}++;
		finish($s);
	} elsif (($now->{run} // '') ne ($s->{last} // '') &&
	    ($now->{tmux}{pane_pid} // 0) == $r->{pane_pid}) {
		began($s, $now->{run});
	}
};

$stage{renewing} = sub {
	my ($s) = @_;
	my $r = $s->{run};
	my $now = record($s);
	my $ended = defined $status{$r->{watch}};

	if ($r->{hit}) {
		return if !$ended;
		$count{lost}++;
		finish($s);
	} elsif ($now->{run} && $now->{run} ne $s->{last}) {
		began($s, $now->{run});
	} elsif ($ended) {
		begin_again($s);                # it was killed before that
	}
};

$stage{opening} = sub {
	my ($s) = @_;
	my $r = $s->{run};

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
	$s->{run}{fate} = ', lost with its server';
	enter($s, 'closing');
}

sub order {
	my ($s) = @_;
	my $r = $s->{run};
	my $text = $r->{steps}[$r->{step}++];
	my $nonce = substr($r->{id}, 0, 8);
	my $old = $s->{last} // '00000000-0000-4000-8000-000000000000';

	$text =~ s/NONCE/$nonce/;
	$text =~ s/OLD/$old/;
	$r->{acked}++;
	syswrite($r->{orders}, "$text\n") or die "an order: $!\n";
	$r->{file} = $text =~ /^(?:signal|echo|move)\b|signal$/;
	$r->{leaves} = $text =~ /leave|crash/;
}

sub last_step {
	my ($s) = @_;

	return $s->{run}{step} == @{ $s->{run}{steps} };
}

$stage{working} = sub {
	my ($s) = @_;
	my $r = $s->{run};

	return if $hold || time < $r->{order_at};
	order($s);
	enter($s, last_step($s) ? 'reporting' : 'preparing');
};

# The first of two orders has its effect before the second is given.
$stage{preparing} = sub {
	my ($s) = @_;
	my $r = $s->{run};
	my $fails = $r->{steps}[0] =~ /^fail/;

	return if !-e "$r->{path}.$r->{acked}";
	return if $fails && (record($s)->{state} // '') ne 'error';
	$r->{order_at} = time + rand(0.3);
	enter($s, 'working');
};

sub known {
	my ($s) = @_;
	my $r = $s->{run};
	my $now = record($s);

	return 1 if ($now->{run} // '') eq $r->{id} &&
	    $now->{state} eq 'complete';
	return -e "$r->{path}.$r->{acked}" if $r->{file};
	return logged($s);
}

$stage{reporting} = sub {
	my ($s) = @_;
	my $r = $s->{run};

	if (!$r->{true}) {
		return if !-e "$r->{path}.$r->{acked}";
		# Long enough for the screen to be read.
		$r->{close_at} = time + (rand() < 0.5 ? 0.1 : 2.5);
		enter($s, 'closing');
	} elsif (known($s)) {
		$must{$r->{id}} = about($s);
		enter($s, 'reported');
	}
};

$stage{reported} = sub {
	my ($s) = @_;
	my $r = $s->{run};
	my $now = record($s);

	if (($now->{run} // '') ne $r->{id}) {
		give_up($s, 'record');
		return;
	}
	return if ($now->{handoff}{state} // '') ne 'done';
	return if $r->{file} && $r->{name} ne 'twice' && signalled($s);
	wrong('record', about($s) . ": $now->{state}")
	    if $now->{state} ne 'complete';
	$count{completed}++;
	$by_kind{$r->{name}}++;
	# A report that came during the hand-off belongs to no run.
	unlink file($s, "signal-complete-$s->{issue}") if $r->{name} eq 'twice';
	$s->{going} = !$r->{leaves} && !$r->{hit} && $r->{way} ne 'f' &&
	    !-e "$T/runs/ends-$r->{id}";
	finish($s);
};

# A report was under way when the server was killed.
$stage{resolving} = sub {
	my ($s) = @_;
	my $r = $s->{run};

	return if kill 0, $r->{pid};
	if (known($s) || ($r->{file} && signalled($s))) {
		$must{$r->{id}} = about($s);
		enter($s, 'reported');
	} else {
		$may{$r->{id}} = about($s);
		$count{uncertain}++;
		lose($s);
	}
};

# A run that is to end without a hand-off.
$stage{closing} = sub {
	my ($s) = @_;
	my $r = $s->{run};
	my $now = record($s);
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
	    !($state eq 'error' && ended($now));
	return if $state eq 'complete' &&
	    ($now->{handoff}{state} // '') ne 'done';
	if ($state eq 'complete' && !$may{$r->{id}}) {
		give_up($s, 'false');
		return;
	}
	$count{not_completed}++;
	$s->{going} = 0;
	finish($s);
};

sub ended {
	my ($record) = @_;

	return exists $record->{exit};
}

# ---- faults -----------------------------------------------------------------

sub any {
	return $_[rand @_];
}

# Who holds an issue's lock, if that is a watcher?
sub watcher_of {
	my ($s) = @_;
	my ($pid) = slurp(file($s, ".paneward/$s->{issue}.lock")) =~ /^(\d+)/;

	return 0 if !$pid || $pid == ($project{watched}{spared} // 0);
	my $args = `ps -o args= -p $pid` // '';

	return $args =~ /^\Q$pw\E watch / ? $pid : 0;
}

my %fault;

$fault{watcher} = sub {
	my @there = grep { $_->{stage} ne 'idle' } @slots;
	my $killed = 0;

	for (1 .. 8) {
		my $s = any(@there) or last;
		my $pid = watcher_of($s) or next;

		$killed += kill KILL => $pid;
		last if $killed == 2;
	}
	return $killed;
};

$fault{all} = sub {
	return kill_child($project{watched}{victim});
};

$fault{sweep} = sub {
	my $p = $project{any('swept', 'swept', 'watched')};

	begin_sweep($p) if !$p->{sweep} || !$child{$p->{sweep}};
	sleep rand(0.06);
	return kill_child($p->{sweep});
};

# Those whose report cannot get lost by it: the screen still shows it, and not
# under a fence that may begin or end a block.
sub with_log {
	return grep {
		my $r = $_->{run};

		$_->{stage} =~ /^(?:working|reported)$/ && !$r->{hit} &&
		    $r->{way} ne 'f' && $r->{name} !~ /error|quoted/ &&
		    (!$r->{leaves} || $r->{way} =~ /[sq]/) && -s log_of($_);
	} @slots;
}

sub log_of {
	my ($s) = @_;

	return file($s, "output-$s->{issue}.log");
}

# Some logs have something done to them.
sub spoil_logs {
	my ($how, $what) = @_;
	my @there = with_log();
	my @some = map { splice(@there, rand @there, 1) } 1 .. (@there < 4 ?
	    @there : 4);

	for my $s (@some) {
		$s->{run}{cut} = 1;
		$s->{run}{fate} .= ", its log $what while $s->{stage}";
		$how->(log_of($s));
	}
	return @some;
}

$fault{cut} = sub {
	return spoil_logs(sub { truncate($_[0], 0) }, 'cut');
};

$fault{move} = sub {
	return spoil_logs(sub { rename($_[0], "$_[0].1") }, 'moved');
};

$fault{remove} = sub {
	return spoil_logs(sub { unlink($_[0]) }, 'removed');
};

# Not before what was ordered is done, if that does not take long.
$fault{server} = sub {
	$hold = time + 1;
	return 1;
};

sub under_way {
	return grep { $_->{stage} eq 'reporting' && $_->{run}{true} } @slots;
}

sub kill_server {
	my $n = $count{servers}++;
	my $pid = tm('display-message', '-p', '#{pid}');

	$hold = 0;
	if (defined $pid && $pid =~ /(\d+)/) {
		$pid = $1;
		$n % 2 ? tm('kill-server') : kill(KILL => $pid);
		for (1 .. 200) {
			last if !kill(0, $pid);
			sleep 0.01;
		}
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
	my ($p, $who) = @_;

	$p->{$who} = run_beside("$T/$who", $p->{root}, $pw, 'watch', '--all',
	    '--handoff', "$T/h.sh");
}

sub begin_sweep {
	my ($p) = @_;
	my $errors = $p->{sweeps}++ % 2;

	$p->{sweep} = run_beside("$T/sweep-$p->{name}", $p->{root}, $pw,
	    'sweep', $errors ? '--check-errors' : ());
	$p->{sweep_at} = undef;
}

# Sweeps, one after the other, and the watch that is killed now and then.
sub go_on_beside {
	for my $p (values %project) {
		if (!$p->{sweep} || !$child{$p->{sweep}}) {
			$p->{sweep_at} //= time + $p->{pause};
			begin_sweep($p) if time >= $p->{sweep_at};
		}
		begin_all($p, 'victim') if $p->{victim} &&
		    !$child{$p->{victim}};
	}
}

# ---- what it has grown to ---------------------------------------------------

sub resident {
	my ($pid) = @_;

	return $1 if slurp("/proc/$pid/status") =~ /^VmRSS:\s*(\d+)/m;
	return `ps -o rss= -p $pid` =~ /(\d+)/ ? $1 : 0;
}

sub descriptors {
	my ($pid) = @_;

	return map { readlink($_) // () } glob "/proc/$pid/fd/*";
}

# Nothing goes on any more; how large is it?
sub measure {
	my $pid = $project{watched}{spared};
	my ($same, @last) = 0;

	for (1 .. 300) {
		my @now = descriptors($pid);

		$same = @now == @last ? $same + 1 : 0;
		@last = @now;
		last if $same >= 20;
		sleep 0.1;
	}
	return (\@last, resident($pid));
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
		$stage{$s->{stage}}->($s);
		give_up($s, $s->{stage} eq 'reported' ? 'missed' : 'trouble')
		    if $s->{stage} ne 'idle' && since($s) > $patience;
	}
	go_on_beside();
	sleep 0.02;
}

# Until so many have completed; then until nothing goes on any more.
sub soak {
	my ($completions) = @_;
	my $fault_at = time + 1;
	my $told = time;

	$stopping = 0;
	while (!$stopping || grep { $_->{stage} ne 'idle' } @slots) {
		$stopping ||= ($count{completed} // 0) >= $completions ||
		    $wrong >= $most_wrong;
		turn();
		kill_server() if $hold && (time >= $hold || !under_way());
		if (time >= $fault_at && !$stopping && !$hold) {
			my $fault = $faults[$count{faults}++ % @faults];

			$count{"fault $fault"} += $fault{$fault}->();
			$fault_at += 1;
			$fault_at = time + 1 if $fault_at < time;
		}
		if (time - $told > 30) {
			tell_progress();
			$told = time;
		}
	}
	turn() while grep { $_->{session} } @slots;
}

sub tell_progress {
	my %n;

	$n{$_->{stage}}++ for @slots;
	printf "# %d s: %d completions, %d runs; %s\n", time - $begun,
	    $count{completed} // 0, $count{begun} // 0,
	    join ', ', map { "$n{$_} $_" } sort keys %n;
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
	for my $run (keys %must) {
		wrong('missed', "$must{$run}: no hand-off") if !$times{$run};
	}
	for my $run (keys %times) {
		wrong('twice', ($must{$run} // $run) . ": $times{$run} times")
		    if $times{$run} > 1;
		wrong('twice', ($must{$run} // $run) . ': several ids')
		    if keys %{ $ids{$run} } > 1;
	}
	$count{effects} = keys %times;
	$count{uncertain_handed} = grep { $may{$_} } keys %times;
}

sub check_journals {
	for my $p (values %project) {
		my $n = 0;

		for (split /\n/, slurp("$p->{status}/.paneward/journal.ndjson")) {
			my $o = eval { decode_json($_) };

			$n++;
			wrong('journal', "$p->{name}, line $n: $_")
			    if ref $o ne 'HASH' || !$o->{type};
		}
		$count{journal} += $n;
	}
}

# Only what we have begun, and the keeper, may be there when all is over.
sub check_left {
	my @left;

	for (1 .. 100) {
		reap();
		@left = grep { /^\s*(\d+)\s+\Q$pw\E / && !$child{$1} &&
		    index($_, $T) >= 0 } `ps -axww -o pid= -o args=`;
		last if !@left;
		sleep 0.1;
	}
	wrong('left', $_) for @left;
}

sub stop_beside {
	my @pids = map { my $p = $_; map { $p->{$_} // () } qw(sweep) }
	    values %project;

	for (1 .. 300) {
		reap();
		last if !grep { $child{$_} } @pids;
		sleep 0.1;
	}
}

srand(1);
make_project('watched', 1, 1 .. 30);
make_project('swept', 0.3, 31 .. 50);
begin_all($project{watched}, 'spared');
begin_all($project{watched}, 'victim');
soak($wanted * $warm);
my ($fds, $size) = measure();

printf "# %d s: warm, %d descriptors, %d KiB\n", time - $begun, scalar @$fds, $size;
soak($wanted);
my ($fds_now, $size_now) = measure();

stop_beside();
check_left();
check_effects();
check_journals();
# The end of a tmux server and of another watcher are waited for, or not.
wrong('grown', "the descriptors are @$fds_now, not @$fds")
    if @$fds_now > @$fds + 2;
wrong('grown', "$size KiB, now $size_now") if $size_now > $size + 1024;
wrong('grown', 'the watch has ended') if !$child{$project{watched}{spared}};
printf "# %d s: %d descriptors, %d KiB\n", time - $begun, $fds_now, $size_now;
printf "# %d of %s\n", $by_kind{$_}, $_ for sort keys %by_kind;
printf "# %d %s\n", $count{$_}, $_ for sort keys %count;
spew("$T/ended", '') if ($count{completed} // 0) >= $wanted;
