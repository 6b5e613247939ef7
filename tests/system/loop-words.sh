#!/bin/sh
# The word of a loop beside its echo, and words about limits beside limits.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

# ends REASON ITERATIONS NAME ARGUMENT...: so does a loop of two rounds.
ends() {
	reason=$1 rounds=$2 what=$3
	shift 3
	case $reason in
	keyword) status=0 ;;
	*) status=1 ;;
	esac
	exits "$status" "$what" "$PW" loop run --json -n 2 --max-time 120 "$@"
	like "$(tail -n 1 "$T/out")" \
		"\"iterations\":$rounds,\"reason\":\"$reason\"" "$what: $reason"
}

# never NAME ARGUMENT...: what is printed is not the agent's word.
never() { ends max-iterations 2 "$@"; }

# said NAME ARGUMENT...: it is, in the first round.
said() { ends keyword 1 "$@"; }

# ---- the echo of the prompt --------------------------------------------------
cat >PROMPT.md <<'END'
Work on the issue in TODO.md.
Run the tests.
When everything is finished print LOOP_COMPLETE on a line.
END
for shown in 'cat PROMPT.md' 'cat -n PROMPT.md' 'grep -n LOOP PROMPT.md' \
	'grep -Hn LOOP PROMPT.md' 'sed -n 2,3p PROMPT.md' \
	'fold -s -w 24 PROMPT.md'; do
	echo "$shown" | script shows
	never "the prompt is shown by $shown" -f PROMPT.md -- "$T/shows"
done
script quotes <<-'END'
	echo 'I was told: When everything is finished print LOOP_COMPLETE on a'
	echo 'line.'
END
never 'an agent quotes a line of it' -f PROMPT.md -- "$T/quotes"
echo 'Do it now. When all is done, say LOOP_COMPLETE. Good luck.' >sentence
script quotes <<-'END'
	echo '● When all is done, say LOOP_COMPLETE.'
END
never 'or a sentence' -f sentence -- "$T/quotes"
printf 'First do what there is to do.\nSay LOOP_COMPLETE then.\n' >short
for shown in 'cat -n short' 'fold -w 9 short' 'sed "2s/then.*//" short'; do
	echo "$shown" | script shows
	never "a short line is shown by $shown" -f short -- "$T/shows"
done
script says <<-'END'
	cat -n PROMPT.md
	echo 'Everything is finished: LOOP_COMPLETE'
END
said 'behind it the agent says the word' -f PROMPT.md -- "$T/says"

# ---- its word on the same line -----------------------------------------------
printf 'Do the work. At the end say LOOP_COMPLETE.' >prompt
# The echo is read before the rest is written.
script goes-on <<-'END'
	cat
	sleep 0.6
	echo LOOP_COMPLETE
END
said 'on the line of the echo' -f prompt -- "$T/goes-on"
script goes-on <<-'END'
	cat
	sleep 0.6
	printf LOOP_COMPLETE
	exec sleep 1000
END
said 'even if that does not end' -f prompt -- "$T/goes-on"
script goes-on <<-'END'
	cat
	sleep 0.6
	echo LOOP_COMPLETED
END
never 'but not as a part of another word' -f prompt -- "$T/goes-on"
script goes-on <<-'END'
	cat
	sleep 0.6
	cat prompt
	sleep 0.3
	cat prompt
END
never 'nor is a second echo the word' -f prompt -- "$T/goes-on"

# ---- few words before it -----------------------------------------------------
said 'an option with the word' -- sh -c 'echo the keyword; echo LOOP_COMPLETE' \
	sh --keyword=LOOP_COMPLETE
printf 'When all is done, print:\nLOOP_COMPLETE\n' >apart
for shown in 'cat' 'cat -n apart' 'tac -s x apart'; do
	echo "$shown" | script shows
	never "a line of its own is shown by $shown" -f apart -- "$T/shows"
done
script says <<-'END'
	cat
	echo 'I am done.'
	printf LOOP_COMPLETE
	exec sleep 1000
END
said 'behind it on a line that does not end' -f apart -- "$T/says"
script says <<-'END'
	echo 'I print:'
	echo LOOP_COMPLETE
END
said 'after fewer of the same letters' -f apart -- "$T/says"
for few in 'LOOP_COMPLETE is the word.' '1) LOOP_COMPLETE ends it.' \
	'Now say LOOP_COMPLETE.'; do
	echo "$few" >few
	fails 3 'put words before it' loop run -f few -- true
done
script says <<-'END'
	echo 'That is what I say'
	echo LOOP_COMPLETE
END
said 'a short line of the prompt is not the last word' -f short -- "$T/says"

# ---- limits ------------------------------------------------------------------
# how STATUS TEXT: a round ends that has printed this.
how() {
	printf '%s\n' "$2" >"$T/text"
	"$PW" loop run --json -n 1 -- sh -c 'cat "$1"; exit "$2"' sh \
		"$T/text" "$1" 2>"$T/err" </dev/null |
		sed -n 's/.*"iteration":1,.*"end":"\([^"]*\)".*/\1/p'
}

while IFS= read -r text; do
	is "$(how 0 "$text")" exited "no limit: $text"
	is "$(how 1 "$text")" exited "nor of one that failed: $text"
done <<'END'
Rate limit middleware done; the window resets at 5pm.
Fixed the rate limit test, it resets in 2 hours now.
I added usage limit handling. Try again in 30 minutes.
FAIL tests/rate_limit_test.c: assertion failed
FAIL tests/rate_limit_reached.c: assertion failed
make: *** [rate-limit] Error 2
make: *** [Makefile:429: all] Error 2
END
while IFS= read -r text; do
	is "$(how 0 "$text")" exited "no limit: $text"
done <<'END'
Fixed the usage limit reached test, try again in 2 hours.
See what too many requests do, and retry in 5 minutes.
END
while IFS= read -r text; do
	is "$(how 0 "$text")" limited "a limit: $text"
	is "$(how 1 "$text")" limited "and of one that failed: $text"
done <<'END'
You've hit your session limit · resets 3pm
You’ve hit your limit · resets 3pm (Europe/Berlin)
You've reached your Opus weekly limit, resets 3pm
Claude AI usage limit reached|4102444800
5-hour limit reached ∙ resets 3pm
Usage limit reached for gemini-2.5-pro. Access resets at 3:15 PM.
Rate limit exceeded, try again in 20 minutes.
END
while IFS= read -r text; do
	is "$(how 1 "$text")" limited "a failed one's limit: $text"
done <<'END'
rate limit exceeded
429 Too Many Requests
■ exceeded retry limit, last status: 429 Too Many Requests
API Error: Request rejected (429) · This request would exceed your rate limit
Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"no"}}
You exceeded your current quota, please check your plan and billing details.
END
script far <<-'END'
	echo 'Claude AI usage limit reached|4102444800'
END
begin_command far loop run --json -n 2 -- "$T/far"
soon 'a limit without a near end is tried again soon' grep -q \
	'the loop goes on at [012][0-9]:[0-5][0-9] (in [45]m' "$T/far.err"
kill -INT "$(cat "$T/far.pid")"
watch_ended far 130 'an interrupt ends the pause'
exits 1 'so does the time of the loop' "$PW" loop run --json --resume \
	--max-time $(($(record loop-default elapsed) / 1000 + 1))
like "$(tail -n 1 "$T/out")" '"iterations":1,"reason":"max-time"' 'as such'
done_testing
