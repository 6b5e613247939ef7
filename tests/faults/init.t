#!/usr/bin/perl
# paneward init, killed at every system call that changes something: the user's
# file is what it was or what it is to be, nothing accumulates, and the next one
# goes on.
use strict;
use warnings;
use File::Find;
use FindBin;
use lib $FindBin::Bin;
use Faults;
use Test::More;

my ($settings, $skill) = qw(settings.json skills/reload/SKILL.md);
my $own = qq({\n  "model": "opus"\n}\n);
my @install = qw(init claude --reload);
my @remove = qw(init claude --remove);

begin_faults();

# What is in .claude: by name, the text.
sub files {
	my %text;

	find({ no_chdir => 1, wanted => sub {
		$text{s{\Q$P\E/.claude/}{}r} = slurp($_) if -f } }, "$P/.claude")
	    if -d "$P/.claude";
	return %text;
}

sub init { return run($pw, @_) eq '0' }

sub same { return join("\0", map { ($_, $_[0]{$_}) } sort keys %{ $_[0] }) }

project(".claude/$settings" => $own);
init(@install) or die said();
my %installed = files();
my %may = ($settings => [$own, $installed{$settings}],
    $skill => [$installed{$skill}], "$settings.paneward-backup" => [$own]);

# Is each file what a whole init leaves, or was before?  There are two folders.
# If there was no file, its text is not known.
sub damage {
	my ($fresh) = @_;
	my %files = files();
	my $hidden = grep { m{(?:^|/)\.paneward-init\.tmp$} } keys %files;

	return "$hidden files are left" if $hidden > 2;
	for my $name (grep { !/\.paneward-init\.tmp$/ } sort keys %files) {
		return "$name is changed" if !grep { $fresh || $_ eq $files{$name} }
		    @{ $may{$name} // [] };
	}
	return '';
}

# WHAT, what is done before, the arguments, and the two after which all is as
# is said then: the arguments and the files.
for (
	[ 'init', sub { project(".claude/$settings" => $own) }, \@install,
	  \@install, \%installed ],
	[ 'its removal', sub {
		project(".claude/$settings" => $own);
		init(@install) or die said();
	  }, \@remove, \@remove, { $settings => $own } ],
	# An empty folder may stay: it could be the user's.
	[ 'init without a file', \&project, \@install, \@remove, {} ],
) {
	my ($what, $begin, $words, $then, $want) = @$_;

	kill_anywhere($what, from => qr/\.claude/, begin => $begin,
	    run => sub { run(@_, $pw, @$words) },
	    wrong => sub {
		my $wrong = damage($what =~ /without/);

		return $wrong if $wrong ne '';
		init(@$then) or return 'the next one fails: ' . said();
		return same({ files() }) eq same($want) ? '' :
		    'then there are: ' . join ' ', sort keys %{ { files() } };
	    });
}

# Whatever they leave stays for the next one.
project(".claude/$settings" => $own);
kill_anywhere('many of them', from => qr/\.claude/, begin => sub {
	unlink "$P/.claude/$settings.paneward-backup", "$P/.claude/$skill";
	spew("$P/.claude/$settings", $own);
    }, run => sub { run(@_, $pw, @install) }, wrong => \&damage);
chdir '/';
done_testing();
