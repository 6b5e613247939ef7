#!/usr/bin/perl
# `paneward render` apart from the expansion: the sources of values and
# templates, refusals, the files it leaves.
use strict;
use warnings;
use utf8;
use Cwd qw(abs_path);
use FindBin;
use lib $FindBin::Bin;
use Test::More;

use Paneward qw(paneward scratch slurp spew);

my $dir = scratch() . '/project';
my $status = "$dir/.worktrees/.status";

mkdir $dir or die;

# Renders text in the project folder.
sub render {
	my ($text, @arguments) = @_;
	return paneward({ stdin => $text, dir => $dir }, 'render', @arguments,
	    '-');
}

sub gives {
	my ($text, $want, $name, @arguments) = @_;
	my $got = render($text, @arguments);
	is("$got->{exit} $got->{out}$got->{err}", "0 $want", $name);
}

# Nothing is written, and standard error has the reason.
sub refuses {
	my ($text, $why, $name, @arguments) = @_;
	my $got = render($text, @arguments);
	is("$got->{exit} $got->{out}", '2 ', $name);
	like($got->{err}, $why, "$name: the reason");
}

subtest 'names have values of their own' => sub {
	gives('<<issue_number>>', '42', 'issue', '--issue', '42');
	gives('<<workflow_name>> <<plans_dir>>', 'default docs/plans',
	    'constants');
	gives('<<signal_dir>>', $status, 'the status directory');
	gives('[<<issue_number>><<issue_title>><<branch_name>><<worktree_path>>'
	    . '<<step_name>><<pr_number>><<run_id>><<nonce>>]', '[]',
	    'a name of its own without a value is empty');
};

subtest 'the status directory is absolute, wherever it comes from' => sub {
	my @given = ({ dir => $dir, stdin => '<<signal_dir>>' }, 'render', '-');

	$given[0]{env} = { PANEWARD_STATUS_DIR => '/srv/s' };
	is(paneward(@given)->{out}, '/srv/s', 'absolute');
	$given[0]{env} = { PANEWARD_STATUS_DIR => 's' };
	is(paneward(@given)->{out}, "$dir/s", 'relative');
};

subtest '--set adds names and beats all' => sub {
	gives('<<mine>> {{mine|sh}}', "it's 'it'\\''s'", 'a new name',
	    '--set', "mine=it's");
	gives('<<issue_number>>', '7', 'one of our own', '--issue', '42',
	    '--set', 'issue_number=7');
	gives('<<a>>', '2', 'the last one counts', '--set', 'a=1', '--set',
	    'a=2');
	gives('<<a>>', 'b=c', 'a value may hold an equals sign', '--set',
	    'a=b=c');
};

subtest 'a work tree gives path and branch' => sub {
	my $tree = "$dir/tree";

	mkdir $_ or die for $tree, "$tree/.git", "$tree/.git/objects",
	    "$tree/.git/refs";
	spew("$tree/.git/HEAD", "ref: refs/heads/issue-42-map\n");
	gives('<<worktree_path>> <<branch_name>>', "$tree issue-42-map",
	    'both', '--worktree', 'tree');
	gives('<<branch_name>>', 'other', '--set beats them', '--worktree',
	    'tree', '--set', 'branch_name=other');
	refuses('x', qr/'nowhere'.*No such file/, 'a missing one',
	    '--worktree', 'nowhere');
};

subtest 'unknown names are told once, in order' => sub {
	my $got = render('<<b>> <<a>> <<b|sh>>');

	is($got->{exit}, 0, 'exit status');
	is($got->{out}, '<<b>> <<a>> <<b|sh>>', 'they stay');
	is($got->{err}, "paneward: render: '-': unknown name 'b'\n" .
	    "paneward: render: '-': unknown name 'a'\n", 'messages');
};

subtest '--strict refuses unknown and empty names' => sub {
	refuses('<<nobody>>', qr/unknown name 'nobody'/, 'unknown', '--strict');
	refuses('<<pr_number>>', qr/empty name 'pr_number'/, 'empty',
	    '--strict');
	refuses('<<a>>', qr/empty name 'a'/, 'set to nothing', '--strict',
	    '--set', 'a=');
	gives('<<step_name>>x', 'reviewx', 'all there', '--strict', '--set',
	    'step_name=review');
	gives('\\<<nobody>>', '<<nobody>>', 'escaped', '--strict');
};

subtest 'a directory that a shell line cannot carry is refused' => sub {
	for my $bad ('a"b', "a'b", 'a$b', 'a`b', 'a\\b', "a\nb", "a\tb",
	    "a\x7fb") {
		refuses('<<signal_dir>>', qr/signal_dir/, "byte " . ord(
		    substr($bad, 1, 1)), '--set', "signal_dir=$bad");
	}
	refuses('<<signal_dir|sh>>', qr/signal_dir is empty/, 'an empty one',
	    '--set', 'signal_dir=');
	gives('no directory', 'no directory', 'unused it does not matter',
	    '--set', 'signal_dir=');
	my $fine = 'a b/作業 (x)';
	utf8::encode($fine);
	gives('<<signal_dir>>', $fine, 'blanks and letters are fine', '--set',
	    "signal_dir=$fine");
};

