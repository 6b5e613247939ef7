#!/usr/bin/perl
# The instructions in agents/: they render, hold no marker, and their commands
# work.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Test::More;

use Paneward qw(paneward scratch slurp spew);

my $agents = "$FindBin::Bin/../../agents";
my $signal_dir = scratch() . '/状 態/作業 (x)';
utf8::encode($signal_dir);

# What each role may report.  Only the last step of a workflow ends it.
my %reports = (
	'plan'      => [qw(error)],
	'implement' => [qw(complete error)],
	'review'    => [qw(error)],
	'test'      => [qw(error)],
	'ci-fix'    => [qw(error)],
	'merge'     => [qw(complete error)],
	'report'    => [qw(complete error)],
);
my %no_commands = ('report' => 1);      # by a marker alone

my @values = map { ('--set', $_) } ('issue_title=Add a map & "legend"',
    'branch_name=issue-42-map', 'worktree_path=/srv/wt/issue-42-map',
    'pr_number=77', 'run_id=01234567-89ab-4cde-8f01-23456789abcd',
    'nonce=01234567', "signal_dir=$signal_dir");

sub no_marker {
	my ($text, $what) = @_;
	my $kinds = 'TASK_(?:COMPLETE|ERROR)|(?:COMPLETE|ERROR)_TASK' .
	    '|PHASE_COMPLETE';
	my $squeezed = $text =~ s/\s+//gr;      # as a narrow pane wraps it

	unlike($_, qr/\#\#\#(?:$kinds)/, "$what: no marker, begun or finished")
	    for $text, $squeezed;
}

sub nothing_for_the_scanner {
	my ($text) = @_;

	for my $mode ([], ['--window']) {
		like(paneward({ stdin => $text }, 'scan', '--issue', '42',
		    '--run', '01234567-89ab-4cde-8f01-23456789abcd', @$mode,
		    '--json', '-')->{out}, qr/"verdict":\s*"none"/,
		    "scan @$mode finds nothing");
	}
}

# Runs a block as an agent would; PANEWARD is what start would have set.
sub run_block {
	my ($block, @paneward) = @_;
	my $script = scratch() . '/block.sh';

	local @ENV{@paneward ? 'PANEWARD' : ()} = @paneward;
	spew($script, $block);
	system('rm', '-rf', $signal_dir);
	return system("cd / && exec sh '$script' >/dev/null 2>&1") >> 8;
}

sub files_in {
	opendir(my $dh, $_[0]) or return '';
	return join(' ', sort grep { !/^\.\.?$/ } readdir($dh));
}

# A program in the place of paneward: records its arguments, exits as
# configured.
sub stand_in {
	my ($exit) = @_;
	my $path = scratch() . '/stand in';

	spew($path, "#!/bin/sh\nprintf '%s|' \"\$@\" >'$path.args'\n" .
	    "exit $exit\n");
	chmod 0755, $path;
	return $path;
}

sub check_block {
	my ($block, $kind) = @_;
	my $file = "signal-$kind-42";
	my ($text) = $block =~ /^text='([^'\n]+)'$/m;

	is(run_block($block), 0, "$kind: a plain shell runs it");
	is(files_in($signal_dir), $file, "$kind: one file, exactly so named");
	is(slurp("$signal_dir/$file"), "$text\n", "$kind: it holds the text");
	is((stat $signal_dir)[2] & 07777, 0700, "$kind: the folder is private");

	my $program = stand_in(0);
	is(run_block($block, $program), 0, "$kind: paneward is asked");
	is(slurp("$program.args"), "signal|$kind|$text|", "$kind: so");
	is(files_in($signal_dir), '', "$kind: and writes the file itself");

	is(run_block($block, stand_in(3)), 0, "$kind: paneward fails");
	is(files_in($signal_dir), $file, "$kind: the shell writes the file");
}

sub check_role {
	my ($role) = @_;
	my $path = "$agents/$role.md";
	my $got = paneward({}, 'render', '--strict', '--issue', '42', @values,
	    $path);
	my $text = $got->{out};
	my @blocks = $text =~ /^```sh\n(.*?)^```$/gms;
	my @kinds = @{ $reports{$role} };
	my @commands = $no_commands{$role} ? () : @kinds;

	is("$got->{exit}$got->{err}", '0', 'it renders, without a word');
	unlike($text, qr/<<|>>|\{\{|\}\}/, 'no placeholder is left');
	no_marker($text, 'text');
	no_marker(slurp($path), 'template');
	nothing_for_the_scanner($text);
	unlike($text, qr/COMPLETE|signal.complete/, 'it cannot say complete')
	    unless grep { $_ eq 'complete' } @kinds;
	like($text, qr/^## How to report\n(?!.*^## )/ms,
	    'how to report comes last');
	cmp_ok($text =~ tr/\n//, '<=', 120, 'it is short');
	is(scalar @blocks, scalar @commands, 'a command for each report');
	check_block($blocks[$_], $commands[$_]) for 0 .. $#commands;

	$got = paneward({}, 'render', '--issue', '42', $path);
	is("$got->{exit}$got->{err}", '0', 'it renders with what is known');
}

my @found = map { m{([^/]+)\.md$} } glob("$agents/*.md");
is_deeply([sort @found], [sort keys %reports], 'every role is tried');
for my $role (sort @found) {
	subtest $role => sub { check_role($role) };
}
done_testing();
