#!/bin/sh
# A full disk: the verdict is printed, kept, and recorded as soon as there is
# room; until then nothing is done about it.
. "${0%/*}/lib.sh"

[ "$(id -u)" -eq 0 ] || skip_all 'only root can mount a small disk'
mkdir "$P/.worktrees" "$S"
mount -t tmpfs -o size=256k,mode=700 tmpfs "$S" 2>/dev/null ||
	skip_all 'no tmpfs can be mounted here'
# Lazily: the processes that still use it are stopped a moment later.
trap 'umount -l "$S"' EXIT

tmux_start

fill() {
	cat /dev/zero >"$S/ballast" 2>/dev/null
}

# ---- the report comes when it is full ---------------------------------------

obedient a1
"$PW" start 1 --no-watch --session s1 -- "$T/a1" >"$T/said"
watch_begin w1 1
wait_until 5 watch_holds w1 1
tell a1 'echo hello'
wait_until 5 logged 1 hello
# A record that is being written would free room.
let_pass
fill
tell a1 '"$PANEWARD" signal complete "with a text"; echo $? >'"'$T/told'"
wait_until 5 test -s "$T/told"
is "$(cat "$T/told")" 0 'an agent can report on a full disk'
wait_until 5 grep -q '^1 complete' "$T/w1.out"
check 'its report is printed' grep -q '^1 complete' "$T/w1.out"
wait_until 5 grep -q . "$T/w1.err"
like "$(cat "$T/w1.err")" 'cannot record.*issue .1.*tried again' \
	'that it cannot be recorded is said'
let_turn "$(cat "$T/w1.pid")"
is "$(wc -l <"$T/w1.err")" 1 'once'
check 'until it is, the signal stays' test -e "$S/signal-complete-1"
check 'and the watch goes on' no test -e "$T/w1.status"
is "$(grep -c '^1 complete' "$T/w1.out")" 1 'nothing is printed twice'
rm "$S/ballast"
watch_ended w1 0 'when there is room the watch ends'
is "$(record 1 state) $(changes 1 complete)" 'complete 1' \
	'all of it is recorded, once'
check 'and the signal removed' no test -e "$S/signal-complete-1"
like "$(cat "$T/w1.err")" 'is recorded now' 'which is said'

# ---- the watcher is killed before there is room -----------------------------

obedient a2
"$PW" start 2 --no-watch --session s2 -- "$T/a2" >"$T/said"
watch_begin w2 2
wait_until 5 watch_holds w2 2
let_pass
fill
"$PW" signal complete --issue 2 2>"$T/err"
wait_until 5 grep -q '^2 complete' "$T/w2.out"
kill -KILL "$(cat "$T/w2.pid")"
wait_until 5 test -e "$T/w2.status"
check 'nothing is lost with the watcher' test -e "$S/signal-complete-2"
watch_begin w2 2
wait_until 5 grep -q '^2 complete' "$T/w2.out"
rm "$S/ballast"
watch_ended w2 0 'the next one records it'
check 'as complete' recorded 2 complete
# A line that has to be written again has the same id.
is "$(journal 2 state | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort -u | wc -l)" \
	1 'and nothing else'

# ---- a marker, and the log has no room --------------------------------------

obedient a3
"$PW" start 3 --no-watch --session s3 -- "$T/a3" >"$T/said"
watch_begin w3 3
wait_until 5 watch_holds w3 3
tell a3 'echo hello'
wait_until 5 logged 3 hello
let_pass
fill
tell a3 'echo "###TASK_COMPLETE_3###"'
wait_until 10 grep -q '^3 complete' "$T/w3.out"
check 'a marker that the log had no room for is seen on the screen' \
	grep -q '^3 complete' "$T/w3.out"
rm "$S/ballast"
watch_ended w3 0 'and recorded when there is room'
is "$(record 3 state)" complete 'as complete'

# ---- nothing can be started on it -------------------------------------------

fill
exits 3 'on a full disk nothing is started' \
	"$PW" start 4 --session s4 -- tail -f /dev/null
like "$(cat "$T/err")" '^paneward: .*No space left' 'and that is said'
is "$(wc -l <"$T/err")" 1 'in one line'
is "$(tm list-sessions -F '#{session_name}' | grep -c s4)" 0 \
	'no session is opened'
is "$(find "$S" -name '4.*' ! -name '4.lock')" '' 'nothing is left'
is "$(find "$S" -name '*.tmp')" '' 'no half of a file either'
rm "$S/ballast"
exits 0 'when there is room it is' \
	"$PW" start 4 --session s4 --no-watch -- tail -f /dev/null

# The journal was cut in the middle of a line.
printf '{"specversion":"1.0","id":"torn' >>"$S/.paneward/journal.ndjson"
"$PW" signal complete --issue 4
exits 0 'a torn journal' "$PW" watch 4
is "$(grep -c '"torn$' "$S/.paneward/journal.ndjson") $(changes 4 complete)" \
	'1 1' 'goes on in a new line'

# ---- a hand-off that cannot begin -------------------------------------------

# Its output has no place: the runner says so, and is begun again each second.
mkdir "$S/.paneward/5.handoff.log"
"$PW" start 5 --no-watch -- tail -f /dev/null >"$T/said"
"$PW" signal complete --issue 5
watch_begin w5 5 --handoff 'exit 0'
wait_until 10 grep -q 'cannot write the output' "$T/w5.err"
# It is tried again: for a runner the watcher sleeps twice.
let_turn "$(cat "$T/w5.pid")"
let_turn "$(cat "$T/w5.pid")"
is "$(wc -l <"$T/w5.err")" 1 'a hand-off that cannot begin is told of once'
rmdir "$S/.paneward/5.handoff.log"
watch_ended w5 0 'and done when it can'

done_testing
