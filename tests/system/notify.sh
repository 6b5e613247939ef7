#!/bin/sh
# The command `notify`: once for each change that is to be told of, and whatever
# the agent said is data.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

# Each call adds a line when it is done; what it was given lies beside.  One
# that began before the record said so has a word more.
cat >"$T/note" <<END
#!/bin/sh
issue=\$PANEWARD_ISSUE
state=\$PANEWARD_STATE
early=' too early'
grep -q '"notified":{.*"'\$state'":"' '$S/.paneward/'\$issue.json && early=
printf '%s' "\$PANEWARD_MESSAGE" >'$T/message.'\$issue
env >'$T/env.'\$issue
cat >'$T/input.'\$issue
[ ! -e '$T/kill' ] || kill -KILL "\$(cat '$T/kill')"
echo "\$issue \$state\${1:+ with \$*}\$early" >>'$T/notes'
END
chmod +x "$T/note"

# configure COMMAND [KEYS]: as JSON.
configure() {
	printf '{ "notify": %s%s }\n' "$1" "${2:+, $2}" >"$P/.paneward.json"
}

# noted LINE [TIMES]
noted() {
	[ "$(grep -Fcx -e "$1" "$T/notes")" -eq "${2:-1}" ]
}

# told LINE DESCRIPTION: soon, and once.
told() {
	wait_until 5 noted "$1"
	check "$2" noted "$1"
}

# pwned: what a shell would have left that was given an agent's words.
pwned() {
	find "$T" -name 'pwned*'
}

tmux_start
: >"$T/notes"
mkdir -p "$S" && chmod 700 "$S"

# ---- one that hangs ---------------------------------------------------------

# The first does not obey TERM; the second does, but not its child; the third
# only leaves one behind.
cat >"$T/hang" <<END
#!/bin/sh
[ "\$PANEWARD_ISSUE" != 91 ] || trap '' TERM
sh -c 'trap "" TERM; sleep 1000' &
echo "\$\$ \$!" >'$T/hanging.'\$PANEWARD_ISSUE
[ "\$PANEWARD_ISSUE" != 93 ] || exit 0
sleep 1000
sleep 1000
END
cat >"$T/hand" <<END
#!/bin/sh
echo "\$PANEWARD_ISSUE" >>'$T/handed'
END
chmod +x "$T/hang" "$T/hand"

hanging() {
	# shellcheck disable=SC2046
	kill -0 $(cat "$T/hanging.$1") 2>/dev/null
}

# Where neither of the two is left.
ended() {
	read -r leader child <"$T/hanging.$1"
	! kill -0 "$leader" 2>/dev/null && ! kill -0 "$child" 2>/dev/null
}

# time_hang ISSUE: how long it lasts, in hundredths of a second.
time_hang() {
	while ! ended "$1"; do
		sleep 0.1
	done
	clock
	echo $((now - begun)) >"$T/lasted.$1.new"
	mv "$T/lasted.$1.new" "$T/lasted.$1"
}

unlocked() {
	perl -MFcntl=:flock -e 'open my $file, "<", shift or die;
		exit !flock $file, LOCK_EX | LOCK_NB' "$S/.paneward/$1.lock"
}

configure "\"$T/hang\"" "\"handoff\": \"$T/hand\""
for issue in 91 92 93; do
	echo x >"$S/signal-complete-$issue"
done
clock
begun=$now
"$PW" watch 91 92 93 >/dev/null 2>"$T/hang.err"
is $? 0 'a watch ends while the command hangs'
clock
check 'without delay' test $((now - begun)) -lt 500
is "$(sort "$T/handed" | tr '\n' ' ')" '91 92 93 ' 'and the work is handed off'
for issue in 91 92 93; do
	wait_until 5 test -s "$T/hanging.$issue"
	time_hang "$issue" &
done
check 'the command goes on meanwhile' hanging 91
check 'and holds no lock' unlocked 91

# ---- what is told -----------------------------------------------------------

configure "\"$T/note\""
obedient a1
SECRET=1 "$PW" start 1 -- "$T/a1" >/dev/null
wait_until 5 watched 1
wait_until 5 recorded 1 working
# shellcheck disable=SC2016
hostile='$(touch pwned1) `touch pwned2` '\''"; touch pwned3; #{q} #(touch pwned4) %s'
printf '%s\033[31m\007\033]2;x\007\nsecond line\n' "$hostile" \
	>"$S/signal-error-1.new"
