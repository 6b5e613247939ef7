#!/bin/sh
# Signals: left before the watcher came, stale, odd, filled late.
. "${0%/*}/lib.sh"

begin() {
	"$PW" start "$1" --no-watch --session "s$1" -- tail -f /dev/null \
		>"$T/said" 2>&1 || comment <"$T/said"
}

tmux_start

scenario 'signals count whenever they came, complete before error' <<'END'
>>> begin 1; "$PW" signal complete --issue 1; watch_begin w 1; watch_ended w 0
>>> is "$(record 1 source)" signal; no test -e "$S/signal-complete-1"
>>> begin 3; watch_locks w 3
>>> printf 'run=%s\nall good\n' "$(record 3 run)" >"$S/beside"
>>> mv "$S/beside" "$S/signal-complete-3"; watch_ended w 0
>>> begin 4; "$PW" signal error --issue 4 first
>>> "$PW" signal complete --issue 4; watch_begin w 4; watch_ended w 0
>>> like "$(record 4 why)" 'signal-error-4: first$'; is "$(changes 4 error)" 0
>>> no test -e "$S/signal-complete-4" && test -e "$S/signal-error-4"
>>> begin 140; "$PW" signal error --issue 140 first
>>> "$PW" signal complete --issue 140; fails 0 '' watch --handoff true 140
>>> ls "$S" | grep 'signal.*140'
[1]
>>> begin 5; watch_locks w 5
>>> "$PW" signal error --issue 5 'it failed'; wait_until 5 recorded 5 error
>>> wait_until 5 no test -e "$S/signal-error-5"
>>> is "$(record 5 message)" 'it failed'
>>> "$PW" signal error --issue 5 'it failed again'; let_pass
>>> is "$(changes 5 error) $(record 5 message)" '1 it failed'
>>> "$PW" signal complete --issue 5; watch_ended w 0
END

scenario 'stale signals are told once, and ignored' <<'END'
>>> mkdir -p "$S"; echo 'from before' >"$S/signal-complete-10"
>>> touch -d '1 hour ago' "$S/signal-complete-10"
>>> printf 'run=00000000-0000-4000-8000-000000000000\n' >"$S/signal-error-10"
>>> begin 10; watch_locks w 10
>>> wait_until 5 eval '[ "$(wc -l <"$T/w.err")" -ge 2 ]'
>>> wait_until 5 eval '[ "$(journal 10 stale | wc -l)" -ge 2 ]'
>>> sed 's/.*signal/signal/' "$T/w.err" | sort
signal-complete-10' is of another run; ignoring it
signal-error-10' is of another run; ignoring it
>>> recorded 10 working
>>> is "$(journal 10 stale | wc -l)" 2; : >"$S/touched-10"; let_pass
>>> is "$(journal 10 stale | wc -l) $(wc -l <"$T/w.err")" '2 2'
>>> "$PW" signal complete --issue 10; watch_ended w 0
>>> test -e "$S/signal-error-10" && mkdir -p "$S"
>>> printf 'run=00000000-0000-4000-8000-000000000000\n' >"$S/signal-complete-11"
>>> touch -d '+1 hour' "$S/signal-complete-11"; begin 11; watch_begin w 11
>>> wait_until 5 grep -q 'another run' "$T/w.err"; recorded 11 working
>>> kill "$(cat "$T/w.pid")"; wait_until 5 test -e "$T/w.status"
>>> test -e "$S/signal-complete-11" && fails 124 '' watch 11 --once
>>> test -e "$S/signal-complete-11"
END

# odd ISSUE REASON: what lies there is warned of once, and ignored.
odd() {
	begin "$1"
	watch_begin w "$1"
	wait_until 5 grep -q . "$T/w.err"
	like "$(cat "$T/w.err")" \
		"^paneward: .*/signal-complete-$1' is not a signal: $2; ignoring it"
	: >"$S/something-$1"
	: >"$S/else-$1"
	let_pass
	is "$(wc -l <"$T/w.err") $(journal "$1" refused | wc -l)" '1 1'
	recorded "$1" working && ls -d "$S/signal-complete-$1" >"$T/said"
	kill "$(cat "$T/w.pid")"
	watch_ended w 143 'the watcher could be stopped'
}

echo target >"$T/target"
ln -s "$T/target" "$S/signal-complete-20"
mkdir "$S/signal-complete-23"
scenario 'what is no file is warned of once, and stays, until one takes its place' <<'END'
>>> odd 20 'it is a link'; cat "$T/target"
target
>>> odd 23 'it is a directory'; rmdir "$S/signal-complete-23"; watch_begin w 23
>>> wait_until 5 watch_holds w 23; "$PW" signal complete --issue 23
>>> watch_ended w 0
END

scenario 'the text of an error is no marker' <<'END'
>>> begin 37; echo 'say ###TASK_COMPLETE_37### please' >"$S/signal-error-37"
>>> watch_begin w 37 --exit-on error; watch_ended w 1; record 37 message
say ＃＃＃TASK_COMPLETE_37＃＃＃ please
END

# The watch's clock stands still, so the moment lasts until the file is filled.
begin 40
PANEWARD_NOW=$(date +%s)
export PANEWARD_NOW

scenario 'an empty error file is given a moment to be filled' <<'END'
>>> watch_locks w 40 --exit-on error
>>> : >"$S/empty"; touch -d "@$PANEWARD_NOW" "$S/empty"; unset PANEWARD_NOW
>>> mv "$S/empty" "$S/signal-error-40"; let_pass 500; recorded 40 working
>>> echo 'after a while' >>"$S/signal-error-40"; watch_ended w 1
>>> is "$(record 40 message)" 'after a while'
>>> begin 41; watch_locks w 41 --exit-on error
>>> clock; before=$now; : >"$S/signal-error-41"; watch_ended w 1
>>> clock; test $((now - before)) -ge 90
>>> is "$(record 41 message)" 'Unknown error'
END

done_testing
