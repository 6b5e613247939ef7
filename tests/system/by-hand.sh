#!/bin/sh
# The hand-off by hand: of any run that is over, as often as it is called; no
# attempt by hand is repeated by itself.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"

echo "echo \"\$PANEWARD_ISSUE\" >>'$T/finished'" | script finish
echo 'echo "not now"; exit 75' | script gate
echo 'echo "it is broken"; exit 1' | script fail
script slow <<END
echo "\$PANEWARD_ISSUE" >>'$T/asked'
while [ ! -e '$T/let' ]; do sleep 0.02; done
exit 1
END
printf '{ "handoff": ["%s/finish"] }\n' "$T" >"$P/.paneward.json"
tmux_start

# Whatever waits for its time, its time has come.
due() {
	perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
		"$S"/.paneward/*.json
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
begin() { "$PW" start "$1" --no-watch -- sh -c "$2" >"$T/out"; }
begin 1 '"$PANEWARD" signal complete; exec tail -f /dev/null'
fails 0 '' watch 1
begin 2 '"$PANEWARD" signal error bad; exec tail -f /dev/null'
fails 1 '' watch 2 --exit-on error
begin 3 'exit 3'
fails 10 '' watch 3
are 'done 1 0' '- - -' '- - -' 'one of them is handed off'

# ---- what does not succeed --------------------------------------------------
for issue in 1 2 3; do
	fails 1 "^$issue hand-off not yet \(exit 75\), attempt .: not now\$" \
		handoff $issue --handoff "$T/gate"
	fails 12 "^$issue hand-off failed \(exit 1\), attempt [23]: it is broken\$" \
		handoff $issue --handoff "$T/fail"
done
are 'done 3 1' 'none 2 1' 'none 2 1' 'the hand-offs are what they were'
due
prints '' sweep
exits 0 'nor does a watch find anything to do' "$PW" watch 1
is "$(cat "$T/finished")" 1 'and nothing was handed off by itself'

# Then the kernel reaps children by itself, and forgets how they ended.
gives 12 '' perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' \
	"$PW" handoff 2 --dry-run --handoff "$T/fail"

# ---- killed -----------------------------------------------------------------
for issue in 1 2 3; do
	begin_command hand handoff $issue --handoff "$T/slow"
	wait_until 5 test -s "$T/asked"
	wait_until 5 has $issue handoff.state running
	kill -KILL "$(cat "$T/hand.pid")"
	wait_until 5 command_ended hand
	rm "$T/asked"
done
exits 3 'while its command runs another run is refused' \
	"$PW" start 3 --no-watch -- true
: >"$T/let"
"$PW" sweep >"$T/out"
are 'done 4 255' 'none 3 255' 'none 3 255' 'so they are after a killed one'
prints '' sweep
is "$(cat "$T/finished")" 1 'and does nothing'

# ---- beside a watcher that is about to end ----------------------------------
perl -MFcntl=:flock -e 'open my $file, ">>", $ARGV[0] or die;
	flock $file, LOCK_EX or die; print "held\n"; close STDOUT;
	select undef, undef, undef, 0.4' "$S/.paneward/1.lock" >"$T/held" &
wait_until 5 test -s "$T/held"
fails 1 'not yet' handoff 1 --handoff "$T/gate"

# ---- interrupted ------------------------------------------------------------
rm "$T/let"
begin_command hand handoff 1 --handoff "$T/slow"
wait_until 5 test -s "$T/asked"
kill -TERM "$(cat "$T/hand.pid")"
wait_until 5 command_ended hand
is "$(cat "$T/hand.status") $(cat "$T/hand.out")" \
	'12 1 hand-off interrupted, attempt 6' 'an interruption is told'
is "$(handoff 1)" 'done 6 75' 'and says nothing of the hand-off'

# ---- what succeeds, and what is open ----------------------------------------
prints '3 handed off' handoff 3
"$PW" signal complete --issue 2
exits 0 'an error that completes after all' "$PW" sweep
are 'done 6 75' 'done 4 0' 'done 4 0' 'both are done, with the next number'
is "$(xargs <"$T/finished")" '1 3 2' 'once each'
begin 5 true
"$PW" signal complete --issue 5
printf '{ "handoff": ["%s/gate"] }\n' "$T" >"$P/.paneward.json"
exits 0 'one that is not yet handed off' "$PW" sweep
fails 12 ', again at .*[0-9]:[0-9]' handoff 5 --handoff "$T/fail"
is "$(handoff 5)" 'pending 2 1' 'since it does'

done_testing
