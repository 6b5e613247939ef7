#!/bin/sh
# A prompt is typed into an agent at its empty prompt, and into nothing else.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
PATH=$T/bin:$PATH
export PATH
tmux_start

# agent ISSUE WORDS [STATE]: a stand-in in a pane of its own, which is watched.
agent() {
	pane_run "$1" "exec env TELLS='$tells' \
		claude $ROOT/tests/system/prompt.pl $T/log-$1 $2"
	wait_until 10 pane_shows "$1" '? for shortcuts'
	"$PW" watch "$1" --session "$1" >"$T/watch-$1" 2>&1 &
	wait_until 10 becomes "$1" "${3-waiting}"
}
becomes() { "$PW" status "$1" | grep -q "^$1 *$2 "; }
prompts() { sed -n 's/^prompt \([0-9a-f]*\) .*/\1/p' "$T/log-$1"; }
bytes() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }

tells=
agent one 0.4
one='does it'\''"$HOME `work`; naïve #{pane_id} 漢字?;'
many=$(printf 'first\n\tand\nlast')
long=$(head -c 60000 /dev/zero | tr '\0' 'x' | fold -w 60)
scenario 'a text is sent, of one line or of several' <<'END'
>>> "$PW" send one "$one"
one: sent 49 bytes
>>> printf '%s\n' "$many" | "$PW" send one --when-idle --wait -
one waiting: at its prompt
>>> valid 0 send one --json --wait=waiting,dead 'the third'
>>> cut -d, -f-5 "$T/out"
{"target":"one","did":"sent","issue":"one","state":"waiting","why":"at its prompt"
>>> "$PW" send one "$long"
one: sent 60999 bytes
END
is "$(prompts one | sum)" "$(for text in "$one" "$many" 'the third' "$long"; do
	bytes "$text"; echo; done | sum)" 'each arrives once, byte for byte'
like "$(journal one sent | head -n 1)" \
	"sent, 49 bytes by $(id -un).* at $(hostname): does it" 'and is journaled'

wait_until 10 becomes one waiting
for text in '' ' ' "$(printf 'a\033b')" "$(printf 'a\rb')" /exit '!ls' '#note' @file
do
	fails 2 'send: a text ' send one "$text"
done
exits 2 'a text is too long' "$PW" send one "$long$long"
fails 2 "and 'three' is one more; put a text in quotes" send one two three
fails 2 "'later' is not a state" send one --wait=later text
fails 1 "no agent is known by the name 'none'" send none text
printf 'a\0b' >"$T/nul"
exits 2 'a NUL is refused' sh -c "'$PW' send one - <'$T/nul'"

"$PW" signal complete --issue one && wait_until 10 becomes one complete
is "$("$PW" send one --wait 'and more')" \
	'one complete: signal-complete-one is there' 'a run that is over gets more, too'

script tells <<END
for event in UserPromptSubmit Stop; do
	echo '{"hook_event_name":"'\$event'","session_id":"s"}' |
		PANEWARD_ISSUE=short PANEWARD_STATUS_DIR=$S '$PW' hook record
done
END
tells=$T/tells
agent short 0
tells=
"$PW" signal complete --issue short && wait_until 10 becomes short complete
prints 'short: sent 3 bytes' send short one
is "$("$PW" send short --wait two)" \
	'short complete: signal-complete-short is there' 'and so does one whose turn no screen shows'

agent two 600
"$PW" send two work >"$T/said" 2>&1
fails 1 "'two': it (is busy; --when-idle waits|does not show its prompt)" send two text
tm kill-session -t =two
wait_until 10 becomes two gone
fails 1 "cannot send to 'two': its pane is gone" send two text
is "$(prompts two)" "$(bytes work)" 'nothing else was typed'

agent three 'race 7' '[a-z]*'
sent=0 refused=0 late=0
for number in $(seq "${SEND_RACES:-20}"); do
	got=0
	[ $((number % 2)) -eq 0 ] && set -- || set -- --when-idle
	"$PW" send three "$@" "text $number" >"$T/said" 2>&1 || got=$?
	case $got in
	0) sent=$((sent + 1)) ;;
	1) refused=$((refused + 1)) ;;
	*) late=$((late + 1)); comment <"$T/said"; tm send-keys -t =three: C-u ;;
	esac
done
echo "# $sent sent, $refused refused, $late late"
is "$(grep wrong "$T/log-three")" '' 'only an empty prompt gets a text'
is "$(prompts three | sort | uniq -d)" '' 'and no text twice'
check 'some are sent' test "$sent" -gt 0
done_testing
