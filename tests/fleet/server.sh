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

finds() { doctor "$1" | grep -Eq -e "$2"; }

fleet_begin alpha beta

scenario 'print-server refuses what would be no configuration' <<'END'
>>> nats-server -t -c "$T/server.conf"
nats-server: configuration file $T/server.conf is valid
>>> gives 2 '' "$FLEET" print-server
>>> gives 2 "'a\.>' is no name" "$FLEET" print-server 'a.>'
>>> gives 2 '' "$FLEET" print-server --store '/a" b: "c' alpha
>>> gives 2 '' "$FLEET" print-server --port x alpha
>>> like "$("$FLEET" print-server --listen 10.1.2.3 alpha)" \
... 	'^listen: "10\.1\.2\.3:4222"$'
>>> like "$("$FLEET" print-server --listen ::1 --port 1 alpha)" \
... 	'^listen: "\[::1\]:1"$'
>>> gives 2 '' "$FLEET" print-server --listen 'a"b' alpha
END

healthy() {
	doctor alpha >/dev/null
	[ "$doctored" -eq 0 ]
}

# Agents may complain of a busy server.
scenario 'doctor says what is there, and what a host can do' <<'END'
>>> doctor alpha >/dev/null
>>> like "$(cat "$T/doctor")" "warning  stores: not there yet: 'PANEWARD', 'KV"
>>> is "$(grep -c '^warning  stores' "$T/doctor")" 1
>>> on alpha "$FLEET" agent >"$T/alpha.out" 2>&1 &
>>> on beta "$FLEET" agent >"$T/beta.out" 2>&1 &
>>> wait_until 10 finds alpha "^ok +hosts: host 'beta'"
>>> wait_until 10 finds alpha "^ok +hosts: host 'alpha'"; wait_until 10 healthy
>>> is "$(cat "$T/alpha.out" "$T/beta.out" | grep -v "the fleet's server")" ''
>>> for not in 'stranger cannot connect without TLS' \
... 	'stranger cannot connect without a certificate' \
... 	'host cannot report as another one' \
... 	'host cannot be there as another one' \
... 	'host cannot show rows as another one' \
... 	'host cannot read what another one asked for' \
... 	'host cannot read what the server tells itself' \
... 	'host cannot delete a stream' 'host cannot empty a stream' \
... 	'host cannot change a stream' 'host cannot make a stream of its own'
... do
... 	like "$(cat "$T/doctor")" "^ok +[a-z]+: a $not\$"
... done
>>> is "$(grep Violation "$T/server.log" | grep -vi trial)" ''
END

stored() { on beta "$BUILD/tests/fleet/dump" "$1" "$2" | cut -f 1,3; }

# What is not alpha's own.
of_others() {
	stored PANEWARD 'beta.>'
	stored KV_PANEWARD_ROWS 'beta.>' | cut -f 1
	stored KV_PANEWARD_BACKLOG '>'
	stored KV_PANEWARD_HOSTS 'beta' | cut -c 1-80
}

forge() { on alpha "$BUILD/tests/fleet/forge" "$@" >"$T/said" 2>&1; }

row='$KV.PANEWARD_ROWS.alpha.forged'

# answered SUBJECT TEXT: the server is to answer there with that row.
answered() {
	forge ask "$row" "$2"
	forge send '$JS.API.DIRECT.GET.KV_PANEWARD_ROWS' \
		"{\"last_by_subj\":\"$row\"}" "$1"
}

# delivered SUBJECT TEXT: a consumer is to deliver it there.
delivered() {
	forge ask "$row" "$2"
	forge ask '$JS.API.CONSUMER.CREATE.KV_PANEWARD_ROWS' \
		'{"stream_name":"KV_PANEWARD_ROWS","config":{
		"deliver_policy":"all","ack_policy":"none",
		"filter_subject":"'"$row"'","deliver_subject":"'"$1"'"}}'
}

# forged SUBJECT TEXT WHAT
forged() {
	for way in 'forge send' answered delivered; do
		$way "$1" "$2"
		is "$(of_others)" "$others" "a host cannot $3 by '$way'"
	done
}

