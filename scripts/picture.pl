#!/usr/bin/perl
# Draws a terminal as an SVG: perl scripts/picture.pl TITLE <SCREEN >FILE
#
# The screen is what `tmux capture-pane -p -e` prints: lines of text, in which
# the only control sequences are those that choose colors and weights.  Each
# character is one column wide.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

my ($width, $height, $margin, $bar) = (8.4, 20, 16, 36);
my ($paper, $ink, $frame) = ('#0d1117', '#d1d7e0', '#30363d');
my @colors = ('#484f58', '#ff7b72', '#56d364', '#e3b341', '#79c0ff',
    '#d2a8ff', '#56d4dd', '#d1d7e0');
my ($title) = @ARGV;
my @lines = <STDIN>;
my (%style, @shapes);
my $columns = 0;

# What each number of such a sequence does to the style.
sub choose {
	my ($number) = @_;

	%style = () if $number == 0;
	$style{bold} = 1 if $number == 1;
	$style{dim} = 1 if $number == 2;
	$style{reverse} = 1 if $number == 7;
	delete @style{qw(bold dim)} if $number == 22;
	delete $style{reverse} if $number == 27;
	$style{ink} = $colors[$number % 10] if $number =~ /^[39][0-7]$/;
	$style{paper} = $colors[$number % 10] if $number =~ /^(?:4|10)[0-7]$/;
	delete $style{ink} if $number == 39;
	delete $style{paper} if $number == 49;
}

sub escaped {
	my ($text) = @_;
	my %names = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;');

	$text =~ s/([&<>])/$names{$1}/g;
	return $text;
}

sub draw_paper {
	my ($x, $y, $length, $color) = @_;

	push @shapes, sprintf '<rect x="%.1f" y="%d" width="%.1f" ' .
	    'height="%d" fill="%s" shape-rendering="crispEdges"/>',
	    $x, $y, $length * $width, $height, $color;
}

# Words are drawn one by one, so that each stands in its column whatever the
# font is.
sub draw_words {
	my ($x, $y, $text, $color) = @_;
	my $look = "fill=\"$color\"";

	$look .= ' font-weight="bold"' if $style{bold};
	$look .= ' opacity=".6"' if $style{dim};
	while ($text =~ /(\S+(?: \S+)*)/g) {
		push @shapes, sprintf '<text x="%.1f" y="%d" ' .
		    'textLength="%.1f" %s>%s</text>', $x + $-[0] * $width,
		    $y + 15, length($1) * $width, $look, escaped($1);
	}
}

sub draw {
	my ($row, $column, $text) = @_;
	my ($x, $y) = ($margin + $column * $width, $bar + 8 + $row * $height);
	my ($under, $over) = ($style{paper} // $paper, $style{ink} // $ink);

	($under, $over) = ($over, $under) if $style{reverse};
	draw_paper($x, $y, length $text, $under) if $under ne $paper;
	draw_words($x, $y, $text, $over);
}

for my $row (0 .. $#lines) {
	my $column = 0;

	while ($lines[$row] =~ /\G(?:\e\[([\d;]*)m|([^\e\n]+))/g) {
		if (defined $1) {
			choose($_ || 0) for $1 eq '' ? 0 : split /;/, $1;
			next;
		}
		draw($row, $column, $2);
		$column += length $2;
	}
	$columns = $column if $column > $columns;
}

my $w = int($columns * $width + 2 * $margin + 0.5);
my $h = $bar + 16 + @lines * $height;
my ($right, $lowest, $corner, $center) = ($w - 1, $h - 1, $w - 9, $w / 2);

print <<END;
<svg xmlns="http://www.w3.org/2000/svg" width="$w" height="$h"
    viewBox="0 0 $w $h" role="img" aria-label="$title">
<g font-size="14" font-family="ui-monospace, SFMono-Regular, Menlo,
    'DejaVu Sans Mono', Consolas, monospace">
<rect x=".5" y=".5" width="$right" height="$lowest" rx="9"
    fill="$paper" stroke="$frame"/>
<path d="M1 ${bar}V9a8 8 0 0 1 8-8H${corner}a8 8 0 0 1 8 8V${bar}z"
    fill="#1c2128"/>
<g fill="#484f58">
<circle cx="20" cy="18" r="6"/>
<circle cx="40" cy="18" r="6"/>
<circle cx="60" cy="18" r="6"/>
</g>
<text x="$center" y="23" text-anchor="middle" fill="#9198a1">$title</text>
END
print "$_\n" for @shapes;
print "</g>\n</svg>\n";
