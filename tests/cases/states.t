#!/usr/bin/perl
# states.t - the states of real agents, judged from their panes by explain: the
# log up to a moment, the title, the screen and the program in front.  The
# recordings name the state of each moment.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Encode qw(encode_utf8);
use JSON::PP;
use Paneward qw(paneward slurp spew scratch);

binmode STDOUT, ':utf8';
my $folder = "$FindBin::Bin/../recordings";
my $recordings = decode_json(slurp("$folder/index.json"))->{recordings};

my %states = (
	(map { $_ => 'waiting' } qw(idle after-esc cut)),
	(map { $_ => 'asking' } qw(permission trust failed)),
	(map { $_ => 'working' } qw(busy tool queued)),
	(map { $_ => 'dead' } qw(exited killed)),
);

# OpenCode needs a second Esc, and works on until then.
my %own = ('opencode-s-busy after-esc' => 'working');

# A client that has given up needs a person; until then it is working or
# limited.
my %gave_up = (
	(map { $_ => 'asking' } 'claude-s-529 retry', 'claude-s-529 later',
	    'codex-s-500 later', map { "pi-s-$_ later" } 429, 500, 529),
	(map { $_ => 'limited' } 'codex-s-429 retry', 'codex-s-429 later'),
);

# The question, if the screen shows it.
my %asked = (
	'claude-s-permission permission' =>
	    'it asks for permission: Bash command rm -rf build && touch x',
	'claude-r-untrusted trust' => 'it asks whether to trust this folder',
	'opencode-s-permission permission' => 'it asks for permission: ' .
	    'Shell command $ touch /tmp/demo/issue-42/x && ls',
	'claude-s-idle idle' => 'it waits for a prompt',
);

sub wanted {
	my ($name, $label) = @_;

	my $known = $own{"$name $label"} // $states{$label};

	return $known if $known;
	return unless $label =~ /^(?:retry|later)$/;
	return $gave_up{"$name $label"} // 'working or limited';
}

# The verdict; %with may leave out what a pane does not always show.
sub judged {
	my ($recording, $state, %with) = @_;
	my $name = $recording->{name};
	my $status = scratch() . '/status';
	my $capture = "$folder/$name.$state->{label}.capture.txt";
	my @replay = ('--session', 'alive', '--backend', $recording->{agent},
	    '--command', $state->{command});

	mkdir $status, 0700;
	spew("$status/output-42.log", $with{log} ?
	    substr(slurp("$folder/$name.raw"), 0, $state->{raw_offset}) : '');
	push @replay, '--title', encode_utf8($state->{title}) if $with{title};
	push @replay, '--capture', $capture if -e $capture && $with{capture};
	my $run = paneward({ dir => $status }, 'explain', 42, '--json',
	    '--status-dir', $status, @replay);
	my @lines = split /\n/, $run->{out};
	return @lines ? decode_json($lines[-1]) :
	    { verdict => "exit $run->{exit}: $run->{err}" };
}

my $number = 0;
sub result {
	my ($good, $what) = @_;
	printf "%sok %d - %s\n", $good ? '' : 'not ', ++$number, $what;
	return $good;
}

