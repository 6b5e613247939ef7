#!/usr/bin/perl
# limit.pl SECONDS TEST: runs a test, and ends one that hangs: what it waits for
# is in the output.
use strict;
use warnings;
use POSIX qw(:sys_wait_h setpgid);

my ($limit, @test) = @ARGV;
my ($text, $ended, $status);
my $over = time + $limit;
my $how = 'TERM';

pipe(my $output, my $input) or die "pipe: $!\n";
my $pid = fork // die "fork: $!\n";
if ($pid == 0) {
	setpgid(0, 0);
	open(STDOUT, '>&', $input) or die "$test[0]: $!\n";
	close($input);
	exec(@test) or die "$test[0]: $!\n";
}
close($input);
$SIG{$_} = sub { kill TERM => -$pid } for qw(INT TERM HUP PIPE);

while (!defined $ended || time < $ended + 5) {
	vec(my $ready = '', fileno($output), 1) = 1;
	if (select($ready, undef, undef, 0.2) > 0) {
		last if !sysread($output, $text, 1 << 16);
		syswrite(STDOUT, $text);
	} elsif (!defined $ended && waitpid($pid, WNOHANG) == $pid) {
		# What the test left behind may hold its output.
		($ended, $status) = (time, $?);
	} elsif (time > $over) {
		print "# it runs for $limit s:\n",
		    map({ "# $_" } `ps -axww -o pid,ppid,stat,wchan,args`);
		STDOUT->flush();
		kill $how, -$pid;
		($over, $how) = (time + 30, 'KILL');
	}
}
if (!defined $ended) {
	waitpid($pid, 0);
	$status = $?;
}
exit($status >> 8 || $status & 127 && 128 + ($status & 127));
