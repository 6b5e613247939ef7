#!/bin/sh
# Makes a site of the manual: sh scripts/site.sh FOLDER
#
# Each page of man/ is an HTML page with a link to the list, index.html has the
# names of all pages with their lines, and all have the style of the history's page.
# Nothing comes from the network.  mandoc has to be installed.
set -e

cd "${0%/*}/.."
site=$1
command -v mandoc >/dev/null || {
	echo "cannot make the site: there is no 'mandoc'; install it" >&2
	exit 1
}
mkdir -p "$site"
cp docs/demo.svg "$site/demo.svg"
cat templates/page.css - >"$site/page.css" <<'END'

/* The manual. */
body { max-width: 56rem; font-size: 16px; padding-bottom: 2rem; }
h1.Sh { margin: 1.75rem 0 .5rem; font-size: 1.15rem; }
h2.Ss { margin: 1.25rem 0 .5rem; }
section.Sh { margin: 0; padding: 0; background: none; border: 0; }
p, dd, li { color: var(--text); margin: .5rem 0; }
dt { margin-top: .75rem; }
dd { margin-left: 2rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
a.permalink { color: inherit; }
code, pre { font: .92em/1.5 ui-monospace, Menlo, "DejaVu Sans Mono", monospace; }
pre {
	padding: .75rem 1rem; overflow-x: auto; background: var(--card);
	border: 1px solid var(--line); border-radius: 8px;
}
td { border-top: 0; padding-top: 0; padding-bottom: 0; }
table.index td { border-top: 1px solid var(--line); padding: .4rem .9rem .4rem 0; }
table.Nm { width: auto; }
table.head, table.foot, .Nm table { color: var(--soft); }
.head-vol { text-align: center; }
.head-rtitle, .foot-os { text-align: right; }
img { max-width: 100%; }
nav { color: var(--soft); }
END

# Each page leads back to the list.
for page in man/*.[1-9]; do
	name=${page#man/}
	mandoc -T html -O style=page.css,man=%N.%S.html "$page" |
		sed 's|^<body>$|&\
<nav><a href="index.html">paneward: all pages</a></nav>|' >"$site/$name.html"
done

# list PAGE...: their rows of the index.
list() {
	for page; do
		name=${page#man/}
		printf '<tr><td class="name"><a href="%s.html">%s(%s)</a></td>' \
			"$name" "${name%.*}" "${name##*.}"
		printf '<td>%s</td></tr>\n' "$(sed -n 's/^\.Nd //p' "$page")"
	done
}

{
	cat <<-'END'
		<!DOCTYPE html>
		<html lang="en">
		<head>
		<meta charset="utf-8">
		<meta name="viewport" content="width=device-width, initial-scale=1">
		<link rel="stylesheet" href="page.css">
		<title>paneward: the manual</title>
		</head>
		<body>
		<h1>paneward</h1>
		<p>Which of the agents in your tmux panes needs you, and why.</p>
		<p><img src="demo.svg" alt="An agent asks, next goes there, a key
		answers, next goes to the one that failed, and work is handed off"></p>
		<table class="index">
	END
	list man/paneward.1 man/paneward-*.1 man/*.5
	printf '</table>\n</body>\n</html>\n'
} >"$site/index.html"
echo "$site/index.html"
