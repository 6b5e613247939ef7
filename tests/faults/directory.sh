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

# begin ISSUE OPTION...: two agents, a watch of the one, and one of all, which
# has the other one, whose issue comes next.
begin() {
	one=$1
	two=$((one + 1))
	shift
	start "$one"
	start "$two"
	watch_begin one "$one" --handoff ./h.sh "$@"
	wait_until 5 watch_holds one "$one"
	watch_begin all --all "$@"
	wait_until 5 watch_holds all "$two"
	watchers="$(cat "$T/one.pid") $(cat "$T/all.pid")"
}

# stop_both, wake_both: nothing is seen meanwhile.
# shellcheck disable=SC2086
stop_both() {
	freeze $watchers
}

# shellcheck disable=SC2086
wake_both() {
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

report() {
	for issue; do
		"$PW" signal complete --issue "$issue"
	done
}

# Are both in the directory that is there now?
moved() {
	[ -s "$S/.paneward/$one.json" ] && [ -s "$S/.paneward/$two.json" ]
}

# handed_off DESCRIPTION SECONDS: both are, within so many; then nothing is left
# to do.
handed_off() {
	wait_until "$2" handed_once "$one"
	wait_until "$2" handed_once "$two"
	watch_ended one 0 "$1: the watch of one issue ends"
	wait_until 5 no test -e "$S/signal-complete-$two"
	kill "$(cat "$T/all.pid")"
	wait_until 5 test -e "$T/all.status"
	for issue in "$one" "$two"; do
		is "$(handed "$issue")/$(record "$issue" handoff.state)" 1/done \
			"issue $issue was handed off once"
	done
	nothing_left
	tm kill-session -t "=s$one:"
	tm kill-session -t "=s$two:"
}

nothing_left() {
	exits 0 'after it a sweep' "$PW" sweep
	is "$(cat "$T/out" "$T/err")" '' 'has nothing to do'
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

# ---- more happens than the kernel can tell ----------------------------------

queue=/proc/sys/fs/inotify/max_queued_events
if [ -r $queue ] && [ "$(cat $queue)" -le 50000 ]; then
	begin 100
	stop_both
	# Each file is two events: made, and closed after writing.
	perl -e 'for (1 .. $ARGV[1]) {
		open my $file, ">", "$ARGV[0]/x$_" or die;
		close $file;
		unlink "$ARGV[0]/x$_";
	}' "$S" "$(cat $queue)"
	report 100 101
	wake_both
	handed_off 'when the queue has run over' 5
	is "$(trouble)" '' 'without a word, and at once'
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

# no_more KIND ISSUE
no_more() {
	if ! "$T/without" "$1" true 2>/dev/null; then
		skip "without inotify $1" 'no namespace can have none of them'
		return
	fi
	printf '#!/bin/sh\nexec "%s/without" %s "%s" "$@"\n' "$T" "$1" \
		"$PW" >"$T/blind"
	chmod +x "$T/blind"
	with=$PW
	PW=$T/blind
	begin "$2"
	PW=$with
	report "$one" "$two"
	handed_off "without inotify $1" 4
	is "$(troubles .)/$(troubles "every 2 seconds; see \
fs.inotify.max_user_$1\$")" 2/2 'each says so in one line, with the limit'
}

no_more instances 110
no_more watches 112

# ---- removed, renamed -------------------------------------------------------

# They do not see it half removed, nor have anything to write down just then, of
# which more would be said.
begin 120 --interval 1
let_pass 900
stop_both
rm -rf "$S"
wake_both
wait_until 5 moved
report 120 121
handed_off 'when it was removed' 5
is "$(troubles .)/$(troubles 'was replaced; going on in the new one$')" 2/2 \
	'each says so in one line' || trouble | comment
is "$(cat "$S/.paneward/project")" "$P" 'it is the same project that has it'

begin 122 --interval 1
stop_both
rm -rf "$S"
mkdir -m 700 "$S"
report 122 123
wake_both
handed_off 'when somebody else has made it again' 5

# The kernel tells of this one.
begin 124
mv "$S" "$T/away"
wait_until 5 moved
report 124 125
handed_off 'when it was renamed' 5
rm -rf "$T/away"

begin 126 --interval 1
rm -rf "$S/.paneward"
report 126 127
handed_off 'when .paneward was removed' 5

# Another process takes its locks then, and ends again.
begin 128 --interval 1
stop_both
rm -rf "$S"
watch_begin third 128 129 --handoff ./h.sh
wait_until 5 watch_holds third 128
wait_until 5 watch_holds third 129
wake_both
both_say replaced
kill -KILL "$(cat "$T/third.pid")"
wait_until 5 watched 128
wait_until 5 watched 129
report 128 129
handed_off 'when somebody else has had the locks in it' 5

# ---- the same while the command runs ----------------------------------------

# replaced_meanwhile DESCRIPTION ISSUE COMMAND...: that happens to it.
replaced_meanwhile() {
	description=$1
	holding "$2" $(($2 + 1))
	begin "$2" --interval 1
	shift 2
	report "$one" "$two"
	wait_until 5 handed_once "$one"
	wait_until 5 handed_once "$two"
	# Else they write to it while it is being removed, and rm fails.
	stop_both
	"$@"
	wake_both
	both_say replaced
	let_go "$one" "$two"
	handed_off "$description" 5
}

away() {
	mv "$S" "$T/away"
}

replaced_meanwhile 'removed while its command runs' 130 rm -rf "$S"
replaced_meanwhile 'renamed then' 132 away
check 'the end is written down in both' \
	grep -q '"handoff":{"state":"done"' "$T/away/.paneward/132.json"
rm -rf "$T/away"
replaced_meanwhile '.paneward removed then' 134 rm -rf "$S/.paneward"

# A command that ends before it is noticed that the directory is gone.
holding 136 137
begin 136
report 136 137
wait_until 5 handed_once 136
wait_until 5 handed_once 137
rm -rf "$S"
let_go 136 137
handed_off 'not seen before the command has ended' 5

holding 138
report 138
sweep_begin
wait_until 5 handed_once 138
away
let_go 138
wait $sweep
is "$?/$(cat "$T/sweep.out")" "0/138 complete: signal-complete-138 is there
138 handed off" 'renamed while the command of a sweep runs'
is "$(record 138 handoff.state)" 'done' 'which is written down in the new one'
nothing_left
rm -rf "$T/away"

# ---- the file of a lock is removed ------------------------------------------

begin 140
rm "$S/.paneward/140.lock" "$S/.paneward/141.lock"
report 140 141
handed_off 'when the files of its locks were removed' 5
is "$(troubles 'lock of issue .14[01]. was removed')" 2 'which is said'

# Another one takes it, so that there are two.
begin 142 --interval 1
rm "$S/.paneward/142.lock" "$S/.paneward/143.lock"
watch_begin third 142 143 --handoff ./h.sh
wait_until 5 watch_holds third 142
wait_until 5 watch_holds third 143
report 142 143
handed_off 'when two have the same lock' 5
watch_ended third 0 'and both end'

# While the command runs: who then gets the lock waits for the command, and
# believes what the runner writes down.
holding 144
start 144
watch_begin one 144 --handoff ./h.sh
report 144
wait_until 5 handed_once 144
rm "$S/.paneward/144.lock"
sweep_begin
wait_until 5 test -e "$S/.paneward/144.lock"
let_go 144
watch_ended one 0 'a lock removed while the command runs'
wait $sweep
is "$?/$(handed 144)/$(record 144 handoff.state)" 0/1/done \
	'brings no second one'
tm kill-session -t =s144:

# A watch that stands still misses all of it.
start 146
watch_begin one 146 --handoff ./h.sh --interval 1
wait_until 5 watch_holds one 146
wait_until 10 rests "$(cat "$T/one.pid")"
freeze "$(cat "$T/one.pid")"
rm "$S/.paneward/146.lock"
watch_begin third 146 --handoff ./h.sh
report 146
watch_ended third 0 'while one stands still that had the lock'
kill -CONT "$(cat "$T/one.pid")"
watch_ended one 0 'another one hands off, and the first one ends, too'
is "$(cat "$T/one.out")" '146 working: the agent was started
146 complete: signal-complete-146 is there
146 handed off' 'and says so'
is "$(handed 146)/$(record 146 handoff.state)" 1/done 'once'
tm kill-session -t =s146:

# ---- held by a suspended process ---------------------------------------------

# While its command runs: frozen.t.
start 150
watch_begin one 150 --handoff ./h.sh
wait_until 5 watch_holds one 150
holder=$(cat "$T/one.pid")
freeze "$holder"
report 150
watch_begin other 150 --handoff ./h.sh
watch_begin all --all
for name in other all; do
	wait_until 5 grep -q "holding its lock ($holder) is suspended" \
		"$T/$name.err"
	is "$(grep -c "issue '150'" "$T/$name.err")" 1 \
		'a watch names a holder that is stopped, once'
done
exits 0 'a sweep' "$PW" sweep
like "$(cat "$T/err")" "'150' is left alone: .*[(]${holder}[)] is suspended" \
	'leaves the issue alone, and names it'
exits 3 'a hand-off by hand' "$PW" handoff 150
like "$(cat "$T/err")" "off issue '150': process $holder, which is stopped" \
	'is refused, with its name'
tm kill-session -t =s150:
wait_until 5 no kill -0 "$(record 150 tmux.pane_pid)"
exits 3 'nothing is started' "$PW" start 150 -- tail -f /dev/null
like "$(cat "$T/err")" "'150': process $holder acts on it" 'with the same name'
kill "$(cat "$T/all.pid")"
kill -CONT "$holder"
watch_ended one 0 'it goes on'
watch_ended other 0 'and so does who waits for it'
is "$(handed 150)" 1 'it was handed off once'

# ---- another project's ------------------------------------------------------

start 160
mkdir "$T/other"
cd "$T/other" || exit 1

"$PW" signal complete --issue 160 --status-dir "$S"
for command in 'watch 160' 'watch --all' sweep 'handoff 160 --handoff true' \
	'start 161 --backend shell'; do
	# shellcheck disable=SC2086
	exits 3 "another project's: $command" "$PW" $command --status-dir "$S"
	like "$(cat "$T/err")" "^paneward: the status directory '$S' belongs \
to the project '$P', not to '$T/other'; name another one" \
		'is refused, with both names'
done
is "$(handed 160)/$(record 160 state)" 0/working 'nothing is done there'
is "$(find "$S" -name '*161*')" '' 'or made'

# Their own is used again.
start 162
cd "$P" || exit 1
exits 0 'its own project' "$PW" watch 160 --handoff ./h.sh
is "$(handed 160)" 1 'acts on it'
tm kill-session -t =s160:

# It comes into the place of ours.
begin 164 --interval 1
stop_both
mv "$S" "$T/ours"
mv "$T/other/.worktrees/.status" "$S"
wake_both
both_say "'$T/other', not to '$P'"
is "$(find "$S" -name '16[45].*')" '' 'in the place of ours it is left alone'
stop_both
mv "$S" "$T/other/.worktrees/.status"
mv "$T/ours" "$S"
report 164 165
wake_both
handed_off 'when ours is back' 5
is "$(troubles .)" 2 'it was said once'

# A project that has moved takes its directory along.
start 166
mv "$P" "$T/elsewhere"
cd "$T/elsewhere" || exit 1
S=$T/elsewhere/.worktrees/.status
report 166
exits 0 'in a project that has moved' "$PW" sweep
is "$(handed 166)/$(cat "$T/err")" 1/ 'a sweep acts'
is "$(cat "$S/.paneward/project")" "$T/elsewhere" 'on a directory of its own'
cd / && mv "$T/elsewhere" "$P" && cd "$P" || exit 1
S=$P/.worktrees/.status
start 167
report 167
exits 0 'moved back' "$PW" watch 167 --handoff ./h.sh
is "$(handed 167)/$(cat "$T/err")" 1/ 'so does a watch'
tm kill-session -t =s166:
tm kill-session -t =s167:

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
start 172
report 172
tm kill-session -t =s172:
# Its log writer has a file open for a moment longer.
wait_until 5 mount -o remount,bind,ro "$S"
for command in 'watch 172 --handoff ./h.sh' 'watch --all --once' \
	'handoff 172' sweep; do
	# shellcheck disable=SC2086
	exits 3 "on a read-only disk: $command" "$PW" $command
	like "$(cat "$T/err")" "^paneward: .*issue '172' .*Read-only" \
		'is refused, with the reason'
done
is "$(handed 172)" 0 'nothing is handed off'
mount -o remount,bind,rw "$S"
exits 0 'when it can be written to' "$PW" sweep
is "$(handed 172)" 1 'it is'
umount "$S"

# ---- mounted over -----------------------------------------------------------

disk 1m
begin 180 --interval 1
umount -l "$S"
wait_until 5 moved
report 180 181
handed_off 'when a disk that was mounted there is no more' 5

begin 182 --interval 1
disk 1m
wait_until 5 moved
report 182 183
handed_off 'when another disk is mounted over it' 5
umount -l "$S"
"$PW" sweep >"$T/said" 2>&1

replaced_meanwhile 'mounted over while its command runs' 184 disk 1m
umount -l "$S"
is "$(record 184 handoff.state)" 'done' 'the end is written down below it'
exits 0 'where a sweep' "$PW" sweep
is "$(handed 184)/$(handed 185)" 1/1 'runs it no more'
check 'and removes its signal' no test -e "$S/signal-complete-184"

# A disk to which nothing can be written is none to go on in.
begin 186 --interval 1
stop_both
disk 256k
mkdir -m 700 "$S/.paneward"
report 186 187
mount -o remount,bind,ro "$S"
wake_both
both_say "cannot use .*'$S': Read-only"
is "$(handed 186)/$(handed 187)" 0/0 'a read-only one is not acted in'
mount -o remount,bind,rw "$S"
handed_off 'before it can be written to' 5

# ---- full -------------------------------------------------------------------

umount -l "$S"
disk 256k
for issue in 190 191; do
	echo 'exit 75' >"$T/do-$issue"
done
begin 190
report 190 191
wait_until 5 grep -q '^190 hand-off not yet' "$T/one.out"
wait_until 5 grep -q '^191 hand-off not yet' "$T/all.out"
kill "$(cat "$T/one.pid")" "$(cat "$T/all.pid")"
wait_until 5 test -e "$T/one.status"
wait_until 5 test -e "$T/all.status"
rm "$T/do-190" "$T/do-191"
perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
	"$S/.paneward/190.json" "$S/.paneward/191.json"
: >"$T/handed"
cat /dev/zero >"$S/ballast" 2>/dev/null
watch_begin one 190 --handoff ./h.sh
watch_begin all --all
both_say "hand-off of issue '19[01]'; not running it until"
let_turn "$(cat "$T/one.pid")"
let_turn "$(cat "$T/all.pid")"
is "$(handed 190)/$(handed 191)" 0/0 \
	'an intent that cannot be written down is not acted on'
is "$(troubles 'not running it until')" 2 'which is said once'
rm "$S/ballast"
handed_off 'when there is room' 5

for issue in 192 193; do
	echo "cat /dev/zero >'$S/ballast$issue'; true" >"$T/do-$issue"
done
begin 192
report 192
wait_until 5 grep -q "record the end .*'192' in '$S'; retrying" \
	"$T/one.err"
rm "$S/ballast192"
watch_ended one 0 'an end that cannot be written down is not forgotten'
report 193
wait_until 5 grep -q "record the end .*'193' in '$S'; retrying" \
	"$T/all.err"
let_turn "$(watcher 193)"
is "$(troubles 'record the end')" 2 'it is said once'
rm "$S/ballast193"
handed_off 'when there is room again' 5
is "$(journal 193 handoff | grep -c 'attempt 1 ended')" 1 \
	'and told in the journal once'

done_testing
