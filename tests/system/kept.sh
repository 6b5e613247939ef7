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

handed_off() { [ "$(record "$1" handoff.state)" = "$2" ]; }

# ---- the agent's last words -------------------------------------------------
script answers <<'END'
echo 'the final answer is 42'
"$PANEWARD" signal complete
exec tail -f /dev/null
END
PANEWARD_HANDOFF=$ROOT/scripts/cleanup.sh "$PW" start 7 -- "$T/answers" \
	>"$T/said" 2>&1
wait_until 20 handed_off 7 'done'
check 'the pane of a run that is handed off is gone' \
	no tm has-session -t "=$(record 7 tmux.session)"
check 'its log is not where it was' no test -e "$S/output-7.log"
like "$(all_kept 7)" 'the final answer is 42' 'but its answer is kept'
is "$(find "$LOGS" -perm /077)" '' 'for no other user to read'

# The record has all of what it said, the verdict as much as a line holds.
long=$(seq 300 | tr '\n' ' ')end
script tells <<END
"\$PANEWARD" signal complete '$long'
exec tail -f /dev/null
END
"$PW" start 8 --no-watch -- "$T/tells" >"$T/said"
wait_until 5 test -e "$S/signal-complete-8"
"$PW" watch 8 --no-handoff >"$T/said" 2>&1
is "$(record 8 last_message)" "$long" 'the record has its last message'
is "$(record 8 message | wc -m)" 200 'of which the verdict shows a part'
like "$("$PW" status 8 --json)" '"last_message":"1 2 3 ' 'status tells it'

# ---- a pane that is looked at -----------------------------------------------
# hand_off ISSUE [MINUTES]: by hand; the run's end was so long ago.
hand_off() {
	perl -MPOSIX=strftime -0pi -e '
		my $when = strftime("%Y-%m-%dT%H:%M:%S.000Z", gmtime(time - 60 *
		    '"${2:-0}"')); s/"since":"[^"]*"/"since":"$when"/' \
		"$S/.paneward/$1.json"
	status=0
	PANEWARD_HANDOFF="$ROOT/scripts/cleanup.sh" "$PW" handoff "$1" \
		>"$T/told" 2>&1 || status=$?
}

# looked_at: a run that is complete, in a pane that a terminal shows.
looked_at() {
	"$PW" start "$1" --no-watch --session "s$1" -- tail -f /dev/null \
		>"$T/said"
	client_attach "c$1" "s$1"
	"$PW" signal complete --issue "$1"
	"$PW" watch "$1" --no-handoff >"$T/said" 2>&1
}

looked_at 21
hand_off 21
like "$(cat "$T/told")" 'not yet: a tmux client shows pane' \
	'a pane that is looked at is not ended'
hand_off 21 9
check 'nor after nine minutes' tm has-session -t '=s21'
hand_off 21 10
check 'but after ten' no tm has-session -t '=s21'
is "$status" 0 'with success'

looked_at 22
tm new-window -t =s22: 'exec tail -f /dev/null'
hand_off 22
is "$status $(tm list-panes -a -F '#D' | grep -cx "$(record 22 tmux.pane)")" \
	'0 0' 'a pane behind another window is ended'

# ---- what a person reads ----------------------------------------------------
scenario 'the log of a run that is over is shown' <<'END'
>>> "$PW" log 7 | head -n 1
the final answer is 42
>>> "$PW" log 7 --run "$(record 7 run | cut -c 1-8)" | head -n 1
the final answer is 42
>>> mv "$S/.paneward/7.json" "$T/7.json"; "$PW" log 7 | head -n 1
the final answer is 42
>>> mv "$T/7.json" "$S/.paneward"
END
fails 1 "no log of that run of issue '7'" log 7 --run ffffffff
fails 1 . log 77
fails 2 . log

obedient a9
"$PW" start 9 --no-watch -- "$T/a9" >"$T/said"
printf '\033[31mred\033[0m\007 10%%\r20%%\r30%%\nno\rb\302\233\033]0;x\007y\n' \
	>"$T/nasty"
echo '###TASK_COMPLETE_9###' >>"$T/nasty"
tell a9 "cat '$T/nasty'"
wait_until 5 logged 9 'TASK_COMPLETE_9###'
begin_command follow log 9 --follow
wait_until 5 grep -q TASK "$T/follow.out"
scenario 'the log of a living run is clean, or as it is' <<'END'
>>> "$PW" log 9
30%
b\x9by
### TASK_COMPLETE_9###
>>> "$PW" log 9 --raw | cmp - "$S/output-9.log"
END
tell a9 'echo more of it'
wait_until 5 grep -q 'more of it' "$T/follow.out"
mv "$S/output-9.log" "$S/output-9.log.1"
tell a9 'echo behind it'
soon 'it is followed' grep -q 'behind it' "$T/follow.out"
tell a9 'exit 0'
watch_ended follow 0 'until the run ends'
is "$(grep -c 'more of it' "$T/follow.out")" 1 'each line once'
is "$("$PW" log 9 --raw 2>&1 | head -c 1 | wc -c)" 1 'a reader may go early'

