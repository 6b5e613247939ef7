#!/usr/bin/perl
# `paneward render` apart from the expansion: the sources of values and
# templates, refusals, the files it leaves.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Test::More;

use Paneward qw(paneward scratch slurp spew);

my $dir = scratch() . '/project';
my $status = "$dir/.worktrees/.status";
my $fine = 'a b/作業 (x)';
my $h = '###';
utf8::encode($fine);
mkdir $_ or die for $dir, map { "$dir/$_" } qw(norole tree tree/.git
    tree/.git/objects tree/.git/refs);
spew("$dir/tree/.git/HEAD", "ref: refs/heads/issue-42-map\n");

# Renders text, or a file that is named, in the project folder.
sub render {
	my ($text, @arguments) = @_;
	return paneward({ stdin => $text // '', dir => $dir }, 'render',
	    @arguments, defined $text ? '-' : ());
}

# What it is about, the text, the arguments, and what comes: a text, or the
# reason why nothing does.
for (
    [ 'an issue', '<<issue_number>>', [ '--issue', 42 ], '42' ],
    [ 'constants', '<<workflow_name>> <<plans_dir>>', [],
	'default docs/plans' ],
    [ 'the status directory', '<<signal_dir>>', [], $status ],
    [ 'names of its own without a value',
	'[<<issue_number>><<issue_title>><<branch_name>><<worktree_path>>' .
	'<<step_name>><<pr_number>><<run_id>><<nonce>>]', [], '[]' ],
    [ '--set: a new name', '<<mine>> {{mine|sh}}', [ '--set', "mine=it's" ],
	"it's 'it'\\''s'" ],
    [ '--set: one of our own', '<<issue_number>>',
	[qw(--issue 42 --set issue_number=7)], '7' ],
    [ '--set: the last one', '<<a>>', [qw(--set a=1 --set a=2)], '2' ],
    [ '--set: an equals sign', '<<a>>', [qw(--set a=b=c)], 'b=c' ],
    [ 'a work tree', '<<worktree_path>> <<branch_name>>', [qw(--worktree tree)],
	"$dir/tree issue-42-map" ],
    [ 'a work tree, and --set', '<<branch_name>>',
	[qw(--worktree tree --set branch_name=other)], 'other' ],
    [ 'no such work tree', 'x', [qw(--worktree nowhere)],
	qr/'nowhere'.*No such file/ ],
    [ '--strict: unknown', '<<nobody>>', ['--strict'],
	qr/unknown name 'nobody'/ ],
    [ '--strict: empty', '<<pr_number>>', ['--strict'],
	qr/empty name 'pr_number'/ ],
    [ '--strict: set to nothing', '<<a>>', [qw(--strict --set a=)],
	qr/empty name 'a'/ ],
    [ '--strict: all there', '<<step_name>>x',
	[qw(--strict --set step_name=review)], 'reviewx' ],
    [ '--strict: escaped', '\\<<nobody>>', ['--strict'], '<<nobody>>' ],
    map({ [ 'a directory with byte ' . ord(substr $_, 1, 1), '<<signal_dir>>',
	[ '--set', "signal_dir=$_" ], qr/signal_dir/ ] } 'a"b', "a'b", 'a$b',
	'a`b', 'a\\b', "a\nb", "a\tb", "a\x7fb"),
    [ 'no directory', '<<signal_dir|sh>>', [qw(--set signal_dir=)],
	qr/signal_dir is empty/ ],
    [ 'no directory is asked for', 'none', [qw(--set signal_dir=)], 'none' ],
    [ 'blanks and letters', '<<signal_dir>>', [ '--set', "signal_dir=$fine" ],
	$fine ],
    map({ [ "a finished marker: $_", "x$h${_}_<<issue_number>>${h}y",
	[qw(--issue 42)], qr/finished marker of issue 42/ ] } qw(TASK_COMPLETE
	COMPLETE_TASK TASK_ERROR ERROR_TASK)),
    [ 'a marker in a value', '<<t>>', [ qw(--issue 42 --set),
	"t=${h}TASK_COMPLETE_42$h" ], qr/marker/ ],
    [ 'a marker put together', "<<a>>COMPLETE_42$h",
	[ qw(--issue 42 --set), "a=${h}TASK_" ], qr/marker/ ],
    [ 'a marker of an issue that is only set', "${h}TASK_COMPLETE_7$h",
	[qw(--set issue_number=7)], qr/issue 7/ ],
    [ "another issue's marker is text", "${h}TASK_COMPLETE_43$h",
	[qw(--issue 42)], "${h}TASK_COMPLETE_43$h" ],
    [ '--set without =', '', [qw(--set a)], qr/'a' is not NAME=VALUE/ ],
    [ 'a bad name', '', [qw(--set 1a=b)], qr/'1a' is not a name/ ],
    [ 'no name', '', [qw(--set =b)], qr/'' is not a name/ ],
    [ 'a bad issue', '', [qw(--issue ../42)], qr/not an issue/ ],
    [ 'a bad issue that is set', '', [qw(--set issue_number=../42)],
	qr/not an issue/ ],
    [ 'two templates', '', ['plan'], qr/takes TEMPLATE, and / ],
    [ 'no template', undef, [], qr/./ ],
    [ 'no such role', undef, ['norole'], qr/./ ],   # a folder is none
    [ 'over 16 MiB', 'x' x ((16 << 20) + 1), [], qr/larger than 16 MiB/ ],
    [ 'asking for more', '<<a>>' x 100_000, [ '--set', 'a=' . 'x' x 1000 ],
	qr/larger than 64 MiB/ ],
) {
	my ($name, $text, $arguments, $want) = @$_;
	my $got = render($text, @$arguments);

	is("$got->{exit} $got->{out}", ref $want ? '2 ' : "0 $want", $name);
	like($got->{err}, ref $want ? $want : qr/^$/, "$name: what is said");
}

isnt(render(undef, $_)->{exit}, 0, "$_ is refused") for './nofile', "$dir/";
is(length(render('x' x (16 << 20))->{out}), 16 << 20, '16 MiB are taken');
for ([ '/srv/s', '/srv/s' ], [ 's', "$dir/s" ]) {
	is(paneward({ dir => $dir, stdin => '<<signal_dir>>', env => {
	    PANEWARD_STATUS_DIR => $_->[0] } }, 'render', '-')->{out}, $_->[1],
	    "the status directory is absolute: $_->[0]");
}
my $got = render('<<b>> <<a>> <<b|sh>>');
is_deeply($got, { exit => 0, out => '<<b>> <<a>> <<b|sh>>',
    err => "paneward: render: '-': unknown name 'b'\n" .
    "paneward: render: '-': unknown name 'a'\n" },
    'unknown names stay, and are told once, in order');

# ---- files ------------------------------------------------------------------

my $config = scratch() . '/config';
mkdir $_ for $config, "$config/paneward", "$config/paneward/agents";
spew("$config/paneward/agents/myrole.md", '<<step_name>>');
$got = render(undef, 'myrole');
is("$got->{exit} $got->{out}", '0 myrole', "a role of the user's is found");
spew("$dir/myrole", 'here: <<step_name>>');
is(render(undef, 'myrole')->{out}, 'here: myrole',
    'a file in the current directory comes first');

my $file = "$dir/out.md";
umask 022;
spew($file, 'old');
chmod 0600, $file;
is(render('new', '-o', 'out.md')->{out}, '', 'nothing on standard output');
is(slurp($file) . sprintf(' %o', (stat $file)[2] & 07777), 'new 644',
    'an output file is replaced as a whole');
render('x', '--set', 'bad', '-o', 'out.md');
render('<<x>>', '--strict', '-o', 'out.md');
is(slurp($file), 'new', 'a refusal leaves it alone');
symlink('out.md', "$dir/link") or die;
render('linked', '-o', 'link');
ok(-l "$dir/link" && slurp($file) eq 'linked',
    'a link stays a link; its file is replaced');
is(render('x', '-o', 'nowhere/out.md')->{exit}, 3, 'a folder that is missing');
is(render('x', '-o', '/dev/null')->{exit}, 0, 'a device is written into');
ok(-c '/dev/null', 'and stays one');
is_deeply([ glob("$dir/*.tmp") ], [], 'nothing is left beside');

SKIP: {
	skip('no /dev/full', 2) unless -c '/dev/full';
	$got = render('x', '-o', '/dev/full');
	is($got->{exit}, 3, 'output that nobody takes is an error');
	like($got->{err}, qr{cannot write '/dev/full'}, 'and told');
}
done_testing();
