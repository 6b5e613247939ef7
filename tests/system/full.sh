#!/bin/sh
# A full disk: the verdict is printed, kept, and recorded as soon as there is
# room; until then nothing is done about it.
. "${0%/*}/lib.sh"

# Lazily: the processes that still use it are stopped a moment later.
[ "$(id -u)" -eq 0 ] || skip_all 'only root can mount a small disk'
mkdir "$P/.worktrees" "$S"
mount -t tmpfs -o size=256k,mode=700 tmpfs "$S" 2>/dev/null ||
	skip_all 'no tmpfs can be mounted here'
trap 'umount -l "$S"' EXIT

fill() { cat /dev/zero >"$S/ballast" 2>/dev/null; }

tmux_start
# No record may be in the making, which would free room.
scenario 'a watch goes on while the disk is full, and records all when it is not' <<'END'
>>> obedient a1; "$PW" start 1 --no-watch --session s1 -- "$T/a1" >"$T/said" 2>&1
>>> watch_begin w1 1; wait_until 5 watch_holds w1 1
>>> tell a1 'echo hello'; wait_until 5 logged 1 hello; let_pass; fill
[1]
>>> tell a1 '"$PANEWARD" signal complete "with a text"; echo $? >'"'$T/told'"
>>> wait_until 5 test -s "$T/told"; is "$(cat "$T/told")" 0
>>> wait_until 5 grep -q '^1 complete' "$T/w1.out"
>>> wait_until 5 grep -q . "$T/w1.err"
>>> like "$(cat "$T/w1.err")" 'cannot record.*issue .1.*retrying'
>>> let_turn "$(cat "$T/w1.pid")"; is "$(wc -l <"$T/w1.err")" 1
>>> test -e "$S/signal-complete-1" && no test -e "$T/w1.status"
>>> is "$(grep -c '^1 complete' "$T/w1.out")" 1
>>> rm "$S/ballast"; watch_ended w1 0 'when there is room the watch ends'
>>> is "$(record 1 state) $(changes 1 complete)" 'complete 1'
>>> no test -e "$S/signal-complete-1"
>>> like "$(cat "$T/w1.err")" 'is recorded now'
END

# A line of the journal that is written again has the same id.
scenario 'nothing is lost with the watcher' <<'END'
>>> obedient a2; "$PW" start 2 --no-watch --session s2 -- "$T/a2" >"$T/said" 2>&1
>>> watch_begin w2 2; wait_until 5 watch_holds w2 2
>>> let_pass; fill; "$PW" signal complete --issue 2 2>"$T/err"
>>> wait_until 5 grep -q '^2 complete' "$T/w2.out"
>>> kill -KILL "$(cat "$T/w2.pid")"; wait_until 5 test -e "$T/w2.status"
>>> test -e "$S/signal-complete-2"
>>> watch_begin w2 2; wait_until 5 grep -q '^2 complete' "$T/w2.out"
>>> rm "$S/ballast"; watch_ended w2 0 'the next one records it'
>>> recorded 2 complete
>>> is \
... 	"$(journal 2 state | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort -u | wc -l)" \
... 	1
END

scenario 'a marker that the log had no room for is seen on the screen' <<'END'
>>> obedient a3; "$PW" start 3 --no-watch --session s3 -- "$T/a3" >"$T/said" 2>&1
>>> watch_begin w3 3; wait_until 5 watch_holds w3 3
>>> tell a3 'echo hello'; wait_until 5 logged 3 hello
>>> let_pass; fill; tell a3 'echo "###TASK_COMPLETE_3###"'
>>> wait_until 10 grep -q '^3 complete' "$T/w3.out"
>>> rm "$S/ballast"; watch_ended w3 0 'and recorded when there is room'
>>> is "$(record 3 state)" complete
END

# The journal ends in the middle of a line.
scenario 'a start that cannot record its run leaves nothing' <<'END'
>>> fill
[1]
>>> fails 3 '^paneward: .*No space left' start 4 --session s4 -- tail -f /dev/null
>>> is "$(wc -l <"$T/err")" 1
>>> is "$(tm list-sessions -F '#{session_name}' | grep -c s4)" 0
>>> is "$(find "$S" -name '4.*' ! -name '4.lock')" ''
>>> is "$(find "$S" -name '*.tmp')" ''; rm "$S/ballast"
>>> fails 0 '' start 4 --session s4 --no-watch -- tail -f /dev/null
>>> printf '{"specversion":"1.0","id":"torn' >>"$S/.paneward/journal.ndjson"
>>> "$PW" signal complete --issue 4; fails 0 '' watch 4
>>> is \
... 	"$(grep -c '"torn$' "$S/.paneward/journal.ndjson") $(changes 4 complete)" \
... 	'1 1'
END

# Its output has no place: the runner says so, and is begun again each second,
# for which the watcher sleeps twice.
scenario 'a hand-off that cannot begin is told of once, and done when it can' <<'END'
>>> mkdir "$S/.paneward/5.handoff.log"
>>> "$PW" start 5 --no-watch -- tail -f /dev/null >"$T/said" 2>&1
>>> "$PW" signal complete --issue 5; watch_begin w5 5 --handoff 'exit 0'
>>> wait_until 10 grep -q 'cannot write the output' "$T/w5.err"
>>> let_turn "$(cat "$T/w5.pid")"; let_turn "$(cat "$T/w5.pid")"
>>> is "$(wc -l <"$T/w5.err")" 1; rmdir "$S/.paneward/5.handoff.log"
>>> watch_ended w5 0 'and done when it can'
END
done_testing
