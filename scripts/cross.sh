#!/bin/sh
# cross.sh - compiles everything for macOS and the BSDs, with their own headers,
# and links the main program with their C libraries; make cross runs it.
#
#   scripts/cross.sh [SYSTEM...]    Darwin FreeBSD NetBSD OpenBSD, or some
#
# It needs zig, which brings them: in PATH, or by `pip install ziglang`.  The
# other libraries are this system's headers, and functions that do nothing.
# Nothing that is built here is ever run.

set -e
cd "${0%/*}/.."
if command -v zig >/dev/null; then
	zig=zig
elif python3 -c 'import ziglang' 2>/dev/null; then
	zig='python3 -m ziglang'
else
	echo 'cross: zig is not here (pip install ziglang), skipped'
	exit 0
fi
: "${MAKE:=make}"
out=build/cross
mkdir -p "$out/include"

# Their folders hold this system's C library as well.
for header in pcre2.h:libpcre2-8 yaml.h:yaml-0.1 \
    curses.h:ncursesw term.h:ncursesw ncurses_dll.h:ncursesw unctrl.h:ncursesw
do
	folder=$(pkg-config --variable=includedir "${header#*:}")
	ln -sf "$folder/${header%:*}" "$out/include/"
done

# for_system SYSTEM TARGET GOAL...: without the fleet, whose library may only be
# here.
for_system() {
	system=$1 target=$2
	shift 2
	$MAKE FLEET_LIBS= BUILD="$out/$system" PROGRAM="$out/$system/paneward" \
		UNAME="$system" CC="$zig cc -target $target" AR="$zig ar" \
		CFLAGS='-O0 -Werror' \
		DEPS_CFLAGS="-isystem $out/include" \
		DEPS_LIBS="$out/$system/stubs.c" "$@"
}

# cross SYSTEM TARGET: the objects name the functions of the other libraries.
cross() {
	for_system "$@" objects "$out/$1/libpaneward.a" &&
		find "$out/$1" -name '*.o' -exec strings -a {} + |
		grep -Eo '\b_?(pcre2|yaml_(parser|event))_[A-Za-z0-9_]+$' |
		sort -u | sed 's/^_//; s/.*/void &(void); void &(void) { }/' \
			>"$out/$1/stubs.c" &&
		for_system "$@" "$out/$1/paneward"
}

# Each system is tried, also behind one that fails.
failed=
[ $# -gt 0 ] || set -- Darwin FreeBSD NetBSD OpenBSD
for system; do
	case $system in
	Darwin) target=aarch64-macos ;;
	# zig's headers are of NetBSD 11, while its C library is one of 10.1
	# unless the target says otherwise: kevent() would be missing.
	NetBSD) target=x86_64-netbsd.11.0 ;;
	*) target=x86_64-$(echo "$system" | tr '[:upper:]' '[:lower:]') ;;
	esac
	echo "$system ($target)"
	cross "$system" "$target" || failed="$failed $system"
done
[ "$failed" = '' ] || {
	echo "cross: failed for$failed" >&2
	exit 1
}
