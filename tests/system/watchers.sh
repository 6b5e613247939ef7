#!/bin/sh
# Several watchers of one issue, one after the other and at once: one of them
# acts, all say the same, nothing is missed and nothing is said twice.
. "${0%/*}/lib.sh"

tmux_start

# begin ISSUE [NAME...]: an agent, and watchers of it: the first has it, and the
# next ones have begun.
begin() {
	issue=$1
	shift
	obeys "$issue" --no-watch
	[ $# -gt 0 ] || return 0
	watch_locks "$1" "$issue"
	[ $# -gt 1 ] || return 0
	watch_begin "$2" "$issue"
}

# completes ISSUE: its agent says so.
completes() { tell "a$1" "echo '###TASK_COMPLETE_$1###'"; }

# killed NAME: a watcher is.
killed() {
	kill -KILL "$(cat "$T/$1.pid")" 2>/dev/null
	wait_until 5 command_ended "$1"
}

# Ticks of the processor that a watch has used.
ticks() {
	cut -d ' ' -f 14,15 "/proc/$(cat "$T/$1.pid")/stat" |
		{ read -r user system && echo $((user + system)); }
}

# waits NAME: it has looked at everything once.
waits() {
	[ -s "$T/$1.pid" ] && [ "$(turns "$(cat "$T/$1.pid")")" -gt 0 ] &&
		grep -q '(paneward) S' "/proc/$(cat "$T/$1.pid")/stat"
}

# lock_hold ISSUE: another process has its lock, until `lock_drop ISSUE`.
lock_hold() {
	flock -o "$S/.paneward/$1.lock" sh -c \
		"until [ -e '$T/drop-$1' ]; do sleep 0.02; done" &
	wait_until 5 no flock -n "$S/.paneward/$1.lock" true
}

lock_drop() { : >"$T/drop-$1"; }

# ---- at once ----------------------------------------------------------------
# The agent writes once, since a message may take no longer than its marker.
scenario 'each of eight watchers ends, and says it once' <<'END'
>>> begin 2; for name in 1 2 3 4 5 6 7 8; do watch_begin "many$name" 2; done
>>> tell a2 'printf "###TASK_ERROR_2###\nwhy\n"; exit 1'
>>> for name in 1 2 3 4 5 6 7 8; do
... 	watch_ended "many$name" 1
... 	is "$(grep -c '^2 error: .*: why$' "$T/many$name.out")" 1
... done
>>> changes 2 error
1
END

# ---- one after the other: tests/faults/crash.t and soak.sh kill more ----------
scenario 'when the first is killed the second takes over, and misses nothing' \
	<<'END'
>>> begin 3 first second; killed first; wait_until 10 watch_holds second 3
>>> completes 3; watch_ended second 0; changes 3 complete
1
>>> has 3 run "$(journal 3 run | sed 's/.*"run":"\([^"]*\)".*/\1/')"
>>> begin 4 first second; let_pass; freeze "$(cat "$T/first.pid")"; completes 4
>>> wait_until 5 logged 4 TASK_COMPLETE_4; killed first; watch_ended second 0
>>> changes 4 complete
1
END

# ---- the holder is not known ------------------------------------------------
# As on a full disk, or in another container.
scenario 'a watcher waits for an unknown holder of the lock without effort' \
	<<'END'
>>> begin 6; : >"$S/.paneward/6.lock"; lock_hold 6; watch_begin w 6
>>> let_turn "$(cat "$T/w.pid")"; before=$(ticks w)
>>> let_turn "$(cat "$T/w.pid")"; test $(($(ticks w) - before)) -le 5
>>> lock_drop 6; completes 6; watch_ended w 0
END
scenario 'a holder that lets go of a finished issue, and lives, delays none' \
	<<'END'
>>> pane_run issue-8 "echo '###TASK_COMPLETE_8###'; exec tail -f /dev/null"
>>> watch_begin w 8; watch_ended w 0; sleep 1000 & holder=$!; lock_hold 8
>>> echo "$holder $(cut -d ' ' -f 22 "/proc/$holder/stat")" \
... 	>"$S/.paneward/8.lock"
>>> watch_begin w 8; wait_until 5 waits w; lock_drop 8; watch_ended w 0
>>> kill $holder
END

# ---- the run of before ------------------------------------------------------
# A tmux that answers late: the second watcher comes while the first has the
# lock, and has not found out yet that there is another run.
script bin/tmux <<END
while [ -e '$T/late' ]; do sleep 0.02; done
PATH=\${PATH#*:} exec tmux "\$@"
END
scenario 'a second watcher does not take the run of before for this one' <<'END'
>>> pane_run issue-7 'echo "###TASK_COMPLETE_7###"; exec tail -f /dev/null'
>>> watch_begin w 7; watch_ended w 0; tm kill-session -t =issue-7:
>>> pane_run issue-7 'exec tail -f /dev/null'; : >"$T/late"; PATH=$T/bin:$PATH
>>> watch_locks first 7; watch_begin second 7; wait_until 5 waits second
>>> rm "$T/late"; PATH=${PATH#*:}; wait_until 5 recorded 7 working
>>> command_ended second
[1]
>>> "$PW" signal complete --issue 7; watch_ended first 0; watch_ended second 0
END

# ---- what only the first of them can do --------------------------------------
scenario 'a second watcher can neither begin a run nor choose its pane' <<'END'
>>> begin 60 first; wait_until 5 recorded 60 working; run=$(record 60 run)
>>> for word in --new '--pane %999' '--session s60'; do
... 	fails 3 "^paneward: cannot watch issue '60' with ${word%% *}: process \
... $(cat "$T/first.pid") acts on it; end that one first\$" watch 60 $word
... done
>>> tell a60 '"$PANEWARD" signal complete'; watch_ended first 0
>>> has 60 run "$run" && changes 60 complete
1
>>> lock_hold 60; watch_begin w 60 --new; wait_until 5 test -s "$T/w.pid"; lock_drop 60
>>> wait_until 5 recorded 60 working; watch_holds w 60 && killed w
END

# ---- a hand-off that is still open -------------------------------------------
script not-yet <<END
[ -e '$T/merged' ] || exit 75
END
scenario 'a second watcher waits for a hand-off, and runs it after the first' \
	<<'END'
>>> begin 61; tell a61 '"$PANEWARD" signal complete'
>>> wait_until 5 test -e "$S/signal-complete-61"
>>> watch_begin first 61 --handoff "$T/not-yet"
>>> wait_until 5 grep -q 'not yet' "$T/first.out"
>>> watch_begin second 61 --handoff "$T/not-yet"
>>> wait_until 10 cmp "$T/first.out" "$T/second.out"; command_ended second
[1]
>>> : >"$T/merged"
... sed -i 's/"next":"[^"]*"/"next":"2020-01-01T00:00:00.000Z"/' \
... 	"$S/.paneward/61.json"
>>> kill -KILL "$(cat "$T/first.pid")"; watch_ended second 0
>>> grep -c complete "$T/second.out"; tail -n 1 "$T/second.out"
1
61 handed off
END

# ---- many issues ------------------------------------------------------------
scenario 'of watchers of several issues each has its own' <<'END'
>>> for issue in 31 32 33 34 35 36 37 38 39 40; do begin $issue; done
>>> watch_begin some 31 32 33 34 35; wait_until 5 watch_holds some 35
>>> watch_begin all 31 32 33 34 35 36 37 38 39 40
>>> wait_until 5 watch_holds all 40; watch_holds some 31
>>> for issue in 31 32 33 34 35 36 37 38 39; do completes $issue; done
>>> watch_ended some 0; no command_ended all && tell a40 'exit'
>>> watch_ended all 10; grep -c complete "$T/all.out"; grep -c dead "$T/all.out"
9
1
END

# ---- an upgrade -------------------------------------------------------------
cp "$PW" "$T/bin/paneward"
ln -s "$ROOT/backends" "$T/bin/backends"
ours=$PW
PW=$T/bin/paneward
# put: the program is there, or there again.
put() { cp "$ours" "$T/bin/new" && mv "$T/bin/new" "$T/bin/paneward"; }
scenario 'a watcher whose program is replaced, or away for a while, hands off' \
	<<'END'
>>> begin 50; watch_locks old 50 --handoff "touch '$T/handed'"
>>> wait_until 5 recorded 50 working; put; "$PW" signal complete --issue 50
>>> watch_ended old 0; test -e "$T/handed"
>>> begin 51; watch_locks gone 51 --handoff "touch '$T/handed.late'"; rm "$PW"
>>> PW=$ours; "$PW" signal complete --issue 51
>>> wait_until 5 grep -q 'cannot start the hand-off' "$T/gone.err"; put
>>> watch_ended gone 0; test -e "$T/handed.late"
END
done_testing