there() {
	others=$(of_others)
	[ "$(echo "$others" | grep -c '^paneward.beta[.]project')" -eq \
		"$(wc -l <"$(status_of beta)/.paneward/journal.ndjson")" ] &&
		echo "$others" | grep -q '^paneward.beta.*"subject":"1"' &&
		echo "$others" | grep -q '^.KV.PANEWARD_ROWS.beta' &&
		echo "$others" | grep -q '^.KV.PANEWARD_BACKLOG'
}

scenario 'a host can report as itself only' <<'END'
>>> on beta "$PW" start 1 --no-watch -- sleep 1000 >"$T/said" 2>&1
>>> on beta "$FLEET" submit 2 >"$T/said" 2>&1; wait_until 20 there
>>> event='{"id":"forged-1","subject":"1","time":"2026-11-23T00:00:00Z"}'
>>> forge send paneward.alpha.project.1 "$event"
>>> like "$(stored PANEWARD 'alpha.>')" forged-1
>>> answered _INBOX_alpha.forged "$event"
>>> forged paneward.beta.project.1 "$event" 'report as another one'
>>> forged '$KV.PANEWARD_ROWS.beta.forged' row 'show rows as another one'
>>> forged '$KV.PANEWARD_HOSTS.beta' '{}' 'be there as another one'
>>> forged '$JS.API.STREAM.PURGE.PANEWARD' '' 'empty a stream'
>>> forged '$JS.API.STREAM.DELETE.KV_PANEWARD_BACKLOG' '' 'delete one'
>>> gives 1 '' forge ask '$KV.PANEWARD_BACKLOG.repository.3' '' all
>>> is "$(of_others)" "$others"
>>> host_configure alpha '"lease": 20, "keep_days": 3'
>>> doctor alpha >/dev/null
>>> like "$(cat "$T/doctor")" \
... 	'^warning +stores: a lease lasts 10 seconds, not 20'
>>> like "$(cat "$T/doctor")" '^warning +stores: the server keeps events for 30'
>>> on alpha "$FLEET" doctor --json >"$T/json"
>>> is "$(perl -MJSON::PP -ne '$n += defined decode_json($_)->{check};
... 	END { print $n == $. && $n > 10 ? "good" : $n }' "$T/json")" good
>>> cp "$T/json" "$T/out"; conforms doctor; host_configure alpha
END

# A busy server may first be another problem.
problem() {
	doctor alpha >/dev/null
	[ "$doctored" -eq 1 ] && grep '^problem' "$T/doctor" | grep -Eq "$1"
}

