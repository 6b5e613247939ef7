#!/bin/sh
# The status directory: the kernel loses count of what happens in it, or has no
# more to tell; it is removed, renamed, mounted over, full, read-only, another
# project's, or the files of its locks are removed.  Watchers and sweeps lose
# nothing by that, and every completion is handed off once.
#
# In a mount namespace of its own, so that no mount outlives it.
for how in -m -Urm; do
	[ "${TEST_FOLDER:-}" = '' ] && [ $# -eq 0 ] &&
		unshare "$how" true 2>/dev/null &&
		exec unshare "$how" sh "$0" mounts
done
. "${0%/*}/../system/lib.sh"

mounts=${1:-}
[ "$mounts" = '' ] ||
	trap 'umount -l "$S" 2>/dev/null' EXIT
cat >"$P/h.sh" <<END
#!/bin/sh
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID \$PANEWARD_ATTEMPT" >>'$T/handed'
[ ! -e '$T/do-'\$PANEWARD_ISSUE ] || . '$T/do-'\$PANEWARD_ISSUE
END
chmod +x "$P/h.sh"
printf '{ "handoff": "./h.sh" }\n' >"$P/.paneward.json"
: >"$T/handed"
tmux_start

handed() {
	grep -c "^$1 " "$T/handed"
}

handed_once() {
	[ "$(handed "$1")" -eq 1 ]
}

start() {
	"$PW" start "$1" --no-watch --session "s$1" -- tail -f /dev/null \
		>"$T/said" 2>&1 || comment <"$T/said"
}

# begin OPTION...: two agents, a watch of the one, and one of all, which has the
# other one.
two=100
begin() {
	one=$((two + 1))
	two=$((two + 2))
	start "$one"
	start "$two"
	watch_begin one "$one" --handoff ./h.sh "$@"
	wait_until 5 watch_holds one "$one"
	watch_begin all --all "$@"
	wait_until 5 watch_holds all "$two"
	watchers="$(cat "$T/one.pid") $(cat "$T/all.pid")"
}

# unseen COMMAND...: both watches stand still meanwhile.  Else they write to a
# folder that is being removed, and rm fails.
# shellcheck disable=SC2086
unseen() {
	freeze $watchers
	"$@"
	kill -CONT $watchers
}

# both_say PATTERN
both_say() {
	wait_until 5 grep -q -e "$1" "$T/one.err"
	wait_until 5 grep -q -e "$1" "$T/all.err"
}

# What they have said is wrong.
trouble() {
	cat "$T/one.err" "$T/all.err" | grep '^paneward: '
}

troubles() {
	trouble | grep -c -e "$1"
}

# report [ISSUE]: or both.
report() {
	for issue in ${1:-$one $two}; do
		"$PW" signal complete --issue "$issue"
	done
}

# Are both in the directory that is there now?
moved() {
	[ -s "$S/.paneward/$one.json" ] && [ -s "$S/.paneward/$two.json" ]
}

# once ISSUE...
once() {
	for issue; do
		is "$(handed "$issue")/$(record "$issue" handoff.state)" 1/done \
			"issue $issue was handed off once"
	done
}

# handed_off DESCRIPTION: both are; then nothing is left to do.
handed_off() {
	wait_until 5 handed_once "$one"
	wait_until 5 handed_once "$two"
	watch_ended one 0 "$1: the watch of one issue ends"
	wait_until 5 no test -e "$S/signal-complete-$two"
	kill "$(cat "$T/all.pid")"
	wait_until 5 test -e "$T/all.status"
	once "$one" "$two"
	prints '' sweep
	tm kill-session -t "=s$one:"
	tm kill-session -t "=s$two:"
}

# holding ISSUE...: their commands do not end before let_go ISSUE...
holding() {
	for issue; do
		echo "while [ ! -e '$T/go-$issue' ]; do sleep 0.02; done" \
			>"$T/do-$issue"
	done
}

let_go() {
	for issue; do
		: >"$T/go-$issue"
	done
}

# sweep_begin: beside the test.
sweep_begin() {
	"$PW" sweep >"$T/sweep.out" 2>"$T/sweep.err" &
	sweep=$!
}

# third_begin: another watch, which gets the locks that are free.
third_begin() {
	watch_begin third "$one" "$two" --handoff ./h.sh
	wait_until 5 watch_holds third "$one"
	wait_until 5 watch_holds third "$two"
}

# gone DESCRIPTION COMMAND...: the directory is another one by it.
gone() {
	description=$1
	shift
	"$@"
	wait_until 5 moved
	report
	handed_off "$description"
}

# ---- more happens than the kernel can tell ----------------------------------

# Each file is two events: made, and closed after writing.
overrun() {
	perl -e 'for (1 .. $ARGV[1]) {
		open my $file, ">", "$ARGV[0]/x$_" or die;
		close $file;
		unlink "$ARGV[0]/x$_";
	}' "$S" "$(cat "$queue")"
	report
}