# ---- the step that keeps them -----------------------------------------------
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

keep=268435456
# remove [PROGRAM...]: the step, run by the program.
remove() {
	status=0
	env PANEWARD_ISSUE="$issue" PANEWARD_RUN="$RUN" \
		PANEWARD_STATUS_DIR="$S" PANEWARD_KEEP_LOGS="$keep" "$@" \
		"$PW" cleanup --remove-files </dev/null >"$T/told" 2>&1 ||
		status=$?
}

begin a-b_C-9
remove
is "$status $(all_kept a-b_C-9 | cksum)" "0 $whole" 'the old log comes first'
is "$(gzip -dc "$LOGS"/*.watch.log.gz)" watched 'the log of its watcher is kept'
is "$(find "$LOGS" -type f | wc -l)" 2 'and nothing else'
remove
is "$(all_kept a-b_C-9 | cksum)" "$whole" 'another attempt adds nothing'

begin 7
remove env PATH=/nowhere
like "$(cat "$T/told")" 'kept the log of issue 7 as it is: .*gzip' 'no gzip'
is "$status $(cat "$LOGS/7-$RUN.log.1" "$LOGS/7-$RUN.log" | cksum)" \
	"0 $whole" 'logs are kept as they are'

begin 7
mkdir "$T/theirs"
ln -s "$T/theirs" "$LOGS"
remove
is "$status" 1 'a link in the place of the folder is refused'
like "$(cat "$T/told")" 'cannot keep the log of issue 7.*no folder' 'and told'
is "$(find "$T/theirs" -type f; cat "$S/output-7.log.1" "$S/output-7.log" |
	cksum)" "$whole" 'nothing goes where it leads, and nothing is lost'
rm "$LOGS"

keep=nonsense
remove
is "$status" 2 'a limit that is no number is refused'
keep=268435456

# ---- killed -----------------------------------------------------------------
# What is kept, and what has yet to be, in the order of a reader.
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
		-e inject="$1:signal=KILL:when=$2"
	[ "$(everything | cksum)" = "$whole" ] || echo 'lost'
	grep -q 'killed by SIGKILL' "$T/trace" || echo 'not killed'
	remove
	[ "$status" -eq 0 ] || echo "again: $status"
	[ "$(all_kept 7 | cksum)" = "$whole" ] || echo 'not kept'
	[ "$(find "$LOGS" -type f | wc -l)" -eq 2 ] || ls "$LOGS"
}

if strace -f -o "$T/trace" true 2>"$T/said"; then
	kills=0
	for call in mkdirat renameat unlinkat fsync write clone openat; do
		at=1
		while wrong=$(wrong_after "$call" "$at") && [ "$wrong" = '' ]; do
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

# ---- too many, too old ------------------------------------------------------
begin 7
remove
old=00000000-0000-4000-8000-000000000001
touch -d '31 days ago' "$LOGS/8-$old.log.gz"
touch -d '29 days ago' "$LOGS/9-$old.log.gz"
echo mine >"$LOGS/notes"
head -c 500000 /dev/zero >"$LOGS/6-$old.log.gz"
touch -d '1 day ago' "$LOGS/6-$old.log.gz"
rm -f "$S/.paneward/7.watch.log"
# kept_after SWEEP...: the logs that are there then.
kept_after() {
	"$PW" sweep "$@" >"$T/said"
	find "$LOGS" -type f | sed "s|.*/||; s/$old/OLD/; s/$RUN/RUN/" | sort |
		paste -sd ' ' -
}

scenario 'logs that are too old, or the oldest of too many, are removed' <<'END'
>>> kept_after
6-OLD.log.gz 7-RUN.log.gz 7-RUN.watch.log.gz 9-OLD.log.gz notes
>>> PANEWARD_KEEP_LOGS=499999 kept_after
7-RUN.log.gz 7-RUN.watch.log.gz notes
>>> PANEWARD_KEEP_LOGS=0 kept_after --dry-run
7-RUN.log.gz 7-RUN.watch.log.gz notes
END
begin_record 7
seq 3 >"$S/output-7.log"
keep=0
remove
is "$status $(ls "$LOGS"; find "$S" -name 'output-7*')" '0 notes' \
	'if none are to be kept only what is no log stays'
keep=268435456

# ---- a full disk ------------------------------------------------------------
mkdir "$T/small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=512k,mode=700 tmpfs \
	"$T/small" 2>/dev/null; then
	trap 'umount -l "$T/small"' EXIT
	S=$T/small
	LOGS=$S/.paneward/logs
	mkdir "$S/.paneward"
	begin 7
	cat /dev/zero >"$S/ballast" 2>/dev/null
	remove
	like "$(cat "$T/told")" 'as it is: .*No space left' 'a full disk is told'
	is "$status $(everything | cksum)" "0 $whole" 'logs are kept as they are'
	rm "$S/ballast"
	remove
	is "$(all_kept 7 | cksum)" "$whole" 'and smaller once there is room'
else
	skip 'on a full disk logs are kept' 'only root can mount a small disk'
fi

done_testing
