#!/bin/sh
# What an agent's client writes down of its session: found, followed and judged,
# by a watcher, a sweep and explain.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start

# known ISSUE...: the agents' processes are.
known() {
	for issue; do
		wait_until 10 no has "$issue" agent.pid ''
	done
}

# at ISSUE STATE [SOURCE]
at() { wait_until 10 is_at "$1" "$2" "${3:-transcript}"; }

# stays ISSUE STATE
stays() {
	let_pass
	is_at "$1" "$2" transcript
}

# path ISSUE PATH: that is its transcript's.
path() { wait_until 10 has "$1" transcript.path "$2"; }

# ---- a session that was given to the client ----------------------------------

scenario 'what is written is the report, not what the pane shows or a prompt' \
	<<'END'
>>> begin 1 claude; known 1; has 1 agent.session "$(record 1 run)"
>>> says 1 prompt "When you are done, print $(marker 1)."; shows 1 "$(marker 1)"
>>> working 1; let_pass; working 1
>>> says 1 text "$(fence "$(marker 1)")"; at 1 waiting; fields 1 message
~ Print this: .* No\.
>>> line 1 text "$(marker 1)" >"$T/line"; head -c 60 "$T/line" >>"$(file 1)"
>>> stays 1 waiting
>>> tail -c +61 "$T/line" >>"$(file 1)"; at 1 complete; changes 1 complete
1
END

# ---- what it is at -----------------------------------------------------------

scenario 'the file of its process and failures tell what it is at' <<'END'
>>> begin 2 claude; known 2; status 2 busy; working 2
>>> status 2 waiting 'permission prompt'; shows 2 dialog; at 2 asking
>>> fields 2 why
it asks for permission
>>> status 2 busy; says 2 failed 'API Error: 429' rate_limit; at 2 limited
>>> says 2 prompt 'Go on.'; says 2 failed 'API Error: 400' invalid_request
>>> at 2 asking; says 2 prompt 'Go on.'; at 2 working
>>> line 2 failed 'API Error: 429' rate_limit >"$T/late"
>>> status 2 idle; shows 2 idle; at 2 waiting
>>> cat "$T/late" >>"$(file 2)"; shows 2 late; at 2 limited
>>> says 2 prompt 'Go on.'; path 2 "$(file 2)"
END

# Another file in the same process: /clear.
new=11111111-2222-4333-8444-555555555555
old=$(record 2 run)
sessions=$HOME/.claude/projects/-p
scenario 'a session that begins anew is followed, the old one is not' <<'END'
>>> says 2 text "$(fence "$(marker 2)")"; status 2 idle '' "$new"
>>> line 2 text "$(marker 2)" >"$sessions/$old.late"
>>> line 2 prompt 'Now that.' >"$sessions/$new.jsonl"; shows 2 cleared
>>> path 2 "$sessions/$new.jsonl"; working 2; has 2 agent.session "$new"
>>> cat "$sessions/$old.late" >>"$sessions/$old.jsonl"
>>> rm "$HOME/.claude/sessions/$(record 2 agent.pid).json"; shows 2 leaving
>>> let_pass; working 2; path 2 "$sessions/$new.jsonl"
>>> line 2 text "$(marker 2)" >>"$sessions/$new.jsonl"; at 2 complete
END

# ---- rotation, and a file that is rewritten ----------------------------------

scenario 'what was written before an error is old in each new file' <<'END'
>>> begin 3 claude; says 3 prompt 'Begin.'; working 3
>>> line 3 text "$(marker 3)" >"$T/early"; says 3 text "$(error 3 'no disk')"
>>> at 3 error; fields 3 message; mv "$(file 3)" "$(file 3).1"
no disk
>>> says 3 prompt 'Try again.'; let_pass
>>> cp "$T/early" "$(file 3).new"; mv "$(file 3).new" "$(file 3)"
>>> cat "$T/early" "$T/early" >"$(file 3)"; let_pass; recorded 3 error
>>> "$PW" explain 3 | grep '^transcript.* 2 markers'
~ transcript.* 2 markers are .*from before.*
>>> : >"$(file 3)"; says 3 text "$(marker 3)"; at 3 complete
END