# cannot REGEX [FLEET-KEYS]: alpha cannot connect by that configuration, and a
# message says why; it has no more than names of files.
cannot() {
	host_configure alpha "${2:-}"
	wait_until 10 problem "$1"
	unlike "$(cat "$T/doctor")" 'PRIVATE|BEGIN|conn\.c'
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

scenario 'a certificate or key that is wrong is named' <<'END'
>>> other others; mkdir "$T/expired"; cp "$certificates"/ca.* "$T/expired"
>>> other expired -1
>>> cannot "does not take the certificate '$T/others/alpha.pem'" \
... 	"$(certified alpha "$T/others")"
>>> cannot "does not take the certificate '$T/expired/alpha.pem'.*-dates" \
... 	"$(certified alpha "$T/expired")"
>>> SSL_CERT_FILE=$certificates/ca.pem; export SSL_CERT_FILE
>>> cannot "is not signed by '$T/others/ca.pem'" "\"ca\": \"$T/others/ca.pem\""
>>> unset SSL_CERT_FILE
>>> cannot "not the key of 'cert': '$certificates/beta.key'" \
... 	"\"key\": \"$certificates/beta.key\""
>>> cannot "cannot read '$T/none.pem': No such file" "\"cert\": \"$T/none.pem\""
>>> cannot "no private key: '$certificates/alpha.pem'" \
... 	"\"key\": \"$certificates/alpha.pem\""
>>> cp "$certificates/alpha.key" "$T/open.key"; chmod 644 "$T/open.key"
>>> cannot "key '$T/open.key' is open to other users \(mode 644\)" \
... 	"\"key\": \"$T/open.key\""
>>> cannot "no certificate: '$T/server.conf'" "\"cert\": \"$T/server.conf\""
>>> cannot "as another host than 'gamma': 'host' in config.json must be the CN" \
... 	'"host": "gamma"'
>>> certify gamma
>>> cannot "knows no host by the certificate '$certificates/gamma.pem'" \
... 	"\"host\": \"gamma\", $(certified gamma)"
END

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
hears() { [ "$(grep -c "$1" "$T/server.log")" -ge "$2" ]; }

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
# By one reload the account of delta is made, and has nothing yet.
scenario 'a server that runs takes one host more, and shuts it out' <<'END'
>>> gives 0 '' reloads 'alpha beta gamma'
>>> is "$(cat "$T/out")" 'gamma: in the fleet'
>>> is "$(grep -c 'Reloaded server configuration' "$T/server.log")" 2
>>> host_configure alpha "\"host\": \"gamma\", $(certified gamma)"
>>> wait_until 20 finds alpha "^ok +hosts: host 'beta'"
>>> like "$(cat "$T/doctor")" "^ok +connection: this is host 'gamma'"
>>> is "$(grep -c '^problem' "$T/doctor")" 0
>>> kept=$(cat "$T/server.conf"); certify delta
>>> server_write alpha beta gamma delta; kill -HUP "$server"
>>> wait_until 10 hears 'Reloaded server configuration' 3
>>> cannot 'has not given this host its store yet: let it reload once more' \
... 	"\"host\": \"delta\", $(certified delta)"
>>> echo "$kept" >"$T/server.conf"; kill -HUP "$server"
>>> wait_until 10 hears 'Reloaded server configuration' 4
>>> gives 0 '' reloads 'alpha beta'; is "$(cat "$T/out")" 'gamma: shut out'
>>> is "$(grep -c 'Reloaded server configuration' "$T/server.log")" 5
>>> cannot "knows no host by the certificate '$certificates/gamma.pem'" \
... 	"\"host\": \"gamma\", $(certified gamma)"
>>> gives 2 "> .*store_dir: \"$T/other\"" reloads 'alpha beta' \
... 	"s,$T/store,$T/other,"
>>> gives 2 'is no nats-server' sh -c '"$0" -p $$ "$1" <"$2"' \
... 	"$ROOT/scripts/fleet-reload.sh" "$T/server.conf" "$T/printed"
>>> gives 2 '' reloads 'alpha beta' '/^accounts/d'
>>> gives 2 '' reloads 'alpha beta' d
>>> is "$(grep -c 'Reloaded server configuration' "$T/server.log")" 5
>>> nats-server -t -c "$T/server.conf"
nats-server: configuration file $T/server.conf is valid
>>> gives 0 '' on beta "$FLEET" submit 8
>>> : >"$T/enough"; wait "$adding"; wait_until 30 has beta "$(cat "$T/last")"
>>> is "$(grep -c 'cannot connect' "$T/beta.out")" 0
END

scenario 'a server that is away, or another one, is named' <<'END'
>>> server_stop
>>> cannot 'Connection refused; see whether'
>>> cp "$certificates/server.pem" "$T/server.pem"
>>> rm "$certificates/server.pem"
>>> "$ROOT/scripts/fleet-certificates.sh" "$certificates" elsewhere
>>> server_start
>>> cannot "is for another name than that in 'servers'"
>>> server_stop; cp "$T/server.pem" "$certificates"
>>> sed -e '/^tls {/,/^}/d' -e '/^accounts {/,$d' "$T/server.conf" >"$T/open.conf"
>>> mv "$T/open.conf" "$T/server.conf"; server_start
>>> cannot 'has no TLS'; server_stop
END

cat >>"$T/server.conf" <<-END
	tls { cert_file: "$certificates/server.pem"
		key_file: "$certificates/server.key" }
END

scenario 'a server that takes every client is a problem' <<'END'
>>> server_start; doctor alpha >/dev/null; is "$doctored" 1
>>> for can in 'stranger can connect without a certificate' \
... 	'host can report as another one' 'host can be there as another one' \
... 	'host can show rows as another one' \
... 	'host can read what another one asked for' \
... 	'host can delete a stream' 'host can empty a stream' \
... 	'host can change a stream' 'host can make a stream of its own'
... do
... 	like "$(cat "$T/doctor")" "^problem +[a-z]+: a $can; use"
... done
END
done_testing
