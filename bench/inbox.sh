#!/bin/sh
# The inbox hook, which an agent waits for at the end of each turn, and writing
# messages: CPU time compared with an empty C program, and messages a second.

. "${0%/*}/lib.sh"

rounds=${QUICK:+100}
rounds=${rounds:-500}
messages=${QUICK:+800}
messages=${messages:-4000}

tools repeat
echo 'int main(void) { return 0; }' >"$T/empty.c"
$CC -O2 -o "$T/bin/empty" "$T/empty.c"
export __STOP_HOOK_SCRIPT_DIR="$P" __STOP_HOOK_AGENT_ID=karo-roju

# entries COUNT: an inbox with COUNT reports, all read.
entries() {
	awk -v n="$1" 'BEGIN {
		print "reports:"
		for (i = 1; i <= n; i++)
			printf "  - subtask_id: subtask_%d\n" \
				"    worker: ashigaru%d\n" \
				"    status: completed\n" \
				"    reported_at: \"2026-01-31T23:59:59Z\"\n" \
				"    summary: \"parser tidied, see %d\"\n" \
				"    read: true\n", i, i % 8 + 1, i
	}'
}

# message BYTES: a Stop event whose message matches no pattern.
message() {
	printf '{"hook_event_name":"Stop","stop_hook_active":false,'
	printf '"last_assistant_message":"'
	yes 'All is quiet here, there is nothing to be told.\n' |
		tr -d '\n' | head -c $(($1 / 48 * 48))
	printf '"}'
}

# medians FILE: a column for each repeated command.
column() {
	sed -n "$1p" "$T/medians"
}

# The worst case of the hook: it reads an inbox and searches the message.
mkdir -p "$P/queue/inbox"
entries 50 >"$P/queue/inbox/box.yaml"
entries 1000 >"$P/queue/inbox/many.yaml"
message 1000 >"$T/small"
message 1048576 >"$T/large"
echo '{ "inbox": { "roles": { "karo-roju": { "unread": ["box"] } } } }' \
	>"$P/.paneward.json"

repeat "$rounds" "$T/small" empty --- "$T/small" "$PW" hook inbox --- \
	"$T/large" "$PW" hook inbox >"$T/medians"
line 'hook inbox, 50 entries, 1 KiB' us "$(column 2)" "$(column 1)" \
	'ratio <= 1.6'
line '... what 1 MiB costs more' us $(($(column 3) - $(column 2))) \
	"$(column 1)" 'ours <= 5000'

if command -v strace >/dev/null; then
	strace -f -o "$T/calls" "$PW" hook inbox <"$T/small"
	strace -f -o "$T/calls.empty" empty
	line '... system calls' '' "$(grep -c '(' "$T/calls")" \
		"$(grep -c '(' "$T/calls.empty")" 'ours <= 100'
fi

repeat $((rounds / 4)) /dev/null empty --- \
	/dev/null "$PW" inbox write many hello >"$T/medians"
line 'inbox write into 1000 entries' us "$(column 2)" "$(column 1)" \
	'ratio <= 40'

# rate COMMAND...: how often eight processes run it in a second.
rate() {
	began=$(date +%s%N)
	seq "$messages" | xargs -P 8 -n 1 "$@"
	ended=$(date +%s%N)
	echo $((messages * 1000000000 / (ended - began)))
}
line 'inbox write, 8 writers' /s "$(rate "$PW" inbox write new)" \
	"$(rate empty)" 'ours >= 500'
[ "$STATIC" = '' ] || line 'inbox write, 8 writers, static' /s \
	"$(rate "$STATIC" inbox write other)" "$(rate empty)" 'ours >= 500'
