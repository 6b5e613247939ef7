# shellcheck shell=sh
# lib.sh - included by every test of the fleet: what tests/system/lib.sh has, and
# a NATS server with TLS, and hosts.
#
#	#!/bin/sh
#	. "${0%/*}/lib.sh"
#
#	fleet_begin alpha beta
#	on alpha "$FLEET" agent >"$T/agent.out" 2>&1 &
#	server_kill
#	server_start
#	done_testing
#
# A host has a home with its own config.json, a project that is a git repository,
# and a tmux socket: all are in $T/hosts/HOST, and `on HOST COMMAND...` runs
# something there.  As root, each host is a network namespace with a link to the
# server's (netns=true); else all share the loopback, and link_cut and link_slow
# fail.
#
# The server's log is $T/server.log, its store $T/store, its process $server.

# shellcheck disable=SC1091
. "${0%/*}/../system/lib.sh"

PATH=$PATH:/usr/sbin:/sbin
FLEET=$PW-fleet
certificates=$T/certificates
server=
port=4222
netns=false
hosts=
nets=${T##*/}                           # begins the names of our namespaces
for needed in nats-server openssl "$FLEET"; do
	command -v "$needed" >/dev/null ||
		skip_all "${needed##*/} is not here (scripts/bootstrap --fleet)"
done

# ---- namespaces -------------------------------------------------------------

# Everything is in namespaces of our own, so that the addresses are always the
# same ones.
net_begin() {
	ip netns add "$nets-hub" 2>/dev/null || return
	ip -n "$nets-hub" link set lo up &&
		ip -n "$nets-hub" link add hub address 02:00:0a:4d:00:01 type bridge &&
		ip -n "$nets-hub" address add 10.77.0.1/16 dev hub &&
		ip -n "$nets-hub" link set hub up && return
	net_end
	return 1
}

net_end() {
	for space in $(ip netns list 2>/dev/null | cut -d ' ' -f 1); do
		case $space in
		"$nets"-*) ip netns delete "$space" ;;
		esac
	done
}

# net_host HOST NUMBER
net_host() {
	ip netns add "$nets-$1" &&
		ip link add wire netns "$nets-$1" type veth \
			peer name "port$2" netns "$nets-hub" &&
		ip -n "$nets-$1" link set lo up &&
		ip -n "$nets-$1" address add \
			"10.77.$((1 + $2 / 250)).$((1 + $2 % 250))/16" dev wire &&
		ip -n "$nets-$1" link set wire up &&
		ip -n "$nets-hub" link set "port$2" master hub up
}

# inside NAME COMMAND...: runs it in a namespace, if there are any.
inside() {
	space=$1
	shift
	if $netns; then
		exec nsenter --net="/run/netns/$nets-$space" "$@"
	else
		exec "$@"
	fi
}

port_of() { echo "port$(cat "$T/hosts/$1/number")"; }

# link_cut HOST: what it sends, and what it is sent, is lost without an error.
link_cut() { $netns && ip -n "$nets-hub" link set "$(port_of "$1")" down; }
link_heal() { ip -n "$nets-hub" link set "$(port_of "$1")" up; }

# link_slow HOST FAULT NUMBER...: what it sends, and what it is sent, suffers what
# slowlink.pl says, as `link_slow alpha delay 40 reorder 25`; until link_swift.
link_slow() {
	$netns || return
	slow_names "$1"
	shift
	[ -p "$slowed/slow.orders" ] || mkfifo "$slowed/slow.orders"
	(
		flock 9
		slow_there || slow_begin && echo "$*" >&8
	) 8<>"$slowed/slow.orders" 9>"$slowed/slow.lock"
}

link_swift() {
	slow_names "$1"
	(
		flock 9
		! slow_there || slow_end
	) 9>"$slowed/slow.lock"
}