# ---- a run that watch begins -------------------------------------------------

client c5 claude
pane_run issue-5 "exec '$T/c5/claude'"
wait_until 10 pane_shows issue-5 ready
session 5 "$(pane_tell issue-5 '#{pane_pid}')" "$new"
of=$HOME/.claude/projects/-q/$new.jsonl
mkdir -p "${of%/*}"
rm -f "$sessions/$new.jsonl"
scenario 'what an adopted client has reported before a run is old' <<'END'
>>> line 5 text "$(marker 5)" | sed 's/20[0-9][0-9]-/2001-/' >"$of"
>>> watch_begin five 5 --session issue-5; path 5 "$of"; let_pass
>>> recorded 5 complete
[1]
>>> line 5 text "$(marker 5)" >>"$of"; watch_ended five 0
>>> watch_begin again 5 --new --session issue-5; at 5 waiting; stays 5 waiting
>>> line 5 text "$(marker 5)" >>"$of"; watch_ended again 0
END

# ---- sessions without a pane -------------------------------------------------

# background STATUS [WHAT]: a session in the client's background.
background() {
	session 0 "$bg" s-bg "$1" "${2:-}" '"kind":"bg","jobId":"4f3a91c2",
		"name":"mend it","cwd":"'"$P"'"'
}

# row: that of the session, if it has one.
row() { "$PW" status --all | grep ' mend it$\|^claude:bg'; }
listed() { row | grep -q "^claude:bg.4f3a91c2 *$1"; }

sleep 1000 &
bg=$!
scenario 'a session in its client'\''s background is a row' <<'END'
>>> background waiting 'permission prompt'; row
~ claude:bg.4f3a91c2 +asking +\d+s +claude +it asks for permission
>>> "$PW" status --all --follow --json >"$T/rows" 2>&1 & background idle
>>> wait_until 10 grep -q '"waiting".*bg.4f3a91c2' "$T/rows"
>>> fails 1 'has no pane' send claude:bg.4f3a91c2 'Go on.'
>>> fails 1 'has no pane' stop claude:bg.4f3a91c2
>>> printf '{' >"$HOME/.claude/sessions/$bg.json"; let_pass
>>> grep -c '"gone":true' "$T/rows"
0
[1]
>>> background dreaming; wait_until 10 listed unknown
>>> background busy; wait_until 10 listed working
>>> "$PW" explain claude:bg.4f3a91c2 | tail -n 1
verdict: working, by client: a turn began
END

# leaves ISSUE: its session goes on in the background, and its client ends.
leaves() {
	begin "$1" claude
	says "$1" prompt 'Begin.'
	known "$1"
	status "$1" idle
	at "$1" waiting
	session "$1" "$(record "$1" agent.pid)" "$(record "$1" run)" idle '' \
		'"parkedJobId":"4f3a91c2"'
	shows "$1" list
	wait_until 10 has "$1" agent.session s-bg
	tell "c$1/claude" exit
	wait_until 10 has "$1" agent.pid "$bg"
}

scenario 'an issue goes on with a session that leaves its pane' <<'END'
>>> leaves 14; row
[1]
>>> recorded 14 waiting; background busy; at 14 working
>>> background waiting 'permission prompt'; at 14 asking
>>> "$PW" status --all | grep '^14 '
~ 14 +asking .*it asks for permission
>>> "$PW" status --all --json | grep -c '"14".*"where":"claude:bg.4f3a91c2"'
1
>>> "$PW" revive 14 2>&1 | grep -o 'its session goes on'
its session goes on
>>> "$PW" sweep 2>&1; recorded 14 asking; row
[1]
>>> line 14 text "$(marker 14)" >>"$sessions/s-bg.jsonl"; at 14 complete
>>> leaves 15; kill "$bg"; at 15 dead process
>>> wait_until 10 grep -q '"gone":true' "$T/rows"
END

