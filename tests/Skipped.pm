# Skipped.pm - prints what prove prints, and how much was skipped.
package Skipped;
use strict;
use warnings;
use parent -t STDOUT ? 'TAP::Formatter::Console' : 'TAP::Formatter::File';

sub summary {
	my ($self, $results, @more) = @_;
	my @whole = grep { $_->skip_all } map { $results->parsers($_) }
	    $results->descriptions;

	$self->SUPER::summary($results, @more);
	$self->_output('Skipped: ' . $results->skipped . ' tests, ' . @whole .
	    " whole files\n");
}

1;
