#!/usr/bin/perl
# `paneward scan` apart from the counting: its output, bound markers,
# refusals.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;

use Paneward qw(paneward scratch slurp spew);

my $run = '0123abcd-1111-4222-8333-444444444444';
my $dir = scratch();

sub scan {
	my ($text, @arguments) = @_;
	return paneward({ stdin => $text }, 'scan', '--issue', '7', @arguments,
	    '-');
}

sub gives {
	my ($text, $want, $name, @arguments) = @_;
	my $got = scan($text, @arguments);
	is("$got->{exit} $got->{out}$got->{err}", "0 $want\n", $name);
}

sub refuses {
	my ($exit, $why, $name, @arguments) = @_;
	my $got = paneward({}, 'scan', @arguments);
	is("$got->{exit} $got->{out}", "$exit ", $name);
	like($got->{err}, $why, "$name: the reason");
}

subtest 'the answer is one line' => sub {
	gives("nothing\n", 'none: complete 0, error 0', 'nothing');
	gives("###TASK_COMPLETE_7###\n", 'complete: complete 1, error 0',
	    'complete');
	gives("###TASK_ERROR_7###\nno disk\n",
	    'error: complete 0, error 1: no disk', 'an error');
	gives("###TASK_ERROR_7###\n\xe2\x80\xaeevil\n",
	    'error: complete 0, error 1: \\u202eevil',
	    'what a terminal would obey is shown escaped');
	gives("###TASK_ERROR_7###\na \"b\" \\ \xff\n",
	    '{"complete":0,"error":1,"verdict":"error",' .
	    '"error_message":"a \\"b\\" \\\\ ' . "\xef\xbf\xbd" . '"}',
	    'as JSON', '--json');
};

subtest 'bound markers count for their run only' => sub {
	my $text = "###TASK_COMPLETE_7:0123abcd###\n";

	gives($text, 'none: complete 0, error 0', 'no run is known');
	gives($text, 'complete: complete 1, error 0', 'this run',
	    '--run', $run);
	gives("###ERROR_TASK_7:0123abce###\n",
	    'none: complete 0, error 0, stale 1', 'another run',
	    '--run', $run);
	gives("echo '###ERROR_TASK_7:0123abcd###'\n",
	    'none: complete 0, error 0', 'quoted', '--run', $run);
};

subtest 'a large file is searched, and read where something is' => sub {
	my $quiet = join('', map { "line $_ # of ## many\r\n" } 1 .. 40_000);
	my $fence = "```\n###TASK_COMPLETE_7###\n```\n";
	my %logs = (
		"$quiet$quiet" => 'none: complete 0, error 0',
		"$quiet```\n$quiet###TASK_COMPLETE_7###\n" =>
		    'none: complete 0, error 0',
		"$quiet```\n$quiet```\n$quiet###TASK_COMPLETE_7###\n" =>
		    'complete: complete 1, error 0',
		"$quiet$fence$quiet" => 'none: complete 0, error 0',
		"$quiet###TASK_ERROR_7###\nfull\n$quiet" =>
		    'error: complete 0, error 1: full',
	);

	for my $log (sort keys %logs) {
		my $got;

		spew("$dir/log", $log);
		$got = paneward({}, 'scan', '--issue', 7, "$dir/log");
		is($got->{out}, "$logs{$log}\n", 'a log of ' . length $log);
		gives($log, $logs{$log}, 'the same from standard input');
	}
};

subtest 'what cannot be scanned is refused' => sub {
	refuses(2, qr/--issue is missing/, 'no issue', '-');
	refuses(2, qr/'a\/b' is not an issue/, 'not an issue',
	    '--issue', 'a/b', '-');
	refuses(2, qr/FILE is missing/, 'no file', '--issue', 7);
	refuses(2, qr/only one FILE/, 'two files', '--issue', 7, 'a', 'b');
	refuses(2, qr/'x' is not a run id/, 'not a run', '--issue', 7,
	    '--run', 'x', '-');
	refuses(2, qr/cannot be a marker/, 'not a marker', '--issue', 7,
	    '--marker', ' x', '-');
	refuses(2, qr/--chunk '0'/, 'no bytes at a time', '--issue', 7,
	    '--chunk', 0, '-');
	refuses(2, qr/unknown option '--windoes'/, 'unknown option',
	    '--issue', 7, '--windoes', '-');
	refuses(3, qr/cannot open '.*\/none': No such file/, 'no such file',
	    '--issue', 7, "$dir/none");
	refuses(3, qr/cannot read '.*': Is a directory/, 'a folder',
	    '--issue', 7, $dir);
};

done_testing();
