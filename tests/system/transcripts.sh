#!/bin/sh
# What an agent's client writes down of its session: found, followed and judged,
# by a watcher, a sweep and explain.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start

# ---- a session that was given to the client ----------------------------------

begin 1 claude
wait_until 10 eval '[ "$(record 1 agent.pid)" != "" ]'
is "$(record 1 agent.session)" "$(record 1 run)" "the run's session is its own"
says 1 prompt "When you are done, print $(marker 1)."
works 1 'a prompt is work, and not a report'
shows 1 "$(marker 1)"
works 1 'a marker in the pane is not one'
says 1 text "$(fence "$(marker 1)")"
becomes 1 waiting transcript 'a fenced one is not one either'
like "$(record 1 message)" '^Print this: .* No\.' 'what was said is shown'
line 1 text "$(marker 1)" >"$T/line"
{
	head -c 60 "$T/line"
	let_pass
	is_at 1 waiting transcript
	result $? 'half a line is none' >&3
	tail -c +61 "$T/line"
} 3>&1 >>"$(file 1)"
becomes 1 complete transcript 'the whole line is the report'
is "$(changes 1 complete)" 1 'once'

# ---- what it is at -----------------------------------------------------------

begin 2 claude
wait_until 10 eval '[ "$(record 2 agent.pid)" != "" ]'
status 2 busy
works 2 'its own file says that it works'
status 2 waiting 'permission prompt'
shows 2 dialog
becomes 2 asking transcript 'that it asks'
is "$(record 2 why)" 'it asks for permission' 'and what for'
status 2 busy
says 2 failed 'API Error: 429' rate_limit
becomes 2 limited transcript 'a limit is one'
says 2 prompt 'Go on.'
says 2 failed 'API Error: 400' invalid_request
becomes 2 asking transcript 'a turn that failed needs a person'
says 2 prompt 'Go on.'
becomes 2 working transcript 'until the next one'
line 2 failed 'API Error: 429' rate_limit >"$T/late"
status 2 idle
shows 2 idle
becomes 2 waiting transcript 'it waits before it is known for what'
cat "$T/late" >>"$(file 2)"
shows 2 late
becomes 2 limited transcript 'a failure that is written late counts'
says 2 prompt 'Go on.'

# ---- another file in the same process: /clear --------------------------------

new=11111111-2222-4333-8444-555555555555
old=$(record 2 run)
is "$(record 2 transcript.path)" "$(file 2)" 'the path is recorded'
says 2 text "$(fence "$(marker 2)")"
status 2 idle '' "$new"
sessions=$HOME/.claude/projects/-p
line 2 text "$(marker 2)" >"$sessions/$old.late"
line 2 prompt 'Now that.' >"$sessions/$new.jsonl"
shows 2 cleared
wait_until 10 eval '[ "$(record 2 transcript.path)" = "$sessions/$new.jsonl" ]'
works 2 'a session that began anew is found'
is "$(record 2 agent.session)" "$new" "it is the run's then"
cat "$sessions/$old.late" >>"$sessions/$old.jsonl"
works 2 'what another session reports is none of it'
rm "$HOME/.claude/sessions/$(record 2 agent.pid).json"
shows 2 leaving
let_pass
is "$(record 2 transcript.path)" "$sessions/$new.jsonl" \
	'without the file of the process the session stays'
line 2 text "$(marker 2)" >>"$sessions/$new.jsonl"
becomes 2 complete transcript 'its report counts'

# ---- rotation, and a file that is rewritten ----------------------------------

begin 3 claude
says 3 prompt 'Begin.'
works 3 'a third one works'
line 3 text "$(marker 3)" >"$T/early"
says 3 text "$(error 3 'no disk')"
becomes 3 error transcript 'an error is one'
is "$(record 3 message)" 'no disk' 'with its message'
mv "$(file 3)" "$(file 3).1"
says 3 prompt 'Try again.'
let_pass
cat "$T/early" >"$T/shorter"
cp "$T/shorter" "$(file 3).new" && mv "$(file 3).new" "$(file 3)"
cat "$T/shorter" "$T/shorter" >"$(file 3)"
let_pass
check 'what was written before the error is old in each new file' \
	recorded 3 error
like "$("$PW" explain 3)" '^transcript.* 2 markers are .*from before' \
	'explain says so'
