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
	pane_run "issue-$1" "exec claude $ROOT/tests/system/parked.pl $mode \
		$T/log-$1 $2 ${3:-}"
	wait_until 20 grep -q '^limit' "$T/log-$1"
	wait_until 20 pane_shows "issue-$1" "$last_line"
}
last_line='? for shortcuts'

# sweep [TIME]: at that time of its clock.
sweep() { PANEWARD_NOW=${1-$(date +%s)} "$PW" sweep >"$T/said" 2>&1; }

# parked ISSUE: by a sweep, two seconds before its limit ends.
parked() { sweep $(($(end_of "$1") - 2)); }

# watch ISSUE: $watcher is its process.
watch() {
	"$PW" watch "$1" >"$T/watch-$1" 2>&1 &
	watcher=$!
}

# watched ISSUE LIMITS [TEXT]
watched() {
	begins "$@"
	watch "$1"
	wait_until 20 was_parked "$1"
}

record() {
	sed "s/.*\"parked\":{[^}]*\"$2\":\"*\([^\",}]*\).*/\1/" \
		"$S/.paneward/$1.json"
}

is_parked() { grep -q '"state":"limited".*"parked":{' "$S/.paneward/$1.json"; }

# was_parked ISSUE: is it, or was it?
was_parked() { is_parked "$1" || journal "$1" parked; }

# told ISSUE TIMES REGEX: so often it was, as is journaled.
told() {
	wait_until 20 journaled "$1" "$2"
	like "$(journal "$1" parked)" "$3" "$1 is told so, and not more often"
}

journaled() { [ "$(journal "$1" parked | wc -l)" = "$2" ]; }
seconds() { date -d "$1" +%s%3N; }
prompted() { [ "$(prompts "$1")" = 1 ]; }
prompts() { grep -c '^prompt' "$T/log-$1"; }
end_of() { sed -n 's/^limit //p' "$T/log-$1" | tail -n 1; }
passed() { [ "$(date +%s)" -gt "$1" ]; }

# All that are watched wait at the same time, and beside what the sweeps do.
watched 1 15
like "$("$PW" status 1)" 'goes on at .*[0-9]+:[0-9]+ \(in [0-9]+s\), 1 of 3' \
	'the row of a parked agent tells when it goes on'
planned=$(($(seconds "$(record 1 next)") - $(end_of 1) * 1000))
check "within five seconds after the end ($planned ms)" test "$planned" -le 5000
watched 2 5 half-typed
watched 3 6,6
watched 5 15
kill -KILL "$watcher"
watch 5

mode=--dialog last_line='Enter to confirm'
begins 7 8
mode='' last_line='? for shortcuts'
parked 7
fails 0 '^  1  Stop and wait for limit to reset  .no.$' answer 7
watch 7

begins 4 6
parked 4
check 'a sweep parks it, too' is_parked 4
is "$(prompts 4)" 0 'before its end nothing is typed'
wait_until 30 passed "$(($(end_of 4) + 3))"
sweep $(($(end_of 4) - 1800))
is "$(prompts 4)" 0 'nor by a clock that was set back'
sweep
soon 'and the next one tells it to go on' prompted 4
sweep
is "$(prompts 4)" 1 'once'

begins 6 4
parked 6
tm respawn-pane -k -t =issue-6: "cat $T/log-6; exec sh -i"

# Dialogs come and go at any moment: no key is for one that the terminal had
# read.  Some prompts are typed between them.
mode=--swap
for issue in 11 12 13 14 15 16; do
	begins $issue 5
	parked $issue
done
wait_until 30 passed "$(($(end_of 16) + 3))"
# swept: twice at least, and until one was sent.
swept() {
	sweep
	sed -i 's/\("next":"\)2[0-9]*/\12020/; s/"asks":[0-9]*/"asks":1/' \
		"$S"/.paneward/1?.json
	cat "$T"/log-1? >"$T/swapped"
	grep -q '^prompt' "$T/swapped"
}
swept
wait_until 60 swept && result 0 'between dialogs some prompts are sent'
is "$(grep -c '^late' "$T/swapped")" 0 'and no key goes to one of them'
check 'nothing is typed into a shell' no pane_shows issue-6 'please go on'

# ---- what became of those that are watched -----------------------------------
exits 0 'it works again' "$PW" wait 1 --until working --timeout 60
is "$(sed -n 's/^prompt [0-9]* //p' "$T/log-1")" 'please go on' \
	'by the prompt that is configured'
late=$(($(seconds "$(record 1 asked)") - $(end_of 1) * 1000))
check "after the end, and not before that time ($late ms)" \
	test "$late" -ge 0 -a "$late" -ge "$planned"
told 1 1 'told to go on, 1 of 3: please go on'
like "$("$PW" history 1)" 'told to go on, 1 of 3' 'the history shows it'

told 2 1 'not told to go on, 1 of 3: something is typed'
check 'a text of a person stays as it is' pane_shows issue-2 half-typed
is "$(prompts 2)" 0 'and is not sent'
like "$("$PW" status 2)" '\(in ([89]|10)m.*\), 2 of 3' \
	'it is tried again ten minutes later'

wait_until 60 eval '[ "$(prompts 3)" = 2 ]'
is "$(grep -c '^limit' "$T/log-3")" 2 'a limit that has not ended parks it again'
told 3 2 'told to go on, 2 of 3'

wait_until 60 prompted 5
told 5 1 'told to go on, 1 of 3'

wait_until 60 prompted 7
is "$(grep -e '^choice' "$T/log-7"; sed -n 's/^prompt [0-9]* //p' "$T/log-7")" \
	'choice 1
please go on' 'a dialog is left when the limit ends, and the prompt typed'
done_testing
