#!/bin/sh
# status --follow: a line for each row that changes, until its reader is gone.
. "${0%/*}/lib.sh"

tmux_start

# The fields of the lines of a follower: issue or key, and state or "left".
lines() {
	perl -MJSON::PP -ne 'next if !/\S/; my $r = decode_json($_);
		my ($issue) = $r->{key} =~ m{([^/]+)$};
		printf "%s %s\n", $issue, $r->{gone} ? "left" : $r->{state}' \
		"$T/json.out"
}

says() {
	lines | grep -qx "$1"
}

signal_state() {
	"$PW" signal "$2" --issue "$1"
	"$PW" watch "$1" --once | grep "$2"
}

# One that begins before there is anything.
mkdir -p "$S"
chmod 700 "$S"
begin_command early status --json --follow
wait_until 5 grep -q '^$' "$T/early.out"

"$PW" start 7 --no-watch --session s7 -- sleep 500 >"$T/said"
"$PW" start 8 --no-watch --session s8 -- sleep 500 >"$T/said"
# Otherwise each follower would judge what nothing watches.
"$PW" sweep >"$T/said"
begin_command json status --all --json --follow
begin_command text status --follow
begin_command one status 8 --json --follow
wait_until 5 grep -q '^$' "$T/json.out"
wait_until 5 grep -q '  8 .*working' "$T/text.out"
wait_until 5 grep -q '^$' "$T/one.out"
is "$(lines | sort | tr '\n' ';')" '7 working;8 working;' 'all rows at first'
is "$(sed -n '3p' "$T/json.out")" '' 'then an empty line'

check 'a run completes' signal_state 7 complete
wait_until 5 says '7 complete'
check 'its row is printed again' says '7 complete'
is "$(lines | grep -c '^8 ')" 1 'the other one is not'
wait_until 5 grep -Eq '^[0-9:]{8}  7 +complete ' "$T/text.out"
like "$(cat "$T/text.out")" '^[0-9:]{8}  7 +complete ' 'also as text'

check 'it is forgotten' "$PW" forget 7
wait_until 5 says '7 left'
check 'a row that leaves is told by its key' says '7 left'
wait_until 5 grep -q '  7 .* left the list' "$T/text.out"
check 'also as text' grep -q '  7 .* left the list' "$T/text.out"

"$PW" start 9 --no-watch --session s9 -- sleep 500 >"$T/said"
wait_until 5 says '9 working'
check 'a new one comes' says '9 working'
check 'an issue fails' signal_state 8 error
wait_until 5 says '8 error'
wait_until 5 grep -q '"state":"error"' "$T/one.out"
is "$(grep -c '"issue":"8"' "$T/one.out")$(grep -c '"issue":"9"' "$T/one.out")" \
	20 'named issues are followed alone'

wait_until 20 grep -q '"issue":"9"' "$T/early.out"
check 'records that come later are found' grep -q '"issue":"9"' "$T/early.out"

# ---- its end -----------------------------------------------------------------

mkfifo "$T/in" "$T/pipe"
sleep 500 >"$T/in" &
holder=$!
{
	"$PW" status --json --follow <"$T/in" >"$T/held"
	echo $? >"$T/held.status"
} &
wait_until 5 test -s "$T/held"
kill "$holder"
wait_until 5 test -s "$T/held.status"
is "$(cat "$T/held.status")" 0 'it ends with the other end of its input'

{
	"$PW" status --json --follow </dev/null >"$T/pipe"
	echo $? >"$T/read.status"
} &
head -n 1 "$T/pipe" >"$T/head"
wait_until 5 test -s "$T/read.status"
like "$(cat "$T/head")" '"key":"' 'or with its reader'
check 'it goes on without input' no command_ended json

exits 2 '--tmux is no stream' "$PW" status --tmux --follow

done_testing