: >"$(file 3)"
says 3 text "$(marker 3)"
becomes 3 complete transcript 'in a file that became shorter, a report counts'

# ---- no watcher --------------------------------------------------------------

# explained ISSUE STATE: the transcript says so.
explained() {
	"$PW" explain "$1" | grep -q "^transcript $2 "
}

begin 4 claude --no-watch
says 4 prompt 'Begin.'
"$PW" sweep
is "$(record 4 transcript.path)" "$(file 4)" 'a sweep finds a transcript'
check 'so does explain' explained 4 working
status 4 waiting 'permission prompt'
shows 4 dialog
wait_until 5 logged 4 dialog
"$PW" sweep
is "$(record 4 state) $(record 4 source)" 'asking transcript' \
	'a sweep reads the file of the process'
status 4 busy
shows 4 "$(marker 4)"
wait_until 5 logged 4 "$(marker 4)"
"$PW" sweep
is "$(record 4 state)" working 'the pane reports nothing'
says 4 text "$(fence "$(marker 4)")"
status 4 idle
wait_until 10 explained 4 waiting
"$PW" sweep
is "$(record 4 state)" waiting 'the next sweep sees what was added'
line 4 text "$(marker 4)" >>"$(file 4)"
"$PW" sweep
is "$(record 4 state) $(record 4 source)" 'complete transcript' \
	'though the pane printed nothing'

# ---- a run that watch begins -------------------------------------------------

client c5 claude
pane_run issue-5 "exec '$T/c5/claude'"
wait_until 10 pane_shows issue-5 ready
pid=$(pane_tell issue-5 '#{pane_pid}')
session 5 "$pid" "$new"
sessions=$HOME/.claude/projects/-q
mkdir -p "$sessions"
line 5 text "$(marker 5)" >"$sessions/$new.jsonl"
sed 's/20[0-9][0-9]-/2001-/' "$sessions/$new.jsonl" >"$sessions/old" &&
	mv "$sessions/old" "$sessions/$new.jsonl"
rm -f "$HOME/.claude/projects/-p/$new.jsonl"
watch_begin five 5 --session issue-5
wait_until 10 eval '[ "$(record 5 transcript.path)" != "" ]'
let_pass
is "$(record 5 transcript.path)" "$sessions/$new.jsonl" \
	'the session of an adopted client is found'
no recorded 5 complete
result $? 'what it reported before it was resumed is old'
line 5 text "$(marker 5)" >>"$sessions/$new.jsonl"
watch_ended five 0 'what it reports now is not'
watch_begin again 5 --new --session issue-5
wait_until 10 is_at 5 waiting transcript
let_pass
is_at 5 waiting transcript
result $? 'for a new run in the same pane it is old again'
line 5 text "$(marker 5)" >>"$sessions/$new.jsonl"
watch_ended again 0 'the new run has a report of its own'

# ---- a restart of the agent --------------------------------------------------

begin 6 claude
says 6 text "$(fence "$(marker 6)")"
becomes 6 waiting transcript 'one that will be restarted'
pid=$(record 6 agent.pid)
tell c6/claude "printf '\\033]2;✳ claude\\033\\\\'"
tell c6/claude "\"\$PANEWARD\" reload >'$T/reloaded' 2>&1"
wait_until 20 eval '[ "$(record 6 agent.pid)" != "$pid" ]'
wait_until 10 eval '[ "$(wc -l <"$T/c6/claude.words")" -ge 2 ]'
tell c6/claude "printf '\\033]2;⠂ claude\\033\\\\'"
is "$(sed -n 's/--plugin-dir=[^|]*|//;1p;2s/|You have .*//p' \
	"$T/c6/claude.words")" \
	"--session-id|$(record 6 run)|
--resume|$(record 6 run)" 'it resumes the session, and is not given another one'
says 6 prompt 'Go on.'
wait_until 20 eval '[ "$(record 6 reload.phase)" = "" ]'
works 6 'its transcript is followed further'
says 6 text "$(marker 6)"
becomes 6 complete transcript 'and holds the report'

# ---- other clients -----------------------------------------------------------

