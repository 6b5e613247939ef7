#!/usr/bin/perl
# states.t - the states of real agents, judged from their panes by explain: the
# log up to a moment, the title, the screen and the program in front.
# tests/corpus/states.txt has the word for each moment.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Encode qw(encode_utf8);
use JSON::PP;
use Test::More;
use Paneward qw(paneward slurp spew scratch);

my $recordings = "$FindBin::Bin/../recordings";
my $corpus = "$FindBin::Bin/../corpus";
my $status = scratch() . '/status';
mkdir $status, 0700;

# The verdict and its reason, with what is asked, as a row has it.  The issue is
# none of the recordings', so that a report in the log does not count.
sub judged {
	my ($log, $capture, $title, @more) = @_;

	spew("$status/output-7.log", $log);
	my $run = paneward({ dir => $status }, 'explain', 7, '--json',
	    '--status-dir', $status, '--session', 'alive', '--capture',
	    $capture, defined $title ? ('--title', encode_utf8($title)) : (),
	    @more);
	my @lines = split /\n/, $run->{out};
	my $got = @lines ? decode_json($lines[-1]) :
	    { verdict => "exit $run->{exit}", why => $run->{err} };
	my $why = $got->{why} // '';

	$why .= ": $got->{message}"
	    if $got->{verdict} eq 'asking' && $got->{message};
	return ($got->{verdict}, $why);
}

my %moments;
for my $recording (@{ decode_json(
    slurp("$recordings/index.json"))->{recordings} }) {
	$moments{"$recording->{name} $_->{label}"} = { %$recording, %$_ }
	    for @{ $recording->{states} };
}
for (grep { /^\w/ } split /\n/, slurp("$corpus/states.txt")) {
	my ($name, $label, $want) = split;
	my $moment = $moments{"$name $label"};
	# Captured at that moment, or printed again.
	my ($screen) = grep { -e } "$corpus/screens/$name.$label.txt",
	    "$recordings/$name.$label.capture.txt",
	    "$recordings/$name.capture-joined.txt";
	# Of a trimmed recording only the screen is left.
	my $log = $moment->{trimmed} ? '' : substr(
	    slurp("$recordings/$name.raw"), 0, $moment->{raw_offset});

	# The log and the title may be missing.
	for ([ $log, $moment->{title}, 'log and title' ],
	    [ '', $moment->{title}, 'title' ], [ '', undef, 'nothing else' ]) {
		my ($printed, $title, $with) = @$_;
		my ($got, $why) = judged($printed, $screen, $title,
		    '--backend', $moment->{agent},
		    '--command', $moment->{command});

		is($got, $want, "$name $label: $want, by the screen and $with")
		    or diag($why);
	}
}

# Screens of newer clients: the backend, a title, the last lines of the screen,
# the state.
my $rule = '─' x 40;
my $box = "$rule\n❯ \n$rule\n  ⏸ manual mode on";
my $codex = "\n› Ask Codex to do anything\n\n  gpt-5 default · /tmp/demo\n";
my @screens = (
	[ claude => '✳ Claude Code', "✻ Channeling… (2s · ↓ 4 tokens)\n\n" .
	    "$box · esc to interrupt", 'working', 'busy' ],
	[ claude => '✳ Claude Code', "· Quantumizing…\n  ⎿  Tip: Use /memory\n" .
	    "\n$box · esc to", 'working', 'busy' ],
	[ claude => '✳ Claude Code', "✻ 429 a scripted error · retrying in 3s · " .
	    "attempt 6/10\n\n$box · esc to", 'limited',
	    'a usage limit holds it' ],
	[ claude => '✳ Claude Code', "● It is done.\n\n✻ Crunched for 0s · done " .
	    "2:43 AM\n\n$box", 'waiting', 'at its prompt' ],
	[ claude => '✳ Claude Code', "❯ again\n  ⎿  Credit balance too low · Add " .
	    "funds: https://x\n\n$rule\n❯ Once fixed, resend your message\n$rule",
	    'asking', 'its turn failed: Credit balance too low · Add funds: ' .
	    'https://x' ],
	[ claude => '', "● API Error: Request rejected (429) · You have hit your " .
	    "limit, resets at 2038-01-19T03:14:07Z\n\n$box", 'limited',
	    'a usage limit holds it until 2038-01-19T03:14:07.000Z' ],
	[ claude => '', "✻ Waiting for API response · will retry in 3m 0s\n\n" .
	    $box, 'working', 'busy' ],
	[ pi => '', ' Error: Retry failed after 3 attempts: 429 {"message":"You ' .
	    "have hit your limit, resets at 2038-01-19T03:14:07Z\"}\n\n$rule\n" .
	    "\n$rule", 'limited',
	    'a usage limit holds it until 2038-01-19T03:14:07.000Z' ],
	[ claude => '⠐ demo', "❯ one\n  ⎿  You've hit your limit · resets 3pm\n\n" .
	    "❯ Go on.\n\n✽ Brewing…\n\n$box · esc to", 'working', 'busy' ],
	[ claude => '', "❯ again\n  ⎿  Invalid API key · Please run /login\n\n$box",
	    'asking', 'its turn failed: Invalid API key · Please run /login' ],
	[ codex => '', "Hooks need review\n  5 hooks are new or changed.\n\n" .
	    "› 1. Review hooks\n  2. Trust all and continue\n" .
	    '  3. Continue without trusting (hooks won\'t run)',
	    'asking', 'it asks to review hooks' ],
	[ codex => '', "› one\n\n■ exceeded retry limit, last status: 429 Too Many " .
	    'Requests' . "\n" x 40 . $codex, 'limited',
	    'a usage limit holds it' ],
	[ codex => '', "› one\n\n■ Conversation interrupted - use /feedback\n\n" .
	    "› two\n\n■ exceeded retry limit, last status: 429 Too Many Requests\n" .
	    $codex, 'limited', 'a usage limit holds it' ],
	[ codex => '', "› one\n\n■ Conversation interrupted - use /feedback\n\n" .
	    "› two\n\n■ {\"error\":\"no money\"}\n$codex",
	    'asking', 'its turn failed: {"error":"no money"}' ],
	[ codex => '', "› one\n\n■ exceeded retry limit, last status: 429 Too Many " .
	    "Requests\n\n› two\n\n■ Conversation interrupted - use /feedback\n" .
	    $codex, 'waiting', 'its turn was interrupted' ],
	[ codex => '', "› one\n\n■ {\"error\":\"no money\"}\n\n› two\n\n• Well." .
	    "\n$codex", 'waiting', 'at its prompt' ],
	[ codex => '', "Something new is asked\n\n› 1. This\n  2. That\n\n" .
	    '  enter continue · esc back', 'asking', 'it asks a question' ],
	[ codex => '', "Something new is asked\n\n› 1. This\n  2. That", 'none',
	    '' ],
	[ gemini => '◇  Ready (project)', " > Go on.\n✕ [API Error: no money]\nℹ " .
	    "This request failed.\n\n  ? for shortcuts\n$rule\n Shift+Tab to " .
	    "accept edits\n >   Type your message or \@path/to/file\n",
	    'asking', 'its turn failed: API Error: no money' ],
);

for (@screens) {
	my ($backend, $title, $text, $want, $why) = @$_;
	my $capture = scratch() . '/capture';

	spew($capture, encode_utf8("$text\n"));
	is_deeply([ judged('', $capture, $title, '--backend', $backend) ],
	    [ $want, $why ], "$backend: $want, $why");
}
done_testing();