queue=/proc/sys/fs/inotify/max_queued_events
if [ -r $queue ] && [ "$(cat "$queue")" -le 50000 ]; then
	begin
	unseen overrun
	handed_off 'when the queue has run over'
	is "$(trouble)" '' 'without a word'
else
	skip 'when the queue has run over' 'there is no small queue'
fi

# ---- the kernel tells nothing -----------------------------------------------

# without KIND COMMAND...: it can have no inotify instances, or watches.
cat >"$T/without" <<'END'
#!/bin/sh
exec unshare -Ur sh -c 'echo 0 >"/proc/sys/user/max_inotify_$0" && exec "$@"' \
	"$@"
END
chmod +x "$T/without"

for kind in instances watches; do
	if ! "$T/without" $kind true 2>/dev/null; then
		skip "without inotify $kind" 'no namespace can have none of them'
		continue
	fi
	printf '#!/bin/sh\nexec "%s/without" %s "%s" "$@"\n' "$T" $kind \
		"$PW" >"$T/blind"
	chmod +x "$T/blind"
	with=$PW
	PW=$T/blind
	begin
	PW=$with
	report
	handed_off "without inotify $kind"
	is "$(troubles .)/$(troubles "every 2 seconds; see \
fs.inotify.max_user_$kind\$")" 2/2 'each says so in one line, with the limit'
done

# ---- removed, renamed -------------------------------------------------------

# They have nothing to write down just then, of which more would be said.
begin --interval 1
let_pass 900
gone 'when it was removed' unseen rm -rf "$S"
is "$(troubles .)/$(troubles 'was replaced; going on in the new one$')" 2/2 \
	'each says so in one line' || trouble | comment
is "$(cat "$S/.paneward/project")" "$P" 'it is the same project that has it'

made_again() {
	wait_until 5 rm -rf "$S"
	mkdir -m 700 "$S"
	report
}

begin --interval 1
unseen made_again
handed_off 'when another process has made it again'

# The kernel tells of this one.
begin
gone 'when it was renamed' mv "$S" "$T/away"
rm -rf "$T/away"

# Another process takes its locks then, and ends again.
taken() {
	rm -rf "$S"
	third_begin
}

begin --interval 1
unseen taken
both_say replaced
kill -KILL "$(cat "$T/third.pid")"
wait_until 5 watched "$one"
wait_until 5 watched "$two"
report
handed_off 'when another process has had the locks in it'

# ---- the same while the command runs ----------------------------------------

# running_begin OPTION...: their commands run until they are let go.
running_begin() {
	holding $((two + 1)) $((two + 2))
	begin "$@"
	report
	wait_until 5 handed_once "$one"
	wait_until 5 handed_once "$two"
}

# replaced_meanwhile DESCRIPTION COMMAND...: that happens to it.
replaced_meanwhile() {
	description=$1
	shift
	running_begin --interval 1
	unseen "$@"
	both_say replaced
	let_go "$one" "$two"
	handed_off "$description"
}

replaced_meanwhile 'removed while its command runs' rm -rf "$S"
replaced_meanwhile 'renamed then' mv "$S" "$T/away"
check 'the end is written down in both' \
	grep -q '"handoff":{"state":"done"' "$T/away/.paneward/$one.json"
rm -rf "$T/away"
replaced_meanwhile '.paneward removed then' rm -rf "$S/.paneward"

# A command that ends before it is noticed that the directory is gone.
running_begin
rm -rf "$S"
let_go "$one" "$two"
handed_off 'not seen before the command has ended'

holding 1
report 1
sweep_begin
wait_until 5 handed_once 1
mv "$S" "$T/away"
let_go 1
wait $sweep
is "$?/$(cat "$T/sweep.out")" "0/1 complete: signal-complete-1 is there
1 handed off" 'renamed while the command of a sweep runs'
once 1
prints '' sweep
rm -rf "$T/away"

# ---- the file of a lock is removed ------------------------------------------

begin
rm "$S/.paneward/$one.lock" "$S/.paneward/$two.lock"
report
handed_off 'when the files of its locks were removed'
is "$(troubles "lock of issue .\($one\|$two\). was removed")" 2 'which is said'

