#!/bin/sh
# explain --save: what it writes is a case that says what the pane said, and
# that tests/corpus/score scores as it is.
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
	sed -i "s/\"expect\":null/\"expect\":\"$2\"/" "$1/case.json"
	like "$(scored "$1" | tail -n 1)" '^all +1 +0 +0$'
}

# verdict: the last line of explain, in standard input.
verdict() { sed -n 's/^\(verdict: [a-z]*, by [a-z]*\).*/\1/p'; }

# saves ISSUE CASE: its replay says what was said of the pane.
saves() {
	"$PW" explain "$1" --save "$2" >"$2.said"
	verdict <"$2.said"
	is "$(cd "$2" && PATH=${PW%/*}:$PATH sh replay.txt | verdict)" \
		"$(verdict <"$2.said")"
}

tmux_start

scenario 'a case holds what there was, for its owner alone' <<'END'
>>> begin 1 claude; mkdir -p "$HOME/.claude/projects/-p"
>>> line 1 text "$(marker 1)" | sed 's/"timestamp":"20/"timestamp":"19/' \
... 	>"$(file 1)"
>>> says 1 prompt 'Begin.'; works 1 it; shows 1 "$(marker 1)"
>>> wait_until 5 logged 1 TASK; saves 1 "$T/kept"
verdict: working, by transcript
>>> (cd "$T/kept" && find . -type f | sort | xargs); find "$T/kept" -perm /077
./.paneward/1.agent ./.paneward/1.json ./capture.txt ./case.json ./output-1.log ./replay.txt ./transcript.jsonl
>>> cat "$T/kept/case.json"
~ \{"issue":"1","client":"claude",.*"session":"alive","time":"20.*","verdict":"working","expect":null\}
>>> scored "$T/kept"; meant "$T/kept" none; scored "$T/kept" pane | head -n 1
kept: working; its case.json has no 'expect'
~ kept: none, is complete.*
>>> fails 3 "cannot make '.*kept': File exists" explain 1 --save "$T/kept"
END

script agent <<-'END'
	echo ready
	cat
	exit 7
END
scenario 'hooks, an end and a lost transcript are in a case' <<'END'
>>> "$PW" start 2 --session two --backend claude -- "$T/agent" >"$T/said" 2>&1
>>> wait_until 5 logged 2 ready
>>> printf '{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"Well."}' |
... 	PANEWARD_ISSUE=2 PANEWARD_STATUS_DIR=$S "$PW" hook record
>>> wait_until 10 recorded 2 waiting; saves 2 "$T/hooked"
verdict: waiting, by hook
>>> meant "$T/hooked" waiting; tm send-keys -t two C-d
... wait_until 10 recorded 2 dead
>>> saves 2 "$T/ended"; meant "$T/ended" dead
verdict: dead, by process
>>> rm "$HOME/.claude/projects/-p/"*; saves 1 "$T/lost" | grep complete
[1]
END
done_testing