for my $recording (grep { !$_->{trimmed} } @$recordings) {
	for my $state (@{ $recording->{states} }) {
		my $what = "$recording->{name} $state->{label}";
		my $want = wanted($recording->{name}, $state->{label}) or next;
		my %all = (log => 1, title => 1, capture => 1);
		my $got = judged($recording, $state, %all);
		my $why = $asked{$what} // $got->{why};

		result($want =~ /\b\Q$got->{verdict}\E\b/ && $got->{why} eq
		    $why, "$what: $want") or
		    print "# it is $got->{verdict}: $got->{why}\n";

		# Without a log of ours, or with the screen alone.
		for my $less ('log', 'log and title') {
			my %some = %all;
			delete @some{split / and /, $less};
			$got = judged($recording, $state, %some);
			result($want =~ /\b\Q$got->{verdict}\E\b/,
			    "$what, without $less") or
			    print "# it is $got->{verdict}: $got->{why}\n";
		}
	}
}
# Screens of newer clients: the backend, a title, the last lines of the screen,
# the state.
my $rule = '─' x 40;
my $box = "$rule\n❯ \n$rule\n  ⏸ manual mode on";
my $codex = "\n› Ask Codex to do anything\n\n  gpt-5 default · /tmp/demo\n";
my @screens = (
	[ claude => '✳ Claude Code', "✻ Channeling… (2s · ↓ 4 tokens)\n\n" .
	    "$box · esc to interrupt", 'working', 'it is busy' ],
	[ claude => '✳ Claude Code', "· Quantumizing…\n  ⎿  Tip: Use /memory\n" .
	    "\n$box · esc to", 'working', 'it is busy' ],
	[ claude => '✳ Claude Code', "✻ 429 a scripted error · retrying in 3s · " .
	    "attempt 6/10\n\n$box · esc to", 'working', 'it is busy' ],
	[ claude => '✳ Claude Code', "● It is done.\n\n✻ Crunched for 0s · done " .
	    "2:43 AM\n\n$box", 'waiting', 'it waits for a prompt' ],
	[ claude => '✳ Claude Code', "❯ again\n  ⎿  Credit balance too low · Add " .
	    "funds: https://x\n\n$rule\n❯ Once fixed, resend your message\n$rule",
	    'asking', 'its turn has failed: Credit balance too low · Add funds: ' .
	    'https://x' ],
	[ claude => '', "❯ again\n  ⎿  Invalid API key · Please run /login\n\n$box",
	    'asking', 'its turn has failed: Invalid API key · Please run /login' ],
	[ codex => '', "Hooks need review\n  5 hooks are new or changed.\n\n" .
	    "› 1. Review hooks\n  2. Trust all and continue\n" .
	    '  3. Continue without trusting (hooks won\'t run)',
	    'asking', 'it asks to review hooks' ],
	[ codex => '', "› one\n\n■ exceeded retry limit, last status: 429 Too Many " .
	    'Requests' . "\n" x 40 . $codex, 'limited',
	    'it is held by a usage limit' ],
	[ codex => '', "› one\n\n■ Conversation interrupted - use /feedback\n\n" .
	    "› two\n\n■ exceeded retry limit, last status: 429 Too Many Requests\n" .
	    $codex, 'limited', 'it is held by a usage limit' ],
	[ codex => '', "› one\n\n■ Conversation interrupted - use /feedback\n\n" .
	    "› two\n\n■ {\"error\":\"no money\"}\n$codex",
	    'asking', 'its turn has failed: {"error":"no money"}' ],
	[ codex => '', "› one\n\n■ exceeded retry limit, last status: 429 Too Many " .
	    "Requests\n\n› two\n\n■ Conversation interrupted - use /feedback\n" .
	    $codex, 'waiting', 'its turn was broken off' ],
	[ codex => '', "› one\n\n■ {\"error\":\"no money\"}\n\n› two\n\n• Well." .
	    "\n$codex", 'waiting', 'it waits for a prompt' ],
	[ codex => '', "Something new is asked\n\n› 1. This\n  2. That", 'none',
	    '' ],
	[ gemini => '◇  Ready (project)', " > Go on.\n✕ [API Error: no money]\nℹ " .
	    "This request failed.\n\n  ? for shortcuts\n$rule\n Shift+Tab to " .
	    "accept edits\n >   Type your message or \@path/to/file\n",
	    'asking', 'its turn has failed: API Error: no money' ],
);

for my $screen (@screens) {
	my ($backend, $title, $text, $want, $why) = @$screen;
	my $status = scratch() . '/status';
	my $capture = scratch() . '/capture';

	spew("$status/output-42.log", '');
	spew($capture, encode_utf8("$text\n"));
	my $run = paneward({ dir => $status }, 'explain', 42, '--json',
	    '--status-dir', $status, '--session', 'alive', '--backend', $backend,
	    '--title', encode_utf8($title), '--capture', $capture);
	my $got = decode_json((split /\n/, $run->{out})[-1]);

	$got->{why} //= '';
	result("$got->{verdict} $got->{why}" eq "$want $why",
	    "$backend: $want, $why") or
	    print "# it is $got->{verdict}: $got->{why}\n";
}
print "1..$number\n";
