#!/usr/bin/perl
# `paneward scan` apart from the counting: its output, bound markers,
# refusals.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;

use Paneward qw(paneward scratch spew);

my @run = ('--run', '0123abcd-1111-4222-8333-444444444444');
my $dir = scratch();
my $none = 'none: complete 0, error 0';
my $bound = "###TASK_COMPLETE_7:0123abcd###\n";

# What it is about, the text, the answer, and options.
for (
    [ 'nothing', "nothing\n", $none ],
    [ 'complete', "###TASK_COMPLETE_7###\n", 'complete: complete 1, error 0' ],
    [ 'an error', "###TASK_ERROR_7###\nno disk\n",
	'error: complete 0, error 1: no disk' ],
    [ 'what a terminal would obey is shown escaped',
	"###TASK_ERROR_7###\n\xe2\x80\xaeevil\n",
	'error: complete 0, error 1: \\u202eevil' ],
    [ 'as JSON', "###TASK_ERROR_7###\na \"b\" \\ \xff\n",
	'{"complete":0,"error":1,"verdict":"error",' .
	"\"error_message\":\"a \\\"b\\\" \\\\ \xef\xbf\xbd\"}", '--json' ],
    [ 'bound, and no run is known', $bound, $none ],
    [ 'bound to this run', $bound, 'complete: complete 1, error 0', @run ],
    [ 'bound to another run', "###ERROR_TASK_7:0123abce###\n",
	"$none, stale 1", @run ],
    [ 'bound and quoted', "echo '###ERROR_TASK_7:0123abcd###'\n", $none, @run ],
) {
	my ($name, $text, $want, @options) = @$_;
	my $got = paneward({ stdin => $text }, 'scan', '--issue', 7, @options,
	    '-');
	is("$got->{exit} $got->{out}$got->{err}", "0 $want\n", $name);
}

# tests/fuzz/marker.c searches a large text and cuts it.
my $quiet = join('', map { "line $_ # of ## many\r\n" } 1 .. 40_000);
my $log = "$quiet```\n$quiet```\n$quiet###TASK_ERROR_7###\nfull\n$quiet";
spew("$dir/log", $log);
is(paneward({ stdin => $log }, 'scan', '--issue', 7, $_)->{out},
    "error: complete 0, error 1: full\n", "a large log from $_")
    for "$dir/log", '-';

for (
    [ 2, qr/--issue is missing/, '-' ],
    [ 2, qr/'a\/b' is not an issue/, '--issue', 'a/b', '-' ],
    [ 2, qr/needs FILE/, '--issue', 7 ],
    [ 2, qr/and 'b' is one more/, '--issue', 7, 'a', 'b' ],
    [ 2, qr/'x' is not a run id/, '--issue', 7, '--run', 'x', '-' ],
    [ 2, qr/cannot be a marker/, '--issue', 7, '--marker', ' x', '-' ],
    [ 2, qr/--chunk '0'/, '--issue', 7, '--chunk', 0, '-' ],
    [ 2, qr/unknown option '--windoes'/, '--issue', 7, '--windoes', '-' ],
    [ 3, qr/cannot open '.*\/none': No such file/, '--issue', 7, "$dir/none" ],
    [ 3, qr/cannot read '.*': Is a directory/, '--issue', 7, $dir ],
) {
	my ($exit, $why, @arguments) = @$_;
	my $got = paneward({}, 'scan', @arguments);

	is("$got->{exit} $got->{out}", "$exit ", "scan @arguments is refused");
	like($got->{err}, $why, 'with the reason');
}
done_testing();
