#!/bin/sh
# One look at the system that fails, for want of a descriptor or by a read that
# ends in an error: what is not known of a living pane is not taken for its end.
. "${0%/*}/../system/lib.sh"

strace -y -o "$T/trial" true >"$T/said" 2>&1 ||
	skip_all 'strace is not here, or may not trace'

tmux_start
pane_run x-issue-7 'echo "###TASK_COMPLETE_7###"; exec sleep 10000'
wait_until 5 pane_shows x-issue-7 TASK_COMPLETE
begin() {
	rm -rf .worktrees
}

# The calls of that name which look at a process, the boot, or tmux's answer.
places() {
	grep "^$1(" "$T/trace" | grep -n '/proc/\|^read([0-9]*<pipe' |
		cut -d : -f 1
}

# fails_anywhere DESCRIPTION ARGUMENT...: whatever the call that failed made of
# it, the next sweep knows what is in the pane.
fails_anywhere() {
	what=$1
	shift
	begin
	strace -y -o "$T/trace" "$PW" "$@" >"$T/said" 2>&1
	points=0
	lost=
	for fault in openat:EMFILE read:EIO; do
		for n in $(places "${fault%:*}"); do
			points=$((points + 1))
			begin
			strace -o "$T/trace2" -e trace="${fault%:*}" \
				-e "inject=${fault%:*}:error=${fault#*:}:when=$n" \
				"$PW" "$@" >"$T/said" 2>&1
			"$PW" sweep >>"$T/said" 2>&1
			recorded 7 complete && continue
			lost="$lost $fault:$n"
			comment <"$T/said"
		done
	done
	[ "$points" -gt 8 ] || lost="only $points points"
	is "$lost" '' "$what"
}

fails_anywhere 'one round of a watch' watch --once 7
fails_anywhere 'a sweep' sweep

# ---- what is done is not done again -----------------------------------------

script hand-off <<END
echo once >>'$T/effects'
END
echo '{ "handoff": ["'"$T/hand-off"'"] }' >.paneward.json

# done_once DESCRIPTION ARGUMENT...: of a run that is handed off, whichever look
# at its record fails.
done_once() {
	what=$1
	shift
	begin
	rm -f "$T/effects"
	"$PW" sweep >"$T/said" 2>&1
	strace -y -o "$T/trace" "$PW" "$@" >"$T/said" 2>&1
	points=0
	for fault in openat:EMFILE read:EIO; do
		# shellcheck disable=SC2013
		for n in $(grep "^${fault%:*}(" "$T/trace" |
		    grep -n '7\.json' | cut -d : -f 1); do
			points=$((points + 1))
			strace -o "$T/trace2" -e trace="${fault%:*}" \
				-e "inject=${fault%:*}:error=${fault#*:}:when=$n" \
				"$PW" "$@" >"$T/said" 2>&1
		done
	done
	check "($points points)" test "$points" -gt 1
	is "$(cat "$T/effects")" once "$what"
}

done_once 'a watch does not hand off what is done' watch --once 7
done_once 'nor does a sweep' sweep

# ---- what a sweep cannot do, it says ----------------------------------------

# never_silent DESCRIPTION COMMAND: after that, a sweep hands off, or ends with
# another status than 0 and a word, whichever call fails.
never_silent() {
	begin
	rm -f "$T/effects"
	$2
	strace -o "$T/trace" "$PW" sweep >"$T/said" 2>&1
	points=0
	silent=
	for fault in openat:EMFILE pipe2:EMFILE flock:EIO; do
		grep "^${fault%:*}(" "$T/trace" |
			grep -n 'pipe2\|flock\|7\.\|-7"' >"$T/points"
		while IFS=: read -r n _; do
			points=$((points + 1))
			begin
			rm -f "$T/effects"
			$2
			strace -o "$T/trace2" -e trace="${fault%:*}" \
				-e "inject=${fault%:*}:error=${fault#*:}:when=$n" \
				"$PW" sweep >"$T/said" 2>"$T/err" </dev/null
			status=$?
			[ ! -e "$T/effects" ] || continue
			[ "$status" -ne 0 ] && [ -s "$T/err" ] ||
				silent="$silent $fault:$n"
		done <"$T/points"
	done
	check "($points points)" test "$points" -gt 8
	is "$silent" '' "$1"
}

never_silent 'a sweep that cannot hand off a marker in a pane says so' true
never_silent 'as does one that cannot hand off a signal' \
	"$PW signal complete --issue 7"

# ---- a list that is cut short is none ---------------------------------------

# lists ARGUMENT...: with each of the reads of the folder of records, in turn,
# failing.
lists() {
	strace -y -o "$T/trace" "$PW" "$@" <"$T/input" >"$T/said" 2>&1
	points=0
	# shellcheck disable=SC2013
	for n in $(grep '^getdents64(' "$T/trace" | grep -n '/.paneward[/>]' |
	    cut -d : -f 1); do
		points=$((points + 1))
		strace -o "$T/trace2" -e trace=getdents64 \
			-e "inject=getdents64:error=EIO:when=$n" \
			"$PW" "$@" <"$T/input" >>"$T/lists" 2>&1
	done
	check "($points points)" test "$points" -gt 1
}

begin
: >"$T/input"
printf '1\n2\n' >"$T/list"
"$PW" start --from "$T/list" --at-once 1 -- sleep 10000 >"$T/said" 2>&1
lists start-queued "$S"
check 'a place that is taken is not given away' test ! -e "$S/.paneward/2.json"
is "$(grep -c 'cannot read .*: Input' "$T/lists")" "$points" \
	'which says what it cannot read'

echo '{ "hook_event_name": "Stop", "session_id": "abc" }' >"$T/input"
cat >"$S/.paneward/9.json" <<'END'
{ "issue": "9", "run": "11111111-2222-4333-8444-555555555555",
  "state": "working", "source": "process", "backend": "claude",
  "agent": { "session": "abc" } }
END
rm "$T/lists"
lists hook record
is "$(grep -c 'cannot read .*: Input' "$T/lists")" "$points" \
	'nor does a hook take its session for that of no run'

mkdir "$S/.paneward/logs"
echo text >"$S/.paneward/logs/5-11111111-2222-4333-8444-555555555555.log"
rm "$T/lists"
lists log 5
is "$(grep -c 'cannot look .*: Input' "$T/lists")" "$points" \
	'nor is a log that is kept said to be none'

done_testing
