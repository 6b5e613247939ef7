#!/bin/sh
# make install, uninstall and dist: all that is wanted is installed and removed,
# and a commit's archive is always the same.
. "${0%/*}/lib.sh"

# ---- install ----------------------------------------------------------------

# What has to be installed below PREFIX, with the mode of each file.
wanted() {
	printf '755 bin/%s\n' paneward paneward-top
	! pkg-config --exists libnats 2>/dev/null || echo 755 bin/paneward-fleet
	(cd "$ROOT" && find agents backends templates scripts/cleanup.sh \
		scripts/merged.sh scripts/fleet-*.sh -type f) |
	while read -r file; do
		mode=644
		[ ! -x "$ROOT/$file" ] || mode=755
		echo "$mode share/paneward/$file"
	done
	for page in "$ROOT"/man/*.[15]; do
		echo "644 share/man/man${page##*.}/${page##*/}"
	done
	echo 644 share/bash-completion/completions/paneward
	echo 644 share/zsh/site-functions/_paneward
	echo 644 share/fish/vendor_completions.d/paneward.fish
}

# Mode and name of each file below the folder.
files() {
	(cd "$1" && find . -type f -perm 755 | sed 's|^\./|755 |' &&
		find . -type f ! -perm 755 -perm 644 | sed 's|^\./|644 |' &&
		find . -type f ! -perm 755 ! -perm 644 | sed 's|^\./|odd |') |
		sort
}

# The programs are those that are tested, however old their sources are.
built() {
	make -C "$ROOT" -o "$program" -o "$program-top" -o "$program-fleet" \
		BUILD="$BUILD" PROGRAM="$program" DESTDIR="$T/installed" \
		PREFIX="${prefix:-/usr}" "$@"
}