# ---- other clients -----------------------------------------------------------

before=$(stamp)
begin 7 codex
begin 8 codex
begin 9 gemini
begin 10 pi
begin 12 claude
begin 13 claude
known 7 8 10 12 13

# Codex: its process holds the file open.
rollout() {
	of=$HOME/.codex/sessions/2026/01/02
	mkdir -p "$of"
	of=$of/rollout-2026-01-02T03-04-05-$1.jsonl
}
rollout other
codex task_complete "$(marker 7)" >"$of"
rollout own
tell c7/codex "exec 8>>'$of'"
wait_until 5 test -e "$of"
scenario 'the file that a Codex holds open is followed' <<'END'
>>> codex task_started '' >>"$of"; shows 7 work; working 7
>>> codex task_complete "$(fence "$(marker 7)")" >>"$of"; at 7 waiting
END
# Of two open files none is taken.
rollout second
tell c7/codex "(exec sleep 1000) 9>>'$of' &"
wait_until 5 test -e "$of"
codex task_complete "$(marker 7)" >>"$of"
shows 7 'another session'

# A server that all sessions share holds the files of all of them.
rollout foreign
tell c8/codex "sh -c 'while :; do sleep 1; done' app-server 9>>'$of' &"
wait_until 5 test -e "$of"
codex task_complete "$(marker 8)" >>"$of"
shows 8 work

# Gemini: the first letters of the id.
gemini=$HOME/.gemini/tmp/p/chats/session-2026-01-02T03-04-$(record 9 run |
	cut -c 1-8).jsonl
mkdir -p "${gemini%/*}"
gemini gemini "$(fence "$(marker 9)")" >"$gemini"
shows 9 work
path 9 "$gemini"
shows 9 "$(marker 9)"

# An older session draws its old report, and its file is not known.
client c11 gemini
"$PW" start 11 --session s11 --backend gemini -- "$T/c11/gemini" -r latest \
	>"$T/said" 2>&1
echo gemini >"$T/c11/name"
shows 11 "$(marker 11)"

# A session that was resumed at once.
line 12 text "$(marker 12)" |
	sed "s/\(\"timestamp\":\"\)[^\"]*/\1$before/" >"$(file 12)"
shows 12 -

# Its client writes what it knows of the session before the conversation.
shows 13 "$(marker 13)"

# pi: there is no file until its first message, which it draws before.
pi=$(sed -n 's/.*|--session|\([^|]*\).*/\1/p' "$T/c10/pi.words")
shows 10 "$(marker 10)"

rollout own
# none_complete ISSUE...
none_complete() {
	for issue; do
		no recorded "$issue" complete || echo "$issue complete"
	done
}
scenario 'neither a pane nor the file of another session or time is a report' \
	<<'END'
>>> let_pass; none_complete 7 8 9 10 11 12 13; is_at 7 waiting transcript
>>> fields 8 transcript.path
-
>>> test "${pi##*/}" = "$(record 10 run).jsonl" && mkdir -p "${pi%/*}"
>>> echo '{"type":"mode","mode":"normal"}' >"$(file 13)"; shows 13 more
>>> wait_until 10 no has 13 transcript.path ''; let_pass; none_complete 13
>>> says 13 text "$(fence "$(marker 13)")"; pi "$(fence "$(marker 10)")" >"$pi"
>>> shows 10 more; at 13 waiting; at 10 waiting
END
scenario 'a report in its own file is one' <<'END'
>>> codex task_complete "$(marker 7)" >>"$of"; pi "$(marker 10)" >>"$pi"
>>> gemini gemini "$(marker 9)" >>"$gemini"; says 12 text "$(marker 12)"
>>> "$PW" signal complete --issue 11; at 11 complete signal
>>> for i in 7 9 10 12; do at $i complete; done
END

done_testing
