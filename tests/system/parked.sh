#!/bin/sh
# An agent that a usage limit holds is told to go on when that ends: once, and
# only at its prompt.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
PATH=$T/bin:$PATH
export PATH
echo '{ "on_limit": "resume", "limit_prompt": "please go on" }' \
	>"$P/.paneward.json"
tmux_start

# begins ISSUE LIMITS [TEXT]: until it shows that it is limited.  $mode is an
# option.
mode=
begins() {
	log=$T/log-$1
	pane_run "issue-$1" "exec claude $ROOT/tests/system/parked.pl $mode $log $2 ${3:-}"
	wait_until 20 grep -q '^limit' "$log"
	wait_until 20 pane_shows "issue-$1" "$last_line"
}
last_line='? for shortcuts'

# parked_by_sweep ISSUE: two seconds before its limit ends, by the sweep's clock.
parked_by_sweep() {
	PANEWARD_NOW=$(($(end_of "$1") - 2)) "$PW" sweep >"$T/said" 2>&1
}

# watched ISSUE LIMITS [TEXT]
watched() {
	begins "$@"
	"$PW" watch "$1" >"$T/watch-$1" 2>&1 &
	watcher=$!
	wait_until 20 was_parked "$1"
}

record() {
	sed "s/.*\"parked\":{[^}]*\"$2\":\"*\([^\",}]*\).*/\1/" \
		"$S/.paneward/$1.json"
}

is_parked() { grep -q '"state":"limited".*"parked":{' "$S/.paneward/$1.json"; }

# was_parked ISSUE: is it, or was it?
was_parked() { is_parked "$1" || journal "$1" parked; }
seconds() { date -d "$1" +%s%3N; }
prompted() { [ "$(prompts "$1")" = 1 ]; }
prompts() { grep -c '^prompt' "$T/log-$1"; }
end_of() { sed -n 's/^limit //p' "$T/log-$1" | tail -n 1; }
passed() { [ "$(date +%s)" -gt "$1" ]; }

watched 1 20
like "$("$PW" status 1)" 'goes on at .*[0-9]+:[0-9]+ \(in [0-9]+s\), 1 of 3' \
	'and its row tells when it goes on'
planned=$(($(seconds "$(record 1 next)") - $(end_of 1) * 1000))
check "within five seconds after the end ($planned ms)" test "$planned" -le 5000
exits 0 'it works again' "$PW" wait 1 --until working --timeout 60
is "$(sed -n 's/^prompt [0-9]* //p' "$log")" 'please go on' \
	'by the prompt that is configured'
late=$(($(seconds "$(record 1 asked)") - $(end_of 1) * 1000))
check "after the end ($late ms)" test "$late" -ge 0
check 'and not before that time' test "$late" -ge "$planned"
wait_until 20 eval 'journal 1 parked >/dev/null'
like "$(journal 1 parked)" 'told to go on, 1 of 3: please go on' \
	'which is journaled'
exits 0 'and shown in the history' "$PW" history 1
like "$(cat "$T/out")" 'told to go on, 1 of 3' 'as that'

watched 2 5 half-typed
wait_until 60 eval 'journal 2 parked >/dev/null'
like "$(journal 2 parked)" 'not told to go on, 1 of 3: something is typed' \
	'a prompt with a text of a person is left alone'
check 'which stays as it is' pane_shows issue-2 half-typed
is "$(prompts 2)" 0 'and is not sent'
like "$("$PW" status 2)" '\(in 9m.*\), 2 of 3|\(in 10m.*\), 2 of 3' \
	'it is tried again ten minutes later'

watched 3 6,6
wait_until 60 eval '[ "$(prompts 3)" = 2 ]'
is "$(grep -c '^limit' "$log")" 2 'a limit that has not ended parks it again'
wait_until 20 eval '[ "$(journal 3 parked | wc -l)" = 2 ]'
like "$(journal 3 parked)" 'told to go on, 2 of 3' 'in the same episode'

begins 4 6
parked_by_sweep 4
check 'a sweep parks it, too' is_parked 4
is "$(prompts 4)" 0 'before its end nothing is typed'
wait_until 30 passed "$(($(end_of 4) + 3))"
PANEWARD_NOW=$(($(end_of 4) - 1800)) "$PW" sweep >"$T/said" 2>&1
is "$(prompts 4)" 0 'nor by a clock that was set back'
"$PW" sweep >"$T/said" 2>&1
soon 'and the next one tells it to go on' prompted 4
"$PW" sweep >"$T/said" 2>&1
is "$(prompts 4)" 1 'once'

watched 5 15
kill -KILL "$watcher"
"$PW" watch 5 >"$T/watch-5" 2>&1 &
wait_until 60 prompted 5
is "$(prompts 5)" 1 'a watcher that was killed is replaced'
wait_until 20 eval 'journal 5 parked >/dev/null'
is "$(journal 5 parked | wc -l)" 1 'and the agent told once'

mode=--dialog last_line='Enter to confirm'
begins 7 8
mode='' last_line='? for shortcuts'
parked_by_sweep 7
exits 0 'the dialog of a limit is shown' "$PW" answer 7
like "$(cat "$T/out")" '^  1  Stop and wait for limit to reset  .no.$' \
	'with the choice that leads to the prompt'
"$PW" watch 7 >"$T/watch-7" 2>&1 &
wait_until 60 prompted 7
is "$(grep '^choice' "$log")" 'choice 1' 'which is taken when the limit ends'
is "$(sed -n 's/^prompt [0-9]* //p' "$log")" 'please go on' \
	'and the prompt is typed'

# Dialogs come and go at any moment: no key is for one that the terminal had
# read.  Some prompts are typed between them.
mode=--swap
for issue in 11 12 13 14 15 16; do
	begins $issue 5
	parked_by_sweep $issue
done
mode=
wait_until 30 passed "$(($(end_of 16) + 3))"
# swept: twice at least, and until one was sent.
swept() {
	"$PW" sweep >"$T/said" 2>&1
	sed -i 's/\("next":"\)2[0-9]*/\12020/; s/"asks":[0-9]*/"asks":1/' \
		"$S"/.paneward/1?.json
	cat "$T"/log-1? >"$T/swapped"
	grep -q '^prompt' "$T/swapped"
}
swept
wait_until 60 swept && result 0 'some prompts are sent between dialogs that come and go'
is "$(grep -c '^late' "$T/swapped")" 0 'and no key goes to one of them'

begins 6 4
parked_by_sweep 6
tm respawn-pane -k -t =issue-6: "cat $T/log-6; exec sh -i"
wait_until 30 passed "$(($(end_of 6) + 3))"
"$PW" sweep >"$T/said" 2>&1
check 'nothing is typed into a shell' no pane_shows issue-6 'please go on'
done_testing
