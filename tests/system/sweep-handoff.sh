#!/bin/sh
# The hand-offs of a sweep: what they are told, what their ends mean, how many
# of them run at a time, and that none of them delays or stops the others.
. "${0%/*}/lib.sh"

# What it is to do for an issue stands in $T/do-ISSUE.
script handoff <<END
from=\$(pwd -P)
cd '$T' || exit 1
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID \$PANEWARD_ATTEMPT" >>begun
echo "begun \$PANEWARD_ISSUE" >>order
[ ! -e "do-\$PANEWARD_ISSUE" ] || . "./do-\$PANEWARD_ISSUE"
echo "ended \$PANEWARD_ISSUE" >>order
END
: >"$T/begun"
: >"$T/order"

# configure TIMEOUT
configure() {
	printf '{ "handoff": ["%s"], "handoff_timeout": %s,
		"handoff_attempts": 2 }\n' "$T/handoff" "$1" >.paneward.json
}

# finished ISSUE [COMMAND]: it is, and that is what its hand-off does.
finished() {
	[ $# -eq 1 ] || echo "$2" >"$T/do-$1"
	"$PW" signal complete --issue "$1"
}

begun() { grep -c "^$1 " "$T/begun"; }
begun_are() { [ "$(begun "$1")" -eq "$2" ]; }
ended() { grep -q "^ended $1\$" "$T/order"; }

# The ids with which it was handed off.
ids() { sed -n "s/^$1 \([^ ]*\) .*/\1/p" "$T/begun" | sort -u | wc -l; }

# The time for the next attempt has come.
due() {
	perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
		"$S/.paneward/$1.json"
}

# sweep [OPTION...]: what it says of hand-offs.
sweep() {
	swept=0
	"$PW" sweep "$@" >"$T/out" || swept=$?
	sed '/complete:/d; s/ at [0-9]*:[0-9]*//' "$T/out" | sort
	return $swept
}

# begin NAME ISSUE: a sweep begins its hand-off, which waits for `let_go ISSUE`.
begin() {
	[ -e "$T/do-$2" ] ||
		finished "$2" "while [ ! -e let-$2 ]; do sleep 0.02; done"
	begin_command "$1" sweep
	wait_until 5 begun_are "$2" 1
}

let_go() { : >"$T/let-$1"; }

tmux_start

# ---- one that hangs ---------------------------------------------------------
# It is given ten seconds after TERM, during which all the rest goes on.
configure 1
finished 1 'trap "" TERM; while :; do sleep 0.1; done'
for issue in 2 3 4; do
	finished $issue
done
scenario 'a hand-off that hangs delays no other one, nor a second sweep' <<'END'
>>> begin_command hanging sweep
... wait_until 5 grep -q '^4 handed off' "$T/hanging.out"
>>> ended 2 && ended 3 && no command_ended hanging
>>> configure 600; "$PW" sweep; finished 5; sweep
5 handed off
END

# ---- what it is told --------------------------------------------------------
git_project
tree=$P/.worktrees/issue-10-login
git -C "$P" worktree add -q -b login "$tree"
tm new-session -d -s issue-10 -c "$tree" 'exec tail -f /dev/null'
cat >"$T/do-10" <<'END'
env | grep ^PANEWARD_ | sort >environment
cat >input
echo "$from" >from
END
words='a "word" with $(touch pwned) `touch pwned`; touch pwned'
"$PW" signal complete --issue 10 "$words"
sweep >"$T/said"

# told NAME...: the values of these variables.
told() {
	for name; do
		sed -n "s/^PANEWARD_$name=//p" "$T/environment"
	done | paste -sd ' ' -
}

scenario 'the command has all its variables, the record, and the project' <<'END'
>>> echo $(sed 's/^PANEWARD_\([A-Z_]*\)=.*/\1/' "$T/environment")
ATTEMPT BRANCH BUILD_DIRS CEILING HANDOFF_ID ISSUE KEEP_LOGS MESSAGE NAME PANE RUN SESSION SOCKET SOURCE STATE STATUS_DIR WHY WORKTREE WORKTREE_ROOT
>>> told ISSUE STATE SOURCE ATTEMPT
10 complete signal 1
>>> test "$(sed -n 's/^PANEWARD_MESSAGE=//p' "$T/environment")" = "$words"
>>> find "$T" -name pwned; told STATUS_DIR WORKTREE BRANCH
$T/project/.worktrees/.status $T/project/.worktrees/issue-10-login login
>>> perl -MJSON::PP -e 'local $/; my $r = decode_json(<>); print join " ",
... 	@$r{qw(issue state source)}, $r->{handoff}{state}' "$T/input"; cat "$T/from"
10 complete signal running$T/project
>>> is "$(told PANE SESSION SOCKET)" \
... 	"$(pane_tell issue-10 '#{pane_id} #{session_id} #{socket_path}')"
>>> is "$(told RUN HANDOFF_ID)" "$(fields 10 run handoff.id)"
>>> tm kill-session -t =issue-10:
END

# ---- an error beside it -----------------------------------------------------
# The agent reports its own end when the hand-off ends it.
finished 11 '"$PANEWARD" signal error --issue 11 "ended by HUP"'
finished 12
"$PW" signal error --issue 12 'no disk'
scenario 'an error beside a completion has no effect, but is recorded' <<'END'
>>> sweep
11 handed off
12 handed off
>>> sweep; fields 11 state why; fields 12 state why; ls "$S"
complete signal-complete-11 is there, and counts before signal-error-11: ended by HUP
complete signal-complete-12 is there, and counts before signal-error-12: no disk
signal-complete-1
END

# ---- its ends ---------------------------------------------------------------
finished 20 'echo "the request is open"; exit 75'
: >"$S/signal-complete-20"
scenario 'a hand-off that says not yet is asked again, with the same id' <<'END'
>>> sweep; fields 20 handoff.state; echo $(ls "$S")
20 hand-off not yet (exit 75), attempt 1, again: the request is open
pending
signal-complete-1 signal-complete-20
>>> sweep; sweep --dry-run; begun 20
1
>>> due 20; sweep >"$T/said"; echo "$(begun 20)/$(ids 20)"; due 20
... echo "echo late >'$S/signal-complete-20'" >"$T/do-20"
2/1
>>> sweep; tail -n 1 "$T/begun" | cut -d ' ' -f 3; ls "$S"
20 handed off
3
signal-complete-1
END
finished 21 'echo "there are changes" >&2; exit 77'
finished 22 'exit 3'
finished 23
finished 24 'kill -SEGV $$'
scenario 'a refusal is final, a failure is tried as often as configured' <<'END'
>>> sweep --jobs 1
21 hand-off refused: there are changes
22 hand-off failed (exit 3), attempt 1, again
23 handed off
24 hand-off failed (signal 11), attempt 1, again
[1]
>>> echo $(ls "$S"); due 21; sweep; echo "$(begun 21) $(begun 22)"
signal-complete-1 signal-complete-21 signal-complete-22 signal-complete-24
1 1
>>> due 22; sweep; ids 22
22 hand-off failed for good (exit 3), attempt 2
1
>>> due 22; sweep; begun 22
2
END

# ---- which command ----------------------------------------------------------
as_it_was() {
	find "$S" ! -name '1.*' ! -name journal.ndjson \
		-exec stat -c '%n %y' {} + | sort
}

: >"$T/plain"
scenario 'a command that cannot be run is refused, and nothing is done' <<'END'
>>> finished 30; before=$(as_it_was); while IFS='|' read -r command words; do
... 	printf '{ "handoff": %s }\n' "$command" >"$P/.paneward.json"
... 	fails 2 "$words" sweep
... 	fails 2 "$words" sweep --dry-run
... done <<EOF
... ["$T/missing"]|handoff.*$T/missing.*No such file
... "nonsense-$$ --now"|handoff.*nonsense-$$
... ["$T/plain"]|not executable
... EOF
>>> is "$(as_it_was)" "$before"
END
printf '{ "handoff": "echo $PANEWARD_ISSUE >>%s/lines" }\n' "$T" \
	>"$P/.paneward.json"
scenario 'a line is run as it stands; without a command nothing is' <<'END'
>>> sweep; cat "$T/lines"
30 handed off
30
>>> echo '{ "handoff": null }' >.paneward.json; finished 31; "$PW" sweep
31 complete: signal-complete-31 is there
>>> fields 31 state handoff.state
complete -
END
configure 600

# ---- how many at a time -----------------------------------------------------
for issue in 40 41 42 43; do
	finished $issue "while [ ! -e let-$issue ]; do sleep 0.02; done"
done
scenario 'of several jobs so many run at a time, the next when one ends' <<'END'
>>> begin_command w sweep --jobs 2; wait_until 5 begun_are '4[0-3]' 2
>>> wait_until 5 rests "$(cat "$T/w.pid")"; begun_are '4[0-3]' 2
>>> let_go 40; wait_until 5 begun_are 42 1; no ended 41
>>> let_go 41; let_go 42; let_go 43; watch_ended w 0
... grep -c 'handed off' "$T/w.out"
4
>>> for issue in 44 45 46; do finished $issue 'sleep 0.1'; done
>>> "$PW" sweep --jobs 1 >"$T/out"; grep '4[456]' "$T/order" | xargs
begun 44 ended 44 begun 45 ended 45 begun 46 ended 46
END

# ---- killed: tests/faults/crash.t kills it at each of its calls --------------
# another_runs PID: a runner that is not that one holds the lock.
another_runs() {
	runner=$(cut -d ' ' -f 1 "$S/.paneward/51.lock")
	[ "$runner" != "$1" ] &&
		grep -qs handoff-run "/proc/$runner/cmdline"
}
scenario 'after a killed runner the next sweep waits, then repeats' <<'END'
>>> begin w 51; wait_until 5 another_runs 0; first=$runner; kill -KILL "$first"
>>> watch_ended w 1; fields 51 handoff.state
running
>>> begin w 51; wait_until 5 another_runs "$first"; second=$runner
>>> begun_are 51 1 && kill -KILL "$second"; watch_ended w 3; cat "$T/w.err"
paneward: the hand-off of issue '51' was not begun again: its runner was killed by signal 9; the next sweep tries again
>>> begin w 51; wait_until 5 another_runs "$second"; let_go 51; watch_ended w 0
>>> cat "$T/w.out"; grep ' 51' "$T/order" | xargs; ids 51
51 handed off
begun 51 ended 51 begun 51 ended 51
1
END

scenario 'what hangs is killed in the end: a failure, tried again later' <<'END'
>>> watch_ended hanging 1; tail -n 1 "$T/hanging.out"
~ 1 hand-off failed \(it took too long\).*
>>> begun 1; fields 1 handoff.state
1
pending
END
done_testing