program=${PW#"$ROOT/"}
if [ "$program" != "$PW" ]; then
	scenario 'make install installs all that it needs, for all users' <<'END'
>>> umask 077; gives 0 '' built install; umask 022
>>> is "$(files "$T/installed/usr")" "$(wanted | sort)"
>>> find "$T/installed" -type d ! -perm 755
>>> echo mine >"$T/installed/usr/bin/mine"; gives 0 '' built uninstall
>>> files "$T/installed"; rm -r "$T/installed"
644 usr/bin/mine
>>> prefix=/opt/paneward; gives 0 '' built install
>>> "$T/installed$prefix/bin/paneward" render merge >"$T/said"
>>> size=$(wc -c <"$T/installed$prefix/bin/paneward")
>>> [ "$size" -lt "$(wc -c <"$PW")" ]
>>> gives 0 '' built uninstall; find "$T/installed"
$T/installed
END
else
	skip 'make install' "$PW was not built here"
fi

# A clone as small as it can be: what a release holds does not matter.
git_as() {
	git -c user.name=A -c user.email=a@localhost -c commit.gpgSign=false \
		-C "$@"
}

# dist FOLDER [VARIABLE=VALUE...]
dist() { make -C "$@" dist; }
release() { make -C "$@" release; }

# Everything differs that is not the commit.
another_second() { [ "$(date +%s)" != "$second" ]; }

scenario 'make dist packs the commit, the same everywhere' <<'END'
>>> mkdir "$T/first" && cp -R "$ROOT/Makefile" "$ROOT/README.md" \
... 	"$ROOT/packaging" "$ROOT/agents" "$T/first" &&
... 	echo /build/ >"$T/first/.gitignore" &&
... 	echo '## 9.9' >"$T/first/CHANGELOG.md" &&
... 	git_as "$T/first" init -q && git_as "$T/first" add . &&
... 	git_as "$T/first" commit -q -m one || exit 1
>>> version=$(sed -n 's/^VERSION *= *//p' "$ROOT/Makefile")
>>> archive=build/dist/paneward-$version.tar.gz; gives 0 '' dist "$T/first"
>>> tar -tzf "$T/first/$archive" >"$T/packed"
>>> is "$(grep -v '/$' "$T/packed" | sort)" \
... 	"$(git -C "$T/first" ls-files | sed "s|^|paneward-$version/|" | sort)"
>>> mkdir "$T/another" && git clone -q "$T/first" "$T/another/place" || exit 1
>>> git -C "$T/another/place" config core.autocrlf true
>>> git -C "$T/another/place" config tar.umask 0; second=$(date +%s)
>>> wait_until 5 another_second; umask 077; gives 0 '' dist "$T/another/place"
>>> umask 022; diff -r "$T/first/build/dist" "$T/another/place/build/dist"
>>> echo change >>"$T/another/place/README.md"
>>> gives 2 'release: commit first' dist "$T/another/place"
>>> gives 2 'release: commit first' release "$T/another/place"
>>> mkdir "$T/first/build/release"
>>> gives 2 "release: 'build/release' is there already" release "$T/first"
>>> rmdir "$T/first/build/release"
>>> gives 2 "release: CHANGELOG.md begins with '9.9'.* VERSION is '$version'" \
... 	release "$T/first"; ls "$T/first/build"
dist
>>> mv "$T/first/.git" "$T/dot-git"
>>> gives 2 'release: only a clone of git' dist "$T/first"; git init -q "$T"
>>> gives 2 "release: '.*' is no clone of git" dist "$T/first"
>>> mv "$T/dot-git" "$T/first/.git"
END

# pack FOLDER TIME: the folder `packed` in it, with a file of that time.
pack() {
	mkdir -p "$1/packed/b" && echo b >"$1/packed/b/c" &&
		: >"$1/packed/a" && touch -d "$2" "$1/packed/a" &&
		SOURCE_DATE_EPOCH=1234567890 "$ROOT/packaging/pack" "$1/packed"
}

if tar --version | grep -q GNU; then
	scenario 'a folder is packed, the same everywhere' <<'END'
>>> gives 0 '' pack "$T/one" 2001-01-01; umask 077
>>> gives 0 '' pack "$T/two" 2002-02-02; umask 022
>>> cmp "$T/one/packed.tar.gz" "$T/two/packed.tar.gz"
>>> TZ=UTC tar -tvzf "$T/one/packed.tar.gz" | tr -s ' '
drwxr-xr-x 0/0 0 2009-02-13 23:31 packed/
-rw-r--r-- 0/0 0 2009-02-13 23:31 packed/a
drwxr-xr-x 0/0 0 2009-02-13 23:31 packed/b/
-rw-r--r-- 0/0 2 2009-02-13 23:31 packed/b/c
END
else
	skip 'a folder is packed' "tar is not GNU's"
fi

recipes=$T/first/build/dist
# The value of a line NAME=VALUE, NAME: VALUE or NAME "VALUE".
value() {
	sed -n "s/^ *$2[=: (]*[\"']\{0,1\}\([^\"')]*\).*/\1/p" "$recipes/$1"
}

# reads PROGRAM [ARG...]: can it read the recipe?
reads() {
	if command -v "$1" >/dev/null; then
		check "$1 can read its recipe" "$@"
	else
		skip "$1 can read its recipe" "$1 is not here"
	fi
}

scenario 'the recipes are filled in' <<'END'
>>> is "$(grep -l '@[A-Z0-9]*@' "$recipes"/PKGBUILD "$recipes"/paneward.* \
... 	"$recipes/install.sh")" ''
>>> is "$(value PKGBUILD pkgver) $(value paneward.spec Version)" \
... 	"$version $version"
>>> is "$(value PKGBUILD sha256sums) $(value paneward.rb sha256)" \
... 	"$({ sha256sum || shasum -a 256; } <"$T/first/$archive" 2>/dev/null |
... 		sed 's/ .*//;s/.*/& &/')"
>>> value PKGBUILD url; value paneward.rb homepage; value paneward.spec URL
>>> grep -c 'url "file://#{File.dirname(__FILE__)}/paneward-' \
... 	"$recipes/paneward.rb"
1
>>> is "$(value paneward.spec Source0)" "%{name}-%{version}.tar.gz"
>>> gives 0 '' dist "$T/first" HOMEPAGE='https://a.example/?a&b|c' \
... 	DOWNLOADS=https://a.example/files
>>> is "$(value paneward.rb homepage) $(value paneward.rb url)" \
... 	"https://a.example/?a&b|c https://a.example/files/${archive##*/}"
>>> is "$(sed -n 's/^set -g @plugin //p' "$recipes/tpm.conf") $(
... 	value paneward.nix url)" "'https://a.example/?a&b|c#v$version' $(
... 	)https://a.example/files/${archive##*/}"
>>> mkdir "$T/brew" && cd "$T/brew" || exit 1
>>> gives 0 '' env HOME="$T/brew" PANEWARD_CEILING="$T" "$PW" $(sed -n \
... 	's/^ *system bin.*"paneward", *//p' "$recipes/paneward.rb" | tr -d '",')
>>> made=$(sed -n 's|.*assert_path_exists testpath/"\(.*\)".*|\1|p' \
... 	"$recipes/paneward.rb")
>>> test -f "$T/brew/$made"
>>> cd "$P" || exit 1
END
reads bash -n "$recipes/PKGBUILD"
reads ruby -c "$recipes/paneward.rb"
reads rpmspec -P "$recipes/paneward.spec"
reads nix-instantiate --parse "$T/first/packaging/default.nix"
reads nix-instantiate --parse "$recipes/paneward.nix"
done_testing
