#!/bin/sh
# Signals: left before the watcher came, stale, odd, filled late.
. "${0%/*}/lib.sh"

tmux_start

begin() {
	"$PW" start "$1" --no-watch --session "s$1" -- tail -f /dev/null \
		>"$T/said" 2>&1 || comment <"$T/said"
}

# ---- before the watcher -----------------------------------------------------

begin 1
"$PW" signal complete --issue 1
watch_begin w 1
watch_ended w 0 'a signal from before the watcher counts'
is "$(record 1 source)" signal 'as such'
check 'and is removed' no test -e "$S/signal-complete-1"

begin 2
: >"$S/signal-complete-2"
watch_begin w 2
watch_ended w 0 'an empty file is one'

begin 3
watch_begin w 3
wait_until 5 watch_holds w 3
printf 'run=%s\nall good\n' "$(record 3 run)" >"$S/beside"
mv "$S/beside" "$S/signal-complete-3"
watch_ended w 0 'one that names the run counts'

begin 4
"$PW" signal error --issue 4 first
"$PW" signal complete --issue 4
watch_begin w 4
watch_ended w 0 'complete goes before error'
like "$(record 4 why)" 'signal-error-4: first$' 'and the reason tells of both'
is "$(changes 4 error)" 0 'no error is recorded'
check 'the signal that counted is removed' no test -e "$S/signal-complete-4"
check 'and the other one is left without a hand-off' \
	test -e "$S/signal-error-4"

begin 140
"$PW" signal error --issue 140 first
"$PW" signal complete --issue 140
exits 0 'with a hand-off' "$PW" watch --handoff true 140
check 'both are removed' no ls "$S/signal-complete-140" "$S/signal-error-140"

begin 5
watch_begin w 5
wait_until 5 watch_holds w 5
"$PW" signal error --issue 5 'it failed'
wait_until 5 recorded 5 error
wait_until 5 no test -e "$S/signal-error-5"
is "$(record 5 message)" 'it failed' 'an error is recorded and removed'
"$PW" signal error --issue 5 'it failed again'
let_pass
is "$(changes 5 error) $(record 5 message)" '1 it failed' \
	'a second one is nothing new'
"$PW" signal complete --issue 5
watch_ended w 0 'a completion is'

# ---- stale ------------------------------------------------------------------

mkdir -p "$S"
echo 'from before' >"$S/signal-complete-10"
touch -d '1 hour ago' "$S/signal-complete-10"
printf 'run=00000000-0000-4000-8000-000000000000\n' >"$S/signal-error-10"
begin 10
watch_begin w 10
wait_until 5 watch_holds w 10
wait_until 5 eval '[ "$(wc -l <"$T/w.err")" -ge 2 ]'
wait_until 5 eval '[ "$(journal 10 stale | wc -l)" -ge 2 ]'
is "$(sed 's/.*signal/signal/' "$T/w.err" | sort)" \
	"signal-complete-10' is of another run; it is ignored
signal-error-10' is of another run; it is ignored" 'stale signals are told'
check 'and ignored' recorded 10 working
is "$(journal 10 stale | wc -l)" 2 'they are journaled'
: >"$S/touched-10"
let_pass
is "$(journal 10 stale | wc -l) $(wc -l <"$T/w.err")" '2 2' 'once'
"$PW" signal complete --issue 10
watch_ended w 0 'a new signal replaces a stale one'
check 'the other is kept' test -e "$S/signal-error-10"

mkdir -p "$S"
printf 'run=00000000-0000-4000-8000-000000000000\n' >"$S/signal-complete-11"
touch -d '+1 hour' "$S/signal-complete-11"
begin 11
watch_begin w 11
wait_until 5 grep -q 'another run' "$T/w.err"
check 'a date of tomorrow makes none of another run ours' recorded 11 working
kill "$(cat "$T/w.pid")"
wait_until 5 test -e "$T/w.status"
check 'it is never deleted' test -e "$S/signal-complete-11"
exits 124 'one round leaves it as it is' "$PW" watch 11 --once
check 'there as well' test -e "$S/signal-complete-11"

# ---- odd things of that name ------------------------------------------------

# odd ISSUE REASON: it lies there; it is warned of, and nothing else happens.
odd() {
	begin "$1"
	watch_begin w "$1"
	wait_until 5 grep -q . "$T/w.err"
	like "$(cat "$T/w.err")" \
		"^paneward: .*/signal-complete-$1' is not a signal: $2; it is" \
		'of a thing that is no signal it is warned'
	: >"$S/something-$1"
	: >"$S/else-$1"
	let_pass
	is "$(wc -l <"$T/w.err")" 1 'once'
	is "$(journal "$1" refused | wc -l)" 1 'and it is journaled once'
	check 'it is ignored' recorded "$1" working
	check 'and stays' test -e "$S/signal-complete-$1" -o \
		-h "$S/signal-complete-$1"
	kill "$(cat "$T/w.pid")"
	wait_until 5 test -e "$T/w.status"
	is "$(cat "$T/w.status")" 143 'the watcher could be stopped'
}

