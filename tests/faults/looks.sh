#!/bin/sh
# One look at the system that fails, for want of a descriptor or by a read that
# ends in an error: what is not known of a living pane is not taken for its end.
. "${0%/*}/../system/lib.sh"

strace -y -o "$T/trial" true >"$T/said" 2>&1 ||
	skip_all 'strace is not here, or may not trace'

tmux_start
pane_run x-issue-7 'echo "###TASK_COMPLETE_7###"; exec sleep 10000'
wait_until 5 pane_shows x-issue-7 TASK_COMPLETE
: >"$T/input"

# each_fails KINDS PATTERN ARGUMENT...: runs it once for each of its calls of
# these kinds, as openat:EMFILE, in whose line the pattern is: that one fails.
# `before` is run before each, `after POINT STATUS` behind it; $points is how many
# there were, at least $least.
each_fails() {
	kinds=$1 pattern=$2 points=0
	shift 2
	before
	strace -y -o "$T/trace" "$PW" "$@" <"$T/input" >"$T/said" 2>&1
	for kind in $kinds; do
		# shellcheck disable=SC2013
		for n in $(grep "^${kind%:*}(" "$T/trace" |
		    grep -n -e "$pattern" | cut -d : -f 1); do
			points=$((points + 1))
			before
			strace -o "$T/trace2" -e trace="${kind%:*}" -e \
				"inject=${kind%:*}:error=${kind#*:}:when=$n" \
				"$PW" "$@" <"$T/input" >"$T/out" 2>"$T/err"
			after "$kind:$n" $?
		done
	done
	check "$*: $points looks" test "$points" -ge "${least:-2}"
}

before() {
	rm -rf .worktrees "$T/effects"
}

# The calls that look at a process, the boot, or tmux's answer: whatever the
# command made of it, the next sweep knows what is in the pane.
after() {
	"$PW" sweep >>"$T/out" 2>&1
	recorded 7 complete || {
		lost="$lost $1"
		cat "$T/out" "$T/err" | comment
	}
}
least=9
lost=
for command in 'watch --once 7' sweep; do
	# shellcheck disable=SC2086
	each_fails 'openat:EMFILE read:EIO' '/proc/\|^read([0-9]*<pipe' $command
	is "$lost" '' "$command: a failed look loses nothing"
done

# ---- what is done is not done again -----------------------------------------

script hand-off <<END
echo once >>'$T/effects'
END
echo '{ "handoff": ["'"$T/hand-off"'"] }' >.paneward.json
rm -rf .worktrees
"$PW" sweep >"$T/said" 2>&1
# Of a run that is handed off, whichever look at its record fails.
before() { :; }
after() { :; }
least=2
each_fails 'openat:EMFILE read:EIO' '7\.json' watch --once 7
each_fails 'openat:EMFILE read:EIO' '7\.json' sweep
is "$(cat "$T/effects")" once 'what is done is not handed off again'

# ---- what a sweep cannot do, it says ----------------------------------------

# It hands off, or ends with another status than 0 and a word.
after() {
	[ -e "$T/effects" ] || { [ "$2" -ne 0 ] && [ -s "$T/err" ]; } ||
		silent="$silent $1"
}
least=9
silent=
for signal in false true; do
	before() {
		rm -rf .worktrees "$T/effects"
		! $signal || "$PW" signal complete --issue 7
	}
	each_fails 'openat:EMFILE pipe2:EMFILE flock:EIO' \
		'pipe2\|flock\|7\.\|-7"' sweep
	is "$silent" '' "a sweep that cannot hand off says so (signal: $signal)"
done

# ---- a list that is cut short is none ---------------------------------------

before() { :; }
after() {
	cat "$T/out" "$T/err" >>"$T/lists"
}
least=2
# lists MESSAGE DESCRIPTION ARGUMENT...: with each of the reads of the folder of
# records, in turn, failing, it says so.
lists() {
	message=$1 what=$2
	shift 2
	: >"$T/lists"
	each_fails getdents64:EIO '/.paneward[/>]' "$@"
	is "$(grep -c "$message" "$T/lists")" "$points" "$what"
}

rm -rf .worktrees
printf '1\n2\n' >"$T/list"
"$PW" start --from "$T/list" --at-once 1 -- sleep 10000 >"$T/said" 2>&1
lists 'cannot read .*: Input' 'what gives places away says so' \
	start-queued "$S"
check 'a place that is taken is not given away' test ! -e "$S/.paneward/2.json"

echo '{ "hook_event_name": "Stop", "session_id": "abc" }' >"$T/input"
cat >"$S/.paneward/9.json" <<'END'
{ "issue": "9", "run": "11111111-2222-4333-8444-555555555555",
  "state": "working", "source": "process", "backend": "claude",
  "agent": { "session": "abc" } }
END
lists 'cannot read .*: Input' \
	'nor does a hook take its session for that of no run' hook record

mkdir "$S/.paneward/logs"
echo text >"$S/.paneward/logs/5-11111111-2222-4333-8444-555555555555.log"
lists 'cannot look .*: Input' 'nor is a log that is kept said to be none' log 5

done_testing
