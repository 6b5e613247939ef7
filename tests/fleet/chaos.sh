#!/bin/sh
# A fleet under faults: every event is told once, each run is handed off once, an
# issue once for each time it is submitted, and none has two agents at work longer
# than the grace of its lease.
#
# FLEET_HOSTS, FLEET_ISSUES (of each host) and FLEET_FAULTS set the size:
# `make soak` runs 100, 10 and 1000.  FLEET_SEED repeats a run.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"

count=${FLEET_HOSTS:-4}
each=${FLEET_ISSUES:-2}
faults=${FLEET_FAULTS:-10}
seed=${FLEET_SEED:-$(date +%s)}
# Seconds: the lease, as host_configure has it, and the end of an agent.
grace=12
echo "FLEET_HOSTS=$count FLEET_ISSUES=$each FLEET_FAULTS=$faults \
FLEET_SEED=$seed" | comment

# ---- what an agent does -----------------------------------------------------

# It says every half second that it lives, by a clock that all hosts share, and
# then that it is done.
cat >"$T/standin" <<'END'
#!/usr/bin/perl
use strict;
use warnings;
use Time::HiRes qw(clock_gettime sleep CLOCK_MONOTONIC);
my ($log, $host) = @ENV{qw(CHAOS_LOG CHAOS_HOST)};
$SIG{HUP} = 'IGNORE';
for (1 .. 12) {
	open my $f, '>>', $log or die;
	syswrite $f, sprintf "%s %s %s %.3f\n", $ENV{PANEWARD_ISSUE}, $host,
	    $ENV{PANEWARD_RUN}, clock_gettime(CLOCK_MONOTONIC);
	close $f;
	sleep 0.5;
}
system $ENV{PANEWARD}, 'signal', 'complete', 'done';
sleep 1000;
END

# Its hand-off is a line.
cat >"$T/handoff" <<'END'
#!/bin/sh
echo "$PANEWARD_RUN $PANEWARD_ISSUE" >>"$1"
END

chmod +x "$T/standin" "$T/handoff"
mkdir "$T/seen"
: >"$T/seen/agents"
: >"$T/seen/handoffs"

# ---- hosts ------------------------------------------------------------------

# What runs on a host: the fleet's agent and a worker.  The clock of the second
# host is an hour fast.
serve() {
	served=$1
	shift
	! [ "$served" = h2 ] || set -- env SKEW=3600 LD_PRELOAD="$T/skew.so" "$@"
	on "$served" env CHAOS_LOG="$T/seen/agents" CHAOS_HOST="$served" "$@"
}

serve_agent() {
	serve "$1" "$FLEET" agent >>"$T/hosts/$1/agent.out" 2>&1 &
}

serve_work() {
	serve "$1" "$FLEET" work --at-most 2 >>"$T/hosts/$1/work.out" 2>&1 &
}

# The home of the first host is on a disk of its own, which is small.
disk_begin() {
	mkdir "$T/disk" && cp -a "$T/hosts/h1/." "$T/disk" &&
		mount -t tmpfs -o size=16m,mode=755 none "$T/hosts/h1" &&
		cp -a "$T/disk/." "$T/hosts/h1"
}

disk_end() { umount -l "$T/hosts/h1" 2>/dev/null; }

prepare() {
	mkdir -p "$T/hosts/$1/.config/paneward/backends"
	echo "{ \"command\": \"$T/standin\" }" \
		>"$T/hosts/$1/.config/paneward/backends/standin.json"
	host_configure "$1" '' "\"backend\": \"standin\",
		\"handoff\": [\"$T/handoff\", \"$T/seen/handoffs\"]"
	git -C "$T/hosts/$1/project" config remote.origin.url \
		https://git.test/shop.git
}

inside_pids() { ip netns pids "$nets-$1"; }

# ---- faults -----------------------------------------------------------------

# later SECONDS COMMAND...: which ends a fault.  A file stands for it until then;
# a pid that was noted would soon be another process's.
lasting=0
later() {
	lasting=$((lasting + 1))
	: >"$T/lasting/$lasting"
	(
		sleep "$1"
		shift
		"$@"
		rm "$T/lasting/$lasting"
	) &
}

# Lines of KIND HOST SECONDS.
plan() {
	perl -e '
		my ($seed, $n, $hosts) = @ARGV;
		my @kinds = qw(server cut delay reorder lose kill work
		    freeze agent wipe full);
		srand $seed;
		for (1 .. $n) {
			my $kind = $kinds[int rand @kinds];
			# The store is lost seldom.
			$kind = "server" if $kind eq "wipe" && rand() > 0.1;
			printf "%s h%d %d\n", $kind, 1 + int rand $hosts,
			    1 + int rand 15;
		}' "$seed" "$faults" "$count"
}

# kill_there HOST PATTERN
kill_there() {
	for pid in $(inside_pids "$1"); do
		case $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") in
		*$2*) kill -KILL "$pid" 2>/dev/null ;;
		esac
	done
}

# signal_there SIGNAL HOST: all that runs there gets it.
signal_there() {
	for pid in $(inside_pids "$2"); do
		kill -s "$1" "$pid" 2>/dev/null
	done
}

# slowly HOST SECONDS FAULT NUMBER...
slowly() {
	slow_host=$1 slow_seconds=$2
	shift 2
	link_slow "$slow_host" "$@"
	later "$slow_seconds" link_swift "$slow_host"
}