echo target >"$T/target"
ln -s "$T/target" "$S/signal-complete-20"
odd 20 'it is a link'
ln -s "$T/nowhere" "$S/signal-complete-21"
odd 21 'it is a link'
mkfifo "$S/signal-complete-22"
odd 22 'it is not a regular file'
mkdir "$S/signal-complete-23"
odd 23 'it is a directory'
ln "$T/target" "$S/signal-complete-24"
odd 24 'it has another hard link'
is "$(cat "$T/target")" target 'what a link leads to is as it was'
if [ "$(id -u)" -eq 0 ]; then
	: >"$S/signal-complete-25"
	chown 65534 "$S/signal-complete-25"
	odd 25 'it belongs to another user'
else
	skip 'a signal of another user' 'this is not root'
fi
rmdir "$S/signal-complete-23"
watch_begin w 23
wait_until 5 watch_holds w 23
"$PW" signal complete --issue 23
watch_ended w 0 'a real one in its place counts'

# ---- the text of an error ---------------------------------------------------

# errs ISSUE MESSAGE DESCRIPTION: with the content of $T/text.
errs() {
	begin "$1"
	mv "$T/text" "$S/signal-error-$1"
	watch_begin w "$1" --exit-on error
	watch_ended w 1 "$3"
	is "$(record "$1" message)" "$2" 'with this message'
	is "$(LC_ALL=C tr -d '[:print:]\n\200-\377' <"$T/w.out" | wc -c)" 0 \
		'and nothing that a terminal obeys'
}

printf '\033[31mred\033[0m and\033]0;title\007 plain\n' >"$T/text"
errs 30 'red and plain' 'control sequences are removed'
printf '  one \n\n  two\r\nthree\n\n' >"$T/text"
errs 31 'one    two three' 'lines are joined'
printf 'a\001b\002c\177d\n' >"$T/text"
errs 32 'abcd' 'control bytes are removed'
: >"$T/text"
errs 33 'Unknown error' 'an empty one has a message as well'
printf ' \n\t\n' >"$T/text"
errs 34 'Unknown error' 'so has one of blanks'
perl -CO -e 'print "\x{fc}" x 250' >"$T/text"
errs 35 "$(perl -CO -e 'print "\x{fc}" x 200')" 'a long one is cut'
printf 'run=%s\nreason\n' nonsense >"$T/text"
errs 36 'run=nonsense reason' 'what is no run is text'
printf 'say ###TASK_COMPLETE_37### please\n' >"$T/text"
errs 37 'say ＃＃＃TASK_COMPLETE_37＃＃＃ please' 'a marker is no message'
head -c 100000 /dev/zero | tr '\0' x >"$T/text"
errs 38 "$(printf '%0200d' 0 | tr 0 x)" 'a large file is no trouble'

# ---- filled late ------------------------------------------------------------

# The watch's clock stands still, so the moment lasts until the file is filled.
begin 40
PANEWARD_NOW=$(date +%s)
export PANEWARD_NOW
watch_begin w 40 --exit-on error
wait_until 5 watch_holds w 40
: >"$S/empty"
touch -d "@$PANEWARD_NOW" "$S/empty"
unset PANEWARD_NOW
mv "$S/empty" "$S/signal-error-40"
let_pass 500
check 'an empty error file does not count at once' recorded 40 working
echo 'after a while' >>"$S/signal-error-40"
watch_ended w 1 'it is given a moment'
is "$(record 40 message)" 'after a while' 'to be filled'

begin 41
watch_begin w 41 --exit-on error
wait_until 5 watch_holds w 41
clock; before=$now
: >"$S/signal-error-41"
watch_ended w 1 'one that stays empty counts'
clock
check 'after a second' test $((now - before)) -ge 90
is "$(record 41 message)" 'Unknown error' 'without a text'

# ---- a signal whose text comes behind its name ------------------------------

all_complete() {
	[ "$("$PW" status --json | grep -c '"issue":"r.*"state":"complete"')" \
		-eq 30 ]
}

none_left() {
	[ "$(find "$S" -name 'signal-complete-r*' | wc -l)" -eq 0 ]
}

for i in $(seq 30); do
	"$PW" start "r$i" -- sleep 1000 >/dev/null
done
for i in $(seq 30); do
	echo 'all done' >"$S/signal-complete-r$i"
done
wait_until 120 all_complete &&
	result 0 'thirty signals are found, each by its own watcher'
wait_until 60 none_left &&
	result 0 'and none is left, whenever its text was written'

done_testing
