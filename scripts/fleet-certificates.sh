#!/bin/sh
# fleet-certificates.sh - certificates for a fleet: one for the server, one for
# each host, and the authority that signs them.
#
#	fleet-certificates.sh FOLDER SERVER[,SERVER...] [HOST...]
#
# FOLDER becomes
#
#	ca.pem, ca.key            the authority; ca.key never leaves this folder
#	server.pem, server.key    for the server, by the names and addresses given
#	HOST.pem, HOST.key        for each host; a host needs these and ca.pem
#
# What is there stays, so the same command with one more HOST adds a host.  To
# renew a certificate, remove it first.  DAYS=90 in the environment makes them
# last 90 days instead of 825.
set -eu
umask 077

say() {
	echo "${0##*/}: $*" >&2
}

# Each file is made beside its place: what is there is whole.
made() {
	mv "$folder/made" "$folder/$1"
}

# key NAME: makes its private key.
key() {
	[ ! -e "$folder/$1.key" ] || return 0
	openssl ecparam -name prime256v1 -genkey -noout -out "$folder/made"
	made "$1.key"
}

# quietly COMMAND...: its words are shown only if it fails.
quietly() {
	"$@" 2>"$folder/said" || {
		cat "$folder/said" >&2
		exit 1
	}
	rm -f "$folder/said"
}

authority() {
	key ca
	[ ! -e "$folder/ca.pem" ] || return 0
	cat >"$folder/extensions" <<-'END'
		[req]
		distinguished_name = name
		x509_extensions = extensions
		[name]
		[extensions]
		basicConstraints = critical, CA:true
		keyUsage = critical, keyCertSign, cRLSign
		subjectKeyIdentifier = hash
	END
	quietly openssl req -x509 -new -key "$folder/ca.key" -days 3650 \
		-subj '/CN=paneward fleet' -config "$folder/extensions" \
		-out "$folder/made"
	made ca.pem
}

# certificate NAME COMMON-NAME USE [SUBJECT-ALTERNATIVE-NAMES]
certificate() {
	key "$1"
	[ ! -e "$folder/$1.pem" ] || return 0
	cat >"$folder/extensions" <<-END
		[req]
		distinguished_name = name
		[name]
		[extensions]
		basicConstraints = CA:false
		keyUsage = critical, digitalSignature
		extendedKeyUsage = $3
		${4:+subjectAltName = $4}
	END
	quietly openssl req -new -key "$folder/$1.key" -subj "/CN=$2" \
		-config "$folder/extensions" -out "$folder/request"
	quietly openssl x509 -req -in "$folder/request" -CA "$folder/ca.pem" \
		-CAkey "$folder/ca.key" -CAcreateserial -days "${DAYS:-825}" \
		-extfile "$folder/extensions" -extensions extensions \
		-out "$folder/made"
	made "$1.pem"
}

# Sets names to "DNS:a, IP:1.2.3.4" for "a,1.2.3.4".
alternative_names() {
	names=
	for name in $(echo "$1" | tr , ' '); do
		case $name in
		*[!0-9.:a-fA-F]*) kind=DNS ;;
		*:* | *.*.*.*) kind=IP ;;
		*) kind=DNS ;;
		esac
		names="${names:+$names, }$kind:$name"
	done
}

case ${1:-} in
'' | -*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
[ $# -ge 2 ] || { say 'no server is named (see --help)'; exit 2; }
case $2 in
*[!A-Za-z0-9_.:,-]*)
	say "'$2' is no list of names and addresses"
	exit 2 ;;
esac
folder=$1
alternative_names "$2"
mkdir -p "$folder"
authority
certificate server "${2%%,*}" serverAuth "$names"
shift 2
for host; do
	case $host in
	'' | server | ca | *[!A-Za-z0-9_-]*)
		say "'$host' is no name of a host: letters, digits, '-' and" \
			"'_', and neither 'ca' nor 'server'"
		exit 2 ;;
	esac
	certificate "$host" "$host" clientAuth
done
rm -f "$folder/extensions" "$folder/request"
