#!/bin/sh
# A fleet on one machine: a server with TLS, and hosts, each with a home of its
# own.
#
#	fleet.sh [row] [rest] [HOSTS...]
#
#	row     from a signal on one host to the row on another; compared with
#	        the round trip of a message by the same server, in turns: by
#	        connections that are open, by a process that connects, and by
#	        the commands `nats pub` and `nats sub`, if they are there
#	rest    a host on which nothing happens
#	HOSTS   the server with so many hosts: at rest, and with events, of which
#	        each costs as much as in a fleet of 10
#
# Without arguments it measures `row rest 10 30 100`.  A host needs two inotify
# instances (fs.inotify.max_user_instances).

. "${0%/*}/lib.sh"

FLEET=$PW-fleet
batches=${QUICK:+3}
batches=${batches:-10}
seconds=${QUICK:+20}
seconds=${seconds:-60}
rows=10                                 # of each host
events=500
viewers=2                               # hosts whose rows are looked at
nats=

need "$FLEET" libnats-dev
need nats-server nats-server
need openssl openssl
need perl perl

# ---- hosts ------------------------------------------------------------------

# become HOST COMMAND...: for `&`, so that $! is the command.
become() {
	home=$F/hosts/$1
	shift
	cd "$home/project"
	exec env HOME="$home" "$@"
}

# on HOST COMMAND...
on() (
	become "$@"
)

status_of() {
	echo "$F/hosts/$1/project/.worktrees/.status"
}

host_add() {
	home=$F/hosts/$1
	state=$(status_of "$1")/.paneward
	mkdir -p "$home/.config/paneward" "$state"
	chmod 700 "${state%/*}" "$state"
	cat >"$home/.config/paneward/config.json" <<-CONFIG
		{ "handoff": null, "fleet": { "servers": ["$address"],
		  "host": "$1", "ca": "$certificates/ca.pem",
		  "cert": "$certificates/$1.pem",
		  "key": "$certificates/$1.key" } }
	CONFIG
}

# host_work HOST COUNT: so many agents in panes, and their watcher.
host_work() {
	server default
	for issue in $(seq "$2"); do
		on "$1" "$PW" start "$issue" --no-watch -- sleep 100000 \
			>/dev/null
	done
	# shellcheck disable=SC2046
	become "$1" "$PW" watch --no-handoff $(seq "$2") >"$F/watch" &
	background="$background $!"
}

# host_fill HOST NUMBER: rows that need a person, without panes.
host_fill() {
	state=$(status_of "$1")/.paneward
	for issue in $(seq $rows); do
		cat >"$state/$issue.json" <<-RECORD
			{ "v": 1, "issue": "$issue", "state": "error", "run":
			  "$(printf '00000000-0000-4000-8000-%06d%06d' "$2" \
				"$issue")",
			  "since": "2026-01-01T00:00:00.000Z",
			  "source": "signal", "why": "signal-error-$issue is there",
			  "message": "it says 0", "last_message": "it says 0",
			  "backend": "shell", "changes": 1, "episode": 1,
			  "started": "2026-01-01T00:00:00.000Z" }
		RECORD
	done
	: >"$state/journal.ndjson"
	on "$1" "$PW" status >/dev/null
}

# agent HOST: starts its agent.
agent() {
	become "$1" "$FLEET" agent >>"$F/agents" 2>&1 &
	background="$background $!"
	agents="$agents $!"
}

# follow HOST FILE: looks at the rows of all others.
follow() {
	become "$1" "$FLEET" follow --json >"$2" <"$T/open" &
	background="$background $!"
}

# So many different rows came to the file.
came() {
	cut -d '"' -f 6,10 "$2" | grep -v '^$' | sort -u >"$2.rows"
	[ "$(wc -l <"$2.rows")" -ge "$1" ]
}

# ---- the server -------------------------------------------------------------

