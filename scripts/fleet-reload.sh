#!/bin/sh
# fleet-reload.sh - gives the running nats-server of a fleet another configuration:
# hosts join or are shut out, and the others stay connected.
#
#	paneward-fleet print-server ... HOST... | fleet-reload.sh [-p PID] FILE
#
# FILE is what the server was started with (nats-server -c FILE).  The new text
# is written beside it, checked, and takes its place; FILE.old is what it was.
# PID is the server's; needed if several run here.
#
# A server makes a new host's account at its first reload, and gives the account
# what it imports at the next one: it reloads twice.  One reload shuts a host out.
# Each of these hosts is tried then, with its certificate, if its key is in the
# folder of ca.pem; else `paneward-fleet doctor` does that on the host.

# shellcheck disable=SC2046,SC2086      # names of hosts are words
set -eu
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

fail() {
	status=$1
	shift
	echo "${0##*/}: $*" >&2
	exit "$status"
}

# What a reload does not change: all but the accounts.
fixed() {
	sed -e '/^accounts/,$d' -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"
}

hosts_of() {
	sed -n 's/.*user: "CN=\([A-Za-z0-9_-]*\)".*/\1/p' "$1" | sort
}

value_of() {
	sed -n "s/^[[:space:]]*$1:[[:space:]]*\"\(.*\)\".*/\1/p" "$file"
}

# try HOST: connects as that host, and reads the backlog; $said has why not.
try() {
	mkdir -p "$work/paneward"
	cat >"$work/paneward/config.json" <<-END
		{ "fleet": { "servers": ["tls://$server"], "host": "$1",
			"ca": "$folder/ca.pem", "cert": "$folder/$1.pem",
			"key": "$folder/$1.key" } }
	END
	(cd "$work" && HOME=$work XDG_CONFIG_HOME=$work paneward-fleet \
		backlog) >"$said" 2>&1
}

known() {
	try "$1" || ! grep -q 'knows no host' "$said"
}

unknown() {
	! known "$1"
}

reload() {
	kill -HUP "$pid" || fail 1 "cannot signal the server, $pid"
}

# Those of the hosts of which the key is here.
with_keys() {
	for host; do
		! [ -r "$folder/$host.key" ] || echo "$host"
	done
}

# until_each COMMAND HOST...: it succeeds with each, within 10 s.
until_each() {
	command=$1
	shift
	for host; do
		tries=50
		until "$command" "$host"; do
			tries=$((tries - 1))
			[ "$tries" -gt 0 ] || {
				cat "$said" >&2
				fail 1 "the server, $pid, has not taken" \
					"'$file' for host '$host': see its log;" \
					"'$file.old' is what it was"
			}
			sleep 0.2
		done
	done
}

# tell WORDS HOST...
tell() {
	words=$1
	shift
	for host; do
		if [ -r "$folder/$host.key" ]; then
			echo "$host: $words"
		else
			echo "$host: $words, but not tried, since its key is" \
				"not in '$folder': run 'paneward-fleet doctor'" \
				"there"
		fi
	done
}

pid=
[ "${1:-}" != -p ] || {
	pid=${2:-}
	shift $(($# > 1 ? 2 : 1))
}
case $#:${1:-} in
1:[!-]*) ;;
*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
[ -f "$1" ] || fail 2 "there is no '$1': name what the server was started with"
file=$(readlink -f "$1")
[ "$pid" != '' ] || pid=$(pgrep -x nats-server) || fail 2 'no nats-server runs'
case $pid in
*[!0-9]*) fail 2 "several servers run; choose one by -p:" "$(echo "$pid" | xargs)" ;;
esac
case $(ps -o comm= -p "$pid") in
*nats-server*) ;;
*) fail 2 "process $pid is no nats-server" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work" "$file.new"' EXIT
said=$work/said
cp -p "$file" "$file.new"               # its owner and mode
cat >"$file.new"
grep -q 'verify_and_map: true' "$file.new" ||
	fail 2 "this is not what 'paneward-fleet print-server' prints"
fixed "$file" >"$work/is"
fixed "$file.new" >"$work/new"
diff "$work/is" "$work/new" >&2 ||
	fail 2 "a reload does not change this: mend it, or restart the server"
nats-server -t -c "$file.new" >"$said" 2>&1 || {
	cat "$said" >&2
	fail 2 'nats-server refuses it'
}
hosts_of "$file" >"$work/is"
hosts_of "$file.new" >"$work/new"
added=$(comm -13 "$work/is" "$work/new")
gone=$(comm -23 "$work/is" "$work/new")
folder=$(dirname "$(value_of ca_file)")
server=$(openssl x509 -in "$folder/server.pem" -noout -subject -nameopt multiline |
	sed -n 's/.*commonName *= *//p'):$(value_of listen | sed 's/.*://')

cp -p "$file" "$file.old"
mv "$file.new" "$file"
keys=$(with_keys $added $gone)
reload
until_each known $(with_keys $added)
until_each unknown $(with_keys $gone)
[ "$keys" != '' ] || sleep 1            # there is nothing to look by
if [ "$added" != '' ]; then
	reload
	until_each try $(with_keys $added)
fi
tell 'shut out' $gone
tell 'in the fleet' $added