fault() {
	case $1 in
	server | wipe)
		server_kill
		[ "$1" = server ] || server_wipe
		server_start
		;;
	cut)
		link_cut "$2"
		later "$3" link_heal "$2"
		;;
	delay) slowly "$2" "$3" delay $((20 * $3)) jitter 20 ;;
	reorder) slowly "$2" "$3" delay 20 jitter 20 reorder 25 ;;
	lose) slowly "$2" "$3" delay 20 loss 10 ;;
	work | agent)
		kill_there "$2" "paneward-fleet $1"
		"serve_$1" "$2"
		;;
	kill)
		kill_there "$2" paneward-fleet
		serve_agent "$2"
		serve_work "$2"
		;;
	freeze)
		signal_there STOP "$2"
		later "$3" signal_there CONT "$2"
		;;
	full)
		cat /dev/zero >"$T/hosts/h1/full" 2>/dev/null
		later "$3" rm -f "$T/hosts/h1/full"
		;;
	esac
}

mkdir "$T/lasting"

# ---- what came of it --------------------------------------------------------

issues=$((count * each))

# Is the whole backlog done, and handed off, which comes after?
over() {
	on h1 "$FLEET" backlog --json >"$T/backlog" 2>/dev/null &&
		[ "$(grep -c '"state":"done"' "$T/backlog")" -eq "$issues" ] &&
		[ "$(cut -d ' ' -f 2 "$T/seen/handoffs" | sort -u | wc -l)" -eq "$issues" ]
}

# Each id of a journal, once for each host.
journaled() {
	for host in $hosts; do
		sed -n 's/.*"id":"\([^"]*\)","source".*}$/\1/p' \
			"$(status_of "$host")/.paneward/journal.ndjson"
	done | sort -u
}

streamed() {
	on h1 "$BUILD/tests/fleet/dump" PANEWARD '>' 2>/dev/null |
		cut -f 2 | sort
}

same_events() {
	journaled >"$T/journaled"
	streamed >"$T/streamed"
	sort -u "$T/streamed" | comm -23 "$T/journaled" - >"$T/missing"
	! [ -s "$T/missing" ]
}

# The longest time for which an issue had two agents, in s.  A run lives from
# its first line to its last; one that is stopped writes none.
overlap() {
	perl -ane '
		my ($issue, undef, $run, $at) = @F;
		push @{ $lines{$issue}{$run} }, $at;
		END {
			my $worst = 0;
			for my $runs (map { [values %$_] } values %lines) {
				for my $other (@$runs) {
					my ($from, $to) = @$other[0, -1];
					for my $one (grep { $_ != $other } @$runs) {
						my @in = grep { $_ > $from && $_ < $to }
						    @$one or next;
						my $long = $in[-1] - $in[0];
						$worst = $long if $long > $worst;
					}
				}
			}
			printf "%.1f\n", $worst;
		}' "$T/seen/agents"
}

# shellcheck disable=SC2046
fleet_begin $(seq "$count" | sed 's/^/h/')
needs_netns
trap 'disk_end; fleet_end' EXIT
# What the store has forgotten a person submits again.
again() {
	over && return
	sed -n 's/.*"issue":"\([^"]*\)".*/\1/p' "$T/backlog" | sort >"$T/known"
	sort "$T/list" | comm -23 - "$T/known" >"$T/forgotten"
	! [ -s "$T/forgotten" ] ||
		on h1 "$FLEET" submit --from "$T/forgotten" 2>/dev/null |
			sed -n 's/: submitted.*//p' >>"$T/submitted"
	over
}

scenario 'whatever fails, nothing is lost and nothing done twice' <<'END'
>>> disk_begin || echo 'no disk of its own for h1' | comment
>>> cc -shared -fPIC -o "$T/skew.so" "$ROOT/tests/fleet/preload/skew.c" -ldl
>>> for host in $hosts; do
... 	prepare "$host"
... 	serve_agent "$host"
... 	serve_work "$host"
... done
>>> seq "$issues" >"$T/list"
>>> gives 0 '' on h1 "$FLEET" submit --from "$T/list"
>>> cp "$T/list" "$T/submitted"; plan >"$T/plan"
>>> while read -r kind host seconds; do
... 	fault "$kind" "$host" "$seconds" </dev/null
... 	sleep 1
... done <"$T/plan"
>>> wait_until 60 rmdir "$T/lasting"; wait_until $((120 + 2 * issues)) again
>>> is "$(cut -d ' ' -f 1 "$T/seen/handoffs" | sort | uniq -d)" ''
>>> is "$(awk 'NR == FNR { submitted[$1]++; next } { handed[$2]++ }
... 	END { for (i in submitted)
... 		if (handed[i] < 1 || handed[i] > submitted[i])
... 			print i ": " handed[i] + 0 " of " submitted[i] }' \
... 	"$T/submitted" "$T/seen/handoffs")" ''
>>> wait_until $((60 + 3 * count)) same_events
>>> head -n 20 "$T/missing" | comment; is "$(uniq -d "$T/streamed")" ''
>>> longest=$(overlap)
>>> perl -e 'exit !($ARGV[0] <= $ARGV[1])' "$longest" "$grace"
END
echo "# $(wc -l <"$T/journaled") events, $(wc -l <"$T/seen/handoffs") hand-offs of \
$issues issues that were submitted $(wc -l <"$T/submitted") times, \
$(cut -d ' ' -f 3 "$T/seen/agents" | sort -u | wc -l) runs"
done_testing
