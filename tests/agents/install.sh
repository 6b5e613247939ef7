#!/bin/sh
# Installs the clients of clients.txt, by npm or pip, each into a folder
# NAME-VERSION, if it is missing.
#
#	tests/agents/install.sh build/clients
#
# PYTHON is the Python of those that pip installs, python3.12 unless set.

set -u
# CLIENTS is a folder with another clients.txt.
here=${CLIENTS:-$(cd "${0%/*}" && pwd -P)}
clients=${1:?a folder}
python=${PYTHON:-python3.12}

for program in node npm "$python"; do
	command -v "$program" >/dev/null || {
		echo "install: '$program' is not here; install Node.js and" \
			"Python 3.12" >&2
		exit 3
	}
done
mkdir -p "$clients" && clients=$(cd "$clients" && pwd -P) || exit 3

by_npm() {
	npm install --prefix "$1" --no-audit --no-fund --loglevel=error \
		"$2@$3"
}

# A folder with a Python of its own.  Its programs name that by a path that does
# not hold once the folder has moved: they look for it beside themselves instead.
by_pip() {
	"$python" -m venv "$1" && "$1/bin/python" -m pip install --quiet \
		--disable-pip-version-check "$2==$3" || return
	for script in "$1"/bin/*; do
		[ ! -L "$script" ] && head -n 1 "$script" |
			grep -aq "^#!$1/bin/python" || continue
		# shellcheck disable=SC2016
		{
			printf '%s\n' '#!/bin/sh' "'''exec' \"\$(dirname \"\$(realpath \
\"\$0\")\")/python\" \"\$0\" \"\$@\"" "' '''"
			sed 1d "$script"
		} >"$1/script" && cat "$1/script" >"$script" || return
	done
	rm -f "$1/script"
}

grep -v '^#' "$here/clients.txt" | while read -r name package version; do
	folder=$clients/$name-$version
	[ ! -d "$folder" ] || continue
	echo "install: $package $version" >&2
	rm -rf "$folder.new"
	by=by_npm
	[ "$package" = "${package#pip:}" ] || by=by_pip
	$by "$folder.new" "${package#pip:}" "$version" >&2 </dev/null || {
		echo "install: cannot install '$package': ${by#by_} failed" >&2
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
