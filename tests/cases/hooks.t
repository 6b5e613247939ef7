#!/usr/bin/perl
# hooks.t - agents' own hooks: the recordings of Claude Code, judged with the
# hook calls that were recorded beside them, and each agent's dialect.
#
# Some events with a marker in them are so frequent that init does not register
# them; so all recordings are judged twice, with what init registers and with
# everything.  tests/recordings/scoreboard.txt lists those that are judged
# wrong; corpus.t judges them without hooks, and with transcripts.
use strict;
use warnings;
use utf8;
use File::Path qw(make_path);
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

use Paneward qw(paneward program slurp spew scratch);
use Recordings qw(recordings known hook_calls judged kind_of);

my $json = JSON::PP->new->utf8->canonical;
my $recordings = "$FindBin::Bin/../recordings";

binmode $_, ':utf8' for Test::More->builder->output,
    Test::More->builder->failure_output;
delete @ENV{qw(TMUX TMUX_PANE CLAUDE_PROJECT_DIR)};

# ---- the recordings ---------------------------------------------------------

# What init registers: the matcher of each event, empty for all.
my $backend = slurp("$FindBin::Bin/../../backends/claude.json");
$backend =~ s{^\s*//.*$}{}mg;
my %registered = %{ $json->decode($backend)->{hooks}{register}{record} };

sub is_registered {
	my ($in) = @_;
	my $matcher = $registered{ $in->{hook_event_name} } // return 0;
	return $matcher eq '' || ($in->{tool_name} // '') =~ /^(?:$matcher)$/;
}

my @claude = grep { $_->{agent} eq 'claude' &&
    -e "$recordings/hooks/$_->{name}.jsonl" } recordings();
my @rows = (
	[ 'what init registers', 'hooks', \&is_registered ],
	[ 'every hook', 'every-hook', sub { 1 } ],
);

for my $row (@rows) {
	my ($title, $evidence, $hooks) = @$row;
	my $known = known($evidence);

	subtest $title => sub {
		for my $recording (@claude) {
			my $name = $recording->{name};
			my $got = judged($recording, hooks => $hooks);
			my $kind = kind_of($recording, $got);

			push @{ $row->[3]{$kind} }, $name;
			is($kind, $known->{$name} // 'right', $name) or
			    diag("judged $got, meant $recording->{expect}: " .
			    $recording->{why});
		}
	};
}
is_deeply([ $rows[$_][3]{false} // [] ], [ [] ],
    "$rows[$_][0]: no report is invented") for 0, 1;
is_deeply([ $rows[1][3]{missed} // [] ], [ [] ],
    'every hook: no report is missed');

# A marker in the pane waits for the event that ends its turn.
subtest 'nor is one while a turn goes on' => sub {
	for my $recording (grep { $_->{expect} eq 'none' } @claude) {
		my ($name, @reports) = $recording->{name};

		next unless slurp("$recordings/$name.raw") =~ /TASK/;
		for my $n (1 .. hook_calls($name) - 1) {
			my $left = $n;
			my $got = judged($recording,
			    hooks => sub { $left-- > 0 });
			push @reports, "$got after $n" if kind_of($recording,
			    $got) ne 'right';
		}
		is("@reports", '', $name);
	}
};

note(sprintf('%-20s %6s %6s %6s', 'Claude Code', qw(right false missed)));
note(sprintf('%-20s %6d %6d %6d', $_->[0], map { scalar @{ $_ // [] } }
    @{ $_->[3] }{qw(right false missed)})) for @rows;

# ---- every agent's dialect --------------------------------------------------

my $cases = 0;

# A status directory in which the pane has printed that.
sub place {
	my ($printed) = @_;
	my $status = scratch() . '/case-' . $cases++;

	mkdir $_, 0700 or die "$_: $!\n" for $status, "$status/.paneward";
	spew("$status/output-42.log", $printed // '');
	return $status;
}

sub hook {
	my ($status, $input, @options) = @_;
	$input = $json->encode($input) if ref $input;
	return paneward({ dir => $status, stdin => $input, env => {
	    PANEWARD_ISSUE => 42, PANEWARD_STATUS_DIR => $status } },
	    'hook', 'record', @options);
}

sub records {
	my ($status) = @_;
	my $path = "$status/.paneward/42.records";
	return -e $path ? map { $json->decode($_) } split /\n/, slurp($path) :
	    ();
}

# The last line of explain, a while later.
sub explained {
	my ($status, $session, $later) = @_;
	my $run = paneward({ dir => $status, env => {
	    PANEWARD_NOW => int(time) + ($later // 10) } }, 'explain', 42, '--json',
	    '--status-dir', $status, '--session', $session // 'alive',
	    '--check-errors');
	return $json->decode((split /\n/, $run->{out})[-1]);
}

# An agent's events, and the verdict.
sub tells {
	my ($what, $want, $status, @inputs) = @_;
	my ($state, $source, $message) = split / /, $want, 3;

	for my $input (@inputs) {
		my $got = hook($status, { session_id => 's-1', %$input });
		is("$got->{exit}$got->{out}$got->{err}", '0',
		    "$what: $input->{hook_event_name} says nothing");
	}
	my $got = explained($status);
	is($got->{verdict}, $state, "$what: $state") or
	    diag($json->encode($got));
	is($got->{source} // '', $source // '', "... by the $source")
	    if $source;
	is($got->{message}, $message, '... with a message')
	    if defined $message;
}

my $done = '###TASK_COMPLETE_42###';
my $failed = "###TASK_ERROR_42###\nno disk";
my $fenced = "Print this:\n\n```\n$done\n```\n";

sub event {
	my ($name, %more) = @_;
	return { hook_event_name => $name, %more };
}

# agent, event that begins a turn, event that ends it, where the message is
for my $dialect (
	[ 'Claude Code', 'UserPromptSubmit', 'Stop', 'last_assistant_message' ],
	[ 'Codex', 'UserPromptSubmit', 'Stop', 'last_assistant_message' ],
) {
	my ($agent, $begins, $ends, $words) = @$dialect;

	subtest $agent => sub {
		my $turn = sub { event($begins), event($ends, $words => $_[0]) };

		tells('a turn begins', 'working hook', place(),
		    event($begins));
		tells('it ends', 'waiting hook', place(), $turn->('Well.'));
		tells('with a marker', 'complete hook', place(),
		    $turn->("All done.\n\n$done\n"));
		tells('with an error', 'error hook no disk', place(),
		    $turn->($failed));
		tells('with a word behind', 'waiting hook',
		    place("$done foo\n"), $turn->("$done foo\n"));
		tells('with an example', 'waiting hook', place("  $done\n"),
		    $turn->($fenced));
		tells('without a word', 'complete log', place("  $done\n"),
		    event($begins), event($ends, $words => undef));
		tells('with no text', 'complete log', place("  $done\n"),
		    event($begins), event($ends, $words => 42));
		tells('the next one goes on', 'working hook',
		    place("  $done\n"), $turn->($fenced), event($begins));
		tells('an error, then more', 'complete hook', place(),
		    $turn->($failed), $turn->($done));
	};
}

# The text of AfterAgent is not the message: it is the message and then, again,
# all its pieces but the first.  The pane decides.
subtest 'Gemini CLI' => sub {
	my $example = "Here is the text:\n\n```\n$done\nmore\n```\n\n" .
	    'That was the example, nothing is done.';
	my $mangled = "$example #TASK_COMPLETE_42###\nmore \n```\n\n" .
	    'That was the exampl e, nothing is done. ';
	my $turn = sub { event('BeforeAgent'),
	    event('AfterAgent', prompt_response => $_[0]) };

	tells('a turn begins', 'working hook', place(),
	    event('BeforeAgent'));
	tells('nothing is compressed', 'working hook', place(),
	    event('BeforeAgent'), event('PreCompress', trigger => 'auto'));
	tells('pieces behind it', 'waiting hook', place(),
	    $turn->("Done.\n$done\n$done\n"));
	tells('an example', 'waiting hook', place("$example\n"),
	    $turn->($mangled));
	tells('a report', 'complete log', place("Done.\n$done\n"),
	    $turn->("Done.\n$done\n"));
	tells('no message', 'waiting hook', place(),
	    $turn->('[no response text]'));
	tells('the next turn', 'working hook', place(), $turn->('Well.'),
	    event('BeforeAgent'));
};

subtest 'Cursor' => sub {
	my @turn = (event('beforeSubmitPrompt', session_id => undef,
	    conversation_id => 'c-1'));
	my $says = sub { event('afterAgentResponse', text => $_[0]) };
	my $stop = sub { event('stop', status => $_[0], loop_count => 0) };

	tells('a turn begins', 'working hook', place(), @turn);
	tells('a message', 'complete hook', place(), $says->($done));
	tells('an example', 'waiting hook', place("$done\n"),
	    $says->($fenced), $stop->('completed'));
	tells('no message', 'complete log', place("$done\n"),
	    event('beforeSubmitPrompt'), $stop->('completed'));
	tells('it was stopped', 'waiting hook', place("$done\n"),
	    $says->($fenced), $stop->('aborted'));
	tells('a shell', 'complete hook', place(), event(
	    'afterShellExecution', command => "echo '$done'",
	    output => "$done\n"));
	tells('a file that is read', 'working hook', place(), event(
	    'afterShellExecution', command => 'cat notes',
	    output => "$done\n"));
	my $status = place();
	hook($status, $turn[0]);
	is((records($status))[0]{session}, 'c-1', 'a conversation is a session');
};

subtest 'what it waits for' => sub {
	my $notice = sub { event('Notification', notification_type => $_[0],
	    message => $_[1]) };

	tells('permission', 'asking hook Bash: rm -rf build', place(),
	    event('UserPromptSubmit'), event('PermissionRequest',
	    tool_name => 'Bash', tool_input => { command => 'rm -rf build' }));
	tells('a reminder', 'asking hook Bash: make', place(),
	    event('UserPromptSubmit'), event('PermissionRequest',
	    tool_name => 'Bash', tool_input => { command => 'make' }),
	    $notice->('permission_prompt', 'Claude needs your permission'));
	tells('Gemini asks', 'asking hook May I?', place(),
	    event('BeforeAgent'), $notice->('ToolPermission', 'May I?'));
	tells('a question', 'asking hook Which one?', place(),
	    event('UserPromptSubmit'),
	    $notice->('elicitation_dialog', 'Which one?'));
	tells('Elicitation', 'asking hook Which one?', place(),
	    event('UserPromptSubmit'), event('Elicitation',
	    message => 'Which one?'));
	tells('a teammate', 'waiting hook', place(),
	    event('UserPromptSubmit'), event('TeammateIdle'));
	tells('an answer', 'working hook', place(),
	    event('UserPromptSubmit'), event('PermissionRequest',
	    tool_name => 'Bash'), event('PostToolUse', tool_name => 'Bash'));
	tells('the prompt', 'waiting hook', place(),
	    event('UserPromptSubmit'), $notice->('idle_prompt', 'Hello?'));
	tells('other notices', 'working hook', place(),
	    event('UserPromptSubmit'), $notice->('auth_success', 'Welcome'));
	tells('no kind', 'working hook', place(),
	    event('UserPromptSubmit'), $notice->(undef, undef));
};

subtest 'how turns fail' => sub {
	my $fails = sub { event('UserPromptSubmit'), event('StopFailure',
	    error => $_[0], last_assistant_message => $_[1]) };

	tells('a limit', 'limited hook', place(),
	    $fails->('rate_limit', 'API Error: 429'));
	my $status = place();
	tells('until', 'limited hook', $status, $fails->('rate_limit',
	    'limit reached|1893456000'));
	like(explained($status)->{why}, qr/until 2030-01-01T00:00:00/,
	    'when it ends is told');
	tells('money', 'asking hook Credit balance too low', place(),
	    $fails->('billing_error', 'Credit balance too low'));
	tells('the server', 'asking hook API Error: 529', place(),
	    $fails->('server_error', 'API Error: 529'));
	tells('a marker before', 'complete log', place("$done\n"),
	    $fails->('server_error', 'API Error: 529'));
	tells('the next turn', 'working hook', place(),
	    $fails->('rate_limit', '429'), event('UserPromptSubmit'));
};

# Clients draw old text again, for example after a resize.
subtest 'what is drawn again' => sub {
	my @example = (event('UserPromptSubmit'),
	    event('Stop', last_assistant_message => $fenced));
	my %ends = (
		'an error' => [ event('StopFailure',
		    error => 'server_error', last_assistant_message => '400') ],
		'OpenCode and Esc' => [ event('Stop') ],
		'Codex and its silence' => [],
		'the end of the session' => [ event('SessionEnd') ],
	);

	for my $what (sort keys %ends) {
		my $status = place("$done\n" x 2);

		tells($what, $what =~ /error/ ? 'asking' :
		    $what =~ /Esc/ ? 'waiting' : $what =~ /session/ ? 'none' :
		    'working', $status,
		    @example, event('UserPromptSubmit'), @{ $ends{$what} });
		isnt(explained($status, 'alive', 100)->{verdict}, 'complete',
		    'silence changes nothing');
		is(explained($status, 'dead')->{verdict}, 'gone',
		    'nor does the end of the client');
	}
};

subtest 'whose markers count' => sub {
	my $shell = sub { event('PostToolUse', tool_name => 'Bash',
	    tool_input => { command => $_[0] },
	    tool_response => { stdout => "$done\n" }) };

	tells('a helper', 'working hook', place(), event('UserPromptSubmit'),
	    event('SubagentStop', last_assistant_message => $done));
	tells('its shell', 'working hook', place(), event('UserPromptSubmit'),
	    { %{ $shell->("echo '$done'") }, agent_id => 'a-1' });
	tells('an echo', 'complete hook', place(), event('UserPromptSubmit'),
	    $shell->("make && echo '$done'"));
	tells('a file', 'working hook', place("$done\n"),
	    event('UserPromptSubmit'), $shell->('cat README'));
	tells('a search', 'working hook', place(), event('UserPromptSubmit'),
	    $shell->("grep -n '$done' README"));
	tells('a file, and no word', 'waiting hook', place("$done\n"),
	    event('UserPromptSubmit'), $shell->('cat README'),
	    event('Stop', last_assistant_message => 'I read it.'));
	tells('an agent that is a tool', 'working hook', place(),
	    event('UserPromptSubmit'), event('SessionStart',
	    session_id => 's-2'), event('Stop', session_id => 's-2',
	    last_assistant_message => $done));
	tells('the next session', 'complete hook', place(),
	    event('UserPromptSubmit'), event('SessionEnd', reason => 'clear'),
	    event('SessionStart', session_id => 's-2', source => 'clear'),
	    event('Stop', session_id => 's-2',
	    last_assistant_message => $done));
	tells('in the background', 'working hook', place(),
	    event('UserPromptSubmit'), event('Stop', last_assistant_message =>
	    'It runs.', background_tasks => [ { id => 'b1' } ]));
	tells('compacted by hand', 'waiting hook', place(),
	    event('UserPromptSubmit'), event('Stop', last_assistant_message =>
	    'Well.'), event('PreCompact', trigger => 'manual'),
	    event('SessionStart', source => 'compact'));
	tells('compacted in a turn', 'working hook', place(),
	    event('UserPromptSubmit'), event('PreCompact', trigger => 'auto'),
	    event('SessionStart', source => 'compact'));
	tells('of another issue', 'waiting hook', place(),
	    event('Stop', last_assistant_message =>
	    '###TASK_COMPLETE_420###'));
};

subtest 'pieces of a message' => sub {
	my $piece = sub { event('MessageDisplay', message_id => 'm', turn_id =>
	    't', index => $_[0], final => $_[2] ? \1 : \0, delta => $_[1]) };

	tells('a marker', 'complete hook', place(),
	    $piece->(0, "Well.\n"), $piece->(1, "$done\n", 1));
	tells('a fence before', 'working hook', place(),
	    $piece->(0, "So:\n```\n"), $piece->(1, "$done\n```\n", 1));
	tells('one behind', 'complete hook', place(),
	    $piece->(0, "So:\n```\n"), $piece->(1, "$done\n```\n"),
	    $piece->(2, "$done\n", 1));
	tells('out of order', 'working hook', place(),
	    $piece->(1, "$done\n```\n", 1), $piece->(0, "So:\n```\n"));
	tells('of another message', 'complete hook', place(),
	    $piece->(0, "So:\n```\n"),
	    { %{ $piece->(0, "$done\n", 1) }, message_id => 'n' });
	tells('late', 'waiting hook', place(), event('UserPromptSubmit'),
	    event('Stop', last_assistant_message => $fenced),
	    $piece->(0, "Print this:\n"));
};

# ---- what is kept -----------------------------------------------------------

subtest 'a record' => sub {
	my $status = place();
	my $long = "\x{fc}\x{1f600}" x 300;

	hook($status, event('Stop', session_id => 's' x 500, cwd => 'x' x 9000,
	    last_assistant_message => "\e[31m$long\n$done\n"));
	my @records = records($status);
	is(scalar @records, 1, 'is a line');
	cmp_ok(-s "$status/.paneward/42.records", '<=', 4096, 'of 4 KiB');
	is($records[0]{text}, substr($long, 0, 200), 'with 200 characters');
	is($records[0]{complete}, 1, 'and what was found behind those');
	is((stat "$status/.paneward/42.records")[2] & 07777, 0600,
	    'for nobody else');
	unlike(slurp("$status/.paneward/42.records"), qr/$done/,
	    'the message itself is not kept');

	$status = place();
	hook($status, event('PostToolUse', tool_name => 'Bash')) for 1 .. 20;
	is(scalar(() = records($status)), 1, 'many tools are one record');
};

# ---- texts that Node writes -------------------------------------------------

# A NUL, halves of a pair of surrogates, and a marker behind them.
my $odd = 'a\u0000b\ud83d, \ude00, \ud83d\u0041\ud83d\ud83d\ude00\n';

# Of each hook, what an agent's last message of these bytes comes to.
sub stopped {
	my ($hook, $status, $message, %env) = @_;
	return paneward({ dir => $status, stdin => '{"hook_event_name":"Stop",'
	    . '"session_id":"s\ud83d","stop_hook_active":false,'
	    . qq("last_assistant_message":"$message"}), env => {
	    PANEWARD_ISSUE => 42, PANEWARD_STATUS_DIR => $status, %env } },
	    'hook', $hook);
}

subtest 'NUL and halves of surrogate pairs' => sub {
	my $status = place();
	my $got = stopped('record', $status, "$odd$done\\n");

	is("$got->{exit}$got->{out}$got->{err}", '0', 'record takes them');
	is(explained($status)->{verdict}, 'complete', '... and sees the marker');
	is((records($status))[0]{text}, "a\x{fffd}b\x{fffd}, \x{fffd}, "
	    . "\x{fffd}A\x{fffd}\x{1f600} $done",
	    '... behind the rest of the text');
	is((records($status))[0]{session}, "s\x{fffd}", '... of that session');

	mkdir "$status/.claude";
	spew("$status/.claude/th-loop.local.md", "---\nstatus: active\n"
	    . "iteration: 1\nmax: 9\nstarted: 1\nprompt: \"on\"\n---\n");
	$got = stopped('loop', $status, $odd);
	is($got->{err}, '', 'loop takes them');
	is(eval { $json->decode($got->{out})->{reason} }, 'on',
	    '... and goes on');

	make_path("$status/queue/inbox");
	$got = stopped('inbox', $status, "${odd}task completed",
	    __STOP_HOOK_AGENT_ID => 'ashigaru1',
	    __STOP_HOOK_SCRIPT_DIR => $status);
	is("$got->{exit}$got->{out}$got->{err}", '0', 'inbox takes them');
	my $until = time + 5;
	my $notices = "$status/queue/inbox/roju_reports.yaml";
	sleep(0.02) while !-e $notices && time < $until;
	like(eval { slurp($notices) } // '', qr/"report_completed"/,
	    '... and gives notice');
};

# ---- input that is none -----------------------------------------------------

# Nothing is printed, one line has the reason, and the agent goes on.
sub harmless {
	my ($what, $input, $why) = @_;
	my $status = place();
	my $got = hook($status, $input);

	is($got->{exit}, 0, "$what: status 0");
	is($got->{out}, '', '... and no answer');
	like($got->{err}, $why ? qr/\Apaneward: hook record: [^\n]*$why[^\n]*\n\z/
	    : qr/\A\z/, '... a line at most');
	is(scalar(() = records($status)), 0, '... nothing is recorded');
}

subtest 'input that is none' => sub {
	my $stop = '"hook_event_name":"Stop"';
	my $message = '"last_assistant_message"';

	harmless('nothing', '', 'no JSON');
	harmless('words', 'hello', 'no JSON');
	harmless('a list', '[1]', 'no JSON object');
	harmless('half', "{$stop,", 'no JSON');
	harmless('a key twice', "{$stop,$stop}", 'no JSON');
	harmless('NUL', "{$stop,$message:\"a\0b\"}", 'no JSON');
	harmless('no UTF-8', "{$stop,$message:\"\xff\xfe\"}", 'no JSON');
	harmless('deep', "{$stop,\"x\":" . '[' x 10000 . ']' x 10000 . '}',
	    'no JSON');
	harmless('too much', "{$stop,$message:\"" . 'x' x (100 << 20) . '"}',
	    'bytes');
	harmless('no event', '{}');
	harmless('null', '{"hook_event_name":null}');
	harmless('a number', '{"hook_event_name":42}');
	harmless('an unknown one', '{"hook_event_name":"Nonsense"}');
};

subtest 'numbers and null where text should be' => sub {
	for my $wrong (undef, 42, {}, [], JSON::PP::true) {
		for my $name (qw(Stop StopFailure Notification PostToolUse
		    PermissionRequest MessageDisplay SessionStart stop
		    afterShellExecution TeammateIdle)) {
			my $got = hook(place(), event($name, map { $_ => $wrong }
			    qw(session_id last_assistant_message error message
			    tool_name tool_input tool_response delta index
			    message_id source status command output agent_id
			    notification_type background_tasks)));
			is("$got->{exit}$got->{out}$got->{err}", '0', $name);
		}
	}
};

subtest 'input that does not end' => sub {
	my $status = place();
	pipe(my $out, my $in) or die "pipe: $!\n";
	my $pid = fork() // die "fork: $!\n";

	if ($pid == 0) {
		open(STDIN, '<&', $out);
		open(STDOUT, '>', scratch() . '/endless.out');
		open(STDERR, '>', scratch() . '/endless.err');
		close($in);
		@ENV{qw(PANEWARD_ISSUE PANEWARD_STATUS_DIR)} = (42, $status);
		exec(program(), 'hook', 'record') or exit(127);
	}
	syswrite($in, '{"hook_event_name":"Stop"');
	alarm(60);                      # ends this test
	waitpid($pid, 0);
	alarm(0);
	is($?, 0, 'status 0');
	is(slurp(scratch() . '/endless.out'), '', 'no answer');
	like(slurp(scratch() . '/endless.err'), qr/\A[^\n]*does not end\n\z/,
	    'and why');
};

done_testing();