# fleet_begin HOST...: hosts, and a server that knows them.
fleet_begin() {
	F=$(mktemp -d "$T/fleet.XXXXXX")
	mkdir "$F/server"
	certificates=$F/certificates
	"$BENCH_HERE/../scripts/fleet-certificates.sh" "$certificates" \
		127.0.0.1 bench "$@"
	"$FLEET" print-server --store "$F/server" --certificates \
		"$certificates" "$@" | sed 's/^listen: .*/listen: "127.0.0.1:-1"/
		s/^accounts {/&\n\tBENCH { users: [ { user: "CN=bench" } ] }/' \
		>"$F/server.conf"
	echo 'http: "127.0.0.1:-1"' >>"$F/server.conf"
	nats-server -c "$F/server.conf" --ports_file_dir "$F/server" \
		2>"$F/server.log" &
	nats=$!
	sleep 100000 <>"$T/open" &
	background="$background $nats $!"
	ports=$F/server/nats-server_$nats.ports
	until [ -s "$ports" ]; do
		kill -0 $nats || { cat "$F/server.log"; exit 1; }
		sleep 0.1
	done
	address=$(sed 's/.*"nats":\["[a-z]*:\([^"]*\)".*/tls:\1/' "$ports")
	monitor=$(sed 's/.*"monitoring":\["\([^"]*\)".*/\1/' "$ports")
	agents=
	for name; do
		host_add "$name"
	done
}

fleet_end() {
	# shellcheck disable=SC2086
	kill $background 2>/dev/null || true
	wait
	background=
}

# So many messages came to the server and went from it.
messages() {
	perl -MHTTP::Tiny -MJSON::PP -e '
		my $r = HTTP::Tiny->new->get("$ARGV[0]/varz");
		die "no answer of the server" unless $r->{success};
		my $v = decode_json($r->{content});
		print $v->{in_msgs} + $v->{out_msgs}, "\n"' "$monitor"
}

# ---- what processes cost ----------------------------------------------------

# The processes and their children.
families() {
	for pid; do
		echo "$pid"
		cat "/proc/$pid/task"/*/children
	done | xargs -n 1
}

# spent PID...: seconds of CPU of all their threads, and of what they ran.
spent() {
	perl -MPOSIX=sysconf,_SC_CLK_TCK -e '
		my $sum = 0;
		for my $pid (@ARGV) {
			for (glob "/proc/$pid/task/*/schedstat") {
				open my $f, "<", $_ or next;
				$sum += (split " ", <$f>)[0] / 1e9;
			}
			open my $f, "<", "/proc/$pid/stat" or die "$pid: $!\n";
			my ($cutime, $cstime) =
			    (split " ", <$f> =~ s/.*\) //r)[13, 14];
			$sum += ($cutime + $cstime) / sysconf(_SC_CLK_TCK);
		}
		printf "%.6f\n", $sum' "$@"
}

# held PID...: KiB, with shared memory divided among all processes.
held() {
	for pid; do
		cat "/proc/$pid/smaps_rollup"
	done | awk '/^Pss:/ { sum += $2 } END { print sum }'
}

calculate() {
	awk "BEGIN { print $1 }"
}

# ---- a row ------------------------------------------------------------------

# commands COUNT: the time from the start of `nats pub` to the line of a `nats
# sub` that runs, in us; nothing without these programs.
commands() {
	command -v nats >/dev/null || return 0
	perl -MTime::HiRes=time,sleep -e '
		my ($count, $server, $certificates) = @ARGV;
		my @nats = ("nats", "--server", $server, "--tlsca",
		    "$certificates/ca.pem", "--tlscert",
		    "$certificates/bench.pem", "--tlskey",
		    "$certificates/bench.key");
		open STDERR, ">", "/dev/null";
		my $pid = open my $sub, "-|", @nats, "sub", "--raw",
		    "bench.commands" or die;
		sleep 2;
		for (1 .. $count) {
			my $begin = time;
			open my $pub, "-|", @nats, "pub", "bench.commands",
			    "x" or die;
			my $line = <$sub> // die;
			printf "%.1f\n", (time - $begin) * 1e6;
			close $pub;
			sleep 0.1;
		}
		kill TERM => $pid' "$1" "$address" "$certificates"
}

# As many signals as a host has rows: adds to the file of times.
row_batch() {
	fleet_begin here there
	host_work here $rows
	agent here
	follow there "$F/follow"
	until came $rows "$F/follow"; do
		sleep 0.2
	done
	kill $!
	on there fleetlatency "$address" "$certificates" "$(status_of here)" \
		$rows "$FLEET" follow --json <"$T/open" >>"$T/times"
	commands $rows >>"$T/commands"
	stop_servers
	fleet_end
}

row() {
	$CC -O2 -D_GNU_SOURCE -o "$T/bin/fleetlatency" \
		"$BENCH_HERE/fleetlatency.c" -lnats
	for _ in $(seq "$batches"); do
		row_batch
	done
	line 'signal to row on another host, median' us \
		"$(median 1 "$T/times")" "$(median 2 "$T/times")" 'ratio <= 5'
	line 'signal to row on another host, 90 %' us \
		"$(quantile 0.9 1 "$T/times")" \
		"$(quantile 0.9 2 "$T/times")" 'ratio <= 5'
	line '    with the start of what publishes, median' us \
		"$(median 1 "$T/times")" "$(median 3 "$T/times")" 'ratio <= 5'
	! [ -s "$T/commands" ] || line '    with nats pub and nats sub, median' \
		us "$(median 1 "$T/times")" "$(median 1 "$T/commands")" \
		'ratio <= 5'
}

# ---- a host at rest ---------------------------------------------------------

rest() {
	fleet_begin here
	host_work here $rows
	agent here
	sleep 15
	# shellcheck disable=SC2046,SC2086
	set -- $(families $agents)
	before=$(spent "$@")
	sleep "$seconds"
	after=$(spent "$@")
	line "a host at rest, CPU in $seconds s" s \
		"$(calculate "$after - $before")" 0 'ours <= 0.06'
	line 'a host at rest, memory' KiB "$(held "$@")" 0 'ours <= 8192'
	stop_servers
	fleet_end
}

# ---- many hosts -------------------------------------------------------------

