#!/bin/sh
# The time from a line in a client's transcript to the line that reports it,
# compared with `tail -F | grep -m1 -F` on such a file; and the first reading of
# a transcript of 100 MB, compared with grep.

. "${0%/*}/lib.sh"

count=${QUICK:+40}
count=${count:-200}
rounds=9

tools latency stopwatch
server default

# ---- a line ------------------------------------------------------------------

# shellcheck disable=SC2016
watch='exec "$PW" watch "$@" --no-handoff --status-dir "$D"'
# shellcheck disable=SC2016
tail='tail -n 0 -F "$T/files/$1" 2>/dev/null |
	grep --line-buffered -o -m1 -F "###TASK_COMPLETE_$1###"'
export T

# A stand-in for the client; its session is the run.
folder=$HOME/.claude/projects/-project
mkdir -p "$folder" "$T/files"
printf '#!/bin/sh\nexec sleep 100000\n' >"$T/bin/claude"
chmod +x "$T/bin/claude"
prompt='{"type":"user","message":{"content":"Begin."},"timestamp":"'
prompt=$prompt$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}'

for i in $(seq $((2 * count))); do
	echo "$prompt" >"$T/files/$i"
done
for i in $(seq "$count"); do
	"$PW" start "$i" --no-watch --backend claude --status-dir "$D" >/dev/null
	run=$(sed 's/.*"run":"\([^"]*\).*/\1/' "$D/.paneward/$i.json")
	mv "$T/files/$i" "$folder/$run.jsonl"
	ln -s "$folder/$run.jsonl" "$T/files/$i"
done
latency transcript "$T/files" "$count" 40 one "$watch" each "$tail" \
	>"$T/times"
line 'transcript to verdict, 40 by one watch, median' us \
	"$(median 1 "$T/times")" "$(median 2 "$T/times")" 'ratio <= 3'
line 'transcript to verdict, 40 by one watch, 90 %' us \
	"$(quantile 0.9 1 "$T/times")" "$(quantile 0.9 2 "$T/times")" \
	'ratio <= 3'

# ---- a long one --------------------------------------------------------------

text=$(seq -s ' ' 900)
awk -v text="$text" -v time="$(date -u +%Y-%m-%dT%H:%M:%SZ)" 'BEGIN {
	for (i = 0; i < 29000; i++)
		printf "{\"type\":\"assistant\",\"timestamp\":\"%s\"," \
			"\"message\":{\"content\":[{\"type\":\"text\"," \
			"\"text\":\"%s\"}]}}\n", time,
			i == 5000 ? "###TASK_COMPLETE_7###" : text
}' >"$T/long"
for _ in $(seq $rounds); do
	stopwatch "$PW" explain 7 --status-dir "$D" --session alive \
		--backend claude --transcript "$T/long" >>"$T/ours"
	stopwatch grep -cF '###TASK_COMPLETE_7###' "$T/long" >>"$T/theirs"
done
"$PW" explain 7 --status-dir "$D" --session alive --backend claude \
	--transcript "$T/long" | grep -q '^verdict: complete, by transcript'
mb=$(($(wc -c <"$T/long") / 1000000))
line "first reading of $mb MB" s "$(median 1 "$T/ours")" \
	"$(median 1 "$T/theirs")" 'ours <= 0.3'
line '    its peak memory' KiB "$(median 3 "$T/ours")" \
	"$(median 3 "$T/theirs")" 'ours <= 8192'
