#!/bin/sh
# The hand-off by hand: of any run that is over, as often as it is called; no
# attempt by hand is repeated by itself.
. "${0%/*}/lib.sh"

script finish <<END
echo "\$PANEWARD_ISSUE" >>'$T/finished'
END
script gate <<END
echo "\$PANEWARD_ISSUE \$PANEWARD_ATTEMPT" >>'$T/asked'
echo "not now"
exit 75
END
script fail <<END
echo "it is broken"
exit 1
END
script slow <<END
echo "\$PANEWARD_ISSUE \$PANEWARD_ATTEMPT" >>'$T/asked'
while [ ! -e '$T/let' ]; do sleep 0.02; done
exit 1
END
printf '{ "handoff": ["%s/finish"] }\n' "$T" >"$P/.paneward.json"
: >"$T/finished"
: >"$T/asked"
tmux_start

# Whatever waits for its time, its time has come.
due() {
	perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
		"$S"/.paneward/*.json
}

finished() {
	grep -c "^$1\$" "$T/finished"
}

# handoff ISSUE: state, attempts and last exit of its record.
handoff() {
	fields "$1" handoff.state handoff.attempts handoff.last_exit
}

# are HANDOFF HANDOFF HANDOFF DESCRIPTION: of 1, 2 and 3.
are() {
	is "$(for i in 1 2 3; do handoff $i; done)" "$1
$2
$3" "$4"
}

# One that is handed off, one in error whose agent lives, one that is dead.
# shellcheck disable=SC2016
"$PW" start 1 --no-watch -- sh -c '"$PANEWARD" signal complete
	exec tail -f /dev/null' >"$T/out"
exits 0 'a run completes' "$PW" watch 1
# shellcheck disable=SC2016
"$PW" start 2 --no-watch -- sh -c '"$PANEWARD" signal error bad
	exec tail -f /dev/null' >"$T/out"
exits 1 'one fails' "$PW" watch 2 --exit-on error
exits 0 'one dies' "$PW" start 3 --no-watch -- sh -c 'exit 3'
exits 10 'and is dead' "$PW" watch 3
are 'done 1 0' '- - -' '- - -' 'one of them is handed off'

# ---- what does not succeed --------------------------------------------------

for issue in 1 2 3; do
	fails 1 "^$issue hand-off not yet \(exit 75\), attempt .: not now\$" \
		handoff $issue --handoff "$T/gate"
	fails 12 "^$issue hand-off failed \(exit 1\), attempt [23]: it is \
broken\$" handoff $issue --handoff "$T/fail"
done
are 'done 3 1' 'none 2 1' 'none 2 1' 'the hand-offs are what they were'
due
is "$("$PW" sweep 2>&1)" '' 'a sweep later finds nothing to do'
exits 0 'nor does a watch' "$PW" watch 1
is "$(finished 1) $(finished 2) $(finished 3)" '1 0 0' \
	'and nothing was handed off by itself'

# Then the kernel reaps children by itself, and forgets how they ended.
exits 12 'one that fails where SIGCHLD was ignored' perl -e \
	'$SIG{CHLD} = "IGNORE"; exec @ARGV' \
	"$PW" handoff 2 --dry-run --handoff "$T/fail"

# ---- killed -----------------------------------------------------------------

for issue in 1 2 3; do
	begin_command hand handoff $issue --handoff "$T/slow"
	wait_until 5 eval 'grep -q "^$issue " "$T/asked" &&
		[ "$(record $issue handoff.state)" = running ]'
	kill -KILL "$(cat "$T/hand.pid")"
	wait_until 5 command_ended hand
	: >"$T/asked"
done
exits 3 'while its command runs another run is refused' \
	"$PW" start 3 --no-watch -- true
: >"$T/let"
"$PW" sweep >"$T/out"
are 'done 4 255' 'none 3 255' 'none 3 255' 'so they are after a killed one'
is "$("$PW" sweep 2>&1)" '' 'the next sweep has nothing to do'
is "$(finished 1) $(finished 2) $(finished 3)" '1 0 0' 'and does nothing'

# ---- beside a watcher that is about to end ----------------------------------

perl -MFcntl=:flock -e 'open my $file, ">>", $ARGV[0] or die;
	flock $file, LOCK_EX or die; print "held\n"; close STDOUT;
	select undef, undef, undef, 0.4' "$S/.paneward/1.lock" >"$T/held" &
wait_until 5 test -s "$T/held"
exits 1 'one whose watcher is about to end is waited for' \
	"$PW" handoff 1 --handoff "$T/gate"

# ---- interrupted ------------------------------------------------------------

rm "$T/let"
: >"$T/asked"
begin_command hand handoff 1 --handoff "$T/slow"
wait_until 5 test -s "$T/asked"
kill -TERM "$(cat "$T/hand.pid")"
wait_until 5 command_ended hand
is "$(cat "$T/hand.status") $(cat "$T/hand.out")" \
	'12 1 hand-off interrupted, attempt 6' 'an interruption is told'
is "$(handoff 1)" 'done 6 75' 'and says nothing of the hand-off'

# ---- what succeeds, and what is open ----------------------------------------

is "$("$PW" handoff 3)" '3 handed off' 'one that succeeds is told'
is "$(handoff 3) $(finished 3)" 'done 4 0 1' 'and done'
# shellcheck disable=SC2016
exits 0 'an error' "$PW" signal complete --issue 2
exits 0 'that completes after all' "$PW" sweep
is "$(handoff 2) $(finished 2)" 'done 4 0 1' \
	'is handed off, with the next number'
exits 0 'a run' "$PW" start 5 --no-watch -- true
"$PW" signal complete --issue 5
printf '{ "handoff": ["%s/gate"] }\n' "$T" >"$P/.paneward.json"
exits 0 'one that is not yet handed off' "$PW" sweep
fails 12 ', again at .*[0-9]:[0-9]' handoff 5 --handoff "$T/fail"
is "$(handoff 5)" 'pending 2 1' 'since it does'

done_testing
