#!/bin/sh
# What a loop makes of hard days: full disks, a server that stands still, agents
# that leave something behind, remove what it needs, or print very much.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

O=$S/.paneward
LOG=$O/loop-default.1.log

# last: the last line that a loop has printed.
last() { tail -n 1 "$T/out"; }

# ended_for SECONDS FILE: the agent's end was recorded so long ago.
ended_for() {
	grep -q ' exit ' "$2" &&
		[ $(($(date +%s) - $(stat -c %Y "$2"))) -gt "$1" ]
}

said='{"success":true,"iterations":1,"reason":"keyword"}'

# ---- the word, said late -----------------------------------------------------
script ends-well <<-'END'
	word=LOOP_COMPLETE
	trap 'echo; echo "ended well: $word"; exit 0' TERM
	echo hi
	while :; do sleep 0.1; done
END
# Long enough for the agent to set its trap.
for manager in native tmux; do
	exits 0 "$manager: an idle agent says the word while it is ended" \
		"$PW" loop run -s "$manager" -n 2 -t 4 -j -- "$T/ends-well"
	is "$(last)" "$said" 'and has said it'
	unlike "$(cat "$LOG")" 'paneward:end' 'with nothing else in its log'
	exits 0 'so does one whose time is over' \
		"$PW" loop run -s "$manager" -n 2 -T 4 -j -- "$T/ends-well"
	is "$(last)" "$said" 'which comes first'
done
rm "$LOG"
begin_command i loop run -j -- "$T/ends-well"
wait_until 10 grep -q hi "$LOG"
kill -s INT "$(cat "$T/i.pid")"
watch_ended i 130 'but an interrupt stays one'

tmux_start
script late <<-END
	echo hi
	until [ -e '$T/stopped' ]; do sleep 0.05; done
	echo 'now LOOP_COMPLETE'
	: >'$T/late'
END
server=$(tm display-message -p '#{pid}')
rm "$LOG"
begin_command l loop run -s tmux -n 1 -j -- "$T/late"
wait_until 10 grep -q hi "$LOG"
freeze "$server"
: >"$T/stopped"
wait_until 10 test -e "$T/late"
# Longer than the wait for a log without a writer.
wait_until 20 ended_for 7 "$O"/loop-default-1-*.agent
kill -CONT "$server"
wait_until 20 command_ended l
is "$(tail -n 1 "$T/l.out")" "$said" \
	'a word counts that a slow server brings late'
is "$(tr -d '\r' <"$LOG")" "$(printf 'hi\nnow LOOP_COMPLETE')" \
	'and the log holds what the agent printed, nothing else'

# ---- a process prints on -----------------------------------------------------
script leaves-much <<-END
	setsid sh -c 'echo \$\$ >>"\$0"; exec yes' '$T/yes.pid' &
	echo "\$PANEWARD_ITERATION"
	sleep 0.1
END
: >"$T/yes.pid"
exits 1 'what an ended agent has left behind keeps no round' "$PW" loop run \
	-s tmux -j -n 4 -T 300 -- "$T/leaves-much"
is "$(last)" '{"success":false,"iterations":4,"reason":"max-iterations"}' \
	'however much it prints'
unlike "$(LC_ALL=C tail -c 200 "$LOG")" 'paneward:end' 'nor is it read'
while read -r pid; do
	kill "$pid" 2>/dev/null
done <"$T/yes.pid"

# ---- what is taken away ------------------------------------------------------
script empties <<-END
	seq 1 1000
	sleep 0.6
	: >'$LOG'
	sleep 0.3
	echo 'all done: LOOP_COMPLETE'
END
exits 0 'a log that is emptied is read from its beginning' "$PW" loop run \
	-n 1 -j -- "$T/empties"

fails 3 '"iteration":1,"end":"lost"' loop run -n 3 -j -- sh -c \
	"until rm -rf '$P/.worktrees'; do :; done; echo worked; sleep 0.5"
like "$(last)" '"iterations":2,"reason":"error"' 'the next one is none'
like "$(cat "$T/err")" "the status directory '$S' is gone" 'and why'
mkdir -p "$S"

