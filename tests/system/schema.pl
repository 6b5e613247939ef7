#!/usr/bin/perl
# schema.pl ROOT NAME: is each line of standard input as the schema's NAME says?
use strict;
use warnings;
use JSON::PP;

my ($root, $name) = @ARGV;
my $json = JSON::PP->new->allow_nonref->canonical;
@ARGV = "$root/templates/output.schema.json";
my $defs = $json->decode(join '', <>)->{'$defs'};
my %kinds = (object => qr/^\{/, array => qr/^\[/, string => qr/^"/,
    null => qr/^n/, boolean => qr/^[tf]/, integer => qr/^-?\d+$/);

# Dies if the value is not so; adds its members that are known.
sub check {
	my ($s, $v, $at, $known) = @_;
	my ($text, $members) = ($json->encode($v), $s->{properties} // {});
	my @types = map { ref ? @$_ : $_ } $s->{type} // ();
	my @values = exists $s->{const} ? $s->{const} : @{ $s->{enum} // [] };

	check($defs->{$s->{'$ref'} =~ s/.*\///r}, $v, $at, $known)
	    if $s->{'$ref'};
	$s->{anyOf} && !grep { eval { check($_, $v, $at, my $more = {});
	    %$known = (%$known, %$more); 1 } } @{ $s->{anyOf} } and
	    die "$at: $@";
	@types && !grep { $text =~ $kinds{$_} } @types and die "$at: no @types";
	@values && !grep { $text eq $json->encode($_) } @values and
	    die "$at: none of @values";
	$v =~ /$s->{pattern}/ or die "$at: not like it" if $s->{pattern};
	check($s->{items}, $_, "$at\[]", {}) for $s->{items} ? @$v : ();
	exists $v->{$_} || die "$at: lacks $_" for @{ $s->{required} // [] };
	for (grep { exists $v->{$_} } keys %$members) {
		check($members->{$_}, $v->{$_}, "$at.$_", {});
		$known->{$_} = 1;
	}
	grep { /^(additional|unevaluated)P/ } keys %$s or return;
	$known->{$_} || die "$at: has $_" for keys %$v;
}

/./ and check($defs->{$name}, $json->decode($_), $name, {}) while <STDIN>;
$. > 0 or die "there is nothing\n";