mv "$S/signal-error-1.new" "$S/signal-error-1"
told '1 error' 'an error is told of'
is "$(cat "$T/message.1")" "$hostile second line" 'what was said is data'
is "$(pwned)" '' 'and nothing of it was run'
is "$(LC_ALL=C tr -d '[:print:]' <"$T/message.1" | wc -c)" 0 \
	'without control bytes'
is "$(perl -MJSON::PP -e 'local $/; $_ = decode_json(<STDIN>);
	print "@$_{qw(issue state run)}"' <"$T/input.1")" \
	"1 error $(record 1 run)" 'the record is on its standard input'
check 'the environment is that of a hand-off' \
	grep -qx "PANEWARD_STATUS_DIR=$S" "$T/env.1"
check 'and holds nothing of ours' no grep -q SECRET "$T/env.1"
tell a1 '"$PANEWARD" signal complete "all is well"'
told '1 complete' 'the completion behind it too'
is "$(grep -c '^1 working' "$T/notes")" 0 'that it works is no news'
is "$(journal 1 notify | wc -l)" 2 'each is in the journal'

"$PW" start 2 -- sh -c 'exit 3' >/dev/null
told '2 dead' 'a death is told of'
"$PW" start 3 -- sleep 1000 >/dev/null
wait_until 5 watched 3
tm kill-pane -t "$(record 3 tmux.pane)"
told '3 gone' 'and a pane that is gone'

obedient a4
printf '\033]2;%s\007%s\n%s\n' "$hostile" '###TASK_ERROR_4###' "$hostile" \
	>"$T/marker"
"$PW" start 4 -- "$T/a4" >/dev/null
wait_until 5 watched 4
tell a4 "cat '$T/marker'"
told '4 error' 'an error in the output is told of'
like "$(cat "$T/message.4")" 'touch pwned1.*touch pwned4' 'with its words'
is "$(pwned)" '' 'of which nothing was run'

perl -e 'print "\xc3\xa4" x 300' >"$S/signal-error-5.new"
mv "$S/signal-error-5.new" "$S/signal-error-5"
"$PW" sweep --check-errors >/dev/null
told '5 error' 'a sweep tells as well'
is "$(perl -CS -ne 'print length' <"$T/message.5")" 200 'of 200 characters'

# ---- how often --------------------------------------------------------------

obedient a6
"$PW" start 6 --no-watch -- "$T/a6" >/dev/null
watch_begin w6 6
wait_until 5 watch_holds w6 6
cp "$T/w6.pid" "$T/kill"
"$PW" signal error --issue 6 broken
wait_until 5 test -e "$T/w6.status"
rm "$T/kill"
"$PW" watch 6 --once >/dev/null 2>&1
"$PW" sweep --check-errors >/dev/null 2>&1
"$PW" signal complete --issue 6
"$PW" watch 6 >/dev/null 2>&1
told '6 complete' 'where a watcher was killed the next one goes on'
check 'and tells nothing again' noted '6 error'

# record_notified ISSUE STATE TIME: as if it had been told of then.
record_notified() {
	perl -pi -e 'BEGIN { ($state, $time) = splice @ARGV, 0, 2 }
		s/("notified":\{[^}]*"$state":")[^"]*/$1$time/' "$2" "$3" \
		"$S/.paneward/$1.json"
}

changed() {
	[ "$(changes "$1" "$2")" -eq "$3" ]
}

# stall TIMES: it works, and stalls again.
stall() {
	tell a7 'echo here I am'
	wait_until 10 changed 7 stalled "$1"
}

configure "\"$T/note\"" '"notify_on": ["stalled"], "stalled_after": 1'
obedient a7
"$PW" start 7 --no-watch -- "$T/a7" >/dev/null
watch_begin w7 7
wait_until 10 changed 7 stalled 1
told '7 stalled' 'one that stalls is told of'
stall 2
stall 3
let_pass
check 'not again within a minute' noted '7 stalled'
for when in 2001-01-01 2101-01-01; do
	kill "$(cat "$T/w7.pid")"
	wait_until 5 test -e "$T/w7.status"
	record_notified 7 stalled "${when}T00:00:00.000Z"
	watch_begin w7 7
	wait_until 5 watch_holds w7 7
	stall $(($(changes 7 stalled) + 1))
done
wait_until 5 noted '7 stalled' 3
check 'but later, also where the clock was set back' noted '7 stalled' 3
kill "$(cat "$T/w7.pid")"

