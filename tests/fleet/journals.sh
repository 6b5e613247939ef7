# shellcheck shell=sh
# journals.sh - included by tests of the agent, after lib.sh: journals that are
# written, and what the stream has of them.

# journal_add HOST FIRST LAST [BYTES]: events as paneward writes them, numbered,
# with so many bytes more.
journal_add() {
	perl -e '
		my ($file, $dir, $first, $last, $more) = @ARGV;
		open my $out, ">>", $file or die "$file: $!";
		for my $n ($first .. $last) {
			my $run = sprintf "00000000-0000-4000-8000-%012d", $n;
			my ($s, $m, $h, $day, $month, $year) = gmtime;
			my $time = sprintf "%d-%02d-%02dT%02d:%02d:%02d.000Z",
			    $year + 1900, $month + 1, $day, $h, $m, $s;
			syswrite $out, qq({"specversion":"1.0",) .
			    qq("id":"$run-1-state-00000000","source":"$dir",) .
			    qq("type":"paneward.state","subject":") . $n % 7 .
			    qq(","time":"$time","datacontenttype":) .
			    qq("application/json","data":{"run":"$run",) .
			    qq("state":"working","number":$n,"more":"@{[
			    "x" x $more]}"}}\n);
		}' "$(journal_of "$1")" "$(status_of "$1")" "$2" "$3" \
		"${4:-0}"
}

journal_of() { echo "$(status_of "$1")/.paneward/journal.ndjson"; }

# numbers HOST [SUBJECT]: those of the events that the stream has, in its order.
numbers() {
	on "$1" "$BUILD/tests/fleet/dump" PANEWARD "$1.*.${2:-*}" |
		awk -F '"number":' 'NF > 1 { print $2 + 0 }'
}

# has HOST LAST: it has all numbers from 1 on, each once, in order.
has() {
	numbers "$1" >"$T/numbers"
	seq "$2" | cmp -s - "$T/numbers"
}

agent_start() {
	# With a redirection of its own, $! would be a shell around it.
	on "$1" sh -c 'exec "$0" agent >>"$1" 2>&1' "$FLEET" "$T/$1.out" &
	agent=$!
}

# The process that is a host's agent.  The file of its lock may name one that has
# ended, whose number is another process's by now.
agent_process() {
	holder=$(cut -d ' ' -f 1 \
		"$T/hosts/$1/.local/state/paneward/fleet.lock")
	grep -qs "$T/hosts/$1" "/proc/$holder/environ" &&
		grep -qs "paneward-fleet" "/proc/$holder/cmdline" &&
		echo "$holder"
}

agent_kill() {
	holder=$(agent_process alpha) && kill -KILL "$holder"
	wait "$agent" 2>/dev/null
}

# registered HOST: its project has a status directory, which paneward knows.
registered() {
	mkdir -p "$(status_of "$1")/.paneward"
	on "$1" paneward status >/dev/null 2>&1
}

# result_of LAST DESCRIPTION: alpha's events come to be on the stream.
result_of() {
	if wait_until 20 has alpha "$1"; then
		result 0 "$2"
	else
		result 1 "$2"
		sort -n "$T/numbers" | uniq -c | awk '$1 > 1' | head -n 5 |
			comment
		wc -l <"$T/numbers" | comment
		comment <"$T/alpha.out"
		tail -n 5 "$T/server.log" | comment
	fi
}
