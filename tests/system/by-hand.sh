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
hands_off() { printf '{ "handoff": ["%s"] }\n' "$T/$1" >"$P/.paneward.json"; }
begin() { "$PW" start "$1" --no-watch -- sh -c "$2" >"$T/out" 2>&1; }

# due: each attempt that waits for its time.
due() {
	perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
		"$S"/.paneward/*.json
}

# handoffs ISSUE...: state, attempts and last exit of their hand-offs.
handoffs() {
	for issue; do
		fields "$issue" handoff.state handoff.attempts handoff.last_exit
	done
}

# by_hand ISSUE: a hand-off that asks and does not end.
by_hand() {
	rm -f "$T/let" "$T/asked"
	begin_command hand handoff "$1" --handoff "$T/slow"
	wait_until 5 test -s "$T/asked"
}

tmux_start
# 1 is handed off, the agent of 2 lives, that of 3 is dead.
scenario 'an attempt that fails changes no hand-off and is not repeated' <<'END'
>>> hands_off finish
>>> begin 1 '"$PANEWARD" signal complete; exec tail -f /dev/null'
>>> fails 0 '' watch 1
>>> begin 2 '"$PANEWARD" signal error bad; exec tail -f /dev/null'
>>> fails 1 '' watch 2 --exit-on error
>>> begin 3 'exit 3'; fails 10 '' watch 3; handoffs 1 2 3
done 1 0
- - -
- - -
>>> for issue in 1 2 3; do
... 	fails 1 'not yet \(exit 75\), attempt [12]: not now$' handoff $issue \
... 		--handoff "$T/gate"
... 	fails 12 'failed \(exit 1\), attempt [23]: it is broken$' \
... 		handoff $issue --handoff "$T/fail"
... done
>>> handoffs 1 2 3; due; "$PW" sweep; fails 0 '' watch 1; cat "$T/finished"
done 3 1
none 2 1
none 2 1
1
>>> # Then the kernel reaps children by itself, and forgets how they ended.
>>> gives 12 '' perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' \
... 	"$PW" handoff 2 --dry-run --handoff "$T/fail"
END

scenario 'nor is one that is killed or interrupted' <<'END'
>>> for issue in 1 2 3; do
... 	by_hand $issue
... 	wait_until 5 has $issue handoff.state running
... 	kill -KILL "$(cat "$T/hand.pid")"
... 	wait_until 5 command_ended hand
... done
>>> # While its command runs another run is refused.
>>> fails 3 '' start 3 --no-watch -- true; : >"$T/let"; "$PW" sweep >"$T/out"
[1]
>>> handoffs 1 2 3; "$PW" sweep; cat "$T/finished"
done 4 255
none 3 255
none 3 255
1
>>> # A watcher that is about to end has the lock.
>>> perl -MFcntl=:flock -e 'open my $file, ">>", $ARGV[0] or die;
... 	flock $file, LOCK_EX or die; print "held\n"; close STDOUT;
... 	select undef, undef, undef, 0.4' "$S/.paneward/1.lock" >"$T/held" &
>>> wait_until 5 test -s "$T/held"
>>> fails 1 'not yet' handoff 1 --handoff "$T/gate"
>>> by_hand 1; kill -TERM "$(cat "$T/hand.pid")"; watch_ended hand 12 'so'
>>> cat "$T/hand.out"; handoffs 1
1 hand-off interrupted, attempt 6
done 6 75
END

scenario 'one that succeeds is the last, one that is open has another time' <<'END'
>>> "$PW" handoff 3
3 handed off
>>> "$PW" signal complete --issue 2; "$PW" sweep >"$T/out"; handoffs 1 2 3
done 6 75
done 4 0
done 4 0
>>> xargs <"$T/finished"; begin 5 true
1 3 2
>>> "$PW" signal complete --issue 5; hands_off gate; "$PW" sweep >"$T/out"
>>> fails 12 ', again at .*[0-9]:[0-9]' handoff 5 --handoff "$T/fail"
>>> handoffs 5; valid 0 status 5 --json; covers row.handoff.next
pending 2 1
END
done_testing
