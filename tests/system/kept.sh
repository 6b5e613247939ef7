#!/bin/sh
# The logs of a run that was handed off are kept, wherever the hand-off is killed,
# until they are too many or too old.
. "${0%/*}/lib.sh"

LOGS=$S/.paneward/logs
RUN=00000000-0000-4000-8000-000000000007
tmux_start

# all_kept ISSUE: what is kept of the pane's output, in all runs.
all_kept() {
	find "$LOGS" -name "$1-*.log.gz" ! -name '*.watch.log.gz' \
		-exec gzip -dc {} +
}

# starts ISSUE COMMAND...: in a session of its own.
starts() {
	issue=$1
	shift
	"$PW" start "$issue" --no-watch --session "s$issue" -- "$@" \
		>"$T/said" 2>&1
}

script answers <<'END'
echo 'the final answer is 42'
"$PANEWARD" signal complete
exec tail -f /dev/null
END
script tells <<'END'
"$PANEWARD" signal complete "$(seq -s ' ' 300) end"
exec tail -f /dev/null
END
export PANEWARD_HANDOFF="$ROOT/scripts/cleanup.sh"
# The record has all of what an agent said, the verdict as much as a line holds.
scenario 'the last words of an agent stay when its pane and log go' <<'END'
>>> "$PW" start 7 -- "$T/answers" >"$T/said" 2>&1
>>> wait_until 20 has 7 handoff.state 'done'
>>> tm has-session -t "=$(record 7 tmux.session)" 2>/dev/null
[1]
>>> test ! -e "$S/output-7.log"; all_kept 7 | tr -d '\r'
the final answer is 42
>>> find "$LOGS" -perm /077; starts 8 "$T/tells"
>>> wait_until 5 test -e "$S/signal-complete-8"; fails 0 '' watch 8 --no-handoff
>>> is "$(record 8 last_message)" "$(seq -s ' ' 300) end"
>>> record 8 message | wc -m; fails 0 '"last_message":"1 2 3 ' status 8 --json
200
END

# hand_off STATUS ISSUE MINUTES [REGEX]: by hand; the run ended so long ago.
hand_off() {
	perl -MPOSIX=strftime -0pi -e '
		my $when = strftime("%Y-%m-%dT%H:%M:%S.000Z", gmtime(time - 60 *
		    '"$3"')); s/"since":"[^"]*"/"since":"$when"/' \
		"$S/.paneward/$2.json"
	fails "$1" "${4:-}" handoff "$2"
}

# looked_at ISSUE: a run that is complete, in a pane that a terminal shows.
looked_at() {
	starts "$1" tail -f /dev/null
	client_attach "c$1" "s$1"
	"$PW" signal complete --issue "$1"
	fails 0 '' watch "$1" --no-handoff
}

scenario 'a pane that a person looks at is ended after ten minutes' <<'END'
>>> looked_at 21; hand_off 1 21 0 'not yet: a tmux client shows pane'
>>> hand_off 1 21 9; tm has-session -t '=s21'; hand_off 0 21 10
>>> no tm has-session -t '=s21' 2>/dev/null; looked_at 22
>>> # It is behind another window.
>>> tm new-window -t =s22: 'exec tail -f /dev/null'; hand_off 0 22 0
>>> tm list-panes -a -F '#D' | grep -cx "$(record 22 tmux.pane)"
0
[1]
END
unset PANEWARD_HANDOFF

scenario 'the log of a run that is over is shown' <<'END'
>>> "$PW" log 7 | head -n 1
the final answer is 42
>>> "$PW" log 7 --run "$(record 7 run | cut -c 1-8)" | head -n 1
the final answer is 42
>>> mv "$S/.paneward/7.json" "$T/7.json"; "$PW" log 7 | head -n 1
the final answer is 42
>>> mv "$T/7.json" "$S/.paneward"
>>> fails 1 "no log of that run of issue '7'" log 7 --run ffffffff
>>> fails 1 . log 77; fails 2 . log
END

obedient a9
printf '\033[31mred\033[0m\007 10%%\r20%%\r30%%\nno\rb\302\233\033]0;x\007y\n' \
	>"$T/nasty"
echo '###TASK_COMPLETE_9###' >>"$T/nasty"
scenario 'the log of a living run is clean, or as it is; it is followed' <<'END'
>>> starts 9 "$T/a9"; tell a9 "cat '$T/nasty'"
>>> wait_until 5 logged 9 'TASK_COMPLETE_9###'
>>> begin_command follow log 9 --follow; wait_until 5 grep -q TASK "$T/follow.out"
>>> "$PW" log 9
30%
b\x9by
### TASK_COMPLETE_9###
>>> "$PW" log 9 --raw | cmp - "$S/output-9.log"
>>> tell a9 'echo more of it'; wait_until 5 grep -q 'more of it' "$T/follow.out"
>>> mv "$S/output-9.log" "$S/output-9.log.1"; tell a9 'echo behind it'
>>> wait_until 5 grep -q 'behind it' "$T/follow.out"; tell a9 'exit 0'
>>> watch_ended follow 0 'with the run'; grep -c 'more of it' "$T/follow.out"
1
>>> # A reader may go early.
>>> "$PW" log 9 --raw 2>&1 | head -c 1 | wc -c
1
END

# begin_record ISSUE: a run that is complete and has no pane.
begin_record() {
	issue=$1
	printf '{"v":1,"issue":"%s","run":"%s","state":"complete"}\n' \
		"$issue" "$RUN" >"$S/.paneward/$issue.json"
}

