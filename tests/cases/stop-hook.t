#!/usr/bin/perl
# Every case of tests/vectors/stop-hook: `hook inbox` and `inbox write`.
use strict;
use warnings;
use utf8;
use Encode qw(encode_utf8);
use Fcntl qw(:flock :mode);
use File::Path qw(make_path);
use FindBin;
use IPC::Open2 qw(open2);
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

use Paneward qw(paneward program scratch slurp spew vectors);

my $json = JSON::PP->new->utf8;
my ($folder, $index) = vectors('stop-hook');
# Another YAML parser to compare with, if one is installed: it answers each path.
open2(my $parsed, my $path, q{exec python3 -c '
import sys, yaml
print("ready", flush=True)
for path in sys.stdin:
	yaml.safe_load(open(path[:-1], "rb"))
	print(path, end="", flush=True)' 2>/dev/null});
my $python = <$parsed>;

# The folder of a case.
sub place {
	my $dir = scratch() . "/$_[0]{id}";
	make_path("$dir/queue/inbox");
	return $dir;
}

sub box { return "$_[0]/queue/inbox/" . ($_[1] // 'roju_reports') . '.yaml' }

sub run {
	my ($dir, $env, $stdin, @arguments) = @_;
	return paneward({ dir => $dir, stdin => $stdin, env => {
	    __STOP_HOOK_SCRIPT_DIR => $dir, %$env } }, @arguments);
}

# The entries of an inbox; those of a list if it is named.
sub entries {
	my ($dir, $target, $list) = @_;
	my $file = box($dir, $target);
	return () unless -e $file;
	my $got = run($dir, {}, '', 'inbox', 'list', '--json', $target);
	is($got->{exit}, 0, "$target is YAML") or diag($got->{err});
	is(print($path "$file\n") && <$parsed>, "$file\n", 'others say so, too')
	    if $python;
	my @all = map { $json->decode($_) } split /\n/, $got->{out};
	return map { { %{ $_->{entry} }, unread => $_->{unread} } }
	    grep { !$list || $_->{list} eq $list } @all;
}

# A notice may arrive a little later than the answer.
sub wait_for {
	my ($dir, $count) = @_;
	my $until = time() + 5;
	sleep(0.02) while time() < $until && $count > (() = (-e box($dir) ?
	    slurp(box($dir)) : '') =~ /stophook_notification/g);
}

# ---- the hook ---------------------------------------------------------------

sub stdin_of {
	my ($case) = @_;
	return $case->{stdin_file} ? slurp("$folder/$case->{stdin_file}") :
	    encode_utf8(join '', map { $_->{text} x $_->{repeat} }
	    @{ $case->{generate} });
}

sub check_answer {
	my ($got, $decision, $unread) = @_;
	is($got->{exit}, 0, 'exit status');
	if ($decision eq 'approve') {
		is($got->{out}, '', 'no answer');
		return '';
	}
	my $answer = eval { $json->decode($got->{out}) } // {};
	is($answer->{decision}, 'block', 'decision');
	like($answer->{reason}, qr/(?<!\d)${unread}件/, 'how many');
	return $answer->{reason};
}

sub check_hook {
	my ($case) = @_;
	my ($want, $dir) = ($case->{expect}, place($case));
	my $before = $case->{inbox}{'queue/inbox/roju_reports.yaml'};

	spew("$dir/$_", slurp("$folder/$case->{inbox}{$_}"))
	    for keys %{ $case->{inbox} };
	my $got = run($dir, $case->{env}, stdin_of($case), 'hook', 'inbox');
	my $reason = check_answer($got, $want->{decision}, $want->{unread});
	ok(index($reason, $_) >= 0, "'$_' in the reason")
	    for @{ $want->{reason_contains} };
	ok(index($reason, $_) < 0, "no '$_' in the reason")
	    for @{ $want->{reason_not_contains} };
	wait_for($dir, scalar @{ $want->{notify} });
	if ($before && !@{ $want->{notify} }) {
		is(slurp(box($dir)), slurp("$folder/$before"), 'no notice');
	} else {
		is_deeply([ map { { type => $_->{type}, from => $_->{worker},
		    content => $_->{summary}, target => 'roju_reports' } }
		    entries($dir, 'roju_reports') ], $want->{notify},
		    'notices');
	}
	ok(!-e "$dir/pwned", 'nothing was run');
}

# ---- writing ----------------------------------------------------------------

sub before {
	my ($before) = @_;
	return $before unless ref $before;
	my $n = $before->{generate_notifications};
	my $real = $before->{real_reports_between} // 0;
	my $text = "reports:\n";
	for my $i (1 .. $n) {
		$text .= "  - subtask_id: stophook_notification\n" .
		    "    worker: x\n    status: notification\n    summary: " .
		    "\"$before->{prefix}$i\"\n    read: false\n";
		$text .= "  - subtask_id: real" . $i * $real / $n . "\n" .
		    "    read: true\n" if $real && $i % ($n / $real) == 0;
	}
	return $text;
}

sub check_entry {
	my ($got, $want) = @_;
	for my $key (keys %$want) {
		my $value = $want->{$key};
		$value = $value ? 'true' : 'false' if ref $value;
		is($got->{$key}, $value, $key);
	}
	ok($got->{reported_at}, 'reported_at');
}

sub check_entries {
	my ($want, $dir, $target) = @_;
	my @all = entries($dir, $target, 'reports');
	my @notices = grep { ($_->{subtask_id} // '') eq
	    'stophook_notification' } @all;
	my %ids = map { ($_->{subtask_id} // '') => 1 } @all;

	is(scalar @all, $want->{count}, 'entries') if defined $want->{count};
	check_entry($all[-1], $want->{last}) if $want->{last};
	ok($ids{$_}, "$_ is still there") for @{ $want->{keep} // [] };
	is(scalar @notices, $want->{notifications}, 'notices')
	    if defined $want->{notifications};
	is(@all - @notices, $want->{real}, 'others') if defined $want->{real};
	is($notices[0]{summary}, $want->{first}, 'the oldest')
	    if defined $want->{first};
	is($notices[-1]{summary}, $want->{last_summary}, 'the newest')
	    if defined $want->{last_summary};
	like(slurp(box($dir, $target)), qr/^$_:/m, "$_ is still there")
	    for @{ $want->{keep_top} // [] };
}

# Starts a call in the background; returns its pid.
sub begin {
	my ($dir, @arguments) = @_;
	my $pid = fork() // die;
	return $pid if $pid;
	$ENV{__STOP_HOOK_SCRIPT_DIR} = $dir;
	chdir $dir or exit 126;
	open STDERR, '>', "$dir/err";
	exec(program(), 'inbox', 'write', map { encode_utf8($_) } @arguments)
	    or exit 127;
}

sub finish {
	waitpid($_[0], 0);
	return $? >> 8 || ($? & 127 ? 'signal' : 0);
}

sub prepare {
	my ($case) = @_;
	my $dir = place($case);
	my $target = $case->{args}[0] // 'roju_reports';
	my $file = box($dir, $target);
	my $text = before($case->{before}) // return ($dir, $target, $file);

	spew($file, $text = encode_utf8($text));
	chmod(oct $case->{mode}, $file) if $case->{mode};
	return ($dir, $target, $file, $text);
}

sub check_write {
	my ($case) = @_;
	my ($dir, $target, $file, $text) = prepare($case);
	my $want = $case->{expect};
	my @pids = map {
		my $i = $_;
		begin($dir, map { s/\{i\}/$i/gr } @{ $case->{args} })
	} 1 .. $case->{processes} // 1;

	for my $exit (map { finish($_) } @pids) {
		ok($want->{exit} eq 'nonzero' ? $exit ne 0 :
		    $exit eq $want->{exit}, "exit status $exit");
	}
	ok(slurp($file) eq $text, 'untouched') if $want->{bytes_unchanged};
	ok(!-e "$dir/$want->{no_file}", 'no such file') if $want->{no_file};
	is(sprintf('%04o', S_IMODE((stat $file)[2])), $want->{mode}, 'mode')
	    if $want->{mode};
	check_entries($want, $dir, $target)
	    unless $want->{bytes_unchanged} || $want->{no_file};
	ok(!-e "$dir/pwned", 'nothing was run');
}

sub check_flow {
	my ($case) = @_;
	my $dir = place($case);
	for my $step (@{ $case->{flow} }) {
		my $got = run($dir, { __STOP_HOOK_AGENT_ID => $step->{agent} },
		    encode_utf8($step->{stdin}), 'hook', 'inbox');
		check_answer($got, $step->{decision}, $step->{unread});
		wait_for($dir, 1);
	}
}

# Takes fifteen seconds, in parallel to everything else.
sub begin_locked {
	my ($case) = @_;
	my ($dir, $target, $file, $text) = prepare($case);
	open my $lock, '>', "$file.lock" or die;
	flock($lock, LOCK_EX) or die;
	my $start = time();
	my $pid = begin($dir, @{ $case->{args} });
	return sub {
		isnt(finish($pid), 0, 'it says no');
		# It may have ended long ago, with what it says last.
		cmp_ok((stat "$dir/err")[9] - $start, '<',
		    $case->{expect}{max_seconds}, 'in time');
		ok(slurp($file) eq $text, 'untouched');
		like(slurp("$dir/err"), qr/held its lock/, 'and says why');
		close $lock;
	};
}

sub title {
	my ($case) = @_;
	return "$case->{id} $case->{category}: $case->{notes}";
}

my ($locked) = grep { $_->{hold_lock} } @{ $index->{inbox_write} };
my $end = begin_locked($locked);

for my $case (@{ $index->{cases} }) {
	subtest title($case) => sub { check_hook($case) };
}
for my $case (@{ $index->{inbox_write} }) {
	next if $case == $locked;
	subtest title($case) => sub {
		$case->{flow} ? check_flow($case) : check_write($case);
	};
}
subtest title($locked) => $end;
is(@{ $index->{cases} } + @{ $index->{inbox_write} }, 106,
    'no case is missing');
done_testing();
