#!/bin/sh
# The hand-offs of a sweep: what they are told, what their ends mean, how many
# of them run at a time, and that none of them delays or stops the others.
. "${0%/*}/lib.sh"

# What it is to do for an issue stands in $T/do-ISSUE.
cat >"$T/handoff" <<END
#!/bin/sh
from=\$(pwd -P)
cd '$T' || exit 1
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID \$PANEWARD_ATTEMPT" >>begun
echo "begun \$PANEWARD_ISSUE" >>order
[ ! -e "do-\$PANEWARD_ISSUE" ] || . "./do-\$PANEWARD_ISSUE"
echo "ended \$PANEWARD_ISSUE" >>order
END
chmod +x "$T/handoff"
: >"$T/begun"
: >"$T/order"

# configure TIMEOUT [SOCKET]
configure() {
	printf '{ "handoff": ["%s"], "handoff_timeout": %s,
		"handoff_attempts": 2%s }\n' "$T/handoff" "$1" \
		"${2:+", \"sockets\": [\"$2\"]"}" >"$P/.paneward.json"
}

# finished ISSUE [COMMAND]: it is, and that is what its hand-off does.
finished() {
	[ $# -eq 1 ] || echo "$2" >"$T/do-$1"
	"$PW" signal complete --issue "$1"
}

begun() {
	grep -c "^$1 " "$T/begun"
}

begun_are() {
	[ "$(begun "$1")" -eq "$2" ]
}

ended() {
	grep -q "^ended $1\$" "$T/order"
}

# The ids with which it was handed off.
ids() {
	sed -n "s/^$1 \([^ ]*\) .*/\1/p" "$T/begun" | sort -u | wc -l
}

# The time for the next attempt has come.
due() {
	perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
		"$S/.paneward/$1.json"
}

# What a sweep said of hand-offs.
said() {
	grep -v complete: "$T/out"
}

tmux_start

# ---- one that hangs ---------------------------------------------------------

# It is given ten seconds after TERM, during which all the rest goes on.
configure 1
finished 1 'trap "" TERM; while :; do sleep 0.1; done'
for issue in 2 3 4; do
	finished $issue
done
begin_command hanging sweep
wait_until 5 grep -q '^4 handed off' "$T/hanging.out"
check 'a hand-off that hangs delays no other one' ended 2
check 'of those in the same sweep' ended 3
check 'which waits for it' no test -e "$T/hanging.status"
configure 600
exits 0 'a second sweep beside it' "$PW" sweep
is "$(cat "$T/out" "$T/err")" '' 'leaves that one alone'
finished 5
exits 0 'and does what has come since' "$PW" sweep
is "$(said)" '5 handed off' 'at once'

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
# shellcheck disable=SC2016
words='a "word" with $(touch pwned) `touch pwned`; touch pwned'
"$PW" signal complete --issue 10 "$words"
exits 0 'an issue in a work tree' "$PW" sweep
is "$(said)" '10 handed off' 'is handed off'

# told NAME...: the values of these variables.
told() {
	for variable; do
		sed -n "s/^PANEWARD_$variable=//p" "$T/environment"
	done
}

is "$(sed 's/^PANEWARD_\([A-Z_]*\)=.*/\1/' "$T/environment" | tr '\n' ' ')" \
	"ATTEMPT BRANCH BUILD_DIRS CEILING HANDOFF_ID ISSUE KEEP_LOGS MESSAGE NAME \
PANE RUN SESSION SOCKET SOURCE STATE STATUS_DIR WHY WORKTREE WORKTREE_ROOT " \
	'the command has all its variables'
is "$(told ISSUE STATE SOURCE ATTEMPT | tr '\n' ' ')" '10 complete signal 1 ' \
	'which tell of the run'
is "$(told MESSAGE)" "$words" 'what it said, as it is'
is "$(find "$T" -name pwned)" '' 'and nobody has obeyed'
is "$(told PANE SESSION SOCKET | tr '\n' ' ')" \
	"$(pane_tell issue-10 '#{pane_id} #{session_id} #{socket_path}') " \
	'where its pane is'
is "$(told STATUS_DIR WORKTREE BRANCH | tr '\n' ' ')" "$S $tree login " \
	'where its files are'
is "$(told RUN HANDOFF_ID | tr '\n' ' ')" \
	"$(record 10 run) $(record 10 handoff.id) " 'and the ids of the record'
is "$(perl -MJSON::PP -e 'local $/; my $r = decode_json(<>); print join " ",
	@$r{qw(issue state source)}, $r->{handoff}{state}' "$T/input")" \
	'10 complete signal running' 'the record is on its standard input'
is "$(cat "$T/from")" "$P" 'it begins in the project'
tm kill-session -t =issue-10:

# ---- an error beside it -----------------------------------------------------

# The agent reports its own end when the hand-off ends it.
finished 11 '"$PANEWARD" signal error --issue 11 "ended by HUP"'
exits 0 'an error that is signalled during the hand-off' "$PW" sweep
is "$(said)" '11 handed off' 'has no effect'
exits 0 'the next sweep' "$PW" sweep
like "$(record 11 state) $(record 11 why)" \
	'^complete .*signal-error-11: ended by HUP$' 'writes it down'
check 'and removes it' no test -e "$S/signal-error-11"

finished 12
"$PW" signal error --issue 12 'no disk'
exits 0 'one that is there before' "$PW" sweep
is "$(said)" '12 handed off' 'has none either'
like "$(record 12 why)" 'signal-error-12: no disk$' 'it is written down'
check 'and removed' no test -e "$S/signal-error-12"

# ---- its ends ---------------------------------------------------------------

finished 20 'echo "the request is open"; exit 75'
exits 0 'a hand-off that says not yet' "$PW" sweep
like "$(said)" '^20 hand-off not yet \(exit 75\).*again at .*request is open$' \
	'is told, with what it printed'
is "$(record 20 handoff.state)" pending 'and pending'
check 'the signal stays' test -e "$S/signal-complete-20"
exits 0 'within a minute' "$PW" sweep
is "$(begun 20)/$(cat "$T/out")" 1/ 'it is not asked again'
exits 0 'nor' "$PW" sweep --dry-run
is "$(cat "$T/out")" '' 'would it be'
due 20
exits 0 'after it' "$PW" sweep
is "$(begun 20)/$(ids 20)" 2/1 'it is, with the same id'
rm "$T/do-20"
due 20
exits 0 'and when it says yes' "$PW" sweep
is "$(said)" '20 handed off' 'the issue is handed off'
is "$(tail -n 1 "$T/begun" | cut -d ' ' -f 3)" 3 'by the third attempt'
check 'and the signal removed' no test -e "$S/signal-complete-20"

finished 21 'echo "there are changes" >&2; exit 77'
exits 1 'a hand-off that refuses' "$PW" sweep
is "$(said)" '21 hand-off refused: there are changes' 'is told'
check 'its signal stays' test -e "$S/signal-complete-21"
due 21
exits 0 'the next sweep' "$PW" sweep
is "$(begun 21)/$(cat "$T/out" "$T/err")" 1/ 'does not ask again'

finished 22 'exit 3'
finished 23
exits 1 'a hand-off that fails' "$PW" sweep --jobs 1
like "$(said)" '^22 hand-off failed \(exit 3\), attempt 1, again at ' 'is told'
is "$(said | tail -n 1)" '23 handed off' 'and does not stop the others'
exits 0 'within a minute' "$PW" sweep
is "$(begun 22)/$(cat "$T/out")" 1/ 'it is not tried again'
due 22
exits 1 'after it' "$PW" sweep
like "$(said)" '^22 hand-off failed for good \(exit 3\), attempt 2$' \
	'it is, as often as configured'
is "$(ids 22)" 1 'with the same id'
due 22
exits 0 'and then' "$PW" sweep
is "$(begun 22)" 2 'no more'

finished 24 'kill -SEGV $$'
exits 1 'one that is killed' "$PW" sweep
like "$(said)" '^24 hand-off failed \(signal 11\)' 'has failed'

# ---- which command ----------------------------------------------------------

as_it_was() {
	find "$S" ! -name '1.*' ! -name journal.ndjson \
		-exec stat -c '%n %y' {} + | sort >"$T/after"
	cmp "$T/before" "$T/after"
}

finished 30
as_it_was >"$T/said" 2>&1
mv "$T/after" "$T/before"
printf '{ "handoff": ["%s/missing"] }\n' "$T" >"$P/.paneward.json"
fails 2 "handoff.*$T/missing.*No such file" sweep
printf '{ "handoff": "nonsense-%s --now" }\n' "$$" >"$P/.paneward.json"
fails 2 "handoff.*nonsense-$$" sweep
: >"$T/plain"
printf '{ "handoff": ["%s/plain"] }\n' "$T" >"$P/.paneward.json"
fails 2 'not executable' sweep --dry-run
check 'nothing is done' as_it_was
printf '{ "handoff": "echo $PANEWARD_ISSUE >>%s/lines" }\n' "$T" \
	>"$P/.paneward.json"
exits 0 'a line for the shell' "$PW" sweep
is "$(cat "$T/lines")" 30 'is run as it stands'
printf '{ "handoff": null }\n' >"$P/.paneward.json"
finished 31
exits 0 'without a command' "$PW" sweep
is "$(cat "$T/out")" '31 complete: signal-complete-31 is there' \
	'a completion is told'
is "$(record 31 state)/$(record 31 handoff.state)" complete/ 'and recorded'
configure 600
rm "$S/signal-complete-31"

# ---- how many at a time -----------------------------------------------------

for issue in 40 41 42 43; do
	finished $issue "while [ ! -e let-$issue ]; do sleep 0.02; done"
done
begin_command w sweep --jobs 2
wait_until 5 begun_are '4[0-3]' 2
wait_until 5 rests "$(cat "$T/w.pid")"
check 'two jobs are two hand-offs at a time' begun_are '4[0-3]' 2
: >"$T/let-40"
wait_until 5 begun_are 42 1
check 'when one ends the next begins' no ended 41
for issue in 41 42 43; do
	: >"$T/let-$issue"
done
wait_until 5 test -e "$T/w.status"
is "$(cat "$T/w.status") $(grep -c 'handed off' "$T/w.out")" '0 4' \
	'until all are done'
for issue in 44 45 46; do
	finished $issue 'sleep 0.1'
done
exits 0 'one job' "$PW" sweep --jobs 1
is "$(grep '4[456]' "$T/order" | tr '\n' ' ')" \
	'begun 44 ended 44 begun 45 ended 45 begun 46 ended 46 ' \
	'is one after the other'

# ---- killed -----------------------------------------------------------------

finished 50 'while [ ! -e let-50 ]; do sleep 0.02; done'
begin_command w sweep
wait_until 5 begun_are 50 1
kill -KILL "$(cat "$T/w.pid")"
wait_until 5 test -e "$T/w.status"
exits 0 'after a sweep that was killed' "$PW" sweep
is "$(begun 50)/$(cat "$T/out" "$T/err")" 1/ \
	'the next one leaves its hand-off alone'
: >"$T/let-50"
wait_until 5 no test -e "$S/signal-complete-50"
is "$(record 50 handoff.state)" 'done' 'whose runner writes down the end'
exits 0 'then there is nothing left to do' "$PW" sweep
is "$(begun 50)/$(cat "$T/out" "$T/err")" 1/ 'nor is anything done twice'

finished 51 'while [ ! -e let-51 ]; do sleep 0.02; done'
begin_command w sweep
wait_until 5 begun_are 51 1
# another_runs PID: a runner that is not that one holds the lock.
another_runs() {
	runner=$(cut -d ' ' -f 1 "$S/.paneward/51.lock")
	[ "$runner" != "$1" ] &&
		grep -qs handoff-run "/proc/$runner/cmdline"
}
wait_until 5 another_runs 0
first=$runner
kill -KILL "$first"
wait_until 5 test -e "$T/w.status"
is "$(cat "$T/w.status")/$(record 51 handoff.state)" 1/running \
	'of a runner that was killed the record still says running'
begin_command w sweep
wait_until 5 another_runs "$first"
second=$runner
check 'the next sweep waits for the command' begun_are 51 1
kill -KILL "$second"
wait_until 5 command_ended w
is "$(cat "$T/w.status" "$T/w.err")" "3
paneward: the hand-off of issue '51' was not begun again: its runner was killed by \
signal 9; the next sweep tries again" 'or says what has become of its own runner'
begin_command w sweep
wait_until 5 another_runs "$second"
: >"$T/let-51"
wait_until 5 test -e "$T/w.status"
is "$(cat "$T/w.status") $(cat "$T/w.out")" '0 51 handed off' 'and repeats it'
is "$(grep ' 51' "$T/order" | tr '\n' ' ')/$(ids 51)" \
	'begun 51 ended 51 begun 51 ended 51 /1' \
	'after its end, with the same id'

# ---- as cron does it --------------------------------------------------------

configure 600 "$(tm display-message -p '#{socket_path}')"
tm new-session -d -s issue-60 -c "$P" 'echo "###TASK_COMPLETE_60###"
	exec tail -f /dev/null'
wait_until 5 pane_shows issue-60 TASK_COMPLETE
echo 'env | sort >environment' >"$T/do-60"
cd / || exit 1
# Another tmux that is tested is nowhere but in our PATH.
path=
[ ! -d "$T/tested" ] || path=PATH=$PATH
exits 0 'without an environment, from elsewhere' \
	env -i ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} ${path:+"$path"} \
	/bin/sh -c "cd '$P' && '$PW' sweep"
cd "$P" || exit 1
is "$(cat "$T/out")" '60 complete: a completion marker in the capture
60 handed off' 'a sweep is the same'
like "$(cat "$T/environment")" '^PATH=.*/bin' 'and its command has a PATH'

# ---- the one that hangs, again ----------------------------------------------

wait_until 15 test -e "$T/hanging.status"
is "$(cat "$T/hanging.status")" 1 'in the end it is killed, which is a failure'
like "$(cat "$T/hanging.out")" '^1 hand-off failed \(it took too long\)' \
	'and said'
is "$(begun 1)/$(record 1 handoff.state)" 1/pending 'and tried again later'

done_testing