# begin ISSUE: it is the only one with logs.
begin() {
	begin_record "$1"
	rm -rf "$LOGS" "$S/output-$issue".log*
	seq 20000 >"$S/output-$issue.log.1"
	seq 20001 30000 >"$S/output-$issue.log"
	echo watched >"$S/.paneward/$issue.watch.log"
}
whole=$(seq 30000 | cksum)

# remove [PROGRAM...]: the step that keeps them, run by the program.
remove() {
	env PANEWARD_ISSUE="$issue" PANEWARD_RUN="$RUN" \
		PANEWARD_STATUS_DIR="$S" PANEWARD_KEEP_LOGS="${keep:-268435456}" \
		"$@" "$PW" cleanup --remove-files
}

# are_whole FILE...: are they all of the log, in the order of a reader?
are_whole() { is "$(cat "$@" | cksum)" "$whole"; }
is_kept() { is "$(all_kept "$issue" | cksum)" "$whole"; }

mkdir "$T/theirs"
scenario 'logs are kept whole, once, and only in a folder of ours' <<'END'
>>> begin a-b_C-9; remove; is_kept; gzip -dc "$LOGS"/*.watch.log.gz
watched
>>> find "$LOGS" -type f | wc -l; remove; is_kept
2
>>> begin 7; remove env PATH=/nowhere
~ .*kept the log of issue 7 as it is: .*gzip.*
>>> are_whole "$LOGS/7-$RUN.log.1" "$LOGS/7-$RUN.log"
>>> begin 7; ln -s "$T/theirs" "$LOGS"; remove
~ .*cannot keep the log of issue 7.*no folder.*
[1]
>>> find "$T/theirs" -type f; are_whole "$S/output-7.log.1" "$S/output-7.log"
>>> rm "$LOGS"; keep=nonsense remove 2>/dev/null
[2]
END

# everything: what is kept, and what has yet to be.
everything() {
	if [ -e "$LOGS/7-$RUN.log.gz" ]; then
		gzip -dc "$LOGS/7-$RUN.log.gz"
	else
		cat "$LOGS/7-$RUN.log.1" "$LOGS/7-$RUN.log" 2>/dev/null
	fi
	cat "$S/output-7.log.1" "$S/output-7.log" 2>/dev/null
}

# wrong_after CALL NUMBER: the step, or its gzip, is killed at that one of its
# calls of that kind.
wrong_after() {
	begin 7
	remove strace -f -q -o "$T/trace" -e trace="$1" \
		-e inject="$1:signal=KILL:when=$2" >"$T/told" 2>&1
	[ "$(everything | cksum)" = "$whole" ] || echo 'lost'
	grep -q 'killed by SIGKILL' "$T/trace" || echo 'not killed'
	remove || echo "again: $?"
	[ "$(all_kept 7 | cksum)" = "$whole" ] || echo 'not kept'
	[ "$(find "$LOGS" -type f | wc -l)" -eq 2 ] || ls "$LOGS"
}

if strace -f -o "$T/trace" true 2>"$T/said"; then
	kills=0
	for call in mkdirat renameat unlinkat fsync write clone openat; do
		at=1
		while wrong=$(wrong_after "$call" "$at" 2>&1) &&
			[ "$wrong" = '' ]; do
			at=$((at + 1))
			kills=$((kills + 1))
		done
		is "$wrong" 'not killed' \
			"killed at any $call it loses and doubles nothing"
	done
	check "(it was killed $kills times)" test "$kills" -ge 30
else
	skip 'killed at any call it loses nothing' 'strace may not trace'
fi

old=00000000-0000-4000-8000-000000000001
# kept_after SWEEP...: the logs that are there then.
kept_after() {
	"$PW" sweep "$@" >"$T/said"
	find "$LOGS" -type f | sed "s|.*/||; s/$old/OLD/; s/$RUN/RUN/" | sort |
		paste -sd ' ' -
}

scenario 'logs that are too old, or the oldest of too many, are removed' <<'END'
>>> begin 7; remove; touch -d '31 days ago' "$LOGS/8-$old.log.gz"
>>> touch -d '29 days ago' "$LOGS/9-$old.log.gz"; echo mine >"$LOGS/notes"
>>> head -c 500000 /dev/zero >"$LOGS/6-$old.log.gz"
>>> touch -d '1 day ago' "$LOGS/6-$old.log.gz"; rm -f "$S/.paneward/7.watch.log"
>>> kept_after
6-OLD.log.gz 7-RUN.log.gz 7-RUN.watch.log.gz 9-OLD.log.gz notes
>>> PANEWARD_KEEP_LOGS=499999 kept_after
7-RUN.log.gz 7-RUN.watch.log.gz notes
>>> PANEWARD_KEEP_LOGS=0 kept_after --dry-run
7-RUN.log.gz 7-RUN.watch.log.gz notes
>>> begin_record 7; seq 3 >"$S/output-7.log"; keep=0 remove
>>> ls "$LOGS"; find "$S" -name 'output-7*'
notes
END

mkdir "$T/small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=512k,mode=700 tmpfs \
	"$T/small" 2>/dev/null; then
	trap 'umount -l "$T/small"' EXIT
	S=$T/small
	LOGS=$S/.paneward/logs
	mkdir "$S/.paneward"
	scenario 'on a full disk they stay as they are until there is room' <<'END'
>>> begin 7; cat /dev/zero >"$S/ballast" 2>/dev/null
[1]
>>> remove
~ .*as it is: .*No space left.*
>>> is "$(everything | cksum)" "$whole"; rm "$S/ballast"; remove; is_kept
END
else
	skip 'on a full disk logs are kept' 'only root can mount a small disk'
fi
done_testing
