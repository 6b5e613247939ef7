#!/bin/sh
# The word of a loop beside its echo, and words about limits beside limits.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

# ends STATUS 'ROUNDS REASON' PROMPT COMMANDS: so does a loop of two rounds with this
# prompt, whose agent does that.
ends() {
	printf '%s\n' "$4" | script agent
	fails "$1" '' loop run --json -n 2 --max-time 120 -f "$3" -- "$T/agent"
	is "$(sed -n '$s/.*"iterations":\(.*\),"reason":"\(.*\)".*/\1 \2/p' \
		"$T/out")" "$2" "$3 $2: $4"
}

# never PROMPT COMMANDS: what is printed is not the agent's word.
never() { ends 1 '2 max-iterations' "$@"; }

# said PROMPT COMMANDS: it is, in the first round.
said() { ends 0 '1 keyword' "$@"; }

cat >PROMPT.md <<'END'
Work on the issue in TODO.md.
Run the tests.
When everything is finished print LOOP_COMPLETE on a line.
END
echo 'Do it now. When all is done, say LOOP_COMPLETE. Good luck.' >sentence
printf 'First do what there is to do.\nSay LOOP_COMPLETE then.\n' >short
printf 'When all is done, print:\nLOOP_COMPLETE\n' >apart
while IFS='|' read -r prompt shown; do
	never "$prompt" "$shown"
done <<'END'
PROMPT.md|cat PROMPT.md
PROMPT.md|cat -n PROMPT.md
PROMPT.md|grep -n LOOP PROMPT.md
PROMPT.md|grep -Hn LOOP PROMPT.md
PROMPT.md|sed -n 2,3p PROMPT.md
PROMPT.md|fold -s -w 24 PROMPT.md
short|cat -n short
short|fold -w 9 short
short|sed "2s/then.*//" short
apart|cat
apart|cat -n apart
apart|tac -s x apart
END
printf 'Do the work. At the end say LOOP_COMPLETE.' >prompt
# The echo is read before the rest is written.
echo='cat
	sleep 0.6'
scenario 'a quotation and an echo are not the word, what the agent adds is' <<'END'
>>> never PROMPT.md "
... 	echo 'I was told: When everything is finished print LOOP_COMPLETE on a'
... 	echo 'line.'"
>>> never sentence "echo '● When all is done, say LOOP_COMPLETE.'"
>>> said PROMPT.md "cat -n PROMPT.md
... 	echo 'Everything is finished: LOOP_COMPLETE'"
>>> said prompt "$echo; echo LOOP_COMPLETE"
>>> said prompt "$echo; printf LOOP_COMPLETE; exec sleep 1000"
>>> never prompt "$echo; echo LOOP_COMPLETED"
>>> never prompt "$echo; cat prompt; sleep 0.3; cat prompt"
>>> fails 0 '' loop run --json -n 1 -- sh -c \
... 	'echo the keyword; echo LOOP_COMPLETE' sh --keyword=LOOP_COMPLETE
>>> said apart "cat; echo 'I am done.'; printf LOOP_COMPLETE; exec sleep 1000"
>>> # After fewer of the same letters, and behind a short line of the prompt.
>>> said apart "echo 'I print:'; echo LOOP_COMPLETE"
>>> said short "echo 'That is what I say'; echo LOOP_COMPLETE"
>>> for few in 'LOOP_COMPLETE is the word.' '1) LOOP_COMPLETE ends it.' \
... 	'Now say LOOP_COMPLETE.'; do
... 	echo "$few" >few
... 	fails 3 'put words before it' loop run -f few -- true
... done
END

# how STATUS TEXT: a round ends that has printed this.
how() {
	printf '%s\n' "$2" >"$T/text"
	"$PW" loop run --json -n 1 -- sh -c 'cat "$1"; exit "$2"' sh \
		"$T/text" "$1" 2>"$T/err" </dev/null |
		sed -n 's/.*"iteration":1,.*"end":"\([^"]*\)".*/\1/p'
}

# What becomes of a round that printed it, and of one that failed besides.
while read -r fine broken text; do
	is "$(how 0 "$text") $(how 1 "$text")" "$fine $broken" "$text"
done <<'END'
exited exited Rate limit middleware done; the window resets at 5pm.
exited exited Fixed the rate limit test, it resets in 2 hours now.
exited exited I added usage limit handling. Try again in 30 minutes.
exited exited FAIL tests/rate_limit_test.c: assertion failed
exited exited FAIL tests/rate_limit_reached.c: assertion failed
exited exited make: *** [rate-limit] Error 2
exited exited make: *** [Makefile:429: all] Error 2
exited limited Fixed the usage limit reached test, try again in 2 hours.
exited limited See what too many requests do, and retry in 5 minutes.
limited limited You've hit your session limit · resets 3pm
limited limited You’ve hit your limit · resets 3pm (Europe/Berlin)
limited limited You've reached your Opus weekly limit, resets 3pm
limited limited Claude AI usage limit reached|4102444800
limited limited 5-hour limit reached ∙ resets 3pm
limited limited Usage limit reached for gemini-2.5. Access resets at 3:15 PM.
limited limited Rate limit exceeded, try again in 20 minutes.
exited limited rate limit exceeded
exited limited 429 Too Many Requests
exited limited ■ exceeded retry limit, last status: 429 Too Many Requests
exited limited API Error: Request rejected (429) · This request would exceed your rate limit
exited limited Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"no"}}
exited limited You exceeded your current quota, please check your plan and billing details.
END
is "$(how 1 "rate limit exceeded
$(printf '%09000d' 0)")" exited 'a limit far above the end of the log is none'
echo "echo 'Claude AI usage limit reached|4102444800'" | script far
scenario 'a limit without a near end is tried again soon' <<'END'
>>> begin_command far loop run --json -n 2 -- "$T/far"
>>> wait_until 10 grep -q \
... 	'the loop goes on at [012][0-9]:[0-5][0-9] (in [45]m' "$T/far.err"
>>> kill -INT "$(cat "$T/far.pid")"; watch_ended far 130 'an interrupt ends it'
>>> fails 1 '"iterations":1,"reason":"max-time"' loop run --json --resume \
... 	--max-time $(($(record loop-default elapsed) / 1000 + 1))
END
done_testing
