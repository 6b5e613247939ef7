#!/bin/sh
# What a run has used, as its agent's transcripts tell: counted once, by each
# that judges it.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start

# used ISSUE ID INPUT CACHED OUTPUT: a line of its answer.
of=
used() {
	mkdir -p "$HOME/.claude/projects/-p"
	printf '{"type":"assistant","timestamp":"%s","message":{"id":"%s","role":"assistant","content":[],"usage":{"input_tokens":%s,"cache_creation_input_tokens":0,"cache_read_input_tokens":%s,"output_tokens":%s}}}\n' \
		"$(stamp)" "$2" "$3" "$4" "$5" >>"${of:-$(file "$1")}"
	shows "$1" "used $2"
}

# tokens ISSUE: what its record says.
tokens() { fields "$1" tokens.input tokens.cached tokens.output; }

# ends ISSUE: its turn ends; what is judged is recorded.
ends() {
	says "$1" prompt 'Go on.'
	wait_until 10 recorded "$1" working
	says "$1" text 'So far.'
	becomes "$1" waiting transcript 'a turn ends'
}

scenario 'an answer counts once, as the transcript tells it last' <<'END'
>>> begin 1 claude; ends 1; record 1 tokens
>>> used 1 a 3 12000 1; used 1 a 3 12000 4500; ends 1; tokens 1
12003 12000 4500
>>> fails 0 '^transcript .*; tokens: 12.0k in, 4.5k out$' explain 1
>>> fails 0 '"tokens":{"input":12003,"cached":12000,"output":4500}' \
... 	status --json 1
>>> conforms status; covers row.tokens
>>> fails 0 '  12.0k in, 4.5k out  ' status 1
>>> kill -KILL "$(watcher 1)"; wait_until 10 no watched 1
>>> used 1 a 3 12000 4600; used 1 b 7 0 10; watch_locks again 1
>>> ends 1; tokens 1
12010 12000 4610
END

new=11111111-2222-4333-8444-555555555555
scenario 'another conversation of the process begins with a copy of this one' \
	<<'END'
>>> of=$HOME/.claude/projects/-p/$new.jsonl; cp "$(file 1)" "$of"
>>> status 1 idle '' "$new"; used 1 c 100 0 1; shows 1 another
>>> wait_until 10 has 1 transcript.path "$of"; of=
>>> status 1 busy '' "$new"; shows 1 -; wait_until 10 recorded 1 working
>>> tokens 1
12110 12000 4611
END

script handoff <<-END
	cat '$T/late' >>"\$(cat '$T/where')"
END
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >"$P/.paneward.json"
scenario 'what the agent says during the hand-off is counted' <<'END'
>>> begin 3 claude; used 3 a 100 0 1; ends 3; file 3 >"$T/where"
>>> of=$T/late; used 3 b 100 0 1; of=; "$PW" signal complete --issue 3
>>> becomes 3 complete signal it; wait_until 10 no watched 3
>>> fields 3 handoff.state; tokens 3
done
200 0 2
END
scenario 'explain counts and records nothing, a sweep counts on' <<'END'
>>> begin 2 claude --no-watch; says 2 prompt 'Begin.'; used 2 a 10 0 1
>>> fails 0 'tokens: 10 in, 1 out$' explain 2; record 2 tokens
>>> "$PW" sweep; tokens 2; used 2 a 10 0 5; used 2 b 10 0 1
10 0 1
>>> "$PW" sweep; tokens 2
20 0 6
END
done_testing
