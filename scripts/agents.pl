#!/usr/bin/perl
# Prints the README's table of agents, as backends/*.json have it.  With a file,
# puts it there between its two marks: 'make readme'.
use strict;
use warnings;
use FindBin;
use JSON::PP;

my $folder = "$FindBin::Bin/../backends";
my %words = (busy => 'working', asking => 'asking', ready => 'waiting',
    limited => 'limited');

sub slurp {
	open(my $fh, '<:raw', $_[0]) or die "$_[0]: $!\n";
	local $/;
	return <$fh>;
}

# A backend, with what it extends.
sub backend {
	my $text = slurp("$folder/$_[0].json") =~ s{^\s*//.*}{}mgr;
	my $own = decode_json($text);

	return { %{ exists $own->{extends} ? backend($own->{extends}) : {} },
	    %$own };
}

sub row {
	my ($name) = @_;
	my $b = backend($name);
	my @places = grep { defined } @$b{qw(announces title screen)};
	my @states = grep { my $k = $_; grep { @{ $_->{$k} // [] } } @places }
	    qw(busy asking ready limited);
	my %asks = map { ref && $_->{asks} ? ($_->{asks} => 1) : () }
	    map { @{ $_->{asking} // [] }, @{ $_->{limited} // [] } } @places;
	my @tried = @{ $b->{tried} // [] };
	my $hooks = $b->{hooks};

	return if !$b->{process} && !$b->{command};
	return [@tried == 0, "| $b->{description} | " . join(' | ',
	    join(', ', map { "`$_`" } @{ $b->{process}{names} //
		[$b->{command}] }),
	    @states == 4 ? 'all' : @states ? join(', ', @words{@states}) :
		$hooks ? 'by its hooks' : 'alive or not',
	    join(', ', sort keys %asks),
	    $b->{transcript} ? 'yes' : '',
	    join(', ', $b->{resume} ? 'any' : (), $b->{latest} ? 'last' : ()),
	    !$hooks ? '' : ($hooks->{session} ? 'with `start`, ' : '') .
		"`init $name`",
	    @tried ? join(', ', @tried) : 'not tried') . " |\n"];
}

my @names = sort map { m{([^/]+)\.json$} } glob("$folder/*.json");
my $table = join '', "| agent | found as | states | answers | transcript " .
    "| resumes | its hooks come | tried with |\n",
    '|---' x 8 . "|\n", map { $_->[1] } sort { $a->[0] <=> $b->[0] }
    grep { defined } map { row($_) } @names;

if (@ARGV == 0) {
	print $table;
	exit;
}
my $text = slurp($ARGV[0]);
$text =~ s{(?<=<!-- agents -->\n).*?(?=<!-- end of agents -->\n)}{$table}s or
    die "$ARGV[0]: it has no marks '<!-- agents -->' and " .
    "'<!-- end of agents -->'\n";
open(my $fh, '>:raw', $ARGV[0]) or die "$ARGV[0]: $!\n";
print $fh $text;
close($fh) or die "$ARGV[0]: $!\n";
