#!/bin/sh
# A transcript beside hooks: they tell where it is, and it tells what they do
# not.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start

# hook ISSUE EVENT SESSION [MORE]: its client calls its hook; MORE are members
# of the input.
hook() {
	tell "c$1/$(cat "$T/c$1/name")" "printf '%s' '{\"hook_event_name\":\"$2\",\"session_id\":\"$3\"${4:+,$4}}' | \"\$PANEWARD\" hook record"
}

# names ISSUE EVENT SESSION PATH: a hook that names a transcript.
names() {
	hook "$1" "$2" "$3" "\"transcript_path\":\"$4\""
	wait_until 10 recorded_event "$1" "${4##*/}"
}

recorded_event() { grep -q "\"event\":.*$2" "$S/.paneward/$1.records"; }
at() { wait_until 10 is_at "$1" "$2" "${3:-transcript}"; }
path() { wait_until 10 has "$1" transcript.path "$2"; }
session_of() { wait_until 10 has "$1" agent.session "$2"; }

projects=$HOME/.claude/projects/-p
mkdir -p "$projects" "$HOME/.claude/elsewhere"
id=aaaaaaaa-0000-4000-8000-00000000000
for issue in 1 2 3 4 5 6 8 9; do
	begin $issue claude
done
for issue in 2 3 4 5 6 8 9; do
	wait_until 10 no has $issue agent.pid ''
done

# ---- the path that a hook tells ----------------------------------------------

one=$HOME/.claude/elsewhere/one.jsonl
six=$HOME/.claude/elsewhere/six.jsonl
scenario 'a file that a hook has named is found, and read' <<'END'
>>> names 1 SessionStart "${id}1" "$one"
>>> shows 1 "$(marker 1)"; line 1 prompt 'Begin.' >"$one"; shows 1 -
>>> path 1 "$one"; working 1; line 1 text "$(marker 1)" >>"$one"; at 1 complete
END
# Two files lie elsewhere, a link and a FIFO where they should, and 6 has a
# session in its session.  8 has no transcript yet, and 9 the file of its
# process.
line 2 text "$(marker 2)" >"$T/outside"
ln -s "$T/outside" "$projects/link"
mkfifo "$projects/fifo"
names 2 SessionStart "${id}2" "$T/outside"
names 3 SessionStart "${id}3" "$projects/link"
names 4 SessionStart "${id}4" "$HOME/.claude/projects/../../../outside"
names 5 SessionStart "${id}5" "$projects/fifo"
line 6 prompt 'Begin.' >"$six"
line 6 text "$(marker 6)" >"$HOME/.claude/elsewhere/nested"
names 6 SessionStart "${id}6" "$six"
path 6 "$six"
hook 6 UserPromptSubmit "${id}6"
names 6 UserPromptSubmit "${id}7" "$HOME/.claude/elsewhere/nested"
wait_until 10 recorded 6 working
for issue in 2 3 4 5; do
	wait_until 10 recorded $issue waiting
	shows $issue work
done
shows 6 -
status 8 busy
shows 8 -

# What is written in place may be empty; a client in the client has a file, too.
says 9 prompt 'Begin.'
status 9 busy
working 9
tell c9/claude "sh -c 'echo \$\$ >$T/nested; exec sleep 1000' &"
wait_until 5 test -s "$T/nested"
line 9 text "$(marker 9)" >"$projects/${id}9.jsonl"
session 9 "$(cat "$T/nested")" "${id}9"
: >"$HOME/.claude/sessions/$(record 9 agent.pid).json"
shows 9 -
scenario 'a file elsewhere, a link, a FIFO, one of another session are not' \
	<<'END'
>>> let_pass; for i in 2 3 4 5 6; do fields $i state transcript.path; done
waiting -
waiting -
waiting -
waiting -
working $T/home/.claude/elsewhere/six.jsonl
>>> for i in 2 3 4 5; do "$PW" explain $i | grep ^transcript; done
~ transcript - +none is known.*
~ transcript - +none is known.*
~ transcript - +none is known.*
~ transcript - +none is known.*
>>> has 9 agent.session "$(record 9 run)"
END

# ---- what hooks do not tell --------------------------------------------------

# A prompt_response holds the text twice, and a marker out of its fence.
begin 7 gemini
run=$(record 7 run)
of=$HOME/.gemini/tmp/p/chats/session-2026-01-02T03-04-$(echo "$run" |
	cut -c 1-8).jsonl
