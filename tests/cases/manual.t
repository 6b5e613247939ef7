#!/usr/bin/perl
# The manual is the promise: it has what the program, its tables and its folders
# have, and nothing else.  README.md promises no more than that.
use strict;
use warnings;
use Config;
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;
use lib $FindBin::Bin;
use Test::More;

use Paneward qw(paneward program slurp);

my $root = "$FindBin::Bin/../..";
my @pages = sort glob("$root/man/*.[15]");
my $overview = page('paneward.1');
my $configuration = page('paneward.json.5');
my $readme = slurp("$root/README.md");

# ---- reading the manual -----------------------------------------------------

sub page { return slurp("$root/man/$_[0]") }

# The text below a heading, up to the next one of its kind.
sub section {
	my ($kind, $name, $text) = @_;
	return $text =~ /^\.\Q$kind $name\E\n(.*?)(?=^\.\Q$kind\E |\z)/ms ?
	    $1 : '';
}

# ---- reading the help -------------------------------------------------------

sub help {
	return paneward({}, map({ split } @_), '--help')->{out};
}

# Some have two words: "loop run".
my @commands = help() =~ /^  ([a-z-]+(?: [a-z]+)?) /mg;

# The name of a command's page.
sub page_of {
	my ($command) = @_;
	my ($first) = split / /, $command;
	return "paneward-$first.1";
}

# "b backend NAME", "- status-dir DIR": the options of a help.
sub offered {
	my ($help) = @_;
	my ($list) = $help =~ /^Options:\n(.*)/ms;
	my @rows = $list =~ /^ {2,6}((?:-., )?--.*?)(?: {2,}.*)?$/mg;

	return map { s/^--/- /; s/^-(.), --/$1 /; $_ } @rows;
}

# The same of a text of the manual.
sub listed {
	my ($text) = @_;
	my @rows = $text =~ /^\.It (Fl .*(?<= )-.*|Fl -.*)$/mg;

	return map { s/\\&//g; s/ Ns Op = Ns Ar (\w+)/[=$1]/;
	    s/^Fl (\w).* , Fl -/$1 /; s/^Fl -/- /; s/ Ar / /; $_ } @rows;
}

# The same of a command's page.
sub promised {
	my ($name) = @_;
	my $page = page(page_of($name));

	return listed($name =~ / / ? section('Ss', $name, $page) : $page);
}

# ---- the promises -----------------------------------------------------------

my %seen;
my @first = grep { !$seen{$_}++ } map { (split)[0] } @commands;

is_deeply([ section('Sh', 'COMMANDS', $overview) =~
    /^\.It Xr paneward-([a-z-]+) 1$/mg ], \@first,
    'COMMANDS has every command, in the order of the help');
my %prints;     # The commands that print JSON.
# paneward-fleet is a program of its own, see below.
is_deeply([ grep { $_ ne 'fleet' } map { m{/paneward-([a-z-]+)\.1$} } @pages ],
    [ sort @first ], 'and so has man/, and no other');
for my $name (@commands) {
	my $help = help($name);

	like(section('Sh', 'SYNOPSIS', page(page_of($name))),
	    qr/^\.Nm paneward\n\.Cm $name$/m, "$name: SYNOPSIS");
	is(join("\n", grep { length > 80 } split /\n/, $help), '',
	    "$name: the help fits a terminal");
	is_deeply([promised($name)], [ grep { $_ ne 'h help' } offered($help) ],
	    "$name has the options that its help shows, in their order");
	$prints{(split / /, $name)[0]} = 1 if grep { $_ eq 'j json' }
	    offered($help);
}

# A page begins with what a user wants and an example, whose commands and options
# are there.
for my $path (@pages) {
	my ($name) = $path =~ m{([^/]+)$};
	my ($example) = section('Sh', 'DESCRIPTION', page($name)) =~
	    /\A(?:[A-Z].*\n)(?:.*\n)??\.Bd -literal -offset indent\n(.*?)^\.Ed$/ms;
	my @unknown;

	for ($example =~ /(?:^|[|(] ?)(paneward [a-z].*?)(?:$|[;|&)])/mg) {
		my ($command, @options) = /(?<= )([a-z]+ ?[a-z]*|-[-a-z]+)/g;
		my $words = (grep { index("$command ", "$_ ") == 0 } @commands)[0];
		my $help = defined $words ? help($words) : '';
		push @unknown, "$words $_" for grep { $help !~ /(?<![\w-])$_\b/ }
		    grep { /^-/ } @options;
		push @unknown, $command if $help eq '';
	}
	ok($example, "$name begins with an example");
	is("@unknown", '', 'of commands and options that are there');
}

my %there = map { m{/([^/]+)\.([15])$}; "$1 $2" => 1 } @pages;
for my $path (@pages) {
	my $text = slurp($path);

	is(join(' ', grep { !$there{$_} } $text =~ /Xr (paneward\S* \d)/g), '',
	    "$path: every page that is named is there");
	no_marker($text, $path);
}