# happen HOSTS: events of one host after the other: a record is another one, and
# the journal has it.
happen() {
	perl -MTime::HiRes=sleep,time -MPOSIX=strftime -e '
		my ($hosts, $n, $folder, $rows) = @ARGV;
		my $next = time;
		for my $k (1 .. $n) {
			my $host = 1 + $k % $hosts;
			my $issue = 1 + int($k / $hosts) % $rows;
			my $status =
			    "$folder/h$host/project/.worktrees/.status";
			my $record = "$status/.paneward/$issue.json";
			open my $f, "<", $record or die "$record: $!\n";
			my $text = do { local $/; <$f> };
			my ($run) = $text =~ /"(0{8}-[^"]*)"/;
			$text =~ s/it says \d+/it says $k/g;
			my $now = strftime("%Y-%m-%dT%H:%M:%S.000Z", gmtime);
			open $f, ">", "$record.tmp" or die;
			print $f $text;
			close $f;
			rename "$record.tmp", $record or die;
			open $f, ">>", "$status/.paneward/journal.ndjson" or die;
			syswrite $f, qq({"specversion":"1.0",) .
			    qq("id":"$run-$k-state-$k","source":"$status",) .
			    qq("type":"paneward.state","subject":"$issue",) .
			    qq("time":"$now","datacontenttype":) .
			    qq("application/json","data":{"run":"$run",) .
			    qq("state":"error","message":"it says $k"}}\n);
			close $f;
			$next += 0.02;
			my $left = $next - time;
			sleep $left if $left > 0;
		}' "$1" $events "$F/hosts" $rows
}

heard() {
	grep -q "\"it says $events\"" "$1"
}

# many HOSTS
many() {
	limit=/proc/sys/fs/inotify/max_user_instances
	if [ "$(cat $limit)" -lt $((2 * $1 + 50)) ]; then
		echo "fleet.sh: $1 hosts need fs.inotify.max_user_instances of" \
			"$((2 * $1 + 50)), skipped"
		return
	fi
	names=$(seq "$1" | sed 's/^/h/')
	# shellcheck disable=SC2086
	fleet_begin $names desk1 desk2
	for number in $(seq "$1"); do
		host_fill "h$number" "$number"
		agent "h$number"
	done
	for desk in $(seq $viewers); do
		follow "desk$desk" "$F/desk$desk"
	done
	for desk in $(seq $viewers); do
		until came $(($1 * rows)) "$F/desk$desk"; do
			sleep 0.5
		done
	done
	sleep 10
	# shellcheck disable=SC2086
	all=$(families $agents)
	# shellcheck disable=SC2086
	set -- "$1" "$(messages)" "$(spent $nats)" "$(spent $all)"
	sleep "$seconds"
	later=$(messages)
	server=$(calculate "$(spent $nats) - $3")
	# shellcheck disable=SC2086
	hosts=$(calculate "$(spent $all) - $4")
	of_host=$(calculate "($later - $2) * 60 / $seconds / $1")
	memory=$(awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$nats/status")
	line "server with $1 hosts at rest, memory" MiB "$memory" 0 \
		'ours <= 100'
	line "server with $1 hosts at rest, CPU in $seconds s" s "$server" 0 \
		'ours <= 0.6'
	line "server with $1 hosts at rest, messages a minute" '' \
		"$(calculate "$of_host * $1")" 0 "ours <= $((60 * $1))"
	line "all agents of $1 hosts at rest, CPU in $seconds s" s "$hosts" 0 \
		"ours <= $(calculate "0.06 * $1")"
	busy "$1"
	fleet_end
}

# What events cost beyond the rest, in the fleet of many().
busy() {
	began=$(date +%s.%N)
	# shellcheck disable=SC2086
	set -- "$1" "$(messages)" "$(spent $nats)" "$(spent $all)"
	happen "$1"
	until heard "$F/desk1" && heard "$F/desk2"; do
		sleep 0.1
	done
	# shellcheck disable=SC2086
	set -- "$@" "$(messages)" "$(spent $nats)" "$(spent $all)"
	part=$(calculate "($(date +%s.%N) - $began) / $seconds")
	rested=$(calculate "$of_host * $1 * $part * $seconds / 60")
	sent=$(calculate "($5 - $2 - $rested) / $events")
	server=$(calculate "1e6 * ($6 - $3 - $server * $part) / $events")
	hosts=$(calculate "1e6 * ($7 - $4 - $hosts * $part) / $events")
	few=${few:-"$sent $server $hosts"}
	what="an event among $1 hosts"
	line "$what, messages" '' "$sent" "${few%% *}" 'ratio <= 1.5'
	line "$what, CPU of the server" us "$server" \
		"$(echo "$few" | cut -d ' ' -f 2)" 'ratio <= 2'
	line "$what, CPU of its agent" us "$hosts" "${few##* }" 'ratio <= 2'
}

# ---- all of it --------------------------------------------------------------

# What follows rows ends with its input.
mkfifo "$T/open"

few=
[ $# -gt 0 ] || set -- row rest 10 30 100
for part; do
	case $part in
	row) row ;;
	rest) rest ;;
	*) many "$part" ;;
	esac
done
