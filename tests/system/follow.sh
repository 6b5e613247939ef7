#!/bin/sh
# status --follow: a line for each row that changes, until its reader is gone.
. "${0%/*}/lib.sh"

# The fields of the lines of a follower: issue or key, and state or "left".
lines() {
	perl -MJSON::PP -ne 'next if !/\S/; my $r = decode_json($_);
		my ($issue) = $r->{key} =~ m{([^/]+)$};
		printf "%s %s\n", $issue, $r->{gone} ? "left" : $r->{state}' \
		"$T/json.out"
}

says() { lines | grep -qx "$1"; }

signal_state() {
	"$PW" signal "$2" --issue "$1"
	"$PW" watch "$1" --once | grep "$2"
}

# The sweep lets no follower judge what nothing watches.
scenario 'a row is printed again as often as it changes, until it leaves' <<'END'
>>> tmux_start; mkdir -p "$S"; chmod 700 "$S"
>>> begin_command early status --json --follow
>>> wait_until 5 grep -q '^$' "$T/early.out"
>>> "$PW" start 7 --no-watch --session s7 -- sleep 500 >"$T/said" 2>&1
>>> "$PW" start 8 --no-watch --session s8 -- sleep 500 >"$T/said" 2>&1
>>> "$PW" sweep >"$T/said" 2>&1; begin_command json status --all --json --follow
>>> begin_command text status --follow
>>> begin_command one status 8 --json --follow
>>> wait_until 5 grep -q '^$' "$T/json.out"
>>> wait_until 5 grep -q '  8 .*working' "$T/text.out"
>>> wait_until 5 grep -q '^$' "$T/one.out"
>>> is "$(lines | sort | tr '\n' ';')" '7 working;8 working;'
>>> is "$(sed -n '3p' "$T/json.out")" ''; signal_state 7 complete
7 complete: signal-complete-7 is there
>>> wait_until 5 says '7 complete'; is "$(lines | grep -c '^8 ')" 1
>>> wait_until 5 grep -Eq '^[0-9:]{8}  7 +complete ' "$T/text.out"
>>> "$PW" forget 7
7: off the list; 'paneward status --finished' shows it
>>> wait_until 5 says '7 left'
>>> wait_until 5 grep -q '  7 .* left the list' "$T/text.out"
>>> "$PW" start 9 --no-watch --session s9 -- sleep 500 >"$T/said" 2>&1
>>> wait_until 5 says '9 working'; signal_state 8 error
8 error: signal-error-8 is there: Unknown error
>>> wait_until 5 says '8 error'
>>> wait_until 5 grep -q '"state":"error"' "$T/one.out"
>>> grep -c '"issue":"8"' "$T/one.out"; grep '"issue":"9"' "$T/one.out"
2
[1]
>>> wait_until 20 grep -q '"issue":"9"' "$T/early.out"
END

mkfifo "$T/in" "$T/pipe"
sleep 500 >"$T/in" &
holder=$!
{
	"$PW" status --json --follow <"$T/in" >"$T/held"
	echo $? >"$T/held.status"
} &

scenario 'a follower ends with the other end of its input' <<'END'
>>> wait_until 5 test -s "$T/held"
>>> kill "$holder"; wait_until 5 test -s "$T/held.status"
>>> is "$(cat "$T/held.status")" 0
END

{
	"$PW" status --json --follow </dev/null >"$T/pipe"
	echo $? >"$T/read.status"
} &

scenario 'or with its reader' <<'END'
>>> head -n 1 "$T/pipe" >"$T/head"; wait_until 5 test -s "$T/read.status"
>>> like "$(cat "$T/head")" '"key":"'; no command_ended json
>>> fails 2 '' status --tmux --follow
END
done_testing
