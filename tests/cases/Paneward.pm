# Paneward.pm - running the built program from a test.
package Paneward;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;
use Test::More;

our @EXPORT_OK = qw(paneward program slurp spew scratch vectors);

my $program = abs_path($ENV{PANEWARD_BIN} // './paneward');
my $scratch = abs_path(tempdir(CLEANUP => 1));

binmode $_, ':utf8' for Test::More->builder->output,
    Test::More->builder->failure_output;
# The tests get an environment of their own, and see no project above it.
delete @ENV{grep { /^(?:PANEWARD|TMUX|ZELLIJ|CLAUDE|TH_LOOP|__STOP_HOOK|TZ$)/ }
    keys %ENV};
@ENV{qw(HOME XDG_CONFIG_HOME XDG_STATE_HOME LC_ALL PANEWARD_CEILING)} =
    ("$scratch/home", "$scratch/config", "$scratch/state", 'C',
    $scratch =~ s{/[^/]*$}{}r);

# The path of the tested program.
sub program { return $program }

# A folder for this test, removed at its end.
sub scratch { return $scratch }

sub slurp {
	my ($path) = @_;
	open(my $fh, '<:raw', $path) or die "$path: $!\n";
	local $/;
	return <$fh> // '';
}

sub spew {
	my ($path, $bytes) = @_;
	open(my $fh, '>:raw', $path) or die "$path: $!\n";
	print $fh $bytes;
	close($fh) or die "$path: $!\n";
}

# The folder of these vectors, and their index.
sub vectors {
	my $folder = "$FindBin::Bin/../vectors/$_[0]";
	return ($folder, decode_json(slurp("$folder/index.json")));
}

# paneward({ stdin => BYTES, dir => FOLDER, env => {}, program => PATH },
# ARGUMENT...) runs it, or another program, and returns { exit, out, err }.
sub paneward {
	my ($with, @arguments) = @_;
	my ($in, $out, $err) = map { "$scratch/.$_" } qw(stdin stdout stderr);
	my $pid;

	spew($in, $with->{stdin} // '');
	$pid = fork() // die "fork: $!\n";
	if ($pid == 0) {
		open(STDIN, '<', $in) && open(STDOUT, '>', $out) &&
		    open(STDERR, '>', $err) && chdir($with->{dir} // '.') or
		    exit(126);
		%ENV = (%ENV, %{ $with->{env} // {} });
		exec($with->{program} // $program, @arguments) or exit(127);
	}
	waitpid($pid, 0);
	return { exit => $? & 127 ? "signal " . ($? & 127) : $? >> 8,
	    out => slurp($out), err => slurp($err) };
}

1;
