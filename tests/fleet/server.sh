#!/bin/sh
# server.sh - the fleet's server: what print-server prints lets a host do what
# its commands need, and nothing to the others; doctor says what is open; a
# connection that fails says why.
# shellcheck disable=SC1091
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

# doctor HOST: its findings, in $T/doctor.
doctor() {
	on "$1" "$FLEET" doctor >"$T/doctor" 2>&1
	doctored=$?
	cat "$T/doctor"
}

finds() {
	doctor "$1" | grep -Eq -e "$2"
}

# ---- the configuration ------------------------------------------------------

fleet_begin alpha beta
check 'nats-server takes the configuration' nats-server -t -c "$T/server.conf"
exits 2 'print-server needs a host' "$FLEET" print-server
exits 2 'a host is no wildcard' "$FLEET" print-server 'a.>'
like "$(cat "$T/err")" "'a\.>' is no name" 'and it is named'
exits 2 'a folder ends no text of the configuration' \
	"$FLEET" print-server --store '/a" b: "c' alpha
exits 2 'a port is a number' "$FLEET" print-server --port x alpha
like "$("$FLEET" print-server --listen 10.1.2.3 alpha)" \
	'^listen: "10\.1\.2\.3:4222"$' 'it listens where it is told to'
like "$("$FLEET" print-server --listen ::1 --port 1 alpha)" \
	'^listen: "\[::1\]:1"$' 'also by an address of IPv6'
exits 2 'an address ends no text either' "$FLEET" print-server --listen 'a"b' alpha

# ---- what a host may do -----------------------------------------------------

doctor alpha >/dev/null
like "$(cat "$T/doctor")" "warning  stores: not there yet: 'PANEWARD', 'KV" \
	'doctor makes nothing'
is "$(grep -c '^warning  stores' "$T/doctor")" 1 'and says so in one line'
on alpha "$FLEET" agent >"$T/alpha.out" 2>&1 &
on beta "$FLEET" agent >"$T/beta.out" 2>&1 &
wait_until 10 finds alpha "^ok +hosts: host 'beta'"
wait_until 10 finds alpha "^ok +hosts: host 'alpha'"
healthy() {
	doctor alpha >/dev/null
	[ "$doctored" -eq 0 ]
}
soon 'doctor finds no problem' healthy
# But of a busy server.
is "$(cat "$T/alpha.out" "$T/beta.out" | grep -v "the fleet's server")" '' \
	'the agents have nothing to say'
for cannot in 'stranger cannot connect without TLS' \
	'stranger cannot connect without a certificate' \
	'host cannot report as another one' \
	'host cannot be there as another one' \
	'host cannot show rows as another one' \
	'host cannot read what another one asked for' \
	'host cannot read what the server tells itself' \
	'host cannot delete a stream' 'host cannot empty a stream' \
	'host cannot change a stream' 'host cannot make a stream of its own'
do
	like "$(cat "$T/doctor")" "^ok +[a-z]+: a $cannot\$" "a $cannot"
done
is "$(grep Violation "$T/server.log" | grep -vi trial)" '' \
	'the server refused nothing but these trials'

# ---- a host that forges -------------------------------------------------------

stored() {
	on beta "$BUILD/tests/fleet/dump" "$1" "$2" | cut -f 1,3
}

# What is not alpha's own.
of_others() {
	stored PANEWARD 'paneward.beta.>'
	stored KV_PANEWARD_ROWS '$KV.PANEWARD_ROWS.beta.>' | cut -f 1
	stored KV_PANEWARD_BACKLOG '>'
	stored KV_PANEWARD_HOSTS '$KV.PANEWARD_HOSTS.beta' | cut -c 1-80
}

forge() {
	on alpha "$BUILD/tests/fleet/forge" "$@" >"$T/said" 2>&1
}

# forged SUBJECT TEXT WHAT: by a message, by the subject of an answer, and by
# that of a consumer.
forged() {
	for way in send reply deliver; do
		forge "$way" "$1" "$2"
		is "$(of_others)" "$others" "a host cannot $3 by '$way'"
	done
}

