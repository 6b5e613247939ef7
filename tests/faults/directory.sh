#!/bin/sh
# The status directory: the kernel loses count of what happens in it, or has no
# more to tell; it is removed, renamed, mounted over, full, read-only, another
# project's, or the files of its locks are removed.  Watchers and sweeps lose
# nothing by that, and every completion is handed off once.
#
# In a mount namespace of its own, so that no mount outlives it.
# shellcheck disable=SC2086,SC2016
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

# done_once ISSUE DESCRIPTION: it was handed off once, and is recorded so.
done_once() {
	is "$(handed "$1")/$(record "$1" handoff.state)" 1/done "$2"
}

start() {
	"$PW" start "$1" --no-watch --session "s$1" -- tail -f /dev/null \
		>"$T/said" 2>&1 || comment <"$T/said"
}

close_panes() {
	for issue; do
		tm kill-session -t "=s$issue:"
	done
}

# watch_one NAME ISSUE OPTION...: has the lock of the issue.
watch_one() {
	watch_begin "$1" "$2" --handoff ./h.sh $options
	wait_until 5 watch_holds "$1" "$2"
}

# begin ISSUE: two agents, a watch of the one, and one of all, which has the
# other one, whose issue comes next.
begin() {
	one=$1
	two=$((one + 1))
	start "$one"
	start "$two"
	watch_one one "$one"
	watch_begin all --all $options
	wait_until 5 watch_holds all "$two"
	watchers="$(cat "$T/one.pid") $(cat "$T/all.pid")"
}

# Nothing is seen until wake_both.
stop_both() {
	freeze $watchers
}

wake_both() {
	kill -CONT $watchers
}

# What they have said is wrong.
trouble() {
	cat "$T/one.err" "$T/all.err" | grep '^paneward: '
}

# troubles PATTERN NUMBER DESCRIPTION: so many lines of it, of so many in all.
troubles() {
	is "$(trouble | grep -c -e "$1") of $(trouble | grep -c .)" "$2" "$3" ||
		trouble | comment
}

# both_say PATTERN
both_say() {
	wait_until 5 grep -q -e "$1" "$T/one.err"
	wait_until 5 grep -q -e "$1" "$T/all.err"
}

# nothing_done PATTERN DESCRIPTION: but that is said by both.
nothing_done() {
	both_say "$1"
	let_turn "$(cat "$T/one.pid")"
	let_turn "$(cat "$T/all.pid")"
	is "$(handed "$one")/$(handed "$two")" 0/0 "$2"
}

