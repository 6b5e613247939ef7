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

use Paneward qw(paneward slurp spew scratch);
use Recordings qw(recordings known hook_inputs replay kind_of);

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my $recordings = "$FindBin::Bin/../recordings";

sub hook {
	my ($status, $input) = @_;
	return paneward({ dir => $status, stdin => ref $input ?
	    $json->encode($input) : $input, env => { PANEWARD_ISSUE => 42,
	    PANEWARD_STATUS_DIR => $status } }, 'hook', 'record');
}

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

# A marker in the pane waits for the event that ends its turn: where there is no
# report in the end, there is none after any of the calls, either.
for my $row ([ 'what init registers', 'hooks', \&is_registered ],
    [ 'every hook', 'every-hook', sub { 1 } ]) {
	my ($title, $evidence, $wanted) = @$row;
	my $known = known($evidence);
	my %kinds = map { $_ => 0 } qw(right false missed);

	for my $recording (grep { $_->{agent} eq 'claude' } recordings()) {
		my $name = $recording->{name};
		my @calls = grep { $wanted->($_) } hook_inputs($name) or next;
		my $between = $evidence eq 'every-hook' &&
		    $recording->{expect} eq 'none' &&
		    slurp("$recordings/$name.raw") =~ /TASK/;
		my ($status, $verdict) = replay($recording);
		my ($got, $kind, @early);

		for my $n (1 .. @calls) {
			my $said = hook($status, $calls[$n - 1]);
			die "$name: $said->{err}" if
			    "$said->{exit}$said->{out}$said->{err}" ne '0';
			next if !$between && $n < @calls;
			$got = $verdict->();
			$kind = kind_of($recording, $got);
			push @early, "$got after $n" if $n < @calls &&
			    $kind ne 'right';
		}
		$kinds{$kind}++;
		is("$kind@early", $known->{$name} // 'right', "$title: $name")
		    or diag("judged $got, meant $recording->{expect}: " .
		    $recording->{why});
	}
	ok(!$kinds{false}, "$title: no report is invented");
	ok(!$kinds{missed}, "$title: no report is missed") if
	    $evidence eq 'every-hook';
	note("$title: ", join ', ', map { "$kinds{$_} $_" } sort keys %kinds);
}

# ---- every agent's dialect --------------------------------------------------

my $cases = 0;

# A status directory in which the pane has printed that.
sub place {
	my ($printed) = @_;
	my $status = scratch() . '/case-' . $cases++;

	make_path("$status/.paneward", { mode => 0700 });
	spew("$status/output-42.log", $printed // '');
	return $status;
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
	    PANEWARD_NOW => int(time) + ($later // 10) } }, 'explain', 42,
	    '--json', '--status-dir', $status, '--session',
	    $session // 'alive', '--check-errors');
	return $json->decode((split /\n/, $run->{out})[-1]);
}

my $done = '###TASK_COMPLETE_42###';
my %texts = (
	DONE => $done,
	FAILED => "###TASK_ERROR_42###\nno disk",
	FENCED => "Print this:\n\n```\n$done\n```\n",
	EXAMPLE => "Here is the text:\n\n```\n$done\nmore\n```\n\n" .
	    'That was the example, nothing is done.',
	AGAIN => " #TASK_COMPLETE_42###\nmore \n```\n\n" .
	    'That was the exampl e, nothing is done. ',
);
my %long = (
	said => 'last_assistant_message', kind => 'notification_type',
	command => 'tool_input.command', reply => 'prompt_response',
);
my %names = (
	BEGIN => 'UserPromptSubmit', SESSION => 'SessionStart',
	ASK => 'PermissionRequest', TOOL => 'PostToolUse',
	PIECE => 'MessageDisplay', FAIL => 'StopFailure',
	NOTICE => 'Notification', REPLY => 'afterAgentResponse',
	SHELL => 'afterShellExecution',
);
my %also = (
	MessageDisplay => { message_id => 'm', turn_id => 't', final => \0 },
	PermissionRequest => { tool_name => 'Bash' },
	PostToolUse => { tool_name => 'Bash',
	    tool_response => { stdout => "$done\n" } },
	afterShellExecution => { output => "$done\n" },
	stop => { loop_count => 0 },
);

sub text_of {
	my ($text) = @_;
	$text =~ s/\\n/\n/g;
	return $text =~ s/(DONE|FAILED|FENCED|EXAMPLE|AGAIN)/$texts{$1}/gr;
}

# "Stop said=Well., key=value": numbers, lists, objects, true, false and null are such
# values, all else is text.
sub event_of {
	my ($word, $rest) = split / /, $_[0], 2;
	my $name = $names{$word} // $word;
	my %event = (hook_event_name => $name, session_id => 's-1',
	    %{ $also{$name} // {} });

	for (split /, (?=[\w.]+=)/, $rest // '') {
		my ($key, $value) = split /=/, $_, 2;
		my ($outer, $inner) = split /\./,
		    $name =~ /^after/ ? $key : $long{$key} // $key;

		$value = $value =~ /^(?:\d+|true|false|null|\[?\{.*)$/ ?
		    $json->decode($value) : text_of($value);
		$event{$outer} = $inner ? { $inner => $value } : $value;
	}
	return \%event;
}

# What it is about | the verdict, its source and its message | what the pane has
# printed | the events.  Codex has those of Claude Code.  The text of Gemini's
# AfterAgent is not the message: it is the message and then, again, all its
# pieces but the first; the pane decides.
my $dialects = <<'END';
# Claude Code
a turn begins | working hook || BEGIN
it ends | waiting hook || BEGIN; Stop said=Well.
with a marker | complete hook || BEGIN; Stop said=All done.\n\nDONE\n
with an error | error hook no disk || BEGIN; Stop said=FAILED
with a word behind | waiting hook | DONE foo\n | BEGIN; Stop said=DONE foo\n
with an example | waiting hook |   DONE\n | BEGIN; Stop said=FENCED
without a word | complete log |   DONE\n | BEGIN; Stop said=null
with no text | complete log |   DONE\n | BEGIN; Stop said=42
the next one goes on | working hook |   DONE\n | BEGIN; Stop said=FENCED; BEGIN
an error, then more | complete hook || BEGIN; Stop said=FAILED; BEGIN;
	Stop said=DONE
# Gemini CLI
a turn begins | working hook || BeforeAgent
nothing is compressed | working hook || BeforeAgent; PreCompress trigger=auto
pieces behind it | waiting hook || BeforeAgent;
	AfterAgent reply=Done.\nDONE\nDONE\n
an example | waiting hook | EXAMPLE\n | BeforeAgent;
	AfterAgent reply=EXAMPLEAGAIN
a report | complete log | Done.\nDONE\n | BeforeAgent;
	AfterAgent reply=Done.\nDONE\n
no message | waiting hook || BeforeAgent; AfterAgent reply=[no response text]
the next turn | working hook || BeforeAgent; AfterAgent reply=Well.; BeforeAgent
# Cursor
a turn begins | working hook ||
	beforeSubmitPrompt session_id=null, conversation_id=c-1
a message | complete hook || REPLY text=DONE
an example | waiting hook | DONE\n | REPLY text=FENCED; stop status=completed
no message | complete log | DONE\n | beforeSubmitPrompt; stop status=completed
it was stopped | waiting hook | DONE\n | REPLY text=FENCED; stop status=aborted
a shell | complete hook || SHELL command=echo 'DONE'
a file that is read | working hook || SHELL command=cat notes
# what it waits for
permission | asking hook Bash: rm -rf build || BEGIN; ASK command=rm -rf build
a reminder | asking hook Bash: make || BEGIN; ASK command=make;
	NOTICE kind=permission_prompt, message=Claude needs permission
Gemini asks | asking hook May I? || BeforeAgent;
	NOTICE kind=ToolPermission, message=May I?
a file | asking hook Write: /a/b || BEGIN;
	ASK tool_name=Write, tool_input={"file_path":"/a/b"}
a tool that asks | asking hook Which way? || BEGIN;
	ASK tool_name=AskUserQuestion,
	tool_input.questions=[{"question":"Which way?"}]
a plan | asking hook || BEGIN; ASK tool_name=ExitPlanMode, tool_input={}
Gemini tells more | asking hook exec: make || BeforeAgent;
	NOTICE kind=ToolPermission, message=Tool requires execution,
	details={"type":"exec","command":"make"}
a question | asking hook Which one? || BEGIN;
	NOTICE kind=elicitation_dialog, message=Which one?
Elicitation | asking hook Which one? || BEGIN; Elicitation message=Which one?
a teammate | waiting hook || BEGIN; TeammateIdle
an answer | working hook || BEGIN; ASK; TOOL
the prompt | waiting hook || BEGIN; NOTICE kind=idle_prompt, message=Hello?
other notices | working hook || BEGIN; NOTICE kind=auth_success, message=Welcome
no kind | working hook || BEGIN; NOTICE kind=null, message=null
# how turns fail
a limit | limited hook || BEGIN; FAIL error=rate_limit, said=API Error: 429
a limit with an end | limited hook || BEGIN;
	FAIL error=rate_limit, said=limit reached|1893456000
money | asking hook Credit balance too low || BEGIN;
	FAIL error=billing_error, said=Credit balance too low
the server | asking hook API Error: 529 || BEGIN;
	FAIL error=server_error, said=API Error: 529
a marker before | complete log | DONE\n | BEGIN;
	FAIL error=server_error, said=API Error: 529
the next turn | working hook || BEGIN; FAIL error=rate_limit, said=Error 429;
	BEGIN
# what is drawn again, for example after a resize
an error | asking | DONE\nDONE\n | BEGIN; Stop said=FENCED; BEGIN;
	FAIL error=server_error, said=Error 400
OpenCode and Esc | waiting | DONE\nDONE\n | BEGIN; Stop said=FENCED; BEGIN; Stop
Codex and its silence | working | DONE\nDONE\n | BEGIN; Stop said=FENCED; BEGIN
the end of the session | none | DONE\nDONE\n | BEGIN; Stop said=FENCED; BEGIN;
	SessionEnd
# whose markers count
a helper | working hook || BEGIN; SubagentStop said=DONE
its shell | working hook || BEGIN; TOOL command=echo 'DONE', agent_id=a-1
an echo | complete hook || BEGIN; TOOL command=make && echo 'DONE'
a file | working hook | DONE\n | BEGIN; TOOL command=cat README
a search | working hook || BEGIN; TOOL command=grep -n 'DONE' README
a file, and no word | waiting hook | DONE\n | BEGIN; TOOL command=cat README;
	Stop said=I read it.
an agent that is a tool | working hook || BEGIN; SESSION session_id=s-2;
	Stop session_id=s-2, said=DONE
the next session | complete hook || BEGIN; SessionEnd reason=clear;
	SESSION session_id=s-2, source=clear; Stop session_id=s-2, said=DONE
in the background | working hook || BEGIN;
	Stop said=It runs., background_tasks=[{"id":"b1"}]
with a helper | working hook || BEGIN; Stop said=Well.,
	background_tasks=[{"type":"shell"},{"type":"subagent"}]
with commands alone | waiting hook Well. || BEGIN; Stop said=Well.,
	background_tasks=[{"type":"shell"},{"type":"shell"}]
compacted by hand | waiting hook || BEGIN; Stop said=Well.;
	PreCompact trigger=manual; SESSION source=compact
compacted in a turn | working hook || BEGIN; PreCompact trigger=auto;
	SESSION source=compact
of another issue | waiting hook || Stop said=###TASK_COMPLETE_420###
# pieces of a message
a marker | complete hook || PIECE index=0, delta=Well.\n;
	PIECE index=1, delta=DONE\n, final=true
a fence before | working hook || PIECE index=0, delta=So:\n```\n;
	PIECE index=1, delta=DONE\n```\n, final=true
one behind | complete hook || PIECE index=0, delta=So:\n```\n;
	PIECE index=1, delta=DONE\n```\n;
	PIECE index=2, delta=DONE\n, final=true
out of order | working hook || PIECE index=1, delta=DONE\n```\n, final=true;
	PIECE index=0, delta=So:\n```\n
of another message | complete hook || PIECE index=0, delta=So:\n```\n;
	PIECE index=0, delta=DONE\n, final=true, message_id=n
late | waiting hook || BEGIN; Stop said=FENCED;
	PIECE index=0, delta=Print this:\n
END

my ($about, %place) = ('');
for (split /\n/, $dialects =~ s/\n\t/ /gr) {
	if (/^# (.*)/) {
		$about = $1;
		next;
	}
	my ($name, $verdict, $printed, $events) = split / ?\| ?/, $_, 4;
	my $status = $place{$name} = place(text_of($printed));
	my @want = split / /, $verdict, 3;
	my $said = '';

	for (split /; +/, $events) {
		my $got = hook($status, event_of($_));
		$said .= $got->{exit} . $got->{out} . $got->{err};
	}
	my $got = explained($status);
	my @got = map { $_ // '' } @$got{qw(verdict source message)};

	like($said, qr/^0+$/, "$about: $name: no hook says anything");
	is("@got[0 .. $#want]", "@want", "$about: $name: $verdict") or
	    diag($json->encode($got));
	next if $about !~ /drawn again/;
	isnt(explained($status, 'alive', 100)->{verdict}, 'complete',
	    "$about: $name: silence changes nothing");
	is(explained($status, 'dead')->{verdict}, 'gone',
	    "$about: $name: nor does the end of the client");
}
like(explained($place{'a limit with an end'})->{why},
    qr/until 2030-01-01T00:00:00/, 'when a limit ends is told');
like(explained($place{'with commands alone'})->{why},
    qr/a command of it still runs/, 'so is what runs behind a prompt');

# Codex has the events of Claude Code, and a dialect of its own.
my $config = scratch() . '/config';
make_path("$config/paneward/backends");
spew("$config/paneward/backends/claude.json",
    slurp("$FindBin::Bin/../../backends/codex.json"));
for (", agent_id=a-1", '') {
	my $status = place();

	hook($status, event_of("TOOL command=echo 'DONE'$_"), undef,
	    XDG_CONFIG_HOME => $config);
	is((records($status))[0]{complete} // 0, $_ ? 0 : 1,
	    "Codex: its shell reports, a helper's does not$_");
}

# ---- what is kept -----------------------------------------------------------

my $kept = place();
hook($kept, event_of(
    'beforeSubmitPrompt session_id=null, conversation_id=c-1'));
is((records($kept))[0]{session}, 'c-1', 'a conversation is a session');

subtest 'a record' => sub {
	my $status = place();
	my $file = "$status/.paneward/42.records";
	my $long = "\x{fc}\x{1f600}" x 300;

	hook($status, { hook_event_name => 'Stop', session_id => 's' x 500,
	    cwd => 'x' x 9000,
	    last_assistant_message => "\e[31m$long\n$done\n" });
	my @records = records($status);
	is(scalar @records, 1, 'is a line');
	cmp_ok(-s $file, '<=', 4096, 'of 4 KiB');
	is($records[0]{text}, substr($long, 0, 200), 'with 200 characters');
	is($records[0]{complete}, 1, 'and what was found behind those');
	unlike(slurp($file), qr/$done/, 'the message itself is not kept');

	hook($status, { hook_event_name => 'SessionEnd', session_id => 's',
	    reason => "\x{e4}" x 21 });
	is((records($status))[1]{kind}, "\x{e4}" x 19,
	    'whose words are cut between characters');
};

# A NUL, halves of a pair of surrogates, and a marker behind them.
subtest 'a text that Node writes' => sub {
	my $status = place();
	my $got = hook($status, '{"hook_event_name":"Stop","session_id":'
	    . '"s\ud83d","last_assistant_message":"a\u0000b\ud83d, \ude00, '
	    . qq(\\ud83d\\u0041\\ud83d\\ud83d\\ude00\\n$done\\n"}));
	my ($record) = records($status);

	is("$got->{exit}$got->{out}$got->{err}", '0', 'is taken');
	is(explained($status)->{verdict}, 'complete', 'with its marker');
	is($record->{text}, "a\x{fffd}b\x{fffd}, \x{fffd}, \x{fffd}A\x{fffd}"
	    . "\x{1f600} $done", 'and the text before that');
	is($record->{session}, "s\x{fffd}", 'of that session');
};

# Numbers and null where text should be; tests/system/hook-input.sh has what is
# no JSON.
for my $wrong (undef, 42, {}, [], JSON::PP::true) {
	for my $name (qw(Stop StopFailure Notification PostToolUse
	    PermissionRequest MessageDisplay SessionStart stop
	    afterShellExecution TeammateIdle)) {
		my $got = hook(place(), { hook_event_name => $name,
		    map { $_ => $wrong } qw(session_id last_assistant_message
		    error message tool_name tool_input tool_response delta index
		    message_id source status command output agent_id
		    notification_type background_tasks) });
		is("$got->{exit}$got->{out}$got->{err}", '0',
		    "$name with " . $json->encode($wrong) . ' says nothing');
	}
}

done_testing();
