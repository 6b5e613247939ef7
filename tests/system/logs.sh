#!/bin/sh
# What may happen to a pane log while it is read: it is emptied, removed, put
# aside and grows past its cap.  The agent's report is found in it all the same.
. "${0%/*}/lib.sh"

begin() {
	issue=$1
	shift
	obeys "$issue" --no-watch
	watch_locks "w$issue" "$issue" "$@"
	let_pass 900                    # its first look, at the screen, is over
}

# found ISSUE DESCRIPTION: complete, and by the log.
found() {
	watch_ended "w$1" 0 "$2"
	is "$(record "$1" source)" log 'in the log'
	is "$(cat "$T/w$1.err")" '' 'without a word'
}

# Everything that was printed is read, as the record says.
read_all() {
	[ "$(record "$1" log.read)" -gt 0 ] &&
		[ "$(record "$1" log.read)" -eq "$2" ]
}

tmux_start

scenario 'a log writer holds no folder that may go, and makes none again' <<'END'
>>> fails 3 '' log-writer 1 "$T/moved/.worktrees/.status" 70000 %0
>>> no test -e "$T/moved"; begin 1; wait_until 5 test -s "$S/.paneward/1.pipe"
>>> read -r _ writer _ <"$S/.paneward/1.pipe"
>>> [ ! -e /proc/self/cwd ] || is "$(readlink "/proc/$writer/cwd")" /
END

# The watcher of 1 would take more than it has read for a log that grows; that of 2
# has read more than is there; the fence of 3 must not hide what is after it.
scenario 'a log that is emptied is read anew' <<'END'
>>> tell a1 'echo one; echo "\"###TASK_COMPLETE_1###\""; echo two'
>>> wait_until 5 logged 1 two
>>> let_pass; : >"$S/output-1.log"; tell a1 'echo "###TASK_COMPLETE_1###"'
>>> found 1 'after it was emptied a marker is found'; begin 2 --interval 1
>>> tell a2 'seq 1000; echo end'; wait_until 5 logged 2 end
>>> wait_until 5 read_all 2 "$(stat -c %s "$S/output-2.log")"
>>> kill "$(cat "$T/w2.pid")"; wait_until 5 test -e "$T/w2.status"
>>> : >"$S/output-2.log"
>>> tell a2 'clear; echo "###TASK_COMPLETE_2###"; seq 600; echo end of it'
>>> wait_until 5 logged 2 'end of it'
>>> watch_begin w2 2; found 2 'also if no watcher ran meanwhile'; begin 3
>>> tell a3 'echo "\`\`\`"; seq 100; echo inside'
>>> wait_until 5 logged 3 inside
>>> let_pass; : >"$S/output-3.log"; tell a3 'echo "###TASK_COMPLETE_3###"'
>>> found 3 'a fence that was open ends with the text that it was in'
END

# The new log of 11 is longer than the old, and may have its inode.
scenario 'a log that was removed, moved or replaced loses no report' <<'END'
>>> begin 10; tell a10 'echo one'; wait_until 5 logged 10 one
>>> rm "$S/output-10.log"; tell a10 'echo "###TASK_COMPLETE_10###"'
>>> found 10 'after it was removed another one begins'
>>> logged 10 TASK_COMPLETE_10
>>> begin 11; tell a11 'seq 1000; echo end'; wait_until 5 logged 11 end
>>> kill "$(cat "$T/w11.pid")"; wait_until 5 test -e "$T/w11.status"
>>> rm "$S/output-11.log"
>>> tell a11 'clear; echo "###TASK_COMPLETE_11###"; seq 2000; echo end of it'
>>> wait_until 5 logged 11 'end of it'
>>> watch_begin w11 11; found 11 'also if no watcher ran meanwhile'; begin 12
>>> tell a12 'echo one'; wait_until 5 logged 12 one
>>> let_pass; mv "$S/output-12.log" "$S/elsewhere"
>>> tell a12 'echo "###TASK_COMPLETE_12###"'
>>> watch_ended w12 0 'one that was moved away goes on being read'
>>> begin 15; tell a15 'echo one'; wait_until 5 logged 15 one
>>> mv "$S/output-15.log" "$T/elsewhere"; kill "$(cat "$T/w15.pid")"
>>> wait_until 5 test -e "$T/w15.status"
>>> watch_begin w15 15; wait_until 5 watch_holds w15 15
>>> let_turn "$(cat "$T/w15.pid")"; tell a15 'echo "###TASK_COMPLETE_15###"'
>>> watch_ended w15 0 'also by a watcher that came later'
>>> begin 13; tell a13 'echo one'; wait_until 5 logged 13 one
>>> let_pass; rm "$S/output-13.log"; mkdir "$S/output-13.log"
>>> tell a13 'echo "###TASK_COMPLETE_13###"'
>>> watch_ended w13 0 'where something else takes its place the screen is read'
>>> is "$(record 13 source)" capture
>>> begin 14; tell a14 'echo one'; wait_until 5 logged 14 one
>>> let_pass; echo theirs >"$T/theirs"; rm "$S/output-14.log"
>>> ln -s "$T/theirs" "$S/output-14.log"
>>> tell a14 'echo "###TASK_COMPLETE_14###"'
>>> watch_ended w14 0 'so it is where that is a link'
>>> is "$(cat "$T/theirs")" theirs
END

