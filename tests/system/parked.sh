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

parked_at() {
	sed "s/.*\"parked\":{[^}]*\"$2\":\"*\([^\",}]*\).*/\1/" \
		"$S/.paneward/$1.json"
}

is_parked() { grep -q '"state":"limited".*"parked":{' "$S/.paneward/$1.json"; }

# was_parked ISSUE: is it, or was it?
was_parked() { is_parked "$1" || journal "$1" parked; }

# told ISSUE TIMES REGEX: so often it was, as is journaled, and not more often.
told() {
	wait_until 20 journaled "$1" "$2"
	like "$(journal "$1" parked)" "$3"
}

journaled() { [ "$(journal "$1" parked | wc -l)" = "$2" ]; }
seconds() { date -d "$1" +%s%3N; }
prompted() { [ "$(prompts "$1")" = "${2:-1}" ]; }
prompts() { grep -c '^prompt' "$T/log-$1" || true; }
end_of() { sed -n 's/^limit //p' "$T/log-$1" | tail -n 1; }
passed() { [ "$(date +%s)" -gt "$1" ]; }

# after_end ISSUE WHEN: that time, in milliseconds behind the end of its limit.
after_end() {
	echo $(($(seconds "$(parked_at "$1" "$2")") - $(end_of "$1") * 1000))
}

# All that are watched wait at the same time, and beside what the sweeps do.
scenario 'the row of a parked agent tells when it goes on' <<'END'
>>> watched 1 15; "$PW" status 1 | head -n 1
~ 1 .*goes on at .*\d+:\d+ \(in \d+s\), 1 of 3.*
>>> valid 0 status 1 --json
>>> covers row.parked.since row.parked.until row.parked.next
>>> planned=$(after_end 1 next); test "$planned" -le 5000
>>> watched 2 5 half-typed; watched 3 6,6; watched 5 15
>>> kill -KILL "$watcher"; watch 5
>>> mode=--dialog last_line='Enter to confirm'; begins 7 8
>>> mode='' last_line='? for shortcuts'; parked 7
>>> fails 0 '^  1  Stop and wait for limit to reset  .no.$' answer 7; watch 7
END
scenario 'a sweep parks, and tells it to go on once, after the end' <<'END'
>>> begins 4 6; parked 4; is_parked 4 && prompts 4
0
>>> wait_until 30 passed "$(($(end_of 4) + 3))"; sweep $(($(end_of 4) - 1800))
>>> prompts 4; sweep; wait_until 10 prompted 4; sweep; prompts 4
0
1
>>> begins 6 4; parked 6
... tm respawn-pane -k -t =issue-6: "cat $T/log-6; exec sh -i"
END

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
scenario 'prompts are sent between dialogs, never to one' <<'END'
>>> wait_until 60 swept; grep '^late' "$T/swapped"
[1]
>>> no pane_shows issue-6 'please go on'
END

# ---- what became of those that are watched -----------------------------------
scenario 'it works again by the configured prompt, after the end' <<'END'
>>> fails 0 '' wait 1 --until working --timeout 60
>>> sed -n 's/^prompt [0-9]* //p' "$T/log-1"
please go on
>>> late=$(after_end 1 asked); test "$late" -ge 0 -a "$late" -ge "$planned"
>>> told 1 1 'told to go on, 1 of 3: please go on'
>>> fails 0 'told to go on, 1 of 3' history 1
>>> valid 0 status 1 --json; covers row.parked.asked row.parked.asks
END
scenario 'a text of a person stays; ten minutes later it is tried again' <<'END'
>>> told 2 1 'not told to go on, 1 of 3: something is typed'
>>> pane_shows issue-2 half-typed && prompts 2
0
>>> fails 0 '\(in ([89]|10)m.*\), 2 of 3' status 2
END
scenario 'a limit that has not ended parks it again; a dialog is left' <<'END'
>>> wait_until 60 prompted 3 2; grep -c '^limit' "$T/log-3"
2
>>> told 3 2 'told to go on, 2 of 3'
>>> wait_until 60 prompted 5; told 5 1 'told to go on, 1 of 3'
>>> wait_until 60 prompted 7; grep -e '^choice' "$T/log-7"
choice 1
>>> sed -n 's/^prompt [0-9]* //p' "$T/log-7"
please go on
END
done_testing
