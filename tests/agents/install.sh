#!/bin/sh
# Installs the clients of clients.txt, by npm, each into a folder NAME-VERSION,
# if it is missing.
#
#	tests/agents/install.sh build/clients

set -u
# CLIENTS is a folder with another clients.txt.
here=${CLIENTS:-$(cd "${0%/*}" && pwd -P)}
clients=${1:?a folder}

for program in node npm; do
	command -v "$program" >/dev/null || {
		echo "install: '$program' is not here; install Node.js" >&2
		exit 3
	}
done
mkdir -p "$clients" && clients=$(cd "$clients" && pwd -P) || exit 3
grep -v '^#' "$here/clients.txt" | while read -r name package version; do
	folder=$clients/$name-$version
	[ ! -d "$folder" ] || continue
	echo "install: $package $version" >&2
	rm -rf "$folder.new"
	npm install --prefix "$folder.new" --no-audit --no-fund \
		--loglevel=error "$package@$version" >&2 </dev/null || {
		echo "install: cannot install '$package': npm failed" >&2
		exit 3
	}
	# The package of one system brings its program without a link.
	links=$folder.new/node_modules/.bin
	if [ -d "${links%/*}" ] && [ ! -d "$links" ]; then
		mkdir "$links"
		ln -s "../$package/bin/$name" "$links/$name"
	fi
	mv "$folder.new" "$folder"
done
