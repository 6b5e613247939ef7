# Faults.pm - shared by the tests that kill a program at its system calls: a
# folder of their own, and the list of those calls.
package Faults;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

our @EXPORT = qw($pw $T begin_faults slurp run_in traced_calls);

our $pw = abs_path($ENV{PANEWARD_BIN} // "$FindBin::Bin/../../paneward");
our $T = abs_path(tempdir('/tmp/pw-faults.XXXXXX', CLEANUP => 1));

# The test gets an environment of its own.  Without strace it is skipped.
sub begin_faults {
	my (%more) = @_;

	%ENV = (
		PATH => $ENV{PATH}, HOME => "$T/home", LC_ALL => 'C.UTF-8',
		TMUX_TMPDIR => "$T/tmux", PANEWARD_CEILING => '/tmp', %more,
		map { defined $ENV{$_} ? ($_ => $ENV{$_}) : () }
		    qw(ASAN_OPTIONS UBSAN_OPTIONS),
	);
	mkdir "$T/$_", 0700 for qw(home tmux);
	plan(skip_all => 'strace is not here, or may not trace') if
	    system("strace -f -b execve -o '$T/trial' true >'$T/said' 2>&1")
	    != 0;
}

# Empty if there is no such file.
sub slurp {
	my ($path) = @_;

	open(my $f, '<', $path) or return '';
	local $/;
	return <$f> // '';
}

# Runs a command in a folder, with a deadline; returns its status as wait()
# does.
sub run_in {
	my ($dir, $seconds, @command) = @_;
	my $pid = fork() // die "fork: $!\n";
	my $status;

	if ($pid == 0) {
		chdir $dir or die;
		open(STDIN, '<', '/dev/null');
		open(STDOUT, '>>', 'said');
		open(STDERR, '>&', \*STDOUT);
		exec @command;
		die "$command[0]: $!\n";
	}
	local $SIG{ALRM} = sub { kill KILL => $pid };
	alarm $seconds;
	waitpid($pid, 0);
	$status = $?;
	alarm 0;
	return $status;
}

# Calls a function with the words of a strace command.  Returns the system
# calls of the first process after it has opened the status directory: [name,
# its number among the calls of that name].
sub traced_calls {
	my ($run) = @_;
	my (%count, @calls, $main, $known);

	$run->('strace', '-f', '-b', 'execve', '-o', "$T/trace");
	for my $line (split /\n/, slurp("$T/trace")) {
		my ($pid, $name) = $line =~ /^(\d+) +(\w+)\(/ or next;

		$main //= $pid;
		next if $pid != $main;
		$count{$name}++;
		$known ||= $line =~ /\.worktrees/;
		push @calls, [$name, $count{$name}]
		    if $known && $name ne 'exit_group';
	}
	return @calls;
}

1;
