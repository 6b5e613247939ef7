#!/bin/sh
# The agent restarts itself twice in the same pane, with the same conversation,
# and only then does its work.
. "${0%/*}/lib.sh"

client claude
hooks
reload='mkdir -p .claude/self-reborn && echo hand-off-%d \
>.claude/self-reborn/handoff.md && "$PANEWARD" reload "try %d"'
model "$(printf '%s' "$reload" | node -e '
	const run = require("fs").readFileSync(0, "utf8").replace("\\\n", "");
	console.log(JSON.stringify([
		{ say: "I restart myself.", run }, { say: "See you." },
		{ say: "And once more.", run }, { say: "See you again." },
		{ say: "I finished the work.\n\n###TASK_COMPLETE_42###" },
	]));')"
begin 42
becomes 42 complete
told 42
is "$(changes 42 dead) $(changes 42 gone)" '0 0' 'and was never taken for dead'
run=$(record 42 run)
is "$(record 42 agent.session)" "$run" 'the session is the same'
is "$(find "$HOME/.claude/projects" -name '*.jsonl' | wc -l)" 1 \
	'there was only one'
like "$(sed -n 3p "$T/model.log")" 'hand-off-1' 'it got its first hand-off'
like "$(sed -n 5p "$T/model.log")" 'hand-off-3' 'and its second one'
is "$(find .claude -name 'handoff-2*' | wc -l)" 2 'both were put away'
is "$(journal 42 run | grep -c reload)" 2 'the journal knows of both'
comment <"$S/.paneward/42.reload.log"

# How long it took, beside what the client itself needs for its prompt.
now() {
	perl -MTime::HiRes=time -e 'printf "%d\n", time * 1000'
}

prompts() {
	tm capture-pane -p -t =alone: 2>/dev/null | grep -q '^❯'
}

perl -MJSON::PP -MTime::Local -ne '
	my $r = decode_json($_);
	my ($s, $ms) = $r->{time} =~ /:(\d\d)\.(\d\d\d)Z$/ or next;
	my ($h, $m) = $r->{time} =~ /T(\d\d):(\d\d)/;
	my $at = (($h * 60 + $m) * 60 + $s) * 1000 + $ms;
	$ended = $at if $r->{event} eq "turn-ended";
	printf "from the turn\x27s end to the next prompt: %d ms\n",
	    $at - $ended, $ended = undef
	    if $r->{event} eq "turn-started" && $ended;
' "$S/.paneward/42.records" | comment
for _ in 1 2 3; do
	begun=$(now)
	tm new-session -d -s alone -x 120 -y 40 -c "$P" \
		"exec claude --resume $run"
	wait_until "$LONG" prompts
	echo "claude --resume until its prompt is drawn: $(($(now) - begun)) ms"
	tm kill-session -t =alone:
done | comment
done_testing
