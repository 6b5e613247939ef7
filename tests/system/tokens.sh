#!/bin/sh
# What a run has used, as its agent's transcripts tell: counted once, by each
# that judges it.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start

# used ISSUE ID INPUT CACHED OUTPUT: a line of its answer.
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

# ---- a watcher ---------------------------------------------------------------
begin 1 claude
ends 1
is "$(record 1 tokens)" '' 'what is not known is left out'
used 1 a 3 12000 1
used 1 a 3 12000 4500
ends 1
is "$(tokens 1)" '12003 12000 4500' 'an answer counts once, as it is told last'
like "$("$PW" explain 1)" '^transcript .*; tokens: 12.0k in, 4.5k out$' \
	'explain says it'
like "$("$PW" status --json 1)" \
	'"tokens":{"input":12003,"cached":12000,"output":4500}' 'so does status'
like "$("$PW" status 1)" '  12.0k in, 4.5k out  ' 'in a line that has room'

kill -KILL "$(watcher 1)"
wait_until 10 no watched 1
used 1 a 3 12000 4600
used 1 b 7 0 10
watch_begin again 1
wait_until 10 watch_holds again 1
ends 1
is "$(tokens 1)" '12010 12000 4610' 'another watcher goes on where it was counted'

# Another conversation of the process, which begins with a copy of this one.
new=11111111-2222-4333-8444-555555555555
of=$HOME/.claude/projects/-p/$new.jsonl
cp "$(file 1)" "$of"
status 1 idle '' "$new"
used 1 c 100 0 1
shows 1 another
wait_until 10 eval '[ "$(record 1 transcript.path)" = "$of" ]'
status 1 busy '' "$new"
shows 1 -
wait_until 10 recorded 1 working
is "$(tokens 1)" '12110 12000 4611' 'what a copy holds was counted'

of=

# What it says after its report, as long as the hand-off runs.
script handoff <<-END
	cat '$T/late' >>"\$(cat '$T/where')"
END
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >"$P/.paneward.json"
begin 3 claude
used 3 a 100 0 1
ends 3
file 3 >"$T/where"
of=$T/late
used 3 b 100 0 1
of=
"$PW" signal complete --issue 3
becomes 3 complete signal 'which is recorded'
wait_until 10 no watched 3
is "$(fields 3 handoff.state) $(tokens 3)" 'done 200 0 2' \
	'what it said after its report is counted'

# ---- no watcher --------------------------------------------------------------
begin 2 claude --no-watch
says 2 prompt 'Begin.'
used 2 a 10 0 1
like "$("$PW" explain 2)" 'tokens: 10 in, 1 out$' 'explain counts by itself'
is "$(record 2 tokens)" '' 'and records nothing'
"$PW" sweep
is "$(tokens 2)" '10 0 1' 'a sweep does'
used 2 a 10 0 5
used 2 b 10 0 1
"$PW" sweep
is "$(tokens 2)" '20 0 6' 'the next one counts on'

done_testing
