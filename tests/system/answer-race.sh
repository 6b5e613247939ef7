#!/bin/sh
# No answer reaches a dialog that tmux has seen change, and one that reaches a
# dialog which it has not read yet is told.  ANSWER_RACES=1000 tries it as often
# as that.
. "${0%/*}/lib.sh"

races=${ANSWER_RACES:-45}
mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
export PATH="$T/bin:$PATH"
tmux_start
pane_run race "exec claude $ROOT/tests/system/standin.pl $T/log race $$"
wait_until 5 pane_shows race 'Do you want'
pane=$(pane_tell race '#{pane_id}')

answered=0
refused=0
tries=0
# A fast machine needs more tries to be too late for some, a busy one to be in
# time.
while [ $tries -lt "$races" ] || { [ $((answered * refused)) -eq 0 ] &&
		[ $tries -lt $((races * 10)) ]; }; do
	tries=$((tries + 1))
	if "$PW" answer "$pane" yes >>"$T/answers" 2>>"$T/refused"; then
		answered=$((answered + 1))
	else
		refused=$((refused + 1))
	fi
done
# KEY READ DRAWN MEANT HOW, a line for each key.
grep '"paneward.answer' "$HOME/.local/state/paneward/panes/journal.ndjson" |
	sed "s/.*\"answered\([^']*\) 'yes' to: .*job \([0-9]*\).*/\2 \1/" >"$T/meant"
paste -d ' ' "$T/log" "$T/meant" >"$T/pairs"
late=$(awk 'NF > 4' "$T/pairs" | grep -c .)
is "$(grep -c . "$T/log")" "$((answered + late))" 'each answer is one key'
check 'some were answered' test "$answered" -gt 0
check 'and some dialogs had changed' test "$refused" -gt "$late"
is "$(awk '$4 < $2' "$T/pairs")" '' \
	'no answer is for a dialog before the one that tmux had read'
# An older tmux cannot read as it writes the key.
case $(tm display-message -p '#{version}') in
3.[01] | 3.[01][a-z]) ;;
*)	is "$(awk '$4 < $3 && NF == 4' "$T/pairs")" '' \
		'nor, untold, for one that was replaced and not read yet' ;;
esac
echo "# $tries tries: $answered answered, $((refused - late)) refused;" \
	"$(awk '$4 < $3' "$T/pairs" | grep -c .) met a dialog that was drawn" \
	"and not read yet, $late were told to be late"
sort "$T/refused" | sed "s/^paneward: cannot answer '[^']*': //;s/; go.*//" |
	uniq -c | comment
done_testing