# Another one takes it, so that there are two.
begin --interval 1
rm "$S/.paneward/$one.lock" "$S/.paneward/$two.lock"
third_begin
report
handed_off 'when two have the same lock'
watch_ended third 0 'and both end'

# While the command runs: who then gets the lock waits for the command, and
# believes what the runner writes down.
holding 2
start 2
watch_begin one 2 --handoff ./h.sh
report 2
wait_until 5 handed_once 2
rm "$S/.paneward/2.lock"
sweep_begin
wait_until 5 test -e "$S/.paneward/2.lock"
let_go 2
watch_ended one 0 'a lock removed while the command runs'
wait $sweep
is $? 0 'brings no second one'
once 2
tm kill-session -t =s2:

# A watch that stands still misses all of it.
start 3
watch_begin one 3 --handoff ./h.sh --interval 1
wait_until 5 watch_holds one 3
wait_until 10 rests "$(cat "$T/one.pid")"
freeze "$(cat "$T/one.pid")"
rm "$S/.paneward/3.lock"
watch_begin third 3 --handoff ./h.sh
report 3
watch_ended third 0 'while one stands still that had the lock'
kill -CONT "$(cat "$T/one.pid")"
watch_ended one 0 'another one hands off, and the first one ends, too'
is "$(cat "$T/one.out")" '3 working: the agent was started
3 complete: signal-complete-3 is there
3 handed off' 'and says so'
once 3
tm kill-session -t =s3:

# ---- held by a suspended process ---------------------------------------------

# While its command runs: frozen.t; a sweep: sweep.sh.
start 4
watch_begin one 4 --handoff ./h.sh
wait_until 5 watch_holds one 4
holder=$(cat "$T/one.pid")
freeze "$holder"
report 4
watch_begin other 4 --handoff ./h.sh
watch_begin all --all
for name in other all; do
	wait_until 5 grep -q "holding its lock ($holder) is suspended" \
		"$T/$name.err"
	is "$(grep -c "issue '4'" "$T/$name.err")" 1 \
		'a watch names a holder that is stopped, once'
done
fails 3 "off issue '4': process $holder, which is stopped" handoff 4
tm kill-session -t =s4:
wait_until 5 no kill -0 "$(record 4 tmux.pane_pid)"
fails 3 "'4': process $holder acts on it" start 4 -- tail -f /dev/null
kill "$(cat "$T/all.pid")"
kill -CONT "$holder"
watch_ended one 0 'it goes on'
watch_ended other 0 'and so does who waits for it'
once 4

# ---- another project's ------------------------------------------------------

# Also a sweep: sweep-dir.sh.
start 5
mkdir "$T/other"
cd "$T/other" || exit 1
"$PW" signal complete --issue 5 --status-dir "$S"
for command in 'watch 5' 'watch --all' 'handoff 5 --handoff true' \
	'start 6 --backend shell'; do
	# shellcheck disable=SC2086
	fails 3 "^paneward: the status directory '$S' belongs to the project \
'$P', not to '$T/other'; name another one" $command --status-dir "$S"
done
is "$(handed 5)/$(record 5 state)" 0/working 'nothing is done there'
is "$(find "$S" -name '6*')" '' 'or made'

# Their own is used again.
start 7
cd "$P" || exit 1
exits 0 'its own project' "$PW" watch 5 --handoff ./h.sh
once 5
tm kill-session -t =s5:

# It comes into the place of ours.
swapped() {
	mv "$S" "$T/ours"
	mv "$T/other/.worktrees/.status" "$S"
}

swapped_back() {
	mv "$S" "$T/other/.worktrees/.status"
	mv "$T/ours" "$S"
	report
}

begin --interval 1
unseen swapped
both_say "'$T/other', not to '$P'"
is "$(find "$S" -name "$one.*" -o -name "$two.*")" '' \
	'in the place of ours it is left alone'
unseen swapped_back
handed_off 'when ours is back'
is "$(troubles .)" 2 'it was said once'

# A project that has moved takes its directory along.
start 8
mv "$P" "$T/elsewhere"
cd "$T/elsewhere" || exit 1
S=$T/elsewhere/.worktrees/.status
report 8
exits 0 'in a project that has moved' "$PW" sweep
is "$(handed 8)/$(cat "$T/err")" 1/ 'a sweep acts'
is "$(cat "$S/.paneward/project")" "$T/elsewhere" 'on a directory of its own'
cd / && mv "$T/elsewhere" "$P" && cd "$P" || exit 1
S=$P/.worktrees/.status
start 9
report 9
exits 0 'moved back' "$PW" watch 9 --handoff ./h.sh
is "$(handed 9)/$(cat "$T/err")" 1/ 'so does a watch'
tm kill-session -t =s8:
tm kill-session -t =s9:

