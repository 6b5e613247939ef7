#!/bin/sh
# A row says what its agent is at: the task as the person typed it, the tool
# from its start to its end, and the last line of its answer.
. "${0%/*}/lib.sh"

case $1 in
grok | aider) skip_all 'it writes nothing down' ;;
esac
client "$1"
hooks
model '[ { "say": "I look into it.",
		"run": "touch began; until test -e go; do sleep 0.1; done" },
	{ "say": "First line.\n\nThe **last** line." }, { "say": "Second." } ]'
begin 42

# says MEMBER TEXT: does the row have it?
says() {
	"$PW" status 42 --json | grep -Eq "\"$1\":\"$2\""
}

# A second, on a machine that is not busy.  Gemini CLI itself tells the end two
# seconds late.
late=2000
[ "$1" != gemini ] || late=5000

# within NAME COMMAND...: does it hold within that time?
within() {
	name=$1
	shift
	begun=$(date +%s%N)
	wait_until "$LONG" "$@"
	took=$((($(date +%s%N) - begun) / 1000000))
	[ "$took" -lt "$late" ]
	result $? "$name" || echo "$took ms" | comment
}

wait_until "$LONG" test -e "$P/began"
within 'doing names the tool' says doing '[A-Za-z_.]+ touch began; .*'
within 'and the task is as typed' says '(task|prompt)' "$PROMPT"
touch "$P/go"
within 'doing goes with the tool' no says doing '.*'
becomes 42 waiting
within 'the last line was said' says said 'The \*\*last\*\* line\.'
prompt 'And now a second prompt'
within 'the next prompt is the task' says '(task|prompt)' 'And now a second prompt'
within 'and its answer is said' says said 'Second\.'
done_testing
