#!/bin/sh
# Installs the clients of clients.txt into a folder, by npm, each where the
# version named there is not yet.
#
#	tests/agents/install.sh build/clients

set -u
here=$(cd "${0%/*}" && pwd -P)
clients=${1:?a folder}

# installed FOLDER PACKAGE VERSION: is it, and that one?
installed() {
	node -e '
		const { version } = require(process.argv[1]);
		process.exit(version === process.argv[2] ? 0 : 1);
	' "$1/node_modules/$2/package.json" "$3" 2>/dev/null
}

for program in node npm; do
	command -v "$program" >/dev/null || {
		echo "install: '$program' is not here; install Node.js" >&2
		exit 3
	}
done
mkdir -p "$clients" && clients=$(cd "$clients" && pwd -P) || exit 3
grep -v '^#' "$here/clients.txt" | while read -r name package version; do
	installed "$clients/$name" "$package" "$version" && continue
	echo "install: $package $version" >&2
	npm install --prefix "$clients/$name" --no-audit --no-fund \
		--loglevel=error "$package@$version" >&2 </dev/null || {
		echo "install: cannot install '$package': npm failed" >&2
		exit 3
	}
done