# The host's own disk may be full.
slow_names() {
	slowed=$T/slow/$1
	mkdir -p "$slowed"
	slow_port=$(port_of "$1")
	near=near${slow_port#port}
	far=far${slow_port#port}
}

slow_there() { ip -n "$nets-hub" link show "$near" >/dev/null 2>&1; }

# The host's port leaves the bridge.  In its place comes FAR, whose other end is
# NEAR, and slowlink joins that with the port.  Without ARP the kernel itself
# answers nothing at these two.
slow_begin() {
	ip -n "$nets-hub" link add "$near" arp off type veth peer name "$far" &&
		ip -n "$nets-hub" link set "$slow_port" nomaster arp off &&
		ip -n "$nets-hub" link set "$far" up master hub &&
		ip -n "$nets-hub" link set "$near" up || return
	(inside hub perl "$ROOT/tests/fleet/slowlink.pl" "$slow_port" "$near") \
		<&8 8<&- 9<&- &
	echo $! >"$slowed/slow.pid"
}

# slowlink sends what waits before it ends.
slow_end() {
	echo end >"$slowed/slow.orders"
	wait_until 5 no kill -0 "$(cat "$slowed/slow.pid")"
	ip -n "$nets-hub" link delete "$near"
	ip -n "$nets-hub" link set "$slow_port" arp on master hub
}

# ---- hosts ------------------------------------------------------------------

# on HOST COMMAND...: runs it there.  In the background, $! is its process.
on() (
	host=$1
	home=$T/hosts/$host
	shift
	cd "$home/project" || exit
	export HOME="$home" TMUX_TMPDIR="$home/tmux" PATH="$home/bin:$PATH"
	inside "$host" "$@"
)

# The status directory of a host's project.
status_of() { echo "$T/hosts/$1/project/.worktrees/.status"; }

server_address() {
	if $netns; then
		echo "tls://10.77.0.1:$port"
	else
		echo "tls://127.0.0.1:$port"
	fi
}

# host_configure HOST [FLEET-KEYS [KEYS]]: writes its configuration, with more
# keys, as '"labels": ["gpu"]'.  FLEET-KEYS may name another certificate, since
# the last one of two equal keys stands.
host_configure() {
	mkdir -p "$T/hosts/$1/.config/paneward"
	perl -MJSON::PP -e '
		my ($home, $certificates, $host, $address, $fleet, $keys) =
		    @ARGV;
		my %config = (handoff => undef, %{ decode_json("{$keys}") },
		    fleet => { servers => [$address], host => $host,
		    ca => "$certificates/ca.pem",
		    cert => "$certificates/$host.pem",
		    key => "$certificates/$host.key",
		    lease => 10, %{ decode_json("{$fleet}") } });
		print JSON::PP->new->canonical->pretty->encode(\%config)' \
		"$T/hosts/$1" "$certificates" "$1" "$(server_address)" \
		"${2:-}" "${3:-}" >"$T/hosts/$1/.config/paneward/config.json"
}

# host_make HOST: it gets a home, with an empty project, and a network.
host_make() {
	hosts="$hosts $1"
	number=$(echo "$hosts" | wc -w)
	mkdir -p "$T/hosts/$1/tmux" "$T/hosts/$1/bin" "$T/hosts/$1/project"
	chmod 700 "$T/hosts/$1/tmux"
	ln -s "$PW" "$FLEET" "$T/hosts/$1/bin"
	echo "$number" >"$T/hosts/$1/number"
	! $netns || net_host "$1" "$number"
}

# host_add HOST: and a certificate, a repository and a configuration.
host_add() {
	host_make "$1"
	certify "$1"
	git init -q -b main "$T/hosts/$1/project"
	git -C "$T/hosts/$1/project" -c user.name=test \
		-c user.email=test@localhost commit -q --allow-empty -m first
	host_configure "$1"
}

certify() {
	"$ROOT/scripts/fleet-certificates.sh" "$certificates" \
		localhost,127.0.0.1,10.77.0.1 "$@"
}

# desk_open HOST: a client is attached to a tmux server there: a person.
desk_open() {
	on "$1" tmux -L default -f /dev/null new-session -d -s desk \
		-x 80 -y 24 'exec tail -f /dev/null'
	on "$1" script -qfc 'exec tmux -L default attach -t =desk' \
		"$T/hosts/$1/desk.bytes" >/dev/null 2>&1 <"$(desk_keys "$1")" &
	wait_until 5 desk_there "$1"
}

# What is written there is typed at the desk.
desk_keys() {
	[ -p "$T/hosts/$1/desk.keys" ] || {
		mkfifo "$T/hosts/$1/desk.keys"
		sleep 1000 <>"$T/hosts/$1/desk.keys" >/dev/null 2>&1 &
	}
	echo "$T/hosts/$1/desk.keys"
}

desk_there() { on "$1" tmux -L default list-clients | grep -q .; }

# ---- the server -------------------------------------------------------------

# server_write HOST...: its configuration, $T/server.conf.
server_write() {
	"$FLEET" print-server --port "$port" --store "$T/store" \
		--certificates "$certificates" "$@" >"$T/server.conf"
}

server_ready() { grep -q 'Server is ready' "$T/server.log"; }
server_settled() { server_ready || no kill -0 "$server" 2>/dev/null; }

# Starts it and waits until it answers; fails if it cannot start.
server_start() {
	! [ -e "$T/server.log" ] || cat "$T/server.log" >>"$T/server.old"
	: >"$T/server.log"
	(inside hub nats-server -c "$T/server.conf") >"$T/server.log" 2>&1 &
	server=$!
	wait_until 10 server_settled && server_ready
}

# server_end SIGNAL
server_end() {
	[ "$server" != '' ] || return 0
	kill -s "$1" "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
}

server_stop() { server_end TERM; }

# As a crash of its process.
server_kill() { server_end KILL; }

# Its store is lost; call it while the server is not running.
server_wipe() { rm -rf "$T/store"; }

# server_new HOST...: a server that knows these hosts; on the loopback it looks
# for a port that is free.
server_new() {
	tries=0
	while :; do
		$netns || port=$((20000 + ($$ * 7 + tries * 977) % 10000))
		server_write "$@"
		server_start && return
		tries=$((tries + 1))
		if $netns || [ "$tries" -ge 20 ] ||
		    ! grep -q 'address already in use' "$T/server.log"; then
			break
		fi
	done
	comment <"$T/server.log"
	return 1
}

# ---- all of it --------------------------------------------------------------

# fleet_begin HOST...: hosts, and a server that knows them; nothing of ours runs
# yet.
fleet_begin() {
	trap fleet_end EXIT
	! net_begin || netns=true
	certify
	server_new "$@" || {
		result 1 'the server starts'
		done_testing
	}
	for host; do
		host_add "$host"
	done
}

fleet_end() { ! $netns || net_end; }

# As soon as a test needs namespaces.
needs_netns() {
	$netns || skip_all 'it needs network namespaces, that is, root on Linux'
}
