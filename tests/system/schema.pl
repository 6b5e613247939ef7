#!/usr/bin/perl
# schema.pl ROOT SEEN NAME: is each line of standard input as the schema's NAME
# says?  SEEN gets the members that were there, as OBJECT.MEMBER.
# schema.pl ROOT SEEN: prints those that no line had.
use strict;
use warnings;
use JSON::PP;

my ($root, $seen, $name) = @ARGV;
my $json = JSON::PP->new->allow_nonref->canonical;
@ARGV = "$root/templates/output.schema.json";
my $defs = $json->decode(join '', <>)->{'$defs'};
my (%seen, %told);
my %kinds = (object => qr/^\{/, array => qr/^\[/, string => qr/^"/,
    null => qr/^n/, boolean => qr/^[tf]/, integer => qr/^-?\d+$/);

# Dies if the value is not so; adds its members that are known.
sub check {
	my ($s, $v, $at, $known) = @_;
	my ($text, $members) = ($json->encode($v), $s->{properties} // {});
	my @types = map { ref ? @$_ : $_ } $s->{type} // ();
	my @values = exists $s->{const} ? $s->{const} : @{ $s->{enum} // [] };
	my $other = ($s->{'$ref'} // '') =~ s/.*\///r;

	check($defs->{$other}, $v, $other, $known) if $other;
	$s->{anyOf} && !grep { eval { check($_, $v, $at, my $more = {});
	    %$known = (%$known, %$more); 1 } } @{ $s->{anyOf} } and
	    die "$at: $@";
	@types && !grep { $text =~ $kinds{$_} } @types and die "$at: no @types";
	@values && !grep { $text eq $json->encode($_) } @values and
	    die "$at: none of @values";
	$v =~ /$s->{pattern}/ or die "$at: not like it" if $s->{pattern};
	exists $s->{minimum} && $v < $s->{minimum} and die "$at: too small";
	check($s->{items}, $_, "$at\[]", {}) for $s->{items} ? @$v : ();
	exists $v->{$_} || die "$at: lacks $_" for @{ $s->{required} // [] };
	for (grep { exists $v->{$_} } keys %$members) {
		check($members->{$_}, $v->{$_}, "$at.$_", {});
		$known->{$_} = $seen{"$at.$_"} = 1;
	}
	grep { /^(additional|unevaluated)P/ } keys %$s or return;
	$known->{$_} || die "$at: has $_" for keys %$v;
}

# All members that a definition names itself, but those that have members.
sub members {
	my ($s, $at) = @_;
	my @below = grep { /[.]/ } (map({ members($_, $at) } @{ $s->{anyOf} // [] }),
	    $s->{items} ? grep({ !/\[]$/ } members($s->{items}, "$at\[]")) : (),
	    map { members($s->{properties}{$_}, "$at.$_") }
	    keys %{ $s->{properties} // {} });

	return @below ? @below : $at;
}

END {
	open(my $file, '>>', $seen) or die "$seen: $!\n";
	print $file "$_\n" for sort keys %seen;
}
if (defined $name) {
	/./ and check($defs->{$name}, $json->decode($_), $name, {})
	    while <STDIN>;
	$. > 0 or die "there is nothing\n";
} else {
	my %all = map { $_ => 1 } grep { /[.]/ }
	    map { members($defs->{$_}, $_) } keys %$defs;
	@ARGV = $seen;
	while (<>) { chomp; delete $all{$_} }
	print "$_\n" for sort keys %all;
}
