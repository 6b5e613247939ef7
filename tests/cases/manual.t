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

# A page as it is written; empty if there is none.
sub page {
	my ($name) = @_;
	my $path = "$root/man/$name";

	return -e $path ? slurp($path) : '';
}

# The text below a heading, up to the next one of its kind.
sub section {
	my ($kind, $name, $text) = @_;
	return $text =~ /^\.\Q$kind $name\E\n(.*?)(?=^\.\Q$kind\E |\z)/ms ?
	    $1 : '';
}

# Its words as a reader sees them.
sub plain {
	my ($text) = @_;
	$text =~ s/\\&//g;
	$text =~ s/^\.(?:[A-Z][a-z]) //mg;
	return $text;
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

	return map { s/\\&//g; s/ Ns Op = Ns Ar (\w+)/[=$1]/; s/^Fl (\w).* , Fl -/$1 /; s/^Fl -/- /;
	    s/ Ar / /; $_ } @rows;
}

# The same of a command's page.
sub promised {
	my ($name) = @_;
	my $page = page(page_of($name));

	return listed($name =~ / / ? section('Ss', $name, $page) : $page);
}

# ---- the promises -----------------------------------------------------------

subtest 'every command has a page, and no other' => sub {
	my @listed = section('Sh', 'COMMANDS', $overview) =~
	    /^\.It Xr paneward-([a-z-]+) 1$/mg;
	# paneward-fleet is a program of its own, see below.
	my @written = grep { $_ ne 'fleet' }
	    map { m{/paneward-([a-z-]+)\.1$} } @pages;

	cmp_ok(scalar @commands, '>', 5, 'the help names commands');
	my %seen;
	my @first = grep { !$seen{$_}++ } map { (split)[0] } @commands;

	is_deeply(\@listed, \@first, 'in COMMANDS, in the order of the help');
	is_deeply([sort @written], [sort @first], 'in man/');
	for my $name (@commands) {
		like(section('Sh', 'SYNOPSIS', page(page_of($name))),
		    qr/^\.Nm paneward\n\.Cm $name$/m, "$name: SYNOPSIS");
	}
};

subtest 'every help fits a terminal' => sub {
	for my $name (@commands) {
		my @wide = grep { length > 80 } split /\n/, help($name);

		is("@wide", '', $name);
	}
};

subtest 'every page that is named is there' => sub {
	my %there = map { m{/([^/]+)\.([15])$}; "$1 $2" => 1 } @pages;

	for my $path (@pages) {
		my %named = map { $_ => 1 }
		    slurp($path) =~ /Xr (paneward\S* \d)/g;
		my @missing = grep { !$there{$_} } sort keys %named;
		my ($name) = $path =~ m{([^/]+)$};

		is("@missing", '', $name);
	}
};

for my $name (@commands) {
	my @offered = grep { $_ ne 'h help' } offered(help($name));

	is_deeply([promised($name)], \@offered,
	    "$name has the options that its help shows, in their order");
}

