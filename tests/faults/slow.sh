#!/bin/sh
# A runner that is slow to remove the signal: a watch that follows another
# process says that an issue is handed off when nothing is left of that.
. "${0%/*}/../system/lib.sh"

strace -o "$T/trial" true >"$T/said" 2>&1 ||
	skip_all 'strace is not here, or may not trace'

script hand-off <<END
while [ ! -e '$T/go' ]; do sleep 0.1; done
END
echo '{ "handoff": ["'"$T/hand-off"'"] }' >.paneward.json
"$PW" signal complete --issue 1

# The sweep's runner waits for two seconds before it removes the signal.
strace -f -o "$T/trace" -e trace=unlinkat \
	-e inject=unlinkat:delay_enter=2000000 "$PW" sweep >"$T/sweep.out" 2>&1 &
running() {
	[ "$(record 1 handoff.state)" = running ]
}
wait_until 10 running
"$PW" watch 1 2>"$T/err" | while read -r line; do
	echo "$line"
	case $line in
	*'handed off')
		[ ! -e "$S/signal-complete-1" ] || echo 'too early' ;;
	esac
done >"$T/out" &
wait_until 10 grep -q complete "$T/out"
: >"$T/go"
wait
is "$(cat "$T/out")" '1 complete: signal-complete-1 is there
1 handed off' 'what a watch says of a hand-off is true'
is "$(grep -c '^1 handed off' "$T/sweep.out")" 1 'the sweep says the same'

done_testing
