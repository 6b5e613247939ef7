# Faults.pm - shared by the tests that kill a program at its system calls, or
# make one of them fail: a folder $T, one project after the other in it, $P with
# the status directory $S, the list of the calls, and workers.
package Faults;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw($pw $T $P $S begin_environment begin_faults begin_tmux project
    git_project session lines slurp spew json_in run begin said until_true
    stopped stop_runner strace traced_calls kill_anywhere workers);

our $pw = abs_path($ENV{PANEWARD_BIN} // "$FindBin::Bin/../../paneward");
our $T = abs_path(tempdir('/tmp/pw-faults.XXXXXX', CLEANUP => 1));
our ($P, $S);
my $all = $ENV{SOAK};
my $patience = 120;             # seconds for a command, or for a fact
my ($tester, $tmux, $projects, $rounds) = ($$, 0, 0, 0);

# The test gets an environment of its own.
sub begin_environment {
	my (%more) = @_;

	%ENV = (
		PATH => $ENV{PATH}, HOME => "$T/home", LC_ALL => 'C.UTF-8',
		TMUX_TMPDIR => "$T/tmux", PANEWARD_CEILING => '/tmp', %more,
		map { defined $ENV{$_} ? ($_ => $ENV{$_}) : () }
		    qw(ASAN_OPTIONS UBSAN_OPTIONS),
	);
	mkdir "$T/$_", 0700 for qw(home tmux);
}

# And is skipped without strace.
sub begin_faults {
	begin_environment(@_);
	plan(skip_all => 'strace is not here, or may not trace') if
	    system("strace -f -b execve -o '$T/trial' true >'$T/said' 2>&1")
	    != 0;
}

sub begin_tmux {
	$ENV{"GIT_$_"} = 'test@localhost' for qw(AUTHOR_NAME AUTHOR_EMAIL
	    COMMITTER_NAME COMMITTER_EMAIL);
	$tmux = system('tmux -f /dev/null new-session -d -s keeper ' .
	    '"exec tail -f /dev/null"') == 0 or
	    plan(skip_all => 'tmux does not run');
}

# The status of the test is what it was.
END {
	local $?;
	system('tmux kill-server 2>/dev/null') if $tmux && $$ == $tester;
}

# ---- files and facts --------------------------------------------------------

# Empty if there is no such file.
sub slurp {
	my ($path) = @_;

	open(my $f, '<', $path) or return '';
	local $/;
	return <$f> // '';
}

# Makes a file, with its folders; what begins with #! is a program.
sub spew {
	my ($path, $text) = @_;

	make_path(dirname($path), { mode => 0700 });
	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close($f) or die "$path: $!\n";
	chmod 0700, $path if $text =~ /^#!/;
}

sub lines { return scalar(() = slurp($_[0]) =~ /\n/g) }

# The object in a file; an empty one if there is none.
sub json_in { return eval { decode_json(slurp($_[0])) } // {} }

sub until_true {
	my ($fact, $seconds) = @_;
	my $until = time + ($seconds // $patience);

	sleep 0.02 while !$fact->() && time < $until;
	return $fact->();
}

# ---- a project --------------------------------------------------------------

# A new project, with these files, takes the place of the last one.
sub project {
	my (%files) = @_;

	if (defined $P) {
		system('tmux kill-session -t =' . session() . ': 2>/dev/null')
		    if $tmux;
		remove_tree($P, { error => \my $left });
	}
	$P = "$T/case" . ++$projects;
	$S = "$P/.worktrees/.status";
	mkdir $P, 0700 or die "$P: $!\n";
	spew("$P/$_", $files{$_}) for keys %files;
}

# One with a commit, whose work trees get a copy of a file.
sub git_project {
	project(file => "x\n", '.env' => "secret\n", '.paneward.json' =>
	    '{ "worktree_copy": [".env"], "worktree_setup": "true" }');
	system("cd '$P' && git init -q && git add file && git commit -q -m 1")
	    == 0 or die;
}

# The session of issue 7.
sub session { return "case$projects-issue-7" }

# Runs a command in the project, { input => TEXT, env => {} } before it or not,
# and returns its status, or "signal N".
sub run {
	my %with = ref $_[0] ? %{ shift() } : ();
	my (@command, $pid) = @_;

	unlink "$T/out", "$T/err";
	spew("$T/in", $with{input} // '');
	$pid = fork() // die "fork: $!\n";
	if ($pid == 0) {
		chdir $P or die;
		open(STDIN, '<', "$T/in");
		open(STDOUT, '>', "$T/out");
		open(STDERR, '>', "$T/err");
		%ENV = (%ENV, %{ $with{env} // {} });
		exec(@command) or POSIX::_exit(127);
	}
	local $SIG{ALRM} = sub { kill KILL => $pid };
	alarm $patience;
	waitpid($pid, 0);
	my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
	alarm 0;
	return $status;
}

# The process in which it runs beside the test.
sub begin {
	my $pid = fork() // die "fork: $!\n";

	return $pid if $pid != 0;
	run(@_);
	POSIX::_exit(0);
}

sub stopped { return slurp("/proc/$_[0]/stat") =~ /\) T / }

# Stops the runner of issue 7 as Ctrl-Z would, and returns its process.
sub stop_runner {
	my $pid = json_in("$S/.paneward/7.json")->{runner}{pid};

	kill STOP => $pid;
	until_true(sub { stopped($pid) }) or die "$pid goes on\n";
	return $pid;
}

# What the last one said.
sub said { return slurp("$T/err") . slurp("$T/out") }

# ---- system calls -----------------------------------------------------------

# The words before a command that has this done to its calls.
sub strace {
	return (qw(strace -f -b execve -o), "$T/trace",
	    map { ('-e', "inject=$_") } @_);
}

# The system calls of the first process after it has opened the status
# directory, or another file: [name, its number among the calls of that name,
# whether a kill before it equals one before the next call, its arguments].  It
# does if the call fails, reads, speaks, or changes only its process's memory
# and descriptors: locks end with it, and a file outlives it without an fsync.
# While it polls, others go on.
sub traced_calls {
	my ($run, $from) = (@_, qr/\.worktrees/);
	my (%count, @calls, $main, $known);
	my $alike = qr/=\ -1\ |^\d+\s+(?:(?:read|pread64|readlink|readlinkat|
	    getdents64|fstat|newfstatat|statx|f?statfs|access|faccessat2?|lseek|
	    mmap|munmap|mprotect|madvise|brk|rt_sig\w+|get\w+|clock_\w+|close|
	    fcntl|dup\w*|pipe2|socketpair|epoll_\w+|inotify_\w+|eventfd2|
	    timerfd_\w+|setitimer|pidfd_open|prlimit64|umask|chdir|fsync|
	    fdatasync|restart_syscall)\(|openat\([^)]*O_RDONLY|
	    flock\([^)]*LOCK_EX|wait4\(.*WNOHANG|write\([12],)/x;

	$run->(strace());
	for my $line (split /\n/, slurp("$T/trace")) {
		my ($pid, $name, $call) = $line =~
		    /^(\d+) +(\w+)(\(.*?)(?:\s+= .*)?$/ or next;

		$main //= $pid;
		next if $pid != $main;
		$count{$name}++;
		$known ||= $line =~ $from;
		push @calls, [$name, $count{$name}, scalar($line =~ $alike),
		    $call] if $known && $name ne 'exit_group';
	}
	cmp_ok(scalar(grep { !$_->[2] } @calls), '>', 10,
	    'the system calls are known');
	return @calls;
}

# In a case of its own each time, kills what {run} runs at every so many-th of
# its calls that make a difference, the next time at others; {wrong} then says
# what is wrong.  SOAK=1 tries each call.
sub kill_anywhere {
	my ($what, %how) = @_;
	my ($tried, @wrong) = (0);

	$how{begin}->();
	my @calls = grep { $all || !$_->[2] }
	    traced_calls($how{run}, $how{from} // ());
	my $every = $all ? 1 : $how{every} // 1;
	my $first = $rounds++ % $every;

	$how{whole}->() if $how{whole};
	for my $i (grep { $_ % $every == $first } 0 .. $#calls) {
		my ($name, $when) = @{$calls[$i]};

		$how{begin}->();
		$how{run}->(strace("$name:signal=KILL:when=$when"));
		$tried++;
		my $wrong = $how{wrong}->();
		push @wrong, "$name $when: $wrong" if $wrong ne '';
	}
	is(join("\n", @wrong), '', "$what may be killed anywhere: at $tried " .
	    'of ' . @calls . ' system calls');
}

# Workers, each in a folder of its own, do every so many-th of the jobs; what
# they print is returned, line by line.
sub workers {
	my ($workers, $do, @jobs) = @_;
	my (@outs, @lines);

	for my $n (0 .. $workers - 1) {
		my $pid = open(my $out, '-|') // die "fork: $!\n";

		push @outs, $out;
		next if $pid != 0;
		($T, $P) = ("$T/$n");
		mkdir $T, 0700 or die "$T: $!\n";
		$do->($jobs[$_]) for grep { $_ % $workers == $n } 0 .. $#jobs;
		print "done\n";
		close(STDOUT);
		POSIX::_exit(0);
	}
	for my $out (@outs) {
		chomp(my @said = <$out>);
		is(pop @said, 'done', 'a worker is done');
		push @lines, @said;
	}
	return @lines;
}

1;