# ---- read-only --------------------------------------------------------------

if [ "$mounts" = '' ]; then
	skip 'mounted over, full, read-only' 'nothing can be mounted here'
	done_testing
fi

# disk SIZE: one is mounted over it.
disk() {
	mount -t tmpfs -o size="$1",mode=700 tmpfs "$S"
}

rm -rf "$S"
mkdir -m 700 "$S"
disk 256k
start 10
report 10
tm kill-session -t =s10:
# Its log writer has a file open for a moment longer.
wait_until 5 mount -o remount,bind,ro "$S"
for command in 'watch 10 --handoff ./h.sh' 'watch --all --once' 'handoff 10'; do
	# shellcheck disable=SC2086
	fails 3 "^paneward: .*issue '10' .*Read-only" $command
done
is "$(handed 10)" 0 'nothing is handed off'
mount -o remount,bind,rw "$S"
exits 0 'when it can be written to' "$PW" sweep
is "$(handed 10)" 1 'it is'
umount "$S"

# ---- mounted over -----------------------------------------------------------

disk 1m
begin --interval 1
gone 'when a disk that was mounted there is no more' umount -l "$S"

begin --interval 1
gone 'when another disk is mounted over it' disk 1m
umount -l "$S"
"$PW" sweep >"$T/said" 2>&1

replaced_meanwhile 'mounted over while its command runs' disk 1m
umount -l "$S"
is "$(record "$one" handoff.state)" 'done' 'the end is written down below it'
exits 0 'where a sweep' "$PW" sweep
is "$(handed "$one")/$(handed "$two")" 1/1 'runs it no more'
check 'and removes its signal' no test -e "$S/signal-complete-$one"

# A disk to which nothing can be written is none to go on in.
mounted_read_only() {
	disk 256k
	mkdir -m 700 "$S/.paneward"
	report
	mount -o remount,bind,ro "$S"
}

begin --interval 1
unseen mounted_read_only
both_say "cannot use .*'$S': Read-only"
is "$(handed "$one")/$(handed "$two")" 0/0 'a read-only one is not acted in'
mount -o remount,bind,rw "$S"
handed_off 'before it can be written to'

# ---- full -------------------------------------------------------------------

umount -l "$S"
disk 256k
for issue in $((two + 1)) $((two + 2)); do
	echo 'exit 75' >"$T/do-$issue"
done
begin
report
wait_until 5 grep -q "^$one hand-off not yet" "$T/one.out"
wait_until 5 grep -q "^$two hand-off not yet" "$T/all.out"
# shellcheck disable=SC2086
kill $watchers
wait_until 5 test -e "$T/one.status"
wait_until 5 test -e "$T/all.status"
rm "$T/do-$one" "$T/do-$two"
perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
	"$S/.paneward/$one.json" "$S/.paneward/$two.json"
: >"$T/handed"
cat /dev/zero >"$S/ballast" 2>/dev/null
watch_begin one "$one" --handoff ./h.sh
watch_begin all --all
both_say "hand-off of issue '\($one\|$two\)'; not running it until"
of_one=$(turns "$(cat "$T/one.pid")") of_all=$(turns "$(cat "$T/all.pid")")
wait_until 60 turned "$(cat "$T/one.pid")" $((of_one + 3))
wait_until 60 turned "$(cat "$T/all.pid")" $((of_all + 3))
is "$(handed "$one")/$(handed "$two")" 0/0 \
	'an intent that cannot be written down is not acted on'
is "$(troubles 'not running it until')" 2 'which is said once'
rm "$S/ballast"
handed_off 'when there is room'

for issue in $((two + 1)) $((two + 2)); do
	echo "cat /dev/zero >'$S/ballast$issue'; true" >"$T/do-$issue"
done
begin
report "$one"
wait_until 5 grep -q "record the end .*'$one' in '$S'; retrying" \
	"$T/one.err"
rm "$S/ballast$one"
watch_ended one 0 'an end that cannot be written down is not forgotten'
report "$two"
wait_until 5 grep -q "record the end .*'$two' in '$S'; retrying" \
	"$T/all.err"
let_turn "$(watcher "$two")"
is "$(troubles 'record the end')" 2 'it is said once'
rm "$S/ballast$two"
handed_off 'when there is room again'
is "$(journal "$two" handoff | grep -c 'attempt 1 ended')" 1 \
	'and told in the journal once'

done_testing
