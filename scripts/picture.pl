#!/usr/bin/perl
# Draws a terminal as an SVG that moves: perl scripts/picture.pl LABEL <FILM >FILE
#
# A film is one screen after another.  A line "\f SECONDS TITLE" begins a screen
# and says how long it stays.  What follows is what `tmux capture-pane -p -e`
# prints: lines of text, in which the only control sequences are those that choose
# colors and weights.  Each character is one column wide.
#
# A line of the terminal that several screens have is drawn once; a style sheet
# shows it while it is there.  Where nothing moves, the first screen stands still.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

my ($width, $height, $margin, $bar) = (8.4, 20, 16, 36);
my ($paper, $ink, $frame) = ('#0d1117', '#d1d7e0', '#30363d');
my @colors = ('#484f58', '#ff7b72', '#56d364', '#e3b341', '#79c0ff',
    '#d2a8ff', '#56d4dd', '#d1d7e0');
my ($label) = @ARGV;
my ($seconds, $columns, $rows) = (0, 0, 0);
my (%style, @shapes, %spans, @screens);

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

# The shapes of one line of the terminal.
sub draw_line {
	my ($row, $line) = @_;
	my $column = 0;

	@shapes = ();
	while ($line =~ /\G(?:\e\[([\d;]*)m|([^\e\n]+))/g) {
		if (defined $1) {
			choose($_ || 0) for $1 eq '' ? 0 : split /;/, $1;
			next;
		}
		draw($row, $column, $2);
		$column += length $2;
	}
	$columns = $column if $column > $columns;
	return join "\n", @shapes;
}

sub draw_title {
	my ($title) = @_;

	return sprintf '<text x="84" y="23" fill="#9198a1">%s</text>',
	    escaped($title);
}

# show SHAPES: they are there for the screen that begins now.
sub show {
	my ($shapes, $length) = @_;
	my $last;

	return if $shapes eq '';
	$last = $spans{$shapes}[-1];
	if ($last && $last->[1] == $seconds) {
		$last->[1] += $length;
	} else {
		push @{ $spans{$shapes} }, [$seconds, $seconds + $length];
	}
}

while (<STDIN>) {
	if (/^\f (\S+) (.*)/) {
		push @screens, { seconds => $1, title => $2, lines => [] };
	} else {
		push @{ $screens[-1]{lines} }, $_;
	}
}
for my $screen (@screens) {
	my @lines = @{ $screen->{lines} };

	%style = ();
	show(draw_title($screen->{title}), $screen->{seconds});
	show(draw_line($_, $lines[$_]), $screen->{seconds}) for 0 .. $#lines;
	$seconds += $screen->{seconds};
	$rows = @lines if @lines > $rows;
}

my $w = int($columns * $width + 2 * $margin + 0.5);
my $h = $bar + 16 + $rows * $height;
my ($right, $lowest, $corner) = ($w - 1, $h - 1, $w - 9);
my (%class, $rules, $drawn);

for my $shapes (sort keys %spans) {
	my @spans = @{ $spans{$shapes} };
	my $times = join ' ', map { @$_ } @spans;

	if (@spans == 1 && $spans[0][1] - $spans[0][0] == $seconds) {
		$drawn .= "$shapes\n";
		next;
	}
	if (!$class{$times}) {
		my $first = $spans[0][0] == 0 ? 'visible' : 'hidden';
		my $name = $class{$times} = 'a' . keys %class;
		my $keys = "0%{visibility:$first}";

		for my $span (@spans) {
			$keys .= sprintf '%.2f%%{visibility:visible}' .
			    '%.2f%%{visibility:hidden}',
			    map { 100 * $_ / $seconds } @$span;
		}
		$rules .= "\@keyframes $name\{$keys}\n.$name\{visibility:" .
		    "$first;animation:$name ${seconds}s step-end infinite}\n";
	}
	$drawn .= "<g class=\"$class{$times}\">\n$shapes\n</g>\n";
}
$rules //= '';

print <<END;
<svg xmlns="http://www.w3.org/2000/svg" width="$w" height="$h"
    viewBox="0 0 $w $h" role="img" aria-label="$label">
<style>
$rules\@media (prefers-reduced-motion:reduce){g{animation:none!important}}
</style>
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
$drawn</g>
</svg>
END
