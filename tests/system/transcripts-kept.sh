#!/bin/sh
# What a transcript has told stays true when its pane, or the file, is gone, and
# it is followed when the agent restarts.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start

# explained ISSUE STATE: the transcript says so.
explained() { "$PW" explain "$1" | grep -q "^transcript $2 "; }

# quotes ISSUE [OPTION...]: its agent quotes a marker, and its pane shows it.
quotes() {
	begin "$@" --no-watch
	says "$1" prompt 'Begin.'
	says "$1" text "$(fence "$(marker "$1")")"
	shows "$1" "$(marker "$1")"
	wait_until 5 logged "$1" "$(marker "$1")"
	wait_until 10 explained "$1" waiting
}

leaves() {
	tm kill-session -t "=$1:"
	wait_until 5 no tm has-session -t "=$1" 2>/dev/null
}

scenario 'what a pane had shown is no report when it is gone; a transcript is' \
	<<'END'
>>> quotes 1 claude; "$PW" sweep; fields 1 transcript.said
1
>>> leaves s1; "$PW" sweep
~ 1 gone: .*
>>> line 1 text "$(marker 1)" >>"$(file 1)"; explained 1 complete
>>> "$PW" sweep >"$T/out"; fields 1 state source
complete transcript
END

client c2 codex
of=$HOME/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-own.jsonl
mkdir -p "${of%/*}"
scenario 'the transcript of an adopted one is found, also when that is gone' \
	<<'END'
>>> pane_run issue-2 "exec '$T/c2/codex'"
... wait_until 10 pane_shows issue-2 ready
>>> tell c2/codex "exec 8>>'$of'"; wait_until 5 test -e "$of"
>>> codex task_complete "$(fence "$(marker 2)")" >>"$of"
>>> PANEWARD_BACKEND=codex "$PW" sweep; has 2 transcript.path "$of"
>>> leaves issue-2; codex task_complete "$(marker 2)" >>"$of"
>>> "$PW" sweep >"$T/out"; fields 2 state source
complete transcript
END

drawn_twice() { [ "$(grep -c "$(marker 3)" "$S/output-3.log")" = 2 ]; }
scenario 'without its transcript a pane that quotes a marker reports nothing' \
	<<'END'
>>> quotes 3 claude; "$PW" sweep; fields 3 state
waiting
>>> rm "$(file 3)"; "$PW" sweep; fields 3 state
waiting
>>> shows 3 "$(marker 3)"; wait_until 5 drawn_twice; "$PW" sweep
>>> no recorded 3 complete && watch_begin three 3; wait_until 10 watched 3
>>> let_pass; no recorded 3 complete && says 3 text "$(marker 3)"
>>> watch_ended three 0
END
scenario 'nor does one whose transcript was emptied, until it writes a report' \
	<<'END'
>>> begin 4 claude; says 4 prompt 'Begin.'; says 4 text "$(fence "$(marker 4)")"
>>> becomes 4 waiting transcript it; shows 4 "$(marker 4)"; let_pass
>>> : >"$(file 4)"; shows 4 -; let_pass; no recorded 4 complete
>>> says 4 text "$(marker 4)"; becomes 4 complete transcript it
END
scenario 'a restarted agent is given its session, and followed further' <<'END'
>>> begin 6 claude; says 6 text "$(fence "$(marker 6)")"
>>> becomes 6 waiting transcript it; pid=$(record 6 agent.pid)
>>> tell c6/claude "printf '\\033]2;✳ claude\\033\\\\'"
>>> tell c6/claude "\"\$PANEWARD\" reload >'$T/reloaded' 2>&1"
>>> wait_until 20 no has 6 agent.pid "$pid"
>>> wait_until 10 eval '[ "$(wc -l <"$T/c6/claude.words")" -ge 2 ]'
>>> tell c6/claude "printf '\\033]2;⠂ claude\\033\\\\'"
>>> sed -n "s/--plugin-dir=[^|]*|//; s/$(record 6 run)/RUN/
... 1p;2s/|You have .*//p" "$T/c6/claude.words"
--session-id|RUN|
--resume|RUN
>>> says 6 prompt 'Go on.'; wait_until 20 has 6 reload.phase ''; working 6
>>> says 6 text "$(marker 6)"; becomes 6 complete transcript it
END
done_testing