# Codex: its process holds the file open.
begin 7 codex
wait_until 10 eval '[ "$(record 7 agent.pid)" != "" ]'
rollout() {
	of="$HOME/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-$1.jsonl"
	mkdir -p "${of%/*}"
}
rollout other
codex task_complete "$(marker 7)" >"$of"
rollout own
tell c7/codex "exec 8>>'$of'"
wait_until 5 test -e "$of"
codex task_started '' >>"$of"
shows 7 work
works 7 'a file that the process holds open is found'
codex task_complete "$(fence "$(marker 7)")" >>"$of"
becomes 7 waiting transcript 'and followed'
rollout second
tell c7/codex "(exec sleep 1000) 9>>'$of' &"
wait_until 5 test -e "$of"
codex task_complete "$(marker 7)" >>"$of"
shows 7 'another session'
let_pass
is_at 7 waiting transcript
result $? 'of two open files none is taken'
rollout own
codex task_complete "$(marker 7)" >>"$of"
becomes 7 complete transcript 'its own stays'

# A server that all sessions share holds the files of all of them.
begin 8 codex
wait_until 10 eval '[ "$(record 8 agent.pid)" != "" ]'
rollout foreign
script c8/server 'exec sleep 1000'
tell c8/codex "sh -c 'while :; do sleep 1; done' app-server 9>>'$of' &"
wait_until 5 test -e "$of"
codex task_complete "$(marker 8)" >>"$of"
shows 8 work
let_pass
is "$(record 8 transcript.path)" '' 'what a shared server holds open is not'

# Gemini: the first letters of the id.
begin 9 gemini
of=$HOME/.gemini/tmp/p/chats/session-2026-01-02T03-04-$(record 9 run |
	cut -c 1-8).jsonl
mkdir -p "${of%/*}"
gemini gemini "$(fence "$(marker 9)")" >"$of"
shows 9 work
wait_until 10 eval '[ "$(record 9 transcript.path)" = "$of" ]'
shows 9 "$(marker 9)"
let_pass
no recorded 9 complete
result $? 'the pane of a Gemini CLI reports nothing'
gemini gemini "$(marker 9)" >>"$of"
becomes 9 complete transcript 'its transcript does'

# An older session draws its old report, and its file is not known.
client c11 gemini
exits 0 'a session is resumed' "$PW" start 11 --session s11 --backend gemini -- \
	"$T/c11/gemini" -r latest
echo gemini >"$T/c11/name"
shows 11 "$(marker 11)"
let_pass
no recorded 11 complete
result $? 'what it has reported before is none of it'
exits 0 'its agent reports' "$PW" signal complete --issue 11
becomes 11 complete signal 'a signal counts'

# A session that was resumed at once.
before=$(stamp)
begin 12 claude
wait_until 10 eval '[ "$(record 12 agent.pid)" != "" ]'
line 12 text "$(marker 12)" |
	sed "s/\(\"timestamp\":\"\)[^\"]*/\1$before/" >"$(file 12)"
shows 12 -
let_pass
no recorded 12 complete
result $? 'a report just before the run is none of it'
says 12 text "$(marker 12)"
becomes 12 complete transcript 'one of the run is'

# Its client writes what it knows of the session before the conversation.
begin 13 claude
wait_until 10 eval '[ "$(record 13 agent.pid)" != "" ]'
shows 13 "$(marker 13)"
let_pass
no recorded 13 complete
result $? 'a file that is not there yet is waited for'
echo '{"type":"mode","mode":"normal"}' >"$(file 13)"
shows 13 more
wait_until 10 eval '[ "$(record 13 transcript.path)" != "" ]'
let_pass
no recorded 13 complete
result $? 'so is its first line of the conversation'
says 13 text "$(fence "$(marker 13)")"
becomes 13 waiting transcript 'which knows what the pane does not show'

# pi: there is no file until its first message, which it draws before.
begin 10 pi
wait_until 10 eval '[ "$(record 10 agent.pid)" != "" ]'
of=$(sed -n 's/.*|--session|\([^|]*\).*/\1/p' "$T/c10/pi.words")
is "${of##*/}" "$(record 10 run).jsonl" 'a pi is given the path of its file'
shows 10 "$(marker 10)"
let_pass
no recorded 10 complete
result $? 'its pane waits for it'
mkdir -p "${of%/*}"
pi "$(fence "$(marker 10)")" >"$of"
shows 10 more
becomes 10 waiting transcript 'which knows better'
pi "$(marker 10)" >>"$of"
becomes 10 complete transcript 'and holds the report'

done_testing