both_begun() {
	wait_until 5 handed_once "$one"
	wait_until 5 handed_once "$two"
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

end() {
	kill "$(cat "$T/$1.pid")"
	wait_until 5 test -e "$T/$1.status"
}

# handed_off DESCRIPTION [SECONDS]: both are, within so many; then nothing is left
# to do.
handed_off() {
	wait_until "${2:-5}" handed_once "$one"
	wait_until "${2:-5}" handed_once "$two"
	watch_ended one 0 "$1: the watch of one issue ends"
	wait_until 5 no test -e "$S/signal-complete-$two"
	end all
	done_once "$one" "issue $one was handed off once"
	done_once "$two" "issue $two was handed off once"
	nothing_left
	close_panes "$one" "$two"
}

nothing_left() {
	exits 0 'after it a sweep' "$PW" sweep
	is "$(cat "$T/out" "$T/err")" '' 'has nothing to do'
}

# happens ISSUE DESCRIPTION COMMANDS [FACT]: they are run while both stand still,
# and report; or they report once the fact is seen.
happens() {
	begin "$1"
	# They have nothing to write down just then, of which more would be said.
	[ "$options" = '' ] || let_pass 900
	stop_both
	eval "$3"
	if [ $# -eq 4 ]; then
		wake_both
		wait_until 5 "$4"
		report "$one" "$two"
	else
		report "$one" "$two"
		wake_both
	fi
	handed_off "$2"
}

# does COMMANDS ISSUE...: their command does that.
does() {
	commands=$1
	shift
	for issue; do
		echo "$commands" >"$T/do-$issue"
	done
}

# holding ISSUE...: their commands do not end before let_go ISSUE...
holding() {
	does "while [ ! -e '$T/go-'\$PANEWARD_ISSUE ]; do sleep 0.02; done" "$@"
}

# running ISSUE: its watch runs its command, until let_go.
running() {
	holding "$1"
	start "$1"
	watch_one one "$1"
	report "$1"
	wait_until 5 handed_once "$1"
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

# refused PATTERN DESCRIPTION ARGUMENT...: with that line.
refused() {
	pattern=$1
	what=$2
	shift 2
	exits 3 "$what: it is refused: $1" "$PW" "$@"
	like "$(cat "$T/err")" "$pattern" 'with the reason'
}

# The options of the watches: the kernel tells them, or they look every second.
options=
often='--interval 1'

# ---- more happens than the kernel can tell ----------------------------------

queue=/proc/sys/fs/inotify/max_queued_events
if [ -r $queue ] && [ "$(cat $queue)" -le 50000 ]; then
	# Each file is two events: made, and closed after writing.
	happens 100 'when the queue has run over' 'perl -e "for (1 .. \$ARGV[1]) {
		open my \$file, q(>), qq(\$ARGV[0]/x\$_) or die;
		close \$file;
		unlink qq(\$ARGV[0]/x\$_);
	}" "$S" "$(cat $queue)"'
	is "$(trouble)" '' 'without a word, and at once'
else
	skip 'when the queue has run over' 'there is no small queue'
fi

# ---- the kernel tells nothing -----------------------------------------------

# without KIND COMMAND...: it can have no inotify instances, or watches.
script without <<'END'
exec unshare -Ur sh -c 'echo 0 >"/proc/sys/user/max_inotify_$0" && exec "$@"' \
	"$@"
END

# begin_by COMMAND ISSUE: by which the two watches are run.
begin_by() {
	script instead <<-END
		exec $1 '$PW' "\$@"
	END
	with=$PW
	PW=$T/instead
	begin "$2"
	PW=$with
}

# no_more KIND ISSUE
no_more() {
	if ! "$T/without" "$1" true 2>/dev/null; then
		skip "without inotify $1" 'no namespace can have none of them'
		return
	fi
	begin_by "'$T/without' $1" "$2"
	report "$one" "$two"
	handed_off "without inotify $1" 4
	troubles "every 2 seconds; see fs.inotify.max_user_$1\$" '2 of 2' \
		'each says so in one line, with the limit'
}

no_more instances 110
no_more watches 112

# ---- removed, renamed -------------------------------------------------------

options=$often
happens 120 'when it was removed' 'rm -rf "$S"' moved
troubles 'was replaced; going on in the new one$' '2 of 2' \
	'each says so in one line'
is "$(cat "$S/.paneward/project")" "$P" 'it is the same project that has it'
happens 122 'when somebody else has made it again' \
	'rm -rf "$S" && mkdir -m 700 "$S"'
# The kernel tells of this one.
options=
happens 124 'when it was renamed' 'mv "$S" "$T/away"' moved
rm -rf "$T/away"
options=$often
happens 126 'when .paneward was removed' 'rm -rf "$S/.paneward"'

# Another process takes its locks then, and ends again.
locks_taken() {
	watch_begin third "$one" "$two" --handoff ./h.sh $options
	wait_until 5 watch_holds third "$one"
	wait_until 5 watch_holds third "$two"
}
both_watched() {
	both_say replaced
	kill -KILL "$(cat "$T/third.pid")"
	wait_until 5 watched "$one"
	wait_until 5 watched "$two"
}
happens 128 'when somebody else has had the locks in it' \
	'rm -rf "$S"; locks_taken' both_watched

# ---- the same while the command runs ----------------------------------------

# replaced_meanwhile DESCRIPTION ISSUE COMMAND...: that happens to it.
replaced_meanwhile() {
	description=$1
	holding "$2" $(($2 + 1))
	begin "$2"
	shift 2
	report "$one" "$two"
	both_begun
	# Else they write to it while it is being removed, and rm fails.
	stop_both
	"$@"
	wake_both
	both_say replaced
	let_go "$one" "$two"
	handed_off "$description"
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
options=
holding 136 137
begin 136
report 136 137
both_begun
rm -rf "$S"
let_go 136 137
handed_off 'not seen before the command has ended'

holding 138
report 138
sweep_begin
wait_until 5 handed_once 138
away
let_go 138
wait $sweep
is "$?/$(cat "$T/sweep.out")" "0/138 complete: signal-complete-138 is there
138 handed off" 'renamed while the command of a sweep runs'
done_once 138 'which is written down in the new one'
nothing_left
rm -rf "$T/away"

# ---- the file of a lock is removed ------------------------------------------

happens 140 'when the files of its locks were removed' \
	'rm "$S/.paneward/140.lock" "$S/.paneward/141.lock"'
troubles 'lock of issue .14[01]. was removed' '2 of 2' 'which is said'

# Another one takes it, so that there are two.
options=$often
begin 142
rm "$S/.paneward/142.lock" "$S/.paneward/143.lock"
locks_taken
report 142 143
handed_off 'when two have the same lock'
watch_ended third 0 'and both end'

# While the command runs: who then gets the lock waits for the command, and
# believes what the runner writes down.
running 144
rm "$S/.paneward/144.lock"
sweep_begin
wait_until 5 test -e "$S/.paneward/144.lock"
let_go 144
watch_ended one 0 'a lock removed while the command runs'
wait $sweep
is $? 0 'a sweep meanwhile'
done_once 144 'brings no second one'
close_panes 144

# A watch that stands still misses all of it.
start 146
watch_one one 146
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
done_once 146 'once'
close_panes 146
options=

# ---- held by a suspended process ---------------------------------------------

# stopped ISSUE PID: that process holds the lock, and each command says so.
stopped() {
	watch_begin other "$1" --handoff ./h.sh
	watch_begin all --all
	for name in other all; do
		wait_until 5 grep -q "holding its lock ($2) is suspended" \
			"$T/$name.err"
		is "$(grep -c "issue '$1'" "$T/$name.err")" 1 \
			'a watch names a holder that is stopped, once'
	done
	exits 0 'a sweep' "$PW" sweep
	like "$(cat "$T/err")" "'$1' is left alone: .*[(]$2[)] is suspended" \
		'leaves the issue alone, and names it'
	refused "off issue '$1': process $2, which is stopped" 'by hand' \
		handoff "$1"
	end all
}

start 150
watch_one one 150
holder=$(cat "$T/one.pid")
freeze "$holder"
report 150
stopped 150 "$holder"
close_panes 150
wait_until 5 no kill -0 "$(record 150 tmux.pane_pid)"
refused "'150': process $holder acts on it" 'nothing is started' \
	start 150 -- tail -f /dev/null
kill -CONT "$holder"
watch_ended one 0 'it goes on'
watch_ended other 0 'and so does who waits for it'
is "$(handed 150)" 1 'it was handed off once'

running 151
holder=$(watcher 151)
freeze "$holder"
stopped 151 "$holder"
let_go 151
kill -CONT "$holder"
watch_ended one 0 'the runner goes on'
watch_ended other 0 'for everybody'
done_once 151 'with its one command'
close_panes 151

# ---- another project's ------------------------------------------------------

start 160
mkdir "$T/other"
cd "$T/other" || exit 1
"$PW" signal complete --issue 160 --status-dir "$S"
for command in 'watch 160' 'watch --all' sweep 'handoff 160 --handoff true' \
	'start 161 --backend shell'; do
	refused "^paneward: the status directory '$S' belongs to the project \
'$P', not to '$T/other'; name another one" "another project's" \
		$command --status-dir "$S"
done
is "$(handed 160)/$(record 160 state)" 0/working 'nothing is done there'
is "$(find "$S" -name '*161*')" '' 'or made'

# Their own is used again.
start 162
cd "$P" || exit 1
exits 0 'its own project' "$PW" watch 160 --handoff ./h.sh
is "$(handed 160)" 1 'acts on it'
close_panes 160

# It comes into the place of ours.
options=$often
begin 164
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
handed_off 'when ours is back'
troubles . '2 of 2' 'it was said once'

# acts ISSUE DESCRIPTION ARGUMENT...: without a word.
acts() {
	issue=$1
	what=$2
	shift 2
	exits 0 "$what" "$PW" "$@"
	is "$(handed "$issue")/$(cat "$T/err")" 1/ "$what: it acts"
}

# A project that has moved takes its directory along.
start 166
mv "$P" "$T/elsewhere"
cd "$T/elsewhere" || exit 1
S=$T/elsewhere/.worktrees/.status
report 166
acts 166 'a sweep in a project that has moved' sweep
is "$(cat "$S/.paneward/project")" "$T/elsewhere" 'on a directory of its own'
cd / && mv "$T/elsewhere" "$P" && cd "$P" || exit 1
S=$P/.worktrees/.status
start 167
report 167
acts 167 'a watch, moved back' watch 167 --handoff ./h.sh
close_panes 166 167
options=

# ---- nothing can be written to it -------------------------------------------

# As on a disk that has become read-only, which none does on demand while
# a file is open for writing: its modes, for users who are bound by them.
obeying='setpriv --bounding-set=-dac_override --inh-caps=-dac_override'
[ "$(id -u)" -eq 0 ] || obeying='env'
if $obeying true 2>/dev/null; then
	begin_by "$obeying" 170
	stop_both
	report 170 171
	chmod 500 "$S" "$S/.paneward"
	wake_both
	wait_until 5 grep -q 'complete' "$T/one.out"
	wait_until 5 grep -q '171 complete' "$T/all.out"
	nothing_done "cannot record .*'17[01]'.*tried again" \
		'what cannot be recorded is not handed off'
	troubles . '2 of 2' 'and said once'
	chmod 700 "$S" "$S/.paneward"
	handed_off 'when it can be recorded'
else
	skip 'what cannot be recorded' 'root cannot be made to obey'
fi

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
close_panes 172
# Its log writer has a file open for a moment longer.
wait_until 5 mount -o remount,bind,ro "$S"
for command in 'watch 172 --handoff ./h.sh' 'watch --all --once' \
	'handoff 172' sweep; do
	refused "^paneward: .*issue '172' .*Read-only" 'on a read-only disk' \
		$command
done
is "$(handed 172)" 0 'nothing is handed off'
mount -o remount,bind,rw "$S"
acts 172 'a sweep when it can be written to' sweep
umount "$S"

# ---- mounted over -----------------------------------------------------------

disk 1m
options=$often
happens 180 'when a disk that was mounted there is no more' 'umount -l "$S"' \
	moved
happens 182 'when another disk is mounted over it' 'disk 1m' moved
umount -l "$S"
"$PW" sweep >"$T/said" 2>&1

replaced_meanwhile 'mounted over while its command runs' 184 disk 1m
umount -l "$S"
is "$(record 184 handoff.state)" 'done' 'the end is written down below it'
exits 0 'where a sweep' "$PW" sweep
is "$(handed 184)/$(handed 185)" 1/1 'runs it no more'
check 'and removes its signal' no test -e "$S/signal-complete-184"

# A disk to which nothing can be written is none to go on in.
begin 186
stop_both
disk 256k
mkdir -m 700 "$S/.paneward"
report 186 187
mount -o remount,bind,ro "$S"
wake_both
nothing_done "cannot use .*'$S': Read-only" 'a read-only one is not acted in'
mount -o remount,bind,rw "$S"
handed_off 'before it can be written to'
options=

# ---- full -------------------------------------------------------------------

umount -l "$S"
disk 256k
does 'exit 75' 190 191
begin 190
report 190 191
wait_until 5 grep -q '^190 hand-off not yet' "$T/one.out"
wait_until 5 grep -q '^191 hand-off not yet' "$T/all.out"
end one
end all
rm "$T/do-190" "$T/do-191"
perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
	"$S/.paneward/190.json" "$S/.paneward/191.json"
: >"$T/handed"
cat /dev/zero >"$S/ballast" 2>/dev/null
watch_begin one 190 --handoff ./h.sh
watch_begin all --all
nothing_done "hand-off of issue '19[01]'; not running it until" \
	'an intent that cannot be written down is not acted on'
is "$(trouble | grep -c 'not running it until')" 2 'which is said once'
rm "$S/ballast"
handed_off 'when there is room'

does "cat /dev/zero >'$S/ballast'\$PANEWARD_ISSUE; true" 192 193
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
is "$(trouble | grep -c 'record the end')" 2 'it is said once'
rm "$S/ballast193"
handed_off 'when there is room again'
is "$(journal 193 handoff | grep -c 'attempt 1 ended')" 1 \
	'and told in the journal once'

done_testing