# The log of 21 is filled to the cap exactly, so that the change cuts the marker.
# The watcher of 23 stands still, and another one goes on, over two changes.
scenario 'a log begins anew at its cap, and no report is lost' <<'END'
>>> echo '{ "log_cap": 65536 }' >"$P/.paneward.json"; begin 20
>>> tell a20 'seq -f "line %06.0f of what is a long output" 8000
... 	echo "###TASK_COMPLETE_20###"'
>>> found 20 'a marker behind four times the cap is found'
>>> test -s "$S/output-20.log.1"
>>> is "$(find "$S" -name 'output-20*' | wc -l)" 2
>>> test "$(stat -c %s "$S"/output-20.log* | sort -n | tail -n 1)" -le 131072
>>> begin 21
>>> tell a21 'head -c 65524 /dev/zero | tr "\0" x'
>>> wait_until 5 eval '[ "$(stat -c %s "$S/output-21.log")" -eq 65524 ]'
>>> tell a21 'printf "\n###TASK_COM"'; wait_until 5 logged 21 '###TASK_COM'
>>> is "$(stat -c %s "$S/output-21.log")" 65537
>>> tell a21 'printf "PLETE_21###\n"'
>>> found 21 'a marker that is cut by the change of logs is found'
>>> grep -q '^PLETE_21###' "$S/output-21.log" && begin 23 --interval 1
>>> tell a23 'echo before'; wait_until 5 logged 23 before
>>> freeze "$(cat "$T/w23.pid")"
>>> tell a23 'head -c 70000 /dev/zero | tr "\0" x; echo; echo first end'
>>> wait_until 5 logged 23 'first end'
>>> tell a23 'echo "###TASK_COMPLETE_23###"; echo second end; clear'
>>> wait_until 5 logged 23 'second end'; kill -CONT "$(cat "$T/w23.pid")"
>>> found 23 'what was written meanwhile is read in both logs'
END

if truncate -s 1T "$T/huge"; then
	rm "$T/huge"
	scenario 'logs of 1 TiB hide no signal, and are read at their end' <<'END'
>>> for issue in 51 52; do
... 	"$PW" start $issue --no-watch --session s$issue -- tail -f /dev/null \
... 		>"$T/said" 2>&1
... 	wait_until 5 test -e "$S/output-$issue.log"
... done
>>> log=$S/output-51.log; truncate -s 1T "$log"; watch_begin all --all
>>> wait_until 5 watch_holds all 51; truncate -s +1 "$log"
>>> "$PW" signal complete --issue 52; wait_until 10 recorded 52 complete
>>> kill "$(cat "$T/all.pid")"; watch_ended all 143 'by SIGTERM'
>>> gives 0 '' timeout 120 "$PW" sweep; gives 0 '' timeout 120 "$PW" explain 51
>>> echo '###TASK_COMPLETE_51###' >>"$log"
>>> gives 0 '' timeout 120 "$PW" watch --once 51; rm "$log"
END
else
	skip 'logs of 1 TiB' 'no such file can be made here'
fi
done_testing
