#!/bin/sh
# No answer reaches a dialog that tmux has seen change.  ANSWER_RACES=1000 tries
# it as often as that.
. "${0%/*}/lib.sh"

races=${ANSWER_RACES:-60}
mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
PATH=$T/bin:$PATH
export PATH
tmux_start
pane_run race "exec claude $ROOT/tests/system/standin.pl $T/log race 7"
wait_until 5 pane_shows race 'Do you want'
pane=$(pane_tell race '#{pane_id}')

answered=0
refused=0
tries=0
# A fast machine needs more tries to be too late for some.
while [ $tries -lt "$races" ] ||
		{ [ $refused -eq 0 ] && [ $tries -lt $((races * 10)) ]; }; do
	tries=$((tries + 1))
	if "$PW" answer "$pane" yes >>"$T/answers" 2>>"$T/refused"; then
		answered=$((answered + 1))
	else
		refused=$((refused + 1))
	fi
done
keys=$(grep -c . "$T/log")
sed 's/.*job \([0-9]*\).*/\1/' "$T/answers" >"$T/meant"
# KEY READ DRAWN MEANT, a line for each key.
paste -d ' ' "$T/log" "$T/meant" >"$T/pairs"
is "$keys" "$answered" 'each answer is one key'
check 'some were answered' test "$answered" -gt 0
check 'and some dialogs had changed' test "$refused" -gt 0
is "$(awk '$4 < $2' "$T/pairs")" '' \
	'no answer is for a dialog before the one that tmux had read'
echo "# $tries tries: $answered answered, $refused refused;" \
	"$(awk '$4 < $3' "$T/pairs" | grep -c .) met a dialog that was drawn" \
	'and not read yet'
sort "$T/refused" | sed "s/^paneward: cannot answer '[^']*': //;s/; go.*//" |
	uniq -c | comment
done_testing
