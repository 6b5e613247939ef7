#!/bin/sh
# Prompts of one line and of forty are sent to an idle agent: each arrives once,
# byte for byte, and its answer comes back, as soon as its turn is over.
. "${0%/*}/lib.sh"

COUNT=20
[ "$1" != aider ] || skip_all 'its turns are over before its screen shows them'
client "$1"
hooks
model '[ { "say": "Hi." }, { "say": "Answer %d.", "seconds": 3, "times": 40 } ]'
begin 42
wait_until "$LONG" asked 1
becomes 42 waiting

# text NUMBER: one line, or forty.
text() {
	# What is pasted into Grok has no lines.
	[ $(($1 % 2)) -eq 0 ] && [ "$CLIENT" != grok ] || {
		echo "Prompt $1: does it'\"\$HOME \`work\`; naïve — 漢字 #{pane_id}?"
		return
	}
	echo "Prompt $1 has many lines:"
	for line in $(seq 38); do
		echo "  $line. the line \"$line\" of prompt $1, with \\ and 'é'"
	done
	echo "and the last one of prompt $1"
}

# Wall time in ms at which its hooks told the end of a turn, or its transcript.
ended() {
	[ "$CLIENT" != kimi ] || {
		grep -h '"type":"turn.ended"' \
			"$HOME"/.kimi-code/sessions/*/*/agents/main/wire.jsonl |
			tail -n 1 | grep -o '[0-9]*}$' | tr -d '}'
		return
	}
	date +%s%3N -d "$(sed -n 's/^{"time":"\([^"]*\)","event":"turn-ended".*/\1/p' \
		"$S/.paneward/42.records" | tail -n 1)"
}

number=1 worst=0
while [ "$number" -le "$COUNT" ]; do
	text "$number" >"$T/text"
	got=0
	"$PW" send 42 --when-idle --wait - <"$T/text" >"$T/out" 2>"$T/err" || got=$?
	late=0
	[ ! -e "$S/.paneward/42.records" ] ||
		late=$(($(date +%s%3N) - $(ended)))
	[ "$late" -le "$worst" ] || worst=$late
	# These write no file.
	case $CLIENT in
	opencode | kilo | grok | aider) answer='42 waiting: at its prompt' ;;
	*)	answer="Answer $((number + 1))." ;;
	esac
	is "$got $(cat "$T/out")" "0 $answer" \
		"prompt $number is answered" || {
		comment <"$T/err"
		pane_text "$PANE" | comment
	}
	# shellcheck disable=SC2016
	is "$(node -e '
		const fs = require("fs");
		const text = fs.readFileSync(process.argv[1], "utf8").trim();
		const strings = (v) => typeof v === "string" ? [v] :
			v && typeof v === "object" ?
			Object.values(v).flatMap(strings) : [];
		const lines = fs.readFileSync(process.argv[2], "utf8")
			.trim().split("\n").map((l) => JSON.parse(l));
		console.log(lines.filter((l) => strings(l).some((s) =>
			s.replace(/\r\n?/g, "\n").includes(text))).length);
		' "$T/text" "$T/model.log")" 1 "prompt $number has arrived once"
	number=$((number + 1))
done
echo "# $worst ms behind the end of a turn at most"
check 'each answer is there at once' test "$worst" -lt 1000
exits 2 'a command of the client is refused' "$PW" send 42 /help
# Their first prompt was sent, too.
case $CLIENT in
kimi | grok) COUNT=$((COUNT + 1)) ;;
esac
is "$(journal 42 sent | grep -c 'sent, ')" "$COUNT" 'and all are journaled'
done_testing