subtest 'no finished marker is put out' => sub {
	my $hashes = '###';

	for my $words (qw(TASK_COMPLETE COMPLETE_TASK TASK_ERROR ERROR_TASK)) {
		refuses("x$hashes${words}_<<issue_number>>${hashes}y",
		    qr/finished marker of issue 42/, $words, '--issue', '42');
	}
	refuses('<<t>>', qr/marker/, 'in a value', '--issue', '42', '--set',
	    "t=${hashes}TASK_COMPLETE_42$hashes");
	refuses('<<a>>COMPLETE_42###', qr/marker/, 'put together', '--issue',
	    '42', '--set', "a=${hashes}TASK_");
	refuses("${hashes}TASK_COMPLETE_7$hashes", qr/issue 7/,
	    'an issue that is only set', '--set', 'issue_number=7');
	gives("${hashes}TASK_COMPLETE_43$hashes",
	    "${hashes}TASK_COMPLETE_43$hashes", 'that of another issue is text',
	    '--issue', '42');
};

subtest 'wrong use is refused' => sub {
	refuses('', qr/'a' is not NAME=VALUE/, '--set without =', '--set', 'a');
	refuses('', qr/'1a' is not a name/, 'a bad name', '--set', '1a=b');
	refuses('', qr/'' is not a name/, 'no name', '--set', '=b');
	refuses('', qr/not an issue/, 'a bad issue', '--issue', '../42');
	refuses('', qr/not an issue/, 'a bad issue that is set', '--set',
	    'issue_number=../42');
	refuses('', qr/one template/, 'two templates', 'plan');
	is(paneward({}, 'render')->{exit}, 2, 'no template');
	is(paneward({}, 'render', 'norole')->{exit}, 2, 'no such role');
	isnt(paneward({}, 'render', './nofile')->{exit}, 0, 'no such file');
	isnt(paneward({}, 'render', "$dir/")->{exit}, 0, 'a folder');
};

subtest 'templates may be of 16 MiB, and not larger' => sub {
	my $large = 'x' x (16 << 20);

	is(length(render($large)->{out}), 16 << 20, 'exactly as large');
	refuses("${large}x", qr/larger than 16 MiB/, 'one byte more');
	refuses('<<a>>' x 100_000, qr/larger than 64 MiB/,
	    'nor what they ask for', '--set', 'a=' . 'x' x 1000);
};

subtest 'a role is looked for where templates are' => sub {
	my $config = scratch() . '/config';

	mkdir $_ for $config, "$config/paneward", "$config/paneward/agents";
	spew("$config/paneward/agents/myrole.md", '<<step_name>>');
	my $got = paneward({ dir => $dir }, 'render', 'myrole');
	is("$got->{exit} $got->{out}", '0 myrole', "the user's");

	mkdir "$dir/norole";
	is(paneward({ dir => $dir }, 'render', 'norole')->{exit}, 2,
	    'a folder of that name is none');
	spew("$dir/myrole", 'here: <<step_name>>');
	is(paneward({ dir => $dir }, 'render', 'myrole')->{out},
	    'here: myrole', 'a file in the current directory comes first');
};

subtest 'an output file is replaced as a whole' => sub {
	my $file = "$dir/out.md";
	my @given = ('render', '-o', 'out.md', '-');

	umask 022;
	spew($file, 'old');
	chmod 0600, $file;
	is(paneward({ dir => $dir, stdin => 'new' }, @given)->{out}, '',
	    'nothing on standard output');
	is(slurp($file), 'new', 'content');
	is((stat $file)[2] & 07777, 0644, 'mode');

	paneward({ dir => $dir, stdin => 'x' }, 'render', '--set', 'bad', '-o',
	    'out.md', '-');
	paneward({ dir => $dir, stdin => '<<x>>' }, 'render', '--strict', '-o',
	    'out.md', '-');
	is(slurp($file), 'new', 'a refusal leaves it alone');

	symlink('out.md', "$dir/link") or die;
	paneward({ dir => $dir, stdin => 'linked' }, 'render', '-o', 'link',
	    '-');
	ok(-l "$dir/link", 'a link stays a link');
	is(slurp($file), 'linked', 'its file is replaced');

	is(paneward({ dir => $dir, stdin => 'x' }, 'render', '-o',
	    'nowhere/out.md', '-')->{exit}, 3, 'a folder that is missing');
	is(paneward({ dir => $dir, stdin => 'x' }, 'render', '-o', '/dev/null',
	    '-')->{exit}, 0, 'a device is written into');
	ok(-c '/dev/null', 'and stays one');
	is_deeply([ glob("$dir/*.tmp") ], [], 'nothing is left beside');
};

subtest 'output that nobody takes is an error' => sub {
	plan skip_all => 'no /dev/full' unless -c '/dev/full';
	my $got = paneward({ stdin => 'x' }, 'render', '-o', '/dev/full', '-');
	is($got->{exit}, 3, 'exit status');
	like($got->{err}, qr{cannot write '/dev/full'}, 'message');
};

done_testing();
