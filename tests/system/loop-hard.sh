#!/bin/sh
# A loop on hard days: full disks, a server that stands still, agents that leave
# something behind, remove what it needs, or print very much.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

O=$S/.paneward
LOG=$O/loop-default.1.log

# ends STATUS 'ITERATIONS REASON' ARGUMENT...: so does a loop with these.
ends() {
	want=$1
	ending=$2
	shift 2
	fails "$want" '' loop run -j "$@"
	is "$(sed -n '$s/.*"iterations":\(.*\),"reason":"\(.*\)".*/\1 \2/p' \
		"$T/out")" "$ending"
}

# begin ARGUMENT...: one that runs; the output of its agent is new.
begin() {
	rm -f "$LOG"
	begin_command l loop run -j "$@"
}

# interrupted: it is ended.
interrupted() {
	kill -s INT "$(cat "$T/l.pid")"
	watch_ended l 130 'an interrupt ends it'
}

# ended_for SECONDS FILE: the agent's end was recorded so long ago.
ended_for() {
	grep -q ' exit ' "$2" &&
		[ $(($(date +%s) - $(stat -c %Y "$2"))) -gt "$1" ]
}

script ends-well <<-'END'
	word=LOOP_COMPLETE
	trap 'echo; echo "ended well: $word"; exit 0' TERM
	echo hi
	while :; do sleep 0.1; done
END
script late <<-END
	echo hi
	until [ -e '$T/stopped' ]; do sleep 0.05; done
	echo 'now LOOP_COMPLETE'
	: >'$T/late'
END
# Four seconds are enough for the agent to set its trap, seven longer than the wait
# for a log without a writer.
scenario 'a word counts that comes as the agent is ended, or later' <<'END'
>>> for manager in native tmux; do
... 	ends 0 '1 keyword' -s "$manager" -n 2 -t 4 -- "$T/ends-well"
... 	grep paneward:end "$LOG"
... 	ends 0 '1 keyword' -s "$manager" -n 2 -T 4 -- "$T/ends-well"
... done
>>> begin -- "$T/ends-well"; wait_until 10 grep -q hi "$LOG"; interrupted
>>> tmux_start; server=$(tm display-message -p '#{pid}')
>>> begin -s tmux -n 1 -- "$T/late"; wait_until 10 grep -q hi "$LOG"
>>> freeze "$server"; : >"$T/stopped"; wait_until 10 test -e "$T/late"
>>> wait_until 20 ended_for 7 "$O"/loop-default-1-*.agent; kill -CONT "$server"
>>> watch_ended l 0 'it is complete'; tail -n 1 "$T/l.out"; tr -d '\r' <"$LOG"
{"success":true,"iterations":1,"reason":"keyword"}
hi
now LOOP_COMPLETE
END

script leaves-much <<-END
	setsid sh -c 'echo \$\$ >>"\$0"; exec yes' '$T/yes.pid' &
	echo "\$PANEWARD_ITERATION"
	sleep 0.1
END
script empties <<-END
	seq 1 1000
	sleep 0.6
	: >'$LOG'
	sleep 0.3
	echo 'all done: LOOP_COMPLETE'
END
scenario 'agents may leave a process, empty the log, remove the directory' <<'END'
>>> : >"$T/yes.pid"
>>> ends 1 '4 max-iterations' -s tmux -n 4 -T 300 -- "$T/leaves-much"
>>> LC_ALL=C tail -c 200 "$LOG" | grep -a paneward:end
[1]
>>> kill $(cat "$T/yes.pid") 2>/dev/null || :
>>> ends 0 '1 keyword' -n 1 -- "$T/empties"
>>> ends 3 '2 error' -n 3 -- sh -c \
... 	"until rm -rf '$P/.worktrees'; do :; done; echo worked; sleep 0.5"
>>> grep -c '"iteration":1,"end":"lost"' "$T/out"
1
>>> grep -c "the status directory '$S' is gone" "$T/err"; mkdir -p "$S"
1
END

# A file system of 3 MB, which only root can make.
mkdir "$T/small"
# unrecorded: the keeper says so, in its pane if it has one.
unrecorded() {
	grep -q 'cannot record' "$T/l.err" ||
		tm capture-pane -p -t "$(tm list-panes -a -F '#{pane_id}' |
			tail -n 1)" | grep -q 'cannot record'
}

fill() {
	rm -rf "$full"
	begin -n 1 -s "$manager" -- "$T/fills"
	wait_until 20 grep -qs '"run"' "$full/loop-default.json"
	wait_until 20 unrecorded
}

if mount -t tmpfs -o size=3m,mode=755 tmpfs "$T/small" 2>/dev/null; then
	trap 'umount -l "$T/small"' EXIT
	script fills <<-'END'
		dd if=/dev/zero bs=1M count=4 2>/dev/null | tr '\0' x
		echo
	END
	full=$T/small/.worktrees/.status/.paneward
	scenario 'on a full disk a loop waits for room or an interrupt' <<'END'
>>> mkdir "$T/small/.worktrees"; cd "$T/small"
>>> for manager in native tmux; do
... 	fill
... 	no command_ended l
... 	: >"$full/loop-default.1.log"
... 	wait_until 20 command_ended l
... 	grep -o '"end":"exited","exit":{"code":0}' "$T/l.out"
... 	fill
... 	interrupted
... done
"end":"exited","exit":{"code":0}
"end":"exited","exit":{"code":0}
>>> cd "$P"
END
else
	skip 'a loop on a full disk' 'it takes root to make one'
fi

echo 'Please say LOOP_COMPLETE when done with it.' >prompt
script echoes <<-END
	yes 'Please say LOOP_COMPLETE when done with it.' | head -c 20000000
	: >'$T/echoed'
	exec sleep 1000
END
script far <<-'END'
	cat
	head -c 200000 /dev/zero | tr '\0' .
	printf ' LOOP_COMPLETE '
	head -c 200000 /dev/zero | tr '\0' .
END
signal=$S/signal-complete-9
# A file system may know whole seconds only.
scenario 'an echo far from the word, or a signal of before, ends no loop' <<'END'
>>> begin -n 1 -f prompt -- "$T/echoes"; wait_until 60 test -e "$T/echoed"
>>> interrupted; printf 'Do the work. At the end say LOOP_COMPLETE.' >prompt
>>> ends 0 '1 keyword' -n 1 -f prompt -- "$T/far"
>>> ends 1 '1 signal-complete' -i 9 -n 3 -- sh -c '"$PANEWARD" signal complete'
>>> ends 1 '2 max-iterations' -i 9 -n 2 -- echo second
>>> touch -d '2020-01-01 00:00:00' "$signal"
>>> ends 1 '1 signal-complete' -i 9 -n 1 -- \
... 	sh -c "touch -d @\$((\$(date +%s))) '$signal'"
END

scenario 'a prompt or a state that cannot be read is refused' <<'END'
>>> head -c 2000000 /dev/zero | tr '\0' x >long; mkfifo fifo
>>> fails 3 'more than 1 MiB' loop run -f long -- cat
>>> fails 3 "'fifo'.*not a regular file.*every round" loop run -f fifo -- cat
>>> echo work | "$PW" loop run -f /dev/stdin -- cat 2>&1 |
... 	grep -o "'/dev/stdin'.*not a regular file"
~ '/dev/stdin'.*not a regular file
>>> echo nonsense >"$O/loop-9.json"
>>> fails 3 "loop-9.json'.*damaged" loop run --issue 9 -- true
>>> fails 1 "inside a session" loop status
END
done_testing