# Written down first: until that can be done nothing is told.
block() {
	mv "$S/.paneward/journal.ndjson" "$T/journal" &&
		mkdir "$S/.paneward/journal.ndjson"
}

unblock() {
	rmdir "$S/.paneward/journal.ndjson" &&
		mv "$T/journal" "$S/.paneward/journal.ndjson"
}

configure "\"$T/note\"" '"notify_on": ["error"]'
obedient a8
"$PW" start 8 --no-watch -- "$T/a8" >/dev/null
watch_begin w8 8
wait_until 5 watch_holds w8 8
block
"$PW" signal error --issue 8 broken
wait_until 5 grep -q 'cannot record' "$T/w8.err"
let_turn "$(cat "$T/w8.pid")"
check 'what cannot be recorded is not told' noted '8 error' 0
unblock
told '8 error' 'before it can be'
"$PW" signal complete --issue 8
watch_ended w8 0 'the watch ends'
obedient a9
"$PW" start 9 --no-watch -- "$T/a9" >/dev/null
watch_begin w9 9
wait_until 5 watch_holds w9 9
block
"$PW" signal error --issue 9 broken
wait_until 5 grep -q 'cannot record' "$T/w9.err"
"$PW" signal complete --issue 9
wait_until 5 grep -q '^9 complete' "$T/w9.out"
unblock
watch_ended w9 0 'one that overtook its error ends, too'
is "$(grep -c '^9 ' "$T/notes") $(journal 9 notify | wc -l)" '0 0' \
	'and the completion is not told in its place'

# ---- how it is written ------------------------------------------------------

configure "[\"$T/note\", \"two words\", \"\$HOME\"]"
echo x >"$S/signal-complete-10"
"$PW" sweep >/dev/null
told "10 complete with two words \$HOME" 'words are run without a shell'
configure "\"$T/note \\\"\$PANEWARD_ISSUE\\\" | cat; echo noise\""
echo x >"$S/signal-complete-11"
"$PW" watch 11 --json >"$T/out" 2>"$T/err"
told '11 complete with 11' 'a line is run by one'
wait_until 5 grep -qx noise "$T/err"
unlike "$(cat "$T/out")" noise 'what it prints is no result'
mkdir "$P/tools" "$P/tools/deep" && cp "$T/note" "$P/tools/my-note"
configure '"tools/my-note"'
echo x >"$S/signal-complete-12"
(cd tools/deep && "$PW" sweep >/dev/null)
told '12 complete' 'a program is found beside the configuration'
configure '"my-note"'
echo x >"$S/signal-complete-13"
PATH="$P/tools:$PATH" "$PW" sweep >/dev/null
told '13 complete' 'or in PATH'
for none in null '""' '[]'; do
	configure "$none"
	echo x >"$S/signal-complete-14"
	"$PW" sweep >/dev/null
	is "$(record 14 state) $(journal 14 notify | wc -l)" 'complete 0' \
		"$none is no command"
	rm "$S/.paneward/14.json"
done
configure "\"$T/note\"" '"notify_on": ["error"]'
echo x >"$S/signal-complete-15"
"$PW" sweep >/dev/null
is "$(record 15 state) $(journal 15 notify | wc -l)" 'complete 0' \
	'what is not asked for is not told'
configure '"./missing"'
exits 2 'a command that is not there is refused' "$PW" sweep
like "$(cat "$T/err")" "cannot use the command of notify: .*missing'" 'and named'

# ---- one that fails ---------------------------------------------------------

configure "\"echo failed >>'$T/notes'; exit 3\""
echo x >"$S/signal-complete-16"
exits 0 'one that fails does no harm' "$PW" sweep
wait_until 5 grep -q 'exit 3' "$T/err"
like "$(cat "$T/err")" "^paneward: .* notify for issue '16' failed .exit 3.$" \
	'it is told'
"$PW" sweep >/dev/null
"$PW" watch 16 >/dev/null
let_pass
check 'and not run again' noted failed

# ---- the end of what hangs --------------------------------------------------

for issue in 91 92 93; do
	wait_until 20 test -s "$T/lasted.$issue"
	lasted=$(cat "$T/lasted.$issue")
	check "what hangs has its ten seconds ($issue)" \
		test "$lasted" -ge 950
	check "and no more, nor has what it began ($issue)" \
		test "$lasted" -lt 1800
done
is "$(grep -c "notify for issue '9[123]' is ended after 10 seconds" \
	"$T/hang.err")" 3 'which is said'
done_testing
