#!/bin/sh
# The command `notify`: once for each change that is to be told of, and whatever
# the agent said is data.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

# Each call adds a line; the environment's message and the input beside it.
cat >"$T/note" <<END
#!/bin/sh
{
	printf '%s %s' "\$PANEWARD_ISSUE" "\$PANEWARD_STATE"
	[ \$# -eq 0 ] || printf ' with %s' "\$*"
	echo
} >>'$T/notes'
printf '%s' "\$PANEWARD_MESSAGE" >'$T/message'.\$PANEWARD_ISSUE
cat >'$T/input'.\$PANEWARD_ISSUE
END
chmod +x "$T/note"

# configure COMMAND: as JSON.
configure() {
	printf '{ "handoff": null, "notify": %s }\n' "$1" >"$P/.paneward.json"
}

noted() {
	[ "$(grep -cx "$1" "$T/notes" 2>/dev/null)" -eq "${2:-1}" ]
}

tmux_start
: >"$T/notes"
configure "\"$T/note\""

# ---- what is told -----------------------------------------------------------

obedient a1
"$PW" start 1 -- "$T/a1" >/dev/null
wait_until 5 watched 1
wait_until 5 recorded 1 working
hostile='$(touch pwned) `touch pwned` '\''"; touch pwned; #{q} %s'
printf '%s\033[31m\007\nsecond line\n' "$hostile" >"$S/signal-error-1.new"
mv "$S/signal-error-1.new" "$S/signal-error-1"
wait_until 5 noted '1 error'
check 'an error is told of' noted '1 error'
is "$(cat "$T/message.1")" "$hostile second line" 'what was said is data'
is "$(find "$T" "$P" -name pwned)" '' 'and nothing of it was run'
check 'without control bytes' no grep -q "$(printf '[\001-\037]')" \
	"$T/message.1"
wait_until 5 test -s "$T/input.1"
is "$(perl -MJSON::PP -e 'print decode_json(<STDIN>)->{issue}' \
	<"$T/input.1")" 1 'the record is on its standard input'
tell a1 '"$PANEWARD" signal complete "all is well"'
wait_until 5 noted '1 complete'
check 'the completion behind it too' noted '1 complete'
is "$(grep -c '^1 working' "$T/notes")" 0 'that it works is no news'
is "$(journal 1 notify | wc -l)" 2 'each is in the journal'

"$PW" start 2 -- sh -c 'exit 3' >/dev/null
wait_until 5 noted '2 dead'
check 'a death is told of' noted '2 dead'
"$PW" start 3 -- sleep 1000 >/dev/null
wait_until 5 watched 3
tm kill-pane -t "$(record 3 tmux.pane)"
wait_until 5 noted '3 gone'
check 'and a pane that is gone' noted '3 gone'

# ---- how often --------------------------------------------------------------

obedient a4
"$PW" start 4 --no-watch -- "$T/a4" >/dev/null
: >"$S/signal-error-4"
echo broken >"$S/signal-error-4"
watch_begin w4 4
wait_until 5 noted '4 error'
kill -KILL "$(cat "$T/w4.pid")"
wait_until 5 test -e "$T/w4.status"
"$PW" watch 4 --once >/dev/null 2>&1
"$PW" sweep --check-errors >/dev/null 2>&1
tell a4 '"$PANEWARD" signal complete'
"$PW" watch 4 >/dev/null 2>&1
wait_until 5 noted '4 complete'
check 'who comes later tells nothing again' noted '4 error'

# The same state of a new run within the minute.
"$PW" watch 5 --once >/dev/null 2>&1
echo one >"$S/signal-error-5"
"$PW" sweep --check-errors >/dev/null
wait_until 5 noted '5 error'
check 'a sweep tells as well' noted '5 error'

# ---- how it is written ------------------------------------------------------

configure "[\"$T/note\", \"two words\", \"\$HOME\"]"
echo x >"$S/signal-complete-6"
"$PW" sweep >/dev/null
wait_until 5 noted "6 complete with two words \$HOME"
check 'words are run without a shell' \
	noted "6 complete with two words \$HOME"
configure "\"$T/note \\\"\$PANEWARD_ISSUE\\\" | cat\""
echo x >"$S/signal-complete-7"
"$PW" sweep >/dev/null
wait_until 5 noted '7 complete with 7'
check 'a line is run by one' noted '7 complete with 7'
printf '{ "handoff": null, "notify": "%s", "notify_on": ["error"] }\n' \
	"$T/note" >"$P/.paneward.json"
echo x >"$S/signal-complete-8"
"$PW" sweep >/dev/null
is "$(record 8 state) $(journal 8 notify | wc -l)" 'complete 0' \
	'what is not asked for is not told'
configure '"./missing"'
exits 2 'a command that is not there is refused' "$PW" sweep
like "$(cat "$T/err")" "cannot use the command of notify: .*missing'" 'and named'

# ---- one that hangs ---------------------------------------------------------

cat >"$T/hang" <<END
#!/bin/sh
trap '' TERM
sleep 1000 &
echo "\$\$ \$!" >'$T/hanging'
wait
sleep 1000
END
chmod +x "$T/hang"
configure "\"$T/hang\""
echo x >"$S/signal-complete-9"
clock
begun=$now
"$PW" watch 9 >/dev/null 2>"$T/err"
clock
check 'one that hangs delays nobody' test $((now - begun)) -lt 500
wait_until 5 test -s "$T/hanging"
read -r leader child <"$T/hanging"
gone() {
	! kill -0 "$leader" 2>/dev/null && ! kill -0 "$child" 2>/dev/null
}
wait_until 20 gone
check 'and is ended with all that it began' gone
done_testing
