#!/bin/sh
# A transcript beside hooks: they tell where it is, and it tells what they do
# not.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start

# hook ISSUE EVENT SESSION [MORE]: its client calls its hook; MORE are members of
# the input.
hook() {
	tell "c$1/$(cat "$T/c$1/name")" "printf '%s' '{\"hook_event_name\":\"$2\",\"session_id\":\"$3\"${4:+,$4}}' | \"\$PANEWARD\" hook record"
}

recorded_event() {
	grep -q "\"event\":\"$2\".*$3" "$S/.paneward/$1.records"
}

path_is() {
	[ "$(record "$1" transcript.path)" = "$2" ]
}

mkdir -p "$HOME/.claude/projects/-p" "$HOME/.claude/elsewhere/deep"
id=aaaaaaaa-0000-4000-8000-00000000000

# ---- the path that a hook tells ----------------------------------------------

begin 1 claude
of=$HOME/.claude/elsewhere/deep/file.jsonl
hook 1 SessionStart "${id}1" "\"transcript_path\":\"$of\""
wait_until 10 recorded_event 1 session-started deep/file
shows 1 "$(marker 1)"
line 1 prompt 'Begin.' >"$of"
shows 1 -
wait_until 10 path_is 1 "$of"
result $? 'a file that a hook has named is found'
works 1 'and read'
line 1 text "$(marker 1)" >>"$of"
becomes 1 complete transcript 'its report counts'

# told WHAT PATH: a hook names it; it is not used.
n=1
told() {
	n=$((n + 1))
	begin $n claude
	hook $n SessionStart "$id$n" "\"transcript_path\":\"$2\""
	wait_until 10 recorded_event $n session-started transcript
	wait_until 10 recorded $n waiting
	shows $n work
	let_pass
	is "$(record $n state) $(record $n transcript.path)" 'waiting ' \
		"$1 is not used"
	like "$("$PW" explain $n)" '^transcript - +none is known' \
		'explain says so'
}

line 2 text "$(marker 2)" >"$T/outside"
told 'one that lies elsewhere' "$T/outside"
line 3 text "$(marker 3)" >"$T/outside"
ln -s "$T/outside" "$HOME/.claude/projects/-p/link.jsonl"
told 'a link' "$HOME/.claude/projects/-p/link.jsonl"
line 4 text "$(marker 4)" >"$T/outside"
told 'a way out of the folder' "$HOME/.claude/projects/../../../outside"
mkfifo "$HOME/.claude/projects/-p/fifo"
told 'a FIFO' "$HOME/.claude/projects/-p/fifo"

begin 6 claude
of=$HOME/.claude/elsewhere/six.jsonl
line 6 prompt 'Begin.' >"$of"
hook 6 SessionStart "${id}6" "\"transcript_path\":\"$of\""
wait_until 10 path_is 6 "$of"
other=$HOME/.claude/elsewhere/nested.jsonl
line 6 text "$(marker 6)" >"$other"
hook 6 UserPromptSubmit "${id}6"
hook 6 UserPromptSubmit "${id}7" "\"transcript_path\":\"$other\""
wait_until 10 recorded_event 6 turn-started nested
wait_until 10 recorded 6 working
shows 6 -
let_pass
is "$(record 6 state) $(record 6 transcript.path)" "working $of" \
	'that of a session in the session is not used'

# ---- what hooks do not tell --------------------------------------------------

# A prompt_response holds the text twice, and a marker out of its fence.
begin 7 gemini
run=$(record 7 run)
of=$HOME/.gemini/tmp/p/chats/session-2026-01-02T03-04-$(echo "$run" |
	cut -c 1-8).jsonl
mkdir -p "${of%/*}"
hook 7 SessionStart "$run" "\"transcript_path\":\"$of\""
gemini user 'Begin.' >"$of"
hook 7 BeforeAgent "$run"
gemini gemini "$(fence "$(marker 7)")" >>"$of"
hook 7 AfterAgent "$run" "\"prompt_response\":\"$(marker 7)\""
wait_until 10 recorded_event 7 turn-ended ''
becomes 7 waiting hook 'what a Gemini CLI wrote is in its transcript'
shows 7 "$(marker 7)"
let_pass
no recorded 7 complete
result $? 'and nowhere else'
hook 7 BeforeAgent "$run"
wait_until 10 recorded 7 working
gemini error 'This model fails.' >>"$of"
hook 7 AfterAgent "$run" '"prompt_response":"[no response text]"'
becomes 7 asking transcript 'a turn that failed has failed'
is "$(record 7 message)" 'This model fails.' 'with its words'
let_pass
is "$(record 7 state)" asking 'though its hook reports only that it is over'
like "$("$PW" explain 7)" '^verdict: asking, by transcript' \
	'explain judges it so'
