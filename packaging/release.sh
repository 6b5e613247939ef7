#!/bin/sh
# Makes the release of the commit that is checked out.
#
#	packaging/release.sh dist    its source as one archive, and the recipes
#	                             of packaging/ with its version and checksum
#	packaging/release.sh deb     the same, and its package for Debian, built
#	                             as distributions do
#	packaging/release.sh release
#	                             all that a release's page holds: also the
#	                             static programs as archives, deb and rpm, a
#	                             list in SPDX, the site, notes, checksums
#
# In the environment, as the Makefile sets them:
#
#	VERSION     the version
#	DIST        the folder that gets all this; of a release, a new one
#	HOMEPAGE    the project's page; may be empty
#	DOWNLOADS   the address of the folder from which the files are loaded;
#	            if it is empty, recipes want them beside themselves
#	LIBRARY_SOURCES
#	            the folder in which a release keeps the libraries' sources
#	DEBFULLNAME, DEBEMAIL
#	            the packages' maintainer; else the commit's author
#
# The same commit always gives the same files, byte for byte, if git, tar,
# gzip, rpmbuild, the compilers and Debian's libraries are the same: the clone's
# place, the umask, the time and the user's configuration do not matter.

umask 022
LC_ALL=C
export LC_ALL
name=paneward-${VERSION:?}
archive=$DIST/$name.tar.gz

# The processors, by their names for uname and for Debian.
machines='
x86_64  amd64
aarch64 arm64
'

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

# What a recipe calls its own folder, with a slash behind it.
beside() {
	# shellcheck disable=SC2016
	case $1 in
	*.rb.in) echo 'file://#{File.dirname(__FILE__)}/' ;;
	*.nix.in) echo 'file://${toString ./.}/' ;;
	esac
}

# Fills in a template; a line about the homepage goes if there is none.
fill() {
	page=$(put @HOMEPAGE@ "$HOMEPAGE")
	[ -n "$HOMEPAGE" ] || page=/@HOMEPAGE@/d
	place=$(beside "$1")
	[ -z "$DOWNLOADS" ] || place=${DOWNLOADS%/}/
	plugin=${HOMEPAGE:-OWNER/paneward}
	sed -e "$page" -e "$(put @DOWNLOADS@/ "$place")" \
		-e "$(put @DOWNLOADS@ "${DOWNLOADS%/}")" \
		-e "$(put @PLUGIN@ "${plugin#https://github.com/}")" \
		-e "$(put @VERSION@ "$VERSION")" -e "$(put @SHA256@ "$sum")" \
		-e "$(put @MAINTAINER@ "$maintainer")" \
		-e "$(put @DATE@ "$date")" "$1"
}

pack_source() {
	mkdir -p "$DIST" || exit 1
	pack || refuse "cannot make '$archive'"
	sum=$(checksum "$archive")
	echo "  packed ${archive##*/}"
}

make_recipes() {
	for recipe in packaging/*.in; do
		file=${recipe##*/}
		fill "$recipe" >"$DIST/${file%.in}" || exit 1
		[ ! -x "$recipe" ] || chmod +x "$DIST/${file%.in}" || exit 1
	done
}

# ---- the package for Debian -------------------------------------------------

# build_deb FOLDER [ARCHITECTURE]: in a new folder, since its tools want debian/
# in the source and write beside the source.
build_deb() {
	mkdir "$1" && gzip -dc "$archive" | tar -xf - -C "$1" &&
		cp -R "$1/$name/packaging/debian" "$1/$name/debian" || exit 1
	for file in control changelog; do
		fill "packaging/debian/$file.in" >"$1/$name/debian/$file" &&
			rm "$1/$name/debian/$file.in" || exit 1
	done
	(cd "$1/$name" && dpkg-buildpackage -b -us -uc ${2+"-a$2"}) \
		>"$1/log" 2>&1 </dev/null || {
		tail -n 40 "$1/log" >&2
		refuse "cannot build the package in '$1': see 'log' there"
	}
	mv "$1"/paneward_*.deb "$DIST/"
}

make_deb() {
	command -v apt-get >/dev/null ||
		refuse 'a .deb is made on Debian, Ubuntu and their like'
	scripts/bootstrap --deb || exit 1
	rm -rf "$DIST/debian" "$DIST"/paneward_*.deb
	build_deb "$DIST/debian" && ls "$DIST"/paneward_*.deb
}

# ---- the static programs ----------------------------------------------------

# failed WHAT: the stage stays, with all logs in it.
failed() {
	: >"$stage/failed"
	refuse "cannot $1, so '$folder' is not made; see '$stage', and remove it"
}

