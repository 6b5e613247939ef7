#!/bin/sh
# The agent is killed at a system call, again and again, while it sends events:
# the stream has each once, in order.  KILLS is at how many calls; they are
# spread over all that it makes.
# shellcheck disable=SC1091,SC2317,SC2329
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

command -v strace >/dev/null || skip_all 'strace is not here'
EVENTS=20
kills=${KILLS:-50}
ended=0
fleet_begin alpha

# traced CALLS WHEN: it runs until it is killed at that call, or has sent all
# and is killed.
traced() {
	on alpha sh -c 'exec strace -f -qq -o "$0" -e "$1" "$2" agent \
		>>"$3" 2>&1' "$T/trace" "$1" "$FLEET" "$T/alpha.out" &
	agent=$!
}

# Was it killed, or has it nothing more to do?  The last of all is asked for by its
# subject.
over() {
	no kill -0 "$agent" 2>/dev/null ||
		[ "$(numbers alpha $((last % 7)) | tail -n 1)" = "$last" ]
}

agent_gone() {
	no kill -0 "$agent" 2>/dev/null && return
	holder=$(agent_process alpha) && kill -KILL "$holder"
	return 1
}

agent_over() {
	wait_until 10 agent_gone
	wait "$agent" 2>/dev/null
}

# Which calls does it make from its start to the last of some events?  A line
# each, as "sendto 3": the third one of that thread.
scenario 'an agent that is killed at any call goes on' <<'END'
>>> registered alpha; last=$EVENTS; journal_add alpha 1 "$last"
>>> traced trace=all; wait_until 60 has alpha "$last"; agent_over
[137]
>>> sed -n 's/^\([0-9]*\) *\([a-z0-9_]*\)(.*/\1 \2/p' "$T/trace" |
... 	awk '{ print $2, ++n[$1 " " $2] }' >"$T/calls"
>>> total=$(wc -l <"$T/calls"); killed=0
>>> while [ "$killed" -lt "$kills" ]; do
... 	call=$(sed -n "$((killed * total / kills + 1))p" "$T/calls")
... 	journal_add alpha "$((last + 1))" "$((last + EVENTS))"
... 	last=$((last + EVENTS))
... 	traced "inject=${call% *}:signal=KILL:when=${call#* }"
... 	wait_until 20 over
... 	! no kill -0 "$agent" 2>/dev/null || ended=$((ended + 1))
... 	agent_over
... 	killed=$((killed + 1))
... done
END

echo "# $ended of $kills kills came before the last event, at $total calls"
check 'most of them ended it' [ "$((ended * 2))" -gt "$kills" ]
traced trace=none
result_of "$last" "$last events, each once and in order"
agent_over
done_testing
