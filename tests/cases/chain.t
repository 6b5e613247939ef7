#!/usr/bin/perl
# chain.t - tests/vectors/chain: the order of detection, through explain.
# tests/system/chain.sh runs the same cases with a watcher.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Encode qw(encode_utf8);
use JSON::PP;
use Paneward qw(paneward slurp spew scratch);

binmode STDOUT, ':utf8';
my $cases = decode_json(
    slurp("$FindBin::Bin/../vectors/chain/index.json"))->{cases};
my $number = 0;

# Writes the files of the case into a status directory.
sub lay {
	my ($case, $status) = @_;

	mkdir $status, 0700 or die "$status: $!\n";
	for my $name (sort keys %{ $case->{status_dir} }) {
		my $content = $case->{status_dir}{$name};

		if (ref $content) {
			mkdir "$status/$name";
		} else {
			spew("$status/$name", encode_utf8($content));
		}
	}
}

sub replay {
	my ($case, $folder) = @_;
	my @arguments = ('--session', $case->{session});

	if (defined $case->{capture}) {
		spew("$folder/capture", encode_utf8($case->{capture}));
		push @arguments, '--capture', "$folder/capture";
	}
	push @arguments, '--check-errors' if $case->{check_errors};
	return paneward({ dir => $folder }, 'explain', $case->{issue},
	    '--json', '--status-dir', "$folder/status", @arguments);
}

sub differences {
	my ($want, $got) = @_;
	my @wrong;

	for my $key (qw(verdict source)) {
		my ($g, $w) = map { $_ // 'null' } $got->{$key}, $want->{$key};
		push @wrong, "$key is $g, not $w" if $g ne $w;
	}
	my $message = $got->{message} // '';
	push @wrong, "message is '$message'"
	    if ($want->{error_message} // $message) ne $message;
	return @wrong;
}

for my $case (@$cases) {
	my $folder = scratch() . "/$case->{id}";
	mkdir $folder or die "$folder: $!\n";
	lay($case, "$folder/status");
	my $run = replay($case, $folder);
	my @lines = split /\n/, $run->{out};
	my @wrong = differences($case->{expect},
	    @lines ? decode_json($lines[-1]) : {});

	push @wrong, "exit $run->{exit}: $run->{err}" if $run->{exit} ne '0';
	$number++;
	printf "%sok %d - %s %s\n", @wrong ? 'not ' : '', $number, $case->{id},
	    $case->{notes};
	print "# $_\n" for @wrong;
}
print "1..$number\n";
