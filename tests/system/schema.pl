#!/usr/bin/perl
# schema.pl SCHEMA NAME: is each line of standard input as the definition NAME
# says?  Knows as much of JSON Schema as that needs.
use strict;
use warnings;
use JSON::PP;

my ($file, $name) = @ARGV;
my $json = JSON::PP->new->allow_nonref->canonical;
open(my $in, '<', $file) or die "$file: $!\n";
my $defs = $json->decode(join('', <$in>))->{'$defs'};
my %kinds = (object => qr/^\{/, array => qr/^\[/, string => qr/^"/,
    null => qr/^null$/, boolean => qr/^(true|false)$/, integer => qr/^-?\d+$/);

# Dies if the value is not so; adds its members that are known.
sub check {
	my ($s, $v, $at, $known) = @_;
	my $text = $json->encode($v);
	my @types = map { ref ? @$_ : $_ } $s->{type} // ();
	my @values = exists $s->{const} ? $s->{const} : @{ $s->{enum} // [] };
	my $members = $s->{properties} // {};

	check($defs->{$s->{'$ref'} =~ s/.*\///r}, $v, $at, $known)
	    if $s->{'$ref'};
	$s->{anyOf} && !grep { eval { check($_, $v, $at, my $more = {});
	    %$known = (%$known, %$more); 1 } } @{ $s->{anyOf} } and
	    die "$at: $@";
	@types && !grep { $text =~ $kinds{$_} } @types and die "$at: no @types";
	@values && !grep { $text eq $json->encode($_) } @values and
	    die "$at: none of @values";
	die "$at: not like $s->{pattern}" if $s->{pattern} &&
	    $v !~ /$s->{pattern}/;
	check($s->{items}, $_, "$at\[]", {}) for $s->{items} ? @$v : ();
	exists $v->{$_} || die "$at: lacks $_" for @{ $s->{required} // [] };
	for (grep { exists $v->{$_} } keys %$members) {
		check($members->{$_}, $v->{$_}, "$at.$_", {});
		$known->{$_} = 1;
	}
	return if !grep { /^(additional|unevaluated)P/ } keys %$s;
	$known->{$_} || die "$at: has $_" for keys %$v;
}

while (my $line = <STDIN>) {
	check($defs->{$name}, $json->decode($line), $name, {}) if $line ne "\n";
}
die "there is nothing\n" if $. == 0;