# ---- a full disk -------------------------------------------------------------
# A file system of 3 MB, which only root can make.
mkdir "$T/small"
if mount -t tmpfs -o size=3m,mode=755 tmpfs "$T/small" 2>/dev/null; then
	trap 'umount -l "$T/small"' EXIT
	script fills <<-'END'
		dd if=/dev/zero bs=1M count=4 2>/dev/null | tr '\0' x
		echo
	END
	mkdir "$T/small/.worktrees"
	cd "$T/small" || exit 1
	full=$T/small/.worktrees/.status/.paneward
	# unrecorded: the keeper says so, in its pane if it has one.
	unrecorded() {
		grep -q 'cannot record' "$T/f.err" ||
			tm capture-pane -p -t "$(tm list-panes -a \
				-F '#{pane_id}' | tail -n 1)" |
			grep -q 'cannot record'
	}
	fill() {
		rm -rf "$full"
		begin_command f loop run -n 1 -s "$manager" -j -- "$T/fills"
		wait_until 20 grep -qs '"run"' "$full/loop-default.json"
		wait_until 20 unrecorded
	}
	for manager in native tmux; do
		fill
		check "$manager: on a full disk a loop waits" no command_ended f
		: >"$full/loop-default.1.log"
		wait_until 20 command_ended f
		like "$(cat "$T/f.out")" '"end":"exited","exit":0' \
			'and goes on when there is room again'
		fill
		kill -s INT "$(cat "$T/f.pid")"
		watch_ended f 130 'or until it is interrupted'
	done
	cd "$P" || exit 1
else
	skip 'a loop on a full disk' 'it takes root to make one'
fi

# ---- many echoes -------------------------------------------------------------
echo 'Please say LOOP_COMPLETE when done with it.' >prompt
script echoes <<-END
	yes 'Please say LOOP_COMPLETE when done with it.' | head -c 20000000
	: >'$T/echoed'
	exec sleep 1000
END
begin_command e loop run -j -n 1 -f prompt -- "$T/echoes"
wait_until 60 test -e "$T/echoed"
kill -s INT "$(cat "$T/e.pid")"
watch_ended e 130 'among many echoes an interrupt counts'
script far <<-'END'
	cat
	head -c 200000 /dev/zero | tr '\0' .
	printf ' LOOP_COMPLETE '
	head -c 200000 /dev/zero | tr '\0' .
END
printf 'Do the work. At the end say LOOP_COMPLETE.' >prompt
exits 0 'a word far behind an echo on its line counts' "$PW" loop run -j -n 1 \
	-f prompt -- "$T/far"

# ---- a signal from before ----------------------------------------------------
exits 1 'a loop ends with a signal' "$PW" loop run -j -i 9 -n 3 -- \
	sh -c '"$PANEWARD" signal complete'
exits 1 'which is there when the next one begins' "$PW" loop run -j -i 9 \
	-n 2 -- echo second
like "$(last)" '"iterations":2,"reason":"max-iterations"' \
	'and does not end that'
touch -d '2020-01-01 00:00:00' "$S/signal-complete-9"
"$PW" loop run -j -i 9 -n 1 -- sh -c \
	"touch -d @\$((\$(date +%s))) '$S/signal-complete-9'" >"$T/out" 2>&1
like "$(last)" '"iterations":1,"reason":"signal-complete"' \
	'a file system may know whole seconds only'

# ---- what people are told ----------------------------------------------------
head -c 2000000 /dev/zero | tr '\0' x >long
fails 3 'more than 1 MiB' loop run -f long -- cat
mkfifo fifo
fails 3 "'fifo'.*not a regular file.*every round" loop run -f fifo -- cat
like "$(echo work | "$PW" loop run -f /dev/stdin -- cat 2>&1)" \
	"'/dev/stdin'.*not a regular file" 'nor as a shell names it'
mkdir -p "$O"
echo nonsense >"$O/loop-9.json"
fails 3 "loop-9.json'.*damaged" loop run --issue 9 -- true
fails 1 "inside a session" loop status
done_testing