# attempt WHAT COMMAND...: what it prints is kept, and shown if it fails.
attempt() {
	log="$stage/log"
	what=$1
	shift
	"$@" >"$log" 2>&1 </dev/null || {
		tail -n 40 "$log" >&2
		failed "$what"
	}
}

# Built anew, libraries included, of the source that is in the archive.
make_static() {
	mkdir -p build/archives && ln -s "$sources" build/archives/sources ||
		exit 1
	for machine; do
		foreign=$completer
		[ "$machine" != "$(uname -m)" ] || foreign=
		attempt "build the programs for $machine" \
			"${MAKE:-make}" static ARCH="$machine" \
			${foreign:+"COMPLETER=$foreign"}
		mv "build/static/$name-linux-$machine.tar.gz" "$DIST/" || exit 1
		echo "  packed $name-linux-$machine.tar.gz"
	done
}

# What is linked, as scripts/archives says: each name, version, checksum,
# address and licence.
libraries() {
	scripts/archives --list |
		while read -r library version hash address _ licence; do
			echo "$library $version $hash $address $licence"
		done
}

# The version of the compiler, whose own library is linked, too.
compiler() {
	"build/archives/$1/bin/musl-gcc" -dumpfullversion
}

# The licence of the programs with all that is in them.
all_licences() {
	{ echo ISC; libraries | cut -d ' ' -f 5-; } | sort -u |
		sed ':a; N; $!ba; s/\n/ AND /g'
}

# ---- packages ---------------------------------------------------------------

# make_release_deb ARCHITECTURE: with the libraries of this Debian.  Lintian
# takes a library within a program for an error, so these are not static.
make_release_deb() {
	DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS=nocheck
	[ "$1" = "$(dpkg --print-architecture)" ] ||
		DEB_BUILD_PROFILES='cross nocheck'
	COMPLETER=$completer
	export DEB_BUILD_PROFILES DEB_BUILD_OPTIONS COMPLETER
	(build_deb "$stage/debian-$1" "$1") ||
		failed "build the package for $1"
	echo "  packed paneward_$VERSION-1_$1.deb"
}

# make_rpm MACHINE: the static programs, which run beside any distribution's
# libraries, by the recipe that also builds from source.
make_rpm() {
	rpm=$DIST/$name-1.$1.rpm
	attempt "pack '$rpm'" env HOME="$stage" \
		rpmbuild -bb --target "$1-linux" \
		--define "_topdir $stage/rpm" --define "_sourcedir $DIST" \
		--define "_dbpath $stage/rpm/db" --define "_rpmdir $DIST" \
		--define "_rpmfilename $name-1.$1.rpm" --define 'dist %{nil}' \
		--define '_buildhost localhost' --define "_tmppath $stage" \
		--define 'use_source_date_epoch_as_buildtime 1' \
		--define 'clamp_mtime_to_source_date_epoch 1' \
		--define '_binary_payload w9.gzdio' \
		--define "tree $PWD/build/static/$name-linux-$1" \
		--define "licenses $(all_licences)" "$DIST/paneward.spec"
	echo "  packed ${rpm##*/}"
}

# ---- what describes them ----------------------------------------------------

# spdx_package ID NAME VERSION ADDRESS SHA256 LICENCE
spdx_package() {
	known=
	[ "$5" = '' ] || known='"checksums": [ { "algorithm": "SHA256",
	    "checksumValue": "'$5'" } ],'
	cat <<-END
	{ "SPDXID": "SPDXRef-$1", "name": "$2", "versionInfo": "$3",
	  "downloadLocation": "$4", "filesAnalyzed": false, $known
	  "licenseConcluded": "$6", "licenseDeclared": "$6",
	  "copyrightText": "NOASSERTION" },
	END
}

# spdx_relation ID TYPE ID
spdx_relation() {
	cat <<-END
	{ "spdxElementId": "SPDXRef-$1", "relationshipType": "$2",
	  "relatedSpdxElement": "SPDXRef-$3" },
	END
}

# A list's last comma goes.
spdx_list() {
	echo "\"$1\": ["
	sed '$s/,$//'
	printf ']'
}

# spdx_parts MACHINE...: paneward, what is linked with it, and the archives.
spdx_parts() {
	from=${DOWNLOADS:+${DOWNLOADS%/}/}
	spdx_package paneward paneward "$VERSION" \
		"${from:-NOASSERTION}${from:+$name.tar.gz}" "$sum" ISC
	libraries | while read -r library version hash address licence; do
		spdx_package "$library" "$library" "$version" "$address" \
			"$hash" "$licence"
	done
	for machine; do
		spdx_package "libgcc-$machine" libgcc "$(compiler "$machine")" \
			NOASSERTION '' 'GPL-3.0-or-later WITH GCC-exception-3.1'
		file=$name-linux-$machine.tar.gz
		spdx_package "archive-$machine" "$file" "$VERSION" \
			"${from:-NOASSERTION}${from:+$file}" \
			"$(checksum "$DIST/$file")" "$(all_licences)"
	done
}