# paneward-fleet has one page, in which each command is an item.
my $page = page('paneward-fleet.1');
my (undef, %text) = split /^\.It Cm ([a-z-]+).*\n/m,
    section('Sh', 'DESCRIPTION', $page);
$prints{$_} = 1 for grep { $text{$_} =~ /Fl -json/ } keys %text;
SKIP: {
	my $with = { program => program() . '-fleet' };

	skip('paneward-fleet is not built here', 1) if !-x $with->{program};
	my @known = paneward($with, '--help')->{out} =~ /^  ([a-z-]+) /mg;
	my %in;

	cmp_ok(scalar @known, '>', 5, 'paneward-fleet has commands');
	is_deeply([grep { !$in{$_}++ } section('Sh', 'SYNOPSIS', $page) =~
	    /^\.Cm ([a-z-]+)$/mg], \@known, 'they are in SYNOPSIS');
	is_deeply([ section('Sh', 'DESCRIPTION', $page) =~
	    /^\.It Cm ([a-z-]+)/mg ], \@known,
	    'and in DESCRIPTION, in their order');
	is_deeply([listed($text{$_} // '')], [ grep { $_ ne 'h help' }
	    offered(paneward($with, $_, '--help')->{out}) ],
	    "paneward-fleet $_ has the options that its help shows")
	    for @known;
}

# Each definition of the schema is a command's, or another one uses it.
my $schema = slurp("$root/templates/output.schema.json");
my $definitions = decode_json($schema)->{'$defs'};
is(join(' ', grep { !$definitions->{$_} } sort keys %prints), '',
    'what each command prints with --json is in the schema');
is(join(' ', grep { !$prints{$_} && $schema !~ m{"#/\$defs/$_"} }
    sort keys %$definitions), '', 'and nothing else');

# docs/stability.md promises by rules; these are what they name.
my $stays = slurp("$root/docs/stability.md");
is(join(' ', grep { !$there{$_} } map { s/[()]/ /gr =~ s/ $//r }
    $stays =~ /`(paneward[\w.-]*\(\d\))`/g), '',
    'docs/stability.md names pages that are there');
is(join(' ', grep { !-e "$root/$_" }
    $stays =~ m{`((?:templates|docs|tests|agents)/[\w./-]*)`}g), '',
    'and files that are there');

# Rows of the source, in the order that they have there.
sub rows {
	my ($file, $table, $row) = @_;
	my ($text) = slurp("$root/lib/$file") =~ /$table(.*?)^?\};/ms;
	my @rows = grep { defined && $_ ne 'none' } $text =~ /$row/g;

	cmp_ok(scalar @rows, '>', 5, "$file has rows");
	return @rows;
}

my @statuses = rows('base/exitstatus.h', qr/enum exit_status \{/,
    qr/EXIT_\w+ = (\d+)/);
is("@statuses", '0 1 2 3 10 11 12 124 130', 'the exit statuses of the program');
is_deeply([ section('Sh', 'EXIT STATUS', $overview) =~ /^\.It (\d+)$/mg ],
    \@statuses, 'are those of the manual');

my $keys = decode_json(slurp("$root/templates/config.schema.json"))
    ->{properties};
my $environment = section('Sh', 'ENVIRONMENT', $overview);
my @told = $configuration =~ /^\.It Ic (\S+)/mg;
is_deeply([sort @told], [sort keys %$keys], 'the keys of the configuration');
# A hand-off's PANEWARD_WORKTREE is a path.
for my $key (grep { /^\w/ && $_ ne 'worktree' } @told) {
	my ($text) = $configuration =~ /^\.It Ic $key (.*?)(?=^\.It|^\.El)/ms;
	my $words = $text =~ s/\\&|^\.[A-Z][a-z] //mgr;
	my $default = $keys->{$key}{default};

	like($text, qr/^Pq Ev PANEWARD_\U$key\E$/m, "$key: variable");
	like($environment, qr/Ev PANEWARD_\U$key\E\s/, "$key: in ENVIRONMENT");
	like($words, qr/Default:\s+(?:Ql )?\Q$default\E/, "$key: default")
	    if defined $default && !ref $default;
}

my @backend = rows('agent/backend.c', qr/ rows\[\] = \{/,
    qr/\{ "([^"]+)",|(?:FIELD|TEXTS)\((\w+)\)/);
my %backend = map { $_ => 1 } page('paneward-backend.5') =~ /^\.It Ic (\S+)/mg;
is_deeply([sort keys %{ decode_json(slurp(
    "$root/templates/backend.schema.json"))->{properties} }], [sort @backend],
    'the keys of a backend are in the schema, and no other');
ok($backend{$_}, "$_: in the manual") for grep { /^\w/ } @backend;

my @chain = rows('chain/detectors.c', qr/^/, qr/\{ "(\w+)", +gather_/);
my ($table) = $readme =~ /^\| detector .*?\n(.*?)\n\n/ms;
is_deeply([ section('Sh', 'THE CHAIN', $overview) =~ /^\.It (\w+)$/mg ],
    \@chain, 'the chain is told in its order, in the manual');
is_deeply([ $table =~ /^\| (\w+) \|/mg ], \@chain, 'and in the README');

my $states = section('Sh', 'STATES', $overview);
like($states, qr/^\.(?:It )?Cm $_$/m, "the state $_") for
    rows('base/state.c', qr/state_names\[.*?= \{/, qr/"(\w+)"/);
like(page('paneward-files.5'), qr/^\.Ql $_( |$)/m, "the event $_") for
    rows('run/events.c', qr/event_types\[.*?= \{/, qr/"([\w-]+)"/);
my %chosen = ('agents/*.md' => page('paneward-render.1'),
    'backends/*.json' => page('paneward-backend.5'));
for my $file (map { glob("$root/$_") } sort keys %chosen) {
	my ($folder, $name, $ending) = $file =~ m{([^/]+)/([^/]+)(\.[a-z]+)$};
	like($chosen{"$folder/*$ending"}, qr/^\.Ql $name( |$)/m,
	    "$name can be chosen");
}

# Of each message its longest piece without numbers and quoted names; the last
# word may be a name, too.
my $source = join '', map { slurp($_) } glob("$root/lib/*/*.c"),
    glob("$root/*/*.c");
my ($list) = $overview =~ /^\.Bl -diag\n(.*?)^\.El/ms;
my @explained = $list =~ /^\.It "(.*)"$/mg;
$source =~ s/"\s*"//g;
cmp_ok(scalar @explained, '>', 10, 'messages are explained');
for my $message (@explained) {
	my ($piece) = sort { length $b <=> length $a }
	    split / \.\.\. | '[^']*' | %?\d+ | d8b7f0a9 | [()] /x, $message;

	$piece =~ s/^\W+|\W+$//g;
	$piece =~ s/ \S+$// if index($source, $piece) < 0;
	ok(index($source, $piece) >= 0, "one of the program's: $message");
}

my ($agents) = $readme =~ /^<!-- agents -->\n(.*?)^<!-- end of agents -->$/ms;
is($agents, `'$root/scripts/agents.pl'`,
    "README.md has the agents of backends/ ('make readme' writes them)");

# ---- the README and other texts ---------------------------------------------

my ($folders) = slurp("$root/docs/architecture.md") =~
    /^## The folders\n(.*?)^## /ms;
my @places = $folders =~ /^\| `([^`]+)` \|/mg;
cmp_ok(scalar @places, '>', 20, 'the map of the source has places');
ok(-e "$root/$_", "$_ is in the source") for @places;
like($readme, qr/^make $_ /m, "make $_") for qw(demo test);
no_marker($readme, 'README.md');

sub no_marker {
	my ($text, $name) = @_;
	unlike($text, qr/\#{3}(?:TASK_\w+?|COMPLETE_TASK|ERROR_TASK)_
	    [A-Za-z0-9][\w-]*(?::\w+)?\#{3}/x, "no finished marker: $name");
}

# A path in a text is in backquotes, has a slash, and begins with a folder of
# the source; one with a word in capitals is an example.
for my $text (qw(README.md CONTRIBUTING.md SECURITY.md docs/architecture.md
    docs/fleet.md tests/README.md)) {
	my $folder = $text =~ m{^tests/} ? 'tests' : '.';
	my @missing = grep { !-e "$root/$_" && !-e "$root/$folder/$_" &&
	    !m{^(?:build|queue)/} } grep { !/\b[A-Z]{2,}\b(?!\.md)/ }
	    slurp("$root/$text") =~ m{`([a-z][\w.-]*/[\w./-]*)`}g;

	is("@missing", '', "$text: every file that is named is there");
}

# In a copy of lib the changes apply, and what they touch compiles.
my @changes = slurp("$root/CONTRIBUTING.md") =~ /^```diff\n(.*?)^```/msg;
my $copy = tempdir(CLEANUP => 1);
$ENV{GIT_CEILING_DIRECTORIES} = $copy =~ s{/[^/]+$}{}r;
ok(@changes > 0, 'CONTRIBUTING.md has examples');
system('cp', '-R', "$root/lib", $copy);
for my $change (@changes) {
	open(my $git, '|-', 'git', '-C', $copy, 'apply', '-') or die;
	print $git $change;
	ok(close($git), 'an example applies');
	is(system($Config{cc}, qw(-std=c11 -D_GNU_SOURCE -Werror -Wall
	    -fsyntax-only -iquote), "$copy/lib", "$copy/$_"), 0, "with $_")
	    for $change =~ m{^\+\+\+ b/(\S+\.c)$}mg;
}

SKIP: {
	skip('mandoc is not here', 1) if system('command -v mandoc >/dev/null');
	is(`mandoc -T lint -W warning @pages 2>&1`, '',
	    'mandoc has nothing to say');
}

done_testing();