on beta "$PW" start 1 --no-watch -- sleep 1000 >"$T/said" 2>&1
on beta "$FLEET" submit 2 >"$T/said" 2>&1
there() {
	others=$(of_others)
	[ "$(echo "$others" | grep -c '^paneward.beta[.]project')" -eq \
		"$(wc -l <"$(status_of beta)/.paneward/journal.ndjson")" ] &&
		echo "$others" | grep -q '^paneward.beta.*"subject":"1"' &&
		echo "$others" | grep -q '^.KV.PANEWARD_ROWS.beta' &&
		echo "$others" | grep -q '^.KV.PANEWARD_BACKLOG'
}
wait_until 20 there
result $? 'another host has an event, a row, an order'
event='{"id":"forged-1","subject":"1","time":"2026-11-23T00:00:00Z"}'
check 'a host can write as itself' forge send paneward.alpha.project.1 "$event"
like "$(stored PANEWARD 'paneward.alpha.>')" forged-1 'and that is stored'
check 'a host can be answered' forge reply _INBOX_alpha.forged "$event"
forged paneward.beta.project.1 "$event" 'report as another one'
forged '$KV.PANEWARD_ROWS.beta.forged' row 'show rows as another one'
forged '$KV.PANEWARD_HOSTS.beta' '{}' 'be there as another one'
forged '$JS.API.STREAM.PURGE.PANEWARD' '' 'empty a stream'
forged '$JS.API.STREAM.DELETE.KV_PANEWARD_BACKLOG' '' 'delete one'
exits 1 'a message that replaces all others is refused' \
	forge rollup '$KV.PANEWARD_BACKLOG.repository.3' all
is "$(of_others)" "$others" 'and replaces none'
host_configure alpha '"lease": 20, "keep_days": 3'
doctor alpha >/dev/null
like "$(cat "$T/doctor")" '^warning +stores: a lease lasts 10 seconds, not 20' \
	'another lease than ours is named'
like "$(cat "$T/doctor")" '^warning +stores: the server keeps events for 30' \
	'and other limits'
on alpha "$FLEET" doctor --json >"$T/json"
is "$(perl -MJSON::PP -ne '$n += defined decode_json($_)->{check};
	END { print $n == $. && $n > 10 ? "good" : $n }' "$T/json")" good \
	'--json has an object on each line'
host_configure alpha

# ---- connections that fail --------------------------------------------------

# A busy server may first be another problem.
problem() {
	doctor alpha >/dev/null
	[ "$doctored" -eq 1 ] && grep '^problem' "$T/doctor" | grep -Eq "$1"
}

# fails REGEX DESCRIPTION [FLEET-KEYS]: the connection of alpha, by that
# configuration; the message has no more than names of files.
fails() {
	host_configure alpha "${3:-}"
	soon "$2 is a problem: the message says why" problem "$1"
	unlike "$(cat "$T/doctor")" 'PRIVATE|BEGIN|conn\.c' "$2: and no more"
	host_configure alpha
}

