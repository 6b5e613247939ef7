#!/bin/sh
# A round of a loop prints 500 MiB and then its word: the time until the word
# is seen, and the peak memory of engine and keeper; compared with grep at the
# end of a pipe from the same agent.  The half second that the loop gives the
# agent to exit is subtracted.

. "${0%/*}/lib.sh"

size=500
[ "$QUICK" = '' ] || size=64
grace=500

# The memory of the agent's parents is known only while they live, so the agent
# stays until it was read; its word is written at once with the time.
cat >"$T/agent" <<'END'
#!/bin/sh
trap 'date +%s%3N >"$T/seen"' TERM
echo "$PPID" >"$T/keeper"
yes 'all work and no play makes a long log' | head -c "$((SIZE * 1048576))"
printf '\nLOOP_COMPLETE\n'
date +%s%3N >"$T/said"
until [ -e "$T/looked" ]; do
	sleep 0.05
done
END
chmod +x "$T/agent"
export T SIZE=$size

# peak PID: the most it ever held, in KiB.
peak() {
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}

until_there() {
	until [ -s "$1" ]; do
		sleep 0.05
	done
}

"$PW" loop run --status-dir "$D" -- "$T/agent" >/dev/null &
engine=$!
background=$engine
until_there "$T/seen"
ours=$(($(cat "$T/seen") - $(cat "$T/said") - grace))
held=$(($(peak "$engine") + $(peak "$(cat "$T/keeper")")))
: >"$T/looked"
wait "$engine"

rm -f "$T/seen" "$T/said" "$T/looked"
mkfifo "$T/pipe"
"$T/agent" >"$T/pipe" &
agent=$!
background=$agent
grep -q '^LOOP_COMPLETE$' "$T/pipe"
date +%s%3N >"$T/seen"
until_there "$T/said"
theirs=$(($(cat "$T/seen") - $(cat "$T/said")))
[ "$theirs" -gt 0 ] || theirs=1
: >"$T/looked"
wait "$agent"

line "a word behind $size MiB is seen after" ms "$ours" "$theirs" 'ours <= 1000'
line '    memory of engine and keeper' KiB "$held" 0 'ours <= 8192'