kill "$(watcher 7)"
wait_until 10 no watched 7
"$PW" sweep
is "$(record 7 state) $(record 7 source)" 'asking transcript' 'so does a sweep'
like "$("$PW" status 7)" 'its turn has failed' 'status shows it'

# ---- the file of the process -------------------------------------------------

# It is replaced a moment after the client has drawn, which draws no more.
begin 8 claude
wait_until 10 eval '[ "$(record 8 agent.pid)" != "" ]'
status 8 busy
shows 8 -
works 8 'a client works, before there is a transcript'
like "$("$PW" explain 8)" \
	'^transcript working +none is known, but a file of its process: .*turn-started' \
	'explain says whence that is known'
says 8 prompt 'Begin.'
works 8 'a client works'
session 8 "$(record 8 agent.pid)" "${id}8"
mv "$HOME/.claude/sessions/$(record 8 agent.pid).json" "$T/next"
status 8 busy
line 8 prompt 'Begin anew.' >"$HOME/.claude/projects/-p/${id}8.jsonl"
tell c8/claude "perl -e '\$| = 1; print q(cleared); select undef, undef, undef, 0.3; \
	rename \$ARGV[0], \$ARGV[1]' '$T/next' \
	'$HOME/.claude/sessions/$(record 8 agent.pid).json'"
wait_until 10 path_is 8 "$HOME/.claude/projects/-p/${id}8.jsonl"
result $? 'another session is followed soon, though nothing is drawn'

# It is written in place, so it may be empty; a client in the client has one too.
begin 9 claude
wait_until 10 eval '[ "$(record 9 agent.pid)" != "" ]'
says 9 prompt 'Begin.'
status 9 busy
works 9 'another one works'
tell c9/claude "sh -c 'echo \$\$ >$T/nested; exec sleep 1000' &"
wait_until 5 test -s "$T/nested"
line 9 text "$(marker 9)" >"$HOME/.claude/projects/-p/${id}9.jsonl"
session 9 "$(cat "$T/nested")" "${id}9"
: >"$HOME/.claude/sessions/$(record 9 agent.pid).json"
shows 9 -
let_pass
is "$(record 9 agent.session)" "$(record 9 run)" \
	'a file that is being written leaves it to no other process'

# ---- a session that goes on in the client's background -----------------------

# background ISSUE NAME: another process of its client.
background() {
	tell "c$1/claude" "sh -c 'echo \$\$ >$T/$2; exec sleep 1000' &"
	wait_until 5 test -s "$T/$2"
}

# moves ISSUE JOB: its turn is over, and its process has moved the session.
moves() {
	begin "$1" claude
	wait_until 10 eval '[ "$(record $issue agent.pid)" != "" ]'
	run=$(record "$1" run)
	hook "$1" SessionStart "$run" '"source":"startup"'
	hook "$1" Stop "$run" '"last_assistant_message":"Hello."'
	becomes "$1" waiting hook 'a turn is over'
	session "$1" "$(record "$1" agent.pid)" "$run" idle '' \
		"\"parkedJobId\":\"$2\""
	shows "$1" list
}

moves 11 job
background 11 one
session 11 "$(cat "$T/one")" "${id}b" idle '' '"jobId":"job"'
shows 11 -
wait_until 10 eval '[ "$(record 11 agent.session)" = "${id}b" ]'
result $? 'the session of the one process with that job is followed'
like "$("$PW" explain 11)" '^hook +- +no hook has reported' \
	'what the old one reported counts no more'
is "$(record 11 state)" waiting 'it still waits'
of=$HOME/.claude/projects/-p/${id}b.jsonl
line 11 prompt 'Go on.' >"$of"
shows 11 -
becomes 11 working transcript 'it works there'
line 11 text "$(marker 11)" >>"$of"
shows 11 -
becomes 11 complete transcript 'and its report counts'

moves 12 twice
background 12 two
background 12 three
session 12 "$(cat "$T/two")" "${id}c" idle '' '"jobId":"twice"'
session 12 "$(cat "$T/three")" "${id}d" idle '' '"jobId":"twice"'
shows 12 -
let_pass
is "$(record 12 agent.session)" "$run" 'of two none is followed'

# ---- an extension that names the session, and not its file -------------------

begin 10 pi
of=$(sed -n 's/.*|--session|\([^|]*\).*/\1/p' "$T/c10/pi.words")
mkdir -p "${of%/*}"
hook 10 SessionStart "${id}a" '"source":"startup"'
wait_until 10 eval '[ "$(record 10 agent.session)" = "${id}a" ]'
pi "$(fence "$(marker 10)")" >"$of"
shows 10 "$(marker 10)"
wait_until 10 path_is 10 "$of"
result $? 'the file that pi was given is found'
wait_until 10 eval '"$PW" explain 10 | grep -q "^transcript waiting "'
result $? 'and read'
let_pass
no recorded 10 complete
result $? 'the pane reports nothing'

done_testing
