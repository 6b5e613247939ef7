# Faults.pm - what the tests have in common that kill a program at its system
# calls: a place of their own, and where those calls are.
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

# Nothing of the person who runs the test shows in it; without strace there is
# no test.
sub begin_faults {
	my (%more) = @_;

	%ENV = (
		PATH => $ENV{PATH}, HOME => "$T/home", LC_ALL => 'C.UTF-8',
		TMUX_TMPDIR => "$T/tmux", %more,
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

# Runs a command in a folder and returns its status as wait() does; one that
# takes longer is killed.
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

# Runs what is given, with the words of a strace as its arguments.  Returns the
# calls of the first process that come once it knows the status directory:
# [name, how many of that name came before and with it].
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