mkdir -p "${of%/*}"
scenario 'what a Gemini CLI says is in its transcript, and nowhere else' <<'END'
>>> hook 7 SessionStart "$run" "\"transcript_path\":\"$of\""
>>> gemini user 'Begin.' >"$of"
>>> hook 7 BeforeAgent "$run"; gemini gemini "$(fence "$(marker 7)")" >>"$of"
>>> hook 7 AfterAgent "$run" "\"prompt_response\":\"$(marker 7)\""
>>> wait_until 10 recorded_event 7 turn-ended; at 7 waiting hook
>>> shows 7 "$(marker 7)"; let_pass; recorded 7 waiting
>>> hook 7 BeforeAgent "$run"; wait_until 10 recorded 7 working
>>> gemini error 'This model fails.' >>"$of"
>>> hook 7 AfterAgent "$run" '"prompt_response":"[no response text]"'
>>> at 7 asking; fields 7 message
This model fails.
>>> let_pass; recorded 7 asking && "$PW" explain 7 | grep ^verdict
~ verdict: asking, by transcript.*
>>> kill "$(watcher 7)"; wait_until 10 no watched 7; "$PW" sweep
>>> is_at 7 asking transcript && "$PW" status 7 | head -n 1
~ 7 .*This model fails\.
END

# ---- the file of the process -------------------------------------------------

# It is replaced a moment after the client has drawn, which draws no more.
scenario 'a client works before there is a transcript; the next session, too' \
	<<'END'
>>> working 8; "$PW" explain 8 | grep ^transcript
~ transcript working +none is known, but a file of its process: .*turn-started.*
>>> says 8 prompt 'Begin.'; working 8
>>> session 8 "$(record 8 agent.pid)" "${id}8"
>>> of=$HOME/.claude/sessions/$(record 8 agent.pid).json; mv "$of" "$T/next"
>>> status 8 busy; line 8 prompt 'Begin anew.' >"$projects/${id}8.jsonl"
>>> late="perl -e '\$| = 1; print q(cleared); select undef, undef, undef, 0.3;"
>>> tell c8/claude "$late rename \$ARGV[0], \$ARGV[1]' '$T/next' '$of'"
>>> path 8 "$projects/${id}8.jsonl"
END

# ---- a session that goes on in the client's background -----------------------

# background ISSUE NAME JOB: another process of its client has that job.
background() {
	tell "c$1/claude" "sh -c 'echo \$\$ >$T/$2; exec sleep 1000' &"
	wait_until 5 test -s "$T/$2"
	session "$1" "$(cat "$T/$2")" "$id$2" idle '' "\"jobId\":\"$3\""
}

# moves ISSUE JOB: its turn is over, and its process has moved the session.
moves() {
	wait_until 10 no has "$1" agent.pid ''
	run=$(record "$1" run)
	hook "$1" SessionStart "$run" '"source":"startup"'
	hook "$1" Stop "$run" '"last_assistant_message":"Hello."'
	at "$1" waiting hook
	session "$1" "$(record "$1" agent.pid)" "$run" idle '' \
		"\"parkedJobId\":\"$2\""
	shows "$1" list
}

scenario 'the session of the one process with its job is followed, of two no' \
	<<'END'
>>> begin 12 claude; background 12 c twice; background 12 d twice
>>> moves 12 twice; shows 12 -; begin 11 claude; moves 11 job
>>> background 11 b job; shows 11 -; session_of 11 "${id}b"
>>> "$PW" explain 11 | grep ^hook; recorded 11 waiting
~ hook +- +no hook has reported.*
>>> of=$projects/${id}b.jsonl; line 11 prompt 'Go on.' >"$of"; shows 11 -
>>> at 11 working; line 11 text "$(marker 11)" >>"$of"; shows 11 -
>>> at 11 complete; let_pass; has 12 agent.session "$(record 12 run)"
END

# ---- an extension that names the session, and not its file -------------------

scenario 'the file that pi was given is found and read' <<'END'
>>> begin 10 pi
>>> of=$(sed -n 's/.*|--session|\([^|]*\).*/\1/p' "$T/c10/pi.words")
>>> mkdir -p "${of%/*}"; hook 10 SessionStart "${id}a" '"source":"startup"'
>>> session_of 10 "${id}a"; pi "$(fence "$(marker 10)")" >"$of"
>>> shows 10 "$(marker 10)"; path 10 "$of"
>>> wait_until 10 eval '"$PW" explain 10 | grep -q "^transcript waiting "'
>>> let_pass; recorded 10 complete
[1]
END

done_testing