# other FOLDER [DAYS]: another certificate of alpha, that lasts so long.
other() {
	authority=$certificates
	certificates=$T/$1
	[ $# -eq 1 ] || export DAYS="$2"
	certify alpha
	unset DAYS
	certificates=$authority
}

# certified NAME [FOLDER]: the keys of the configuration for that certificate.
certified() {
	printf '"cert": "%s/%s.pem", "key": "%s/%s.key"' \
		"${2:-$certificates}" "$1" "${2:-$certificates}" "$1"
}

other others
mkdir "$T/expired"
cp "$certificates"/ca.* "$T/expired"
other expired -1
fails "does not take the certificate '$T/others/alpha.pem'" \
	'a certificate of another authority' "$(certified alpha "$T/others")"
fails "does not take the certificate '$T/expired/alpha.pem'.*-dates" \
	'an expired certificate' "$(certified alpha "$T/expired")"
fails "is not signed by '$T/others/ca.pem'" 'a server of another authority' \
	"\"ca\": \"$T/others/ca.pem\""
fails "not the key of 'cert': '$certificates/beta.key'" \
	'a key of another certificate' "\"key\": \"$certificates/beta.key\""
fails "cannot read '$T/none.pem': No such file" \
	'a certificate that is not there' "\"cert\": \"$T/none.pem\""
fails "no private key: '$certificates/alpha.pem'" 'a key that is none' \
	"\"key\": \"$certificates/alpha.pem\""
cp "$certificates/alpha.key" "$T/open.key"
chmod 644 "$T/open.key"
fails "key '$T/open.key' is open to other users \(mode 644\)" \
	'a key that others can read' "\"key\": \"$T/open.key\""
fails "no certificate: '$T/server.conf'" 'a certificate that is none' \
	"\"cert\": \"$T/server.conf\""
fails "as another host than 'gamma': 'host' in config.json must be the CN" \
	"a name that is not the certificate's" '"host": "gamma"'
certify gamma
fails "knows no host by the certificate '$certificates/gamma.pem'" \
	'a host that the server does not know' \
	"\"host\": \"gamma\", $(certified gamma)"

# ---- one host more ------------------------------------------------------------

# reloads HOSTS [SED]: what print-server prints, changed so, is given to the server.
PATH=${FLEET%/*}:$PATH
reloads() {
	cp "$T/server.conf" "$T/running.conf"
	# shellcheck disable=SC2086
	server_write $1
	sed "${2:-}" "$T/server.conf" >"$T/printed"
	mv "$T/running.conf" "$T/server.conf"
	(inside hub "$ROOT/scripts/fleet-reload.sh" -p "$server" \
		"$T/server.conf") <"$T/printed"
}

# hears TEXT: the server has said it.
hears() {
	[ "$(grep -c "$1" "$T/server.log")" -ge "$2" ]
}

# Events of a host that all the while has more of them.
journal_add beta 1 200
(
	n=200
	until [ -e "$T/enough" ]; do
		journal_add beta $((n + 1)) $((n + 20))
		n=$((n + 20))
		echo "$n" >"$T/last"
		sleep 0.1
	done
) &
adding=$!
exits 0 'a server that runs takes one host more' reloads 'alpha beta gamma'
is "$(cat "$T/out")" 'gamma: in the fleet' 'it was tried'
is "$(grep -c 'Reloaded server configuration' "$T/server.log")" 2 \
	'by two reloads'
host_configure alpha "\"host\": \"gamma\", $(certified gamma)"
wait_until 20 finds alpha "^ok +hosts: host 'beta'"
like "$(cat "$T/doctor")" "^ok +connection: this is host 'gamma'" \
	'and is what it says'
is "$(grep -c '^problem' "$T/doctor")" 0 'with all that it needs'

# By one reload it is made and has nothing yet.
kept=$(cat "$T/server.conf")
certify delta
server_write alpha beta gamma delta
kill -HUP "$server"
wait_until 10 hears 'Reloaded server configuration' 3
fails 'has not given this host its store yet: let it reload once more' \
	'a host of an account that is new' "\"host\": \"delta\", $(certified delta)"
echo "$kept" >"$T/server.conf"
kill -HUP "$server"
wait_until 10 hears 'Reloaded server configuration' 4

exits 0 'and shuts it out' reloads 'alpha beta'
is "$(cat "$T/out")" 'gamma: shut out' 'as was tried'
is "$(grep -c 'Reloaded server configuration' "$T/server.log")" 5 \
	'by one reload'
fails "knows no host by the certificate '$certificates/gamma.pem'" \
	'a host that was shut out' "\"host\": \"gamma\", $(certified gamma)"
exits 2 'what a reload does not change is refused' \
	reloads 'alpha beta' "s,$T/store,$T/other,"
like "$(cat "$T/err")" "> .*store_dir: \"$T/other\"" 'and named'
exits 2 'another process gets no signal' sh -c '"$0" -p $$ "$1" <"$2"' \
	"$ROOT/scripts/fleet-reload.sh" "$T/server.conf" "$T/printed"
like "$(cat "$T/err")" 'is no nats-server' 'and is named'
exits 2 'what is no configuration is refused' reloads 'alpha beta' '/^accounts/d'
exits 2 'what is nothing is refused' reloads 'alpha beta' d
is "$(grep -c 'Reloaded server configuration' "$T/server.log")" 5 \
	'and given to no server'
check 'the server has what it had' nats-server -t -c "$T/server.conf"
exits 0 'the others go on' on beta "$FLEET" submit 8
: >"$T/enough"
wait "$adding"
wait_until 30 has beta "$(cat "$T/last")"
result $? 'and every event of theirs came once, in its order'
is "$(grep -c 'cannot connect' "$T/beta.out")" 0 'without a new connection'

# ---- other servers ----------------------------------------------------------

server_stop
fails 'Connection refused; see whether' 'a server that is away'
cp "$certificates/server.pem" "$T/server.pem"
rm "$certificates/server.pem"
"$ROOT/scripts/fleet-certificates.sh" "$certificates" elsewhere
server_start
fails "is for another name than that in 'servers'" \
	"a server with another name's certificate"
server_stop
cp "$T/server.pem" "$certificates"
sed -e '/^tls {/,/^}/d' -e '/^accounts {/,$d' "$T/server.conf" >"$T/open.conf"
mv "$T/open.conf" "$T/server.conf"
server_start
fails 'has no TLS' 'a server without TLS'
server_stop
cat >>"$T/server.conf" <<-END
	tls { cert_file: "$certificates/server.pem"
		key_file: "$certificates/server.key" }
END
server_start
doctor alpha >/dev/null
is "$doctored" 1 'a server that takes every client is a problem'
for can in 'stranger can connect without a certificate' \
	'host can report as another one' 'host can be there as another one' \
	'host can show rows as another one' \
	'host can read what another one asked for' \
	'host can delete a stream' 'host can empty a stream' \
	'host can change a stream' 'host can make a stream of its own'
do
	like "$(cat "$T/doctor")" "^problem +[a-z]+: a $can; use" "a $can"
done
done_testing
