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
	obedient "a$issue"
	"$PW" start "$issue" --no-watch --session "s$issue" -- "$T/a$issue" \
		>"$T/said" 2>&1 || comment <"$T/said"
	[ $# -gt 0 ] || return 0
	watch_begin "$1" "$issue"
	wait_until 5 watch_holds "$1" "$issue"
	[ $# -gt 1 ] || return 0
	watch_begin "$2" "$issue"
}

# completes ISSUE: its agent says so.
completes() { tell "a$1" "echo '###TASK_COMPLETE_$1###'"; }

# killed NAME...: a watcher is.
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
begin 1 first second
let_pass
check 'the first one has the issue' watch_holds first 1
completes 1
watch_ended first 0 'the first watcher says that it is complete'
watch_ended second 0 'and so does the second'
is "$(grep complete "$T/second.out")" "$(grep complete "$T/first.out")" \
	'in the same words'
is "$(cat "$T/first.err" "$T/second.err")$(changes 1 complete)" 1 \
	'no watcher complains, and the journal says it once'

begin 2
for name in 1 2 3 4 5 6 7 8; do
	watch_begin "many$name" 2
done
# In one write, since a message may take no longer than its marker.
tell a2 'printf "###TASK_ERROR_2###\nwhy\n"; exit 1'
for name in 1 2 3 4 5 6 7 8; do
	watch_ended "many$name" 1 "of eight watchers number $name ends as well"
	is "$(grep -c '^2 error: .*: why$' "$T/many$name.out")" 1 \
		'and says it once'
done
is "$(changes 2 error)" 1 'the journal says it once'

# ---- one after the other ----------------------------------------------------
begin 3 first second
killed first
soon 'when the first is killed the second takes over' watch_holds second 3
completes 3
watch_ended second 0 'and finds it complete'
is "$(changes 3 complete) $(record 3 run)" \
	"1 $(journal 3 run | sed 's/.*"run":"\([^"]*\)".*/\1/')" \
	'the journal says it once, of the same run'

begin 4 first second
let_pass
freeze "$(cat "$T/first.pid")"
completes 4
wait_until 5 logged 4 TASK_COMPLETE_4
killed first
watch_ended second 0 'what the first did not read the second does'
is "$(changes 4 complete)" 1 'the journal says it once'

# Killed at any moment: before, while and after it is judged.
begin 5
tell a5 'i=0; while [ $i -lt 40 ]; do seq 200; i=$((i + 1)); sleep 0.05; done
	echo "###TASK_COMPLETE_5###"'
for name in 1 2 3 4 5 6 7 8 9 10; do
	watch_begin w 5
	sleep 0.2
	killed w
done
watch_begin w 5
watch_ended w 0 'ten watchers are killed, and the next one misses nothing'
# A line that has to be written again has the same id.
lines() {
	journal 5 state | grep '"state":"complete"' |
		sed 's/.*"id":"\([^"]*\)".*/\1/'
}
is "$(record 5 source) $(lines | sort -u | wc -l)" 'log 1' 'nor says it twice'
before=$(lines)
watch_begin w 5
watch_ended w 0 'who comes later is told the same'
is "$(lines)" "$before" 'and nothing is added to the journal'

# ---- the holder is not known ------------------------------------------------
# As on a full disk, or in another container: the lock is held, by nobody who
# can be seen.
begin 6
: >"$S/.paneward/6.lock"
lock_hold 6
watch_begin w 6
let_turn "$(cat "$T/w.pid")"
before=$(ticks w)
let_turn "$(cat "$T/w.pid")"
check 'who waits for an unknown holder does so without effort' \
	test $(($(ticks w) - before)) -le 5
lock_drop 6
completes 6
watch_ended w 0 'and takes over when the lock falls free'

# A holder that lets go of an issue that was over before, and lives on because
# of others.
pane_run issue-8 "echo '###TASK_COMPLETE_8###'; exec tail -f /dev/null"
watch_begin w 8
watch_ended w 0 'an issue is complete'
sleep 1000 &
holder=$!
lock_hold 8
echo "$holder $(cut -d ' ' -f 22 "/proc/$holder/stat")" >"$S/.paneward/8.lock"
watch_begin w 8
wait_until 5 waits w
lock_drop 8
watch_ended w 0 'who has come meanwhile is not held up by it'
kill $holder

# ---- the run of before ------------------------------------------------------
# A tmux that answers late: the second watcher comes while the first has the
# lock, and has not found out yet that there is another run.
mkdir "$T/bin"
script bin/tmux <<END
while [ -e '$T/late' ]; do sleep 0.02; done
PATH=\${PATH#*:} exec tmux "\$@"
END
pane_run issue-7 'echo "###TASK_COMPLETE_7###"; exec tail -f /dev/null'
watch_begin w 7
watch_ended w 0 'a first run is complete'
tm kill-session -t =issue-7:
pane_run issue-7 'exec tail -f /dev/null'
: >"$T/late"
PATH=$T/bin:$PATH
watch_begin first 7
wait_until 5 watch_holds first 7
watch_begin second 7
wait_until 5 waits second
rm "$T/late"
PATH=${PATH#*:}
wait_until 5 recorded 7 working
check 'a second watcher does not take the run of before for this one' \
	no test -e "$T/second.status"
"$PW" signal complete --issue 7
watch_ended first 0 'and it is complete'
watch_ended second 0 'for both'

# ---- what only the first of them can do --------------------------------------
begin 60 first
wait_until 5 recorded 60 working
run=$(record 60 run)
for word in --new '--pane %999' '--session s60'; do
	# shellcheck disable=SC2086
	fails 3 "^paneward: cannot watch issue '60' with ${word%% *}: process \
$(cat "$T/first.pid") acts on it; end that one first\$" watch 60 $word
done
tell a60 '"$PANEWARD" signal complete'
watch_ended first 0 'that one goes on'
is "$(record 60 run) $(changes 60 complete)" "$run 1" 'with its run'

# A holder that is just ending.
lock_hold 60
watch_begin w 60 --new
wait_until 5 waits w
lock_drop 60
wait_until 5 recorded 60 working
check 'who is just ending is waited for' watch_holds w 60
killed w

# ---- a hand-off that is still open -------------------------------------------
begin 61
script not-yet <<END
[ -e '$T/merged' ] || exit 75
END
# shellcheck disable=SC2016
tell a61 '"$PANEWARD" signal complete'
wait_until 5 test -e "$S/signal-complete-61"
watch_begin first 61 --handoff "$T/not-yet"
wait_until 5 grep -q 'not yet' "$T/first.out"
watch_begin second 61 --handoff "$T/not-yet"
soon 'a second watcher of a hand-off that waits says so like the first' \
	cmp "$T/first.out" "$T/second.out"
check 'and waits for it' no command_ended second
: >"$T/merged"
sed -i 's/"next":"[^"]*"/"next":"2020-01-01T00:00:00.000Z"/' \
	"$S/.paneward/61.json"
kill -KILL "$(cat "$T/first.pid")"
watch_ended second 0 'it does it when the first is ended'
is "$(grep -c complete "$T/second.out") $(tail -n 1 "$T/second.out")" \
	'1 61 handed off' 'and says each thing once'

# ---- many issues ------------------------------------------------------------
for issue in 31 32 33 34 35 36 37 38 39 40; do
	begin $issue
done
watch_begin some 31 32 33 34 35
wait_until 5 watch_holds some 35
watch_begin all 31 32 33 34 35 36 37 38 39 40
wait_until 5 watch_holds all 40
check 'each issue has its own watcher' watch_holds some 31
for issue in 31 32 33 34 35 36 37 38 39; do
	completes $issue
done
watch_ended some 0 'one is done with its five'
check 'the other is not yet' no test -e "$T/all.status"
tell a40 'exit'
watch_ended all 10 'and then with its ten'
is "$(grep -c complete "$T/all.out") $(grep -c dead "$T/all.out")" '9 1' \
	'each of which is told'

# ---- an upgrade -------------------------------------------------------------
cp "$PW" "$T/bin/paneward"
ln -s "$ROOT/backends" "$T/bin/backends"
ours=$PW
PW=$T/bin/paneward
begin 50
watch_begin old 50 --handoff "touch '$T/handed'"
wait_until 5 watch_holds old 50
wait_until 5 recorded 50 working
cp "$ours" "$T/bin/new"
mv "$T/bin/new" "$PW"
"$PW" signal complete --issue 50
watch_ended old 0 'a watcher whose program was replaced goes on'
check 'and hands off' test -e "$T/handed"

begin 51
watch_begin gone 51 --handoff "touch '$T/handed.late'"
wait_until 5 watch_holds gone 51
rm "$PW"
PW=$ours
"$PW" signal complete --issue 51
wait_until 5 grep -q 'cannot start the hand-off' "$T/gone.err"
cp "$ours" "$T/bin/new"
mv "$T/bin/new" "$T/bin/paneward"
watch_ended gone 0 'one whose program is away for a while waits for it'
check 'and hands off as well' test -e "$T/handed.late"

done_testing
