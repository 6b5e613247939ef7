#!/bin/sh
# explain --save: what it writes is a case that says what the pane said, and
# that tests/corpus/score scores as it is.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

# scored CASE [CHANNELS]: what score prints of it.
scored() {
	PANEWARD_BIN=$PW "$ROOT/tests/corpus/score" \
		--channels "${2:-pane,hooks,transcript}" \
		"$ROOT/tests/corpus/programs/paneward" "$1" 2>&1
}

# meant CASE WORD: a person adds that, and then it is scored.
meant() {
	sed "s/\"expect\":null/\"expect\":\"$2\"/" "$1/case.json" >"$T/meant"
	cp "$T/meant" "$1/case.json"
	like "$(scored "$1" | tail -n 1)" '^all +1 +0 +0$' "it scores as $2"
}

# verdict: the last line of explain, in standard input.
verdict() {
	sed -n 's/^\(verdict: [a-z]*, by [a-z]*\).*/\1/p'
}

# same CASE DESCRIPTION: its replay says what was said of the pane.
same() {
	is "$(cd "$1" && PATH=${PW%/*}:$PATH sh replay.txt | verdict)" \
		"$(verdict <"$1.said")" "$2"
}

tmux_start

# ---- a transcript, with a report of an earlier run ---------------------------

begin 1 claude
mkdir -p "$HOME/.claude/projects/-p"
line 1 text "$(marker 1)" | sed 's/"timestamp":"20/"timestamp":"19/' \
	>"$(file 1)"
says 1 prompt 'Begin.'
works 1 'an agent works'
shows 1 "$(marker 1)"
wait_until 5 logged 1 TASK
"$PW" explain 1 --save "$T/kept" >"$T/kept.said"
is "$(cd "$T/kept" && find . -type f | sort | tr '\n' ' ')" \
	'./.paneward/1.agent ./.paneward/1.json ./capture.txt ./case.json ./output-1.log ./replay.txt ./transcript.jsonl ' \
	'a case holds what there was'
is "$(find "$T/kept" -perm /077)" '' 'for its owner alone'
like "$(cat "$T/kept/case.json")" \
	'^\{"issue":"1","client":"claude",.*"session":"alive","time":"20.*","verdict":"working","expect":null\}$' \
	'and says what was known, and judged'
same "$T/kept" 'a replay says the same: what is of an earlier run does not count'
is "$(scored "$T/kept")" "kept: working; its case.json has no 'expect'" \
	'score asks for what was meant'
meant "$T/kept" none
like "$(scored "$T/kept" pane)" '^kept: none, is complete' \
	'by the pane alone the marker is a report'
fails 3 "cannot make '.*kept': File exists" explain 1 --save "$T/kept"

# ---- hooks, and an agent that has ended --------------------------------------

script agent <<-'END'
	echo ready
	cat
	exit 7
END
"$PW" start 2 --session two --backend claude -- "$T/agent" >/dev/null
wait_until 5 logged 2 ready
printf '{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"Well."}' |
	PANEWARD_ISSUE=2 PANEWARD_STATUS_DIR=$S "$PW" hook record
wait_until 10 recorded 2 waiting
"$PW" explain 2 --save "$T/hooked" >"$T/hooked.said"
like "$(cat "$T/hooked.said")" '^verdict: waiting, by hook' 'hooks decide'
same "$T/hooked" 'and in a replay'
meant "$T/hooked" waiting
tm send-keys -t two C-d
wait_until 10 recorded 2 dead
"$PW" explain 2 --save "$T/ended" >"$T/ended.said"
same "$T/ended" 'its end is in the case'
meant "$T/ended" dead

# ---- a transcript that is not known any more ---------------------------------

rm "$HOME/.claude/projects/-p/"*
"$PW" explain 1 --save "$T/lost" >"$T/lost.said"
unlike "$(cat "$T/lost.said")" '^verdict: complete' \
	'where a transcript has spoken a marker in the pane is no report'
same "$T/lost" 'nor is it in a replay'

done_testing