# paneward-fleet has one page, in which each command is an item.
SKIP: {
	my $with = { program => program() . '-fleet' };
	my $page = page('paneward-fleet.1');

	skip('paneward-fleet is not built here', 1) if !-x $with->{program};
	my @known = paneward($with, '--help')->{out} =~ /^  ([a-z-]+) /mg;
	my (undef, @items) = split /^\.It Cm ([a-z-]+).*\n/m,
	    section('Sh', 'DESCRIPTION', $page);
	my %text = @items;
	my %seen;

	cmp_ok(scalar @known, '>', 5, 'paneward-fleet has commands');
	is_deeply([grep { !$seen{$_}++ } section('Sh', 'SYNOPSIS', $page) =~
	    /^\.Cm ([a-z-]+)$/mg], \@known, 'they are in SYNOPSIS');
	is_deeply([@items[grep { $_ % 2 == 0 } 0 .. $#items]], \@known,
	    'and in DESCRIPTION, in their order');
	for my $name (@known) {
		my @offered = grep { $_ ne 'h help' }
		    offered(paneward($with, $name, '--help')->{out});

		is_deeply([listed($text{$name} // '')], \@offered,
		    "paneward-fleet $name has the options that its help shows");
	}
}

subtest 'every exit status is there' => sub {
	my ($enum) = slurp("$root/lib/base/exitstatus.h") =~ /enum exit_status \{(.*?)\};/s;
	my @known = $enum =~ /EXIT_\w+ = (\d+)/g;
	my @told = section('Sh', 'EXIT STATUS', $overview) =~ /^\.It (\d+)$/mg;

	is_deeply(\@known, [0, 1, 2, 3, 10, 11, 12, 124, 130],
	    'in the program');
	is_deeply(\@told, \@known, 'in the manual');
};

subtest 'every key of the configuration is there' => sub {
	my $schema = decode_json(slurp("$root/templates/config.schema.json"));
	my $keys = $schema->{properties};
	my $list = $configuration;
	my $environment = section('Sh', 'ENVIRONMENT', $overview);
	my @told = $list =~ /^\.It Ic (\S+)/mg;

	is_deeply([sort @told], [sort keys %$keys], 'the keys');
	# A hand-off's PANEWARD_WORKTREE is a path.
	for my $key (grep { /^\w/ && $_ ne 'worktree' } @told) {
		my ($text) = $list =~ /^\.It Ic $key (.*?)(?=^\.It|^\.El)/ms;
		my $default = $keys->{$key}{default};

		like($text, qr/^Pq Ev PANEWARD_\U$key\E$/m, "$key: variable");
		like($environment, qr/Ev PANEWARD_\U$key\E\s/,
		    "$key: in ENVIRONMENT");
		like(plain($text), qr/Default:\s+(?:Ql )?\Q$default\E/,
		    "$key: default") if defined $default && !ref $default;
	}
};

subtest 'every key of a backend is there' => sub {
	my $schema = decode_json(slurp("$root/templates/backend.schema.json"));
	my ($rows) = slurp("$root/lib/agent/backend.c") =~ / rows\[\] = \{(.*?)^\};/ms;
	my @known = grep { defined } $rows =~
	    /\{ "([^"]+)",|(?:FIELD|TEXTS)\((\w+)\)/g;
	my %told = map { $_ => 1 }
	    page('paneward-backend.5') =~ /^\.It Ic (\S+)/mg;

	is_deeply([sort keys %{ $schema->{properties} }], [sort @known],
	    'in the schema, and no other');
	ok($told{$_}, "$_: in the manual") for grep { /^\w/ } @known;
};

subtest 'the chain is told in its order' => sub {
	my @chain = slurp("$root/lib/chain/detectors.c") =~ /\{ "(\w+)", +gather_/g;
	my @told = section('Sh', 'THE CHAIN', $overview) =~ /^\.It (\w+)$/mg;
	my ($table) = $readme =~ /^\| detector .*?\n(.*?)\n\n/ms;
	my @rows = $table =~ /^\| (\w+) \|/mg;

	is_deeply(\@told, \@chain, 'in the manual');
	is_deeply(\@rows, \@chain, 'in the README');
};

subtest 'every state is there' => sub {
	my $states = section('Sh', 'STATES', $overview);
	my ($table) = slurp("$root/lib/base/state.c") =~
	    /state_names\[.*?= \{(.*?)^\};/ms;
	my @names = grep { $_ ne 'none' } $table =~ /"(\w+)"/g;

	like($states, qr/^\.(?:It )?Cm $_$/m, $_) for @names;
};

# Of each message its longest piece without numbers and quoted names; the last
# word may be a name, too.
subtest 'every message that is explained is one of the program' => sub {
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
		ok(index($source, $piece) >= 0, $message);
	}
};

subtest 'every kind of event is there' => sub {
	my ($table) = slurp("$root/lib/run/events.c") =~
	    /event_types\[.*?= \{(.*?)^\};/ms;
	my @names = grep { $_ ne 'none' } $table =~ /"([\w-]+)"/g;

	cmp_ok(scalar @names, '>', 5, 'the program has some');
	like(page('paneward-files.5'), qr/^\.Ql $_( |$)/m, $_) for @names;
};

subtest 'what can be chosen by name is there' => sub {
	my %folders = (
		'agents/*.md' => page('paneward-render.1'),
		'backends/*.json' => page('paneward-backend.5'),
	);

	for my $pattern (sort keys %folders) {
		for my $file (glob("$root/$pattern")) {
			my ($name) = $file =~ m{([^/]+)\.[a-z]+$};
			like($folders{$pattern}, qr/^\.Ql $name( |$)/m, $name);
		}
	}
};

subtest 'the README is true' => sub {
	my ($later) = $readme =~ /^\*\*Not yet:\*\*(.*)/ms;
	my ($source) = slurp("$root/docs/architecture.md") =~
	    /^## The folders\n(.*?)^## /ms;
	my @places = $source =~ /^\| `([^`]+)` \|/mg;
	my %there = map { $_ => 1 } @commands;
	my @early = grep { $there{$_} } ($later // '') =~ /`([a-z]+)`/g;

	is("@early", '', 'what is not there yet is not there');
	cmp_ok(scalar @places, '>', 20, 'the map of the source has places');
	ok(-e "$root/$_", "$_ is in the source") for @places;
	like($readme, qr/^make $_ /m, "make $_") for qw(demo test);
};

# A path in a text is in backquotes, has a slash, and begins with a folder of
# the source; one with a word in capitals is an example.
subtest 'every file that the texts name is there' => sub {
	my %text = map { $_ => 1 } qw(README.md CONTRIBUTING.md SECURITY.md
	    docs/architecture.md docs/fleet.md tests/README.md);

	for my $text (sort keys %text) {
		my ($folder) = $text =~ m{^(tests)/};
		my @named = grep { !/\b[A-Z]{2,}\b(?!\.md)/ }
		    slurp("$root/$text") =~ m{`([a-z][\w.-]*/[\w./-]*)`}g;
		my @missing = grep { !-e "$root/$_" &&
		    !-e "$root/" . ($folder // '.') . "/$_" &&
		    !m{^(?:build|queue)/} } @named;

		is("@missing", '', $text);
	}
};

# In a copy of lib the changes apply, and what they touch compiles.
subtest 'the examples of CONTRIBUTING.md fit the source' => sub {
	my @changes = slurp("$root/CONTRIBUTING.md") =~ /^```diff\n(.*?)^```/msg;
	my $copy = tempdir(CLEANUP => 1);
	local $ENV{GIT_CEILING_DIRECTORIES} = $copy =~ s{/[^/]+$}{}r;

	ok(@changes > 0, 'there are some');
	system('cp', '-R', "$root/lib", $copy);
	for my $change (@changes) {
		open(my $git, '|-', 'git', '-C', $copy, 'apply', '-') or die;
		print $git $change;
		ok(close($git), 'it applies');
		for my $file ($change =~ m{^\+\+\+ b/(\S+\.c)$}mg) {
			is(system($Config{cc}, qw(-std=c11 -D_GNU_SOURCE -Werror
			    -Wall -fsyntax-only -iquote), "$copy/lib",
			    "$copy/$file"), 0, $file);
		}
	}
};

subtest 'no finished marker is written anywhere' => sub {
	my $finished = qr/\#{3}(?:TASK_\w+?|COMPLETE_TASK|ERROR_TASK)_
	    [A-Za-z0-9][\w-]*(?::\w+)?\#{3}/x;

	unlike(slurp($_), $finished, $_) for @pages;
	unlike($readme, $finished, 'in the README');
};

SKIP: {
	skip('mandoc is not here', 1) if system('command -v mandoc >/dev/null');
	is(`mandoc -T lint -W warning @pages 2>&1`, '',
	    'mandoc has nothing to say');
}

done_testing();