# Each archive contains all of them.
spdx_relations() {
	for machine; do
		spdx_relation DOCUMENT DESCRIBES "archive-$machine"
		for part in paneward "libgcc-$machine" \
			$(libraries | cut -d ' ' -f 1); do
			spdx_relation "archive-$machine" CONTAINS "$part"
		done
	done
}

# An id has no '_'.
make_spdx() {
	{
		cat <<-END
		{ "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
		"SPDXID": "SPDXRef-DOCUMENT", "name": "$name",
		"documentNamespace": "https://spdx.org/spdxdocs/$name-$sum",
		"creationInfo": { "created": "$created",
		"creators": [ "Tool: paneward-release-$VERSION" ] },
		END
		spdx_parts "$@" | spdx_list packages
		echo ,
		spdx_relations "$@" | spdx_list relationships
		echo ' }'
	} | sed '/SPDXRef-/s/x86_64"/x86-64"/' >"$DIST/$name.spdx.json"
}

# The newest section of the changelog, and what the files are.
make_notes() {
	{
		echo "# paneward $VERSION"
		awk '/^## / { n++; next } n == 1' CHANGELOG.md
		cat packaging/files.md
	} | sed "s/@VERSION@/$VERSION/g" >"$DIST/RELEASE-NOTES.md"
}

check_changelog() {
	newest=$(sed -n '/^## /{ s///p; q; }' CHANGELOG.md)
	[ "${newest%% *}" = "$VERSION" ] || refuse "CHANGELOG.md begins with" \
		"'$newest', and the Makefile's VERSION is '$VERSION'"
	case $newest in
	*'not yet'*) echo "release: CHANGELOG.md says '$newest'" >&2 ;;
	esac
}

# ---- the release ------------------------------------------------------------

# Everything is made beside the folder, which is moved to its place once it is
# complete.
make_release() {
	folder=$DIST
	[ ! -e "$folder" ] ||
		refuse "'$folder' is there already: remove it, or give DIST="
	check_changelog
	scripts/bootstrap --release || exit 1
	case $folder in
	*/*) ;;
	*) folder=./$folder ;;
	esac
	mkdir -p "${folder%/*}" "${LIBRARY_SOURCES:?}" || exit 1
	sources=$(cd "$LIBRARY_SOURCES" && pwd) || exit 1
	place=$(cd "${folder%/*}" && pwd) &&
		stage=$(mktemp -d "$place/release.XXXXXX") || exit 1
	trap '[ -e "$stage/failed" ] || rm -rf "$stage"' EXIT
	trap 'exit 130' INT TERM HUP
	DIST=$stage/release
	archive=$DIST/$name.tar.gz
	unset MAKEFLAGS MFLAGS CFLAGS CPPFLAGS LDFLAGS
	SOURCE_DATE_EPOCH=$(of_commit %ct)
	export SOURCE_DATE_EPOCH
	pack_source
	gzip -dc "$archive" | tar -xf - -C "$stage" &&
		cd "$stage/$name" || exit 1
	make_recipes
	# shellcheck disable=SC2046
	set -- $(echo "$machines" | cut -d ' ' -f 1)
	completer=$PWD/build/static/$(uname -m)/paneward
	make_static "$@"
	echo "$machines" | while read -r machine debian; do
		[ -n "$machine" ] || continue
		make_release_deb "$debian"
		make_rpm "$machine"
	done || exit 1
	attempt 'make the site' sh scripts/site.sh "build/$name-site"
	attempt 'pack the site' packaging/pack "build/$name-site"
	mv "build/$name-site.tar.gz" "$DIST/" || exit 1
	make_spdx "$@"
	make_notes
	(cd "$DIST" && for file in *; do
		echo "$(checksum "$file")  $file"
	done >"$stage/sums" && mv "$stage/sums" SHA256SUMS) || exit 1
	cd "$OLDPWD" && mv "$DIST" "$folder" && echo "  made $folder"
}

# ---- the work ---------------------------------------------------------------

check_clone
maintainer=${DEBFULLNAME:-$(of_commit %an)}
maintainer="$maintainer <${DEBEMAIL:-$(of_commit %ae)}>"
date=$(of_commit %aD)
created=$(TZ=UTC git -c log.showSignature=false log -1 \
	--date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
case $1 in
dist) pack_source && make_recipes ;;
deb) pack_source && make_recipes && make_deb ;;
release) make_release ;;
*) refuse "unknown word '$1'" ;;
esac
