#!/usr/bin/perl
# What all systems share uses nothing that macOS lacks, as far as a compiler tells
# here: with the headers of this system, less what stubs/darwin.h hides.  `make
# cross` has the headers of macOS and the BSDs themselves.
use strict;
use warnings;

use File::Temp qw(tempdir);
use Test::More;

plan skip_all => 'this system has headers of its own' if `uname -s` ne "Linux\n";

my @headers = qw(assert ctype curses dirent errno fcntl fnmatch getopt glob
	inttypes langinfo libgen limits locale math poll pwd signal stdarg stdbool
	stddef stdint stdio stdlib string strings term termios time unistd wchar
	pcre2 yaml sys/file sys/ioctl sys/mman sys/resource
	sys/socket sys/stat sys/statvfs sys/time sys/types sys/un sys/utsname
	sys/wait);
my %common = map { ("$_.h" => 1) } @headers;

my @sources = grep { !m{^lib/os/(?:notify|proc|front|ends|alarm)-} }
	glob '*.c lib/*/*.c {' . join(',', qw(handoff watcher sweep show hook loop
	reload setup top)) . '}/*.c';
cmp_ok(scalar @sources, '>', 100, 'the sources are found');

my @wrong;
for my $file (@sources, glob 'lib/*/*.h') {
	open my $f, '<', $file or die "$file: $!";
	push @wrong, map { /^#include <(.*)>/ && !$common{$1} ? "$file: $1" : () }
		<$f>;
}
is("@wrong", '', 'each system header is one that all systems have');

my $flags = `\${PKG_CONFIG:-pkg-config} --cflags-only-I libpcre2-8 yaml-0.1`;
chomp $flags;
my $compile = ($ENV{CC} || 'cc') . " $flags -std=c11 -fsyntax-only"
	. ' -Werror=implicit-function-declaration -D__APPLE__'
	. ' -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64'
	. q( -DVERSION='"0"' -DDATADIR='"/"' -iquote lib -iquote .)
	. ' -include tests/stubs/darwin.h';

my $said = `$compile @sources 2>&1`;
is($?, 0, 'all compile without what macOS lacks') or diag($said);

# A use of each is found, so that the line before is worth something.
my $folder = tempdir(CLEANUP => 1);
for ('fdatasync(1);', 'pipe2(0, 0);', 'memrchr("", 0, 0);', 'struct wait *w;',
    'strverscmp("", "");', 'struct stat st; st.st_mtim.tv_nsec = 0;',
    'socket(0, SOCK_CLOEXEC, 0);', 'execvpe("", 0, 0);') {
	open my $f, '>', "$folder/a.c" or die $!;
	print $f "#include <string.h>\n#include <sys/wait.h>\n#include <unistd.h>\n",
		"void f(void);\nvoid\nf(void)\n{\n\t$_\n}\n";
	close $f;
	isnt(system("$compile $folder/a.c 2>/dev/null"), 0, "not with: $_");
}
done_testing();
