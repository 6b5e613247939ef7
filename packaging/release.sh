#!/bin/sh
# Makes the release of the commit that is checked out.
#
#	packaging/release.sh dist    its source as one archive, and the recipes
#	                             of packaging/ with its version and checksum
#	packaging/release.sh deb     the same, and its package for Debian
#
# In the environment, as the Makefile sets them:
#
#	VERSION     the version
#	DIST        the folder that gets all this
#	HOMEPAGE    the project's page; may be empty
#	DOWNLOADS   the address of the folder from which the archive is loaded
#	DEBFULLNAME, DEBEMAIL  the package's maintainer; else the commit's author
#
# The same commit always gives the same archive and the same package, byte for
# byte, if git, gzip and the compiler are the same: the clone's place, the
# umask, the time and the user's configuration of git do not matter.

umask 022
name=paneward-$VERSION
archive=$DIST/$name.tar.gz

refuse() {
	echo "release: $*" >&2
	exit 1
}

# Each %-word as in git log.
of_commit() {
	git -c log.showSignature=false log -1 --format="$1"
}

# ---- the source -------------------------------------------------------------

check_clone() {
	top=$(git rev-parse --show-toplevel) ||
		refuse 'only a clone of git can be released'
	[ "$top" = "$(pwd -P)" ] ||
		refuse "'$PWD' is no clone of git, but lies in one"
	[ -z "$(git status --porcelain)" ] ||
		refuse 'commit first: a release holds what the commit holds'
}

# The file's time is the commit's, and gzip adds none.
pack() {
	git -c tar.umask=0022 -c core.autocrlf=false -c core.eol=lf \
		-c core.attributesFile=/dev/null \
		archive --prefix="$name/" HEAD >"$DIST/$name.tar" &&
		gzip -nf9 "$DIST/$name.tar"
}

# ---- what is filled in ------------------------------------------------------

checksum() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d ' ' -f 1
}

# sed's command that puts the value in the place of the word.
put() {
	printf 's|%s|%s|' "$1" "$(printf '%s' "$2" | sed 's/[&|\\]/\\&/g')"
}

# Fills in a template; a line about the homepage goes if there is none.
fill() {
	page=$(put @HOMEPAGE@ "$HOMEPAGE")
	[ -n "$HOMEPAGE" ] || page=/@HOMEPAGE@/d
	sed -e "$page" -e "$(put @DOWNLOADS@ "$DOWNLOADS")" \
		-e "$(put @VERSION@ "$VERSION")" -e "$(put @SHA256@ "$sum")" \
		-e "$(put @MAINTAINER@ "$maintainer")" \
		-e "$(put @DATE@ "$(of_commit %aD)")" "$1"
}

make_dist() {
	mkdir -p "$DIST" || exit 1
	pack || refuse "cannot make '$archive'"
	sum=$(checksum "$archive")
	for recipe in packaging/*.in; do
		file=${recipe##*/}
		fill "$recipe" >"$DIST/${file%.in}" || exit 1
	done
	echo "  packed $archive"
}

# ---- the package for Debian -------------------------------------------------

# Its tools want debian/ in the source, and write beside the source.
make_deb() {
	command -v apt-get >/dev/null ||
		refuse 'a .deb is made on Debian, Ubuntu and their like'
	scripts/bootstrap --deb || exit 1
	stage=$DIST/debian
	source=$stage/$name
	rm -rf "$stage" "$DIST"/paneward_*.deb
	mkdir "$stage" && tar -xzf "$archive" -C "$stage" || exit 1
	cp -R "$source/packaging/debian" "$source/debian" || exit 1
	for file in control changelog; do
		fill "packaging/debian/$file.in" >"$source/debian/$file" &&
			rm "$source/debian/$file.in" || exit 1
	done
	(cd "$source" && dpkg-buildpackage -b -us -uc) >"$stage/log" 2>&1 || {
		tail -n 40 "$stage/log" >&2
		refuse "cannot build the package: see '$stage/log'"
	}
	mv "$stage"/paneward_*.deb "$DIST/" && ls "$DIST"/paneward_*.deb
}

# ---- the work ---------------------------------------------------------------

check_clone
maintainer=${DEBFULLNAME:-$(of_commit %an)}
maintainer="$maintainer <${DEBEMAIL:-$(of_commit %ae)}>"
make_dist
case $1 in
dist) ;;
deb) make_deb ;;
*) refuse "unknown word '$1'" ;;
esac
