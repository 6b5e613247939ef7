#!/bin/sh
# What a transcript has told stays true when its pane, or the file, is gone.
# shellcheck disable=SC2016
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
	wait_until 5 eval "! tm has-session -t '=$1' 2>/dev/null"
}

# ---- a pane that is gone -----------------------------------------------------
quotes 1 claude
"$PW" sweep
is "$(record 1 transcript.said)" 1 'that it has a message is recorded'
leaves s1
"$PW" sweep
is "$(record 1 state)" gone 'what a pane had shown is no report when it is gone'
line 1 text "$(marker 1)" >>"$(file 1)"
check 'explain reads the transcript of a pane that is gone' explained 1 complete
"$PW" sweep
is "$(fields 1 state source)" 'complete transcript' \
	'so does a sweep: a report beats an end'

# An adopted one: its record says which client it is.
client c2 codex
pane_run issue-2 "exec '$T/c2/codex'"
wait_until 10 pane_shows issue-2 ready
of=$HOME/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-own.jsonl
mkdir -p "${of%/*}"
tell c2/codex "exec 8>>'$of'"
wait_until 5 test -e "$of"
codex task_complete "$(fence "$(marker 2)")" >>"$of"
PANEWARD_BACKEND=codex "$PW" sweep
is "$(record 2 transcript.path)" "$of" 'the transcript of an adopted one is found'
leaves issue-2
codex task_complete "$(marker 2)" >>"$of"
"$PW" sweep
is "$(fields 2 state source)" 'complete transcript' \
	'and read when its pane is gone'

# ---- a file that is gone -----------------------------------------------------
quotes 3 claude
"$PW" sweep
is "$(record 3 state)" waiting 'a marker that is quoted is no report'
rm "$(file 3)"
"$PW" sweep
is "$(record 3 state)" waiting 'nor when the transcript was removed'
shows 3 "$(marker 3)"
wait_until 5 eval '[ "$(grep -c "$(marker 3)" "$S/output-3.log")" = 2 ]'
"$PW" sweep
unlike "$(record 3 state)" "^complete" 'and the pane shows it again'
watch_begin three 3
wait_until 10 watched 3
let_pass
check 'a watcher that begins then does not believe it either' no recorded 3 complete
says 3 text "$(marker 3)"
watch_ended three 0 'a new file is read'

begin 4 claude
says 4 prompt 'Begin.'
says 4 text "$(fence "$(marker 4)")"
becomes 4 waiting transcript 'a watcher sees a quoted marker'
shows 4 "$(marker 4)"
let_pass
: >"$(file 4)"
shows 4 -
let_pass
check 'a transcript that was emptied does not leave it to the pane' no recorded 4 complete
says 4 text "$(marker 4)"
becomes 4 complete transcript 'what is written then is read'

done_testing
