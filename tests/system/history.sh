#!/bin/sh
# paneward history: what happened, from the journal, as lines, JSON or a page.
. "${0%/*}/lib.sh"
# It is noon, so that no midnight parts what happens.
hour=$(date -u +%H)
export TZ="NOON$((${hour#0} - 12))"
J=$S/.paneward/journal.ndjson

exits 0 'where nothing happened there is nothing to say' "$PW" history
is "$(cat "$T/out" "$T/err")" '' 'and nothing is said'
check 'no status directory is made' no test -e "$P/.worktrees"
exits 1 'an issue of which nothing happened is the answer no' \
	"$PW" history 42
like "$(cat "$T/err")" "^paneward: no journal has anything of issue '42'\$" 'which is said'

# ---- a real run --------------------------------------------------------------

tmux_start
"$PW" start 42 --no-watch --session s42 -- sh -c \
	'"$PANEWARD" signal complete "<b>all</b> done"; exec sleep 1000' >"$T/said"
"$PW" watch 42 >"$T/said"
obedient agent
"$PW" start 7 --no-watch --session s7 -- "$T/agent" >"$T/said"

exits 0 'a run is told' "$PW" history 42
is "$(sed 's/^[0-9:]\{8\}/TIME/; 1s/.*/DAY/' "$T/out")" 'DAY
TIME  42        run       started
TIME  42        complete  signal-complete-42 is there: <b>all</b> done' \
	'line by line, under its day'
exits 0 'all runs are told' "$PW" history
is "$(cut -c 11-12 "$T/out" | sed 1d | tr '\n' ' ')" '42 42 7  ' \
	'in the order in which it happened'
exits 0 'as JSON' "$PW" history --json
check 'these are the lines of the journal' cmp "$T/out" "$J"
exits 0 'of one issue' "$PW" history 7 --json
is "$(cat "$T/out")" "$(grep '"subject":"7"' "$J")" 'these are its lines'
exits 0 'nothing happens in the future' "$PW" history --since 2999-01-01
is "$(cat "$T/out")" '' 'which is no error'
exits 0 'also of one issue' "$PW" history 42 --since 2999-01-01

exits 0 'a page is written' "$PW" history --html "$T/run.html"
is "$(cat "$T/out" "$T/err")" '' 'without a word'
is "$(grep -c '<div class="row">' "$T/run.html")" 2 'with a row per run'
like "$(cat "$T/run.html")" 'working</strong> 7, [0-9:]* to now, ' \
	'a run that stands goes on until now'
like "$(cat "$T/run.html")" 'working</strong> 42, [0-9:]* to [0-9:]*, ' \
	'another one to its end'
like "$(cat "$T/run.html")" 'is there: &lt;b&gt;all&lt;/b&gt; done' \
	'what an agent says is no markup'
pane_run narrow "'$PW' history 42; exec sleep 1000" -x 40 -c "$P"
wait_until 10 pane_shows narrow 'complete  signal-co…'
is "$(tm capture-pane -p -t =narrow: | sed -n '3s/^[0-9:]*//p')" \
	'  42        complete  signal-co…' 'a line fits the terminal'
tm kill-session -t =s7
stands_until_an_event() {
	"$PW" history --html - | grep -q 'working</strong> 7, [0-9:]* to [0-9]'
}
soon 'a run whose pane is gone goes on until its last event' \
	stands_until_an_event

# ---- what the journal may hold -----------------------------------------------

export TZ=UTC

# event TIME TYPE ISSUE DATA: a line of the journal, of run $run.
run=0123abcd-1111-4222-8333-444444444444
event() {
	printf '{"specversion":"1.0","id":"%s","source":"/","type":"%s",' \
		"$1-$2" "paneward.$2"
	printf '"subject":"%s","time":"2026-01-%sZ","data":{"run":"%s",%s}}\n' \
		"$3" "$1" "$run" "$4"
}
{
	echo 'half","time":"2026-01-01T00:00:00Z"}'
	event 30T23:50:00 run 8 '"detail":"started"'
	event 31T00:10:00 state 8 '"state":"asking","source":"screen",
"why":"it asks","message":"no line feed is in a line"' | tr '\n' ' '
	echo
	event 31T00:20:00.5 state 8 '"state":"working","why":"it works"'
	event 31T00:20:00.5 state 8 '"state":"working","why":"it works"'
	event 31T00:15:00 notify 8 '"detail":"the clock was set back"'
	event 31T00:30:00 state 8 '"state":"complete","why":"\u001b[31mred\u001b\\ \u009b \u202e",
"message":"</td><script>alert(1)</script><img src=x onerror=alert(2)>\" style=\"x"' |
		tr '\n' ' '
	echo
	event 31T00:30:01 handoff 8 '"handoff":"x","state":"running",
"attempt":1,"detail":"attempt 1 begins"' | tr '\n' ' '
	echo
	event 31T00:30:02 handoff 8 '"state":"done","attempt":1,"exit":0,
"message":"cleaned up","detail":"attempt 1 ended"' | tr '\n' ' '
	echo
	event 31T00:31:00 dream 8 '"detail":"of a later version"'
	run=0123abcd-1111-4222-8333-555555555555
	event 31T00:32:00 state 9 '"state":"dreaming","why":"later"'
	run=
	event 31T00:33:00 warning 'queue/inbox/<i>.yaml' '"detail":"pushed out"'
	printf '{"id":"1","type":"paneward.run","subject":"8",'
} >"$T/journal"
cp "$T/journal" "$J"
PANEWARD_NOW=1769860800         # 2026-01-31T12:00:00Z
export PANEWARD_NOW

exits 0 'whatever is in it' "$PW" history
is "$(cat "$T/out")" 'Friday, 30 January 2026
23:50:00  8         run       started

Saturday, 31 January 2026
00:10:00  8         asking    it asks: no line feed is in a line
00:20:00  8         working   it works
00:15:00  8         notice    the clock was set back
00:30:00  8         complete  \x1b[31mred\x1b\ \x9b \u202e: </td><script>alert(1)</script><img src=x onerror=alert(2)>" style="x
00:30:01  8         hand-off  attempt 1 begins
00:30:02  8         hand-off  attempt 1 ended with 0, done: cleaned up
00:32:00  9         unknown   later
00:33:00  queue/inbox/<i>.yaml  warning   pushed out' \
	'each event is a line, and nothing moves a terminal'
is "$(cat "$T/err")" '' 'what is no event is skipped'
exits 0 'as JSON' "$PW" history --json
is "$(perl -MJSON::PP -ne 'decode_json($_); print "x"' "$T/out")" \
	xxxxxxxxxx 'each line is JSON'
is "$(LC_ALL=C tr -d '[:print:]\n\200-\377' <"$T/out" | wc -c)" 0 \
	'without a control byte'
is "$(TZ=XYZ-5:30 "$PW" history 8 | sed -n 2p)" \
	'05:20:00  8         run       started' 'times are local'

# ---- since when ---------------------------------------------------------------

# since WHEN FIRST: the first line that is left.
since() {
	exits 0 "since $1" "$PW" history --since "$1"
	is "$(sed -n 2p "$T/out" | cut -c 1-8)" "$2" "begins at $2"
}
since 13h 23:50:00
since 12h 00:10:00
since 710m 00:10:00
since 709m 00:20:00
since 00:15 00:20:00
since 2026-01-31 00:10:00
since '2026-01-31 00:33' 00:33:00
since 2d 23:50:00
for wrong in '' yesterday 2 25:00 2026-02-30 '2026-01-31  00:30' -1h; do
	exits 2 "since '$wrong' is refused" "$PW" history --since "$wrong"
	like "$(cat "$T/err")" "--since '$wrong' is not a time such as '2h', '3d', \
'14:02', '2026-11-20' or '2026-11-20 14:02'" 'with what is accepted'
done

# ---- the page ------------------------------------------------------------------

exits 0 'a page of it' "$PW" history --html -
page=$(cat "$T/out")
is "$(head -n 1 "$T/out")" '<!DOCTYPE html>' 'to standard output'
unlike "$page" '://|<script|<img|<i>\.yaml|" style="x' \
	'loads nothing and has no hostile markup'
like "$page" 'lt;script&gt;alert\(1\)' 'but shows it'
is "$(LC_ALL=C tr -d '[:print:]\t\n\200-\377' <"$T/out" | wc -c)" 0 \
	'it has no control byte'
unlike "$page" "$(printf '\302\233|\342\200\256')" 'nor one of UTF-8'
like "$page" "Content-Security-Policy.*default-src 'none'" 'it forbids itself more'
is "$(sed -n 's|^<h2>\(.*\)</h2>|\1|p' "$T/out" | tr '\n' ';')" \
	'Saturday, 31 January 2026;Friday, 30 January 2026;' \
	'the latest day comes first'
is "$(grep -c '<div class="row">' "$T/out")" 3 'with the runs of each day'
is "$(grep -c '<tr id=' "$T/out")" 9 'and its events'
like "$page" 'asking</strong> 8, 00:10:00 to 00:20:00, 10m00s' \
	'a state lasts until the next one'
grep -o 'href="#[^"]*"' "$T/out" | cut -d '"' -f 2 | while read -r link; do
	grep -q "id=\"${link#?}\"" "$T/out" || echo "$link"
done >"$T/missing"
is "$(cat "$T/missing")" '' 'every link leads to an event'
exits 0 'a page since a time' "$PW" history --since 00:25 --html -
is "$(grep -c '<tr id=' "$T/out")" 5 'has these events'
like "$(cat "$T/out")" '<span tabindex="0" class="bar working" style="left:0.00%' \
	'and of earlier ones what lasts until then'
exits 0 'a page since later' "$PW" history --since 11:00 --html -
is "$(grep -c '<tr id=\|class="row"' "$T/out")" 0 'is empty'

echo old >"$T/page.html"
ln -s page.html "$T/link.html"
exits 0 'an old page is replaced' "$PW" history --html "$T/page.html"
is "$(head -n 1 "$T/page.html")" '<!DOCTYPE html>' 'as a whole'
is "$(cd "$T" && echo page.html*)" page.html 'and nothing is left beside it'
exits 0 'a link is replaced' "$PW" history --html "$T/link.html"
check 'and not followed' no test -L "$T/link.html"
for place in "$T" /dev/null "$T/no/page.html"; do
	exits 3 "$place cannot be a page" "$PW" history --html "$place"
	like "$(cat "$T/err")" "cannot write the page '$place': " 'it says why'
done
check '/dev/null is what it was' test -c /dev/null
exits 3 'standard output may be full' sh -c "'$PW' history --html - >/dev/full"
exits 2 'a page is no JSON' "$PW" history --json --html "$T/page.html"
exits 2 'one issue, or all' "$PW" history 7 8
exits 2 'what is no issue is refused' "$PW" history ../x

# ---- in a browser ----------------------------------------------------------------

browser=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome) || browser=
"$PW" history --html "$T/page.html"
if [ "$browser" = '' ]; then
	skip 'a browser shows the page' 'there is no chromium'
else
	timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu \
		--enable-logging=stderr --v=0 --user-data-dir="$T/browser" \
		--dump-dom "file://$T/page.html" >"$T/dom" 2>"$T/said"
	like "$(cat "$T/dom")" 'class="bar asking"' 'a browser shows the page'
	is "$(grep CONSOLE: "$T/said")" '' 'and has nothing to complain of'
	unlike "$(cat "$T/dom")" '<script|<img|onerror="|<i>\.' \
		'it finds no markup in the texts'
fi

# ---- all projects ----------------------------------------------------------------

mkdir -p "$T/other/.worktrees/.status/.paneward"
chmod 700 "$T/other/.worktrees/.status"
run=0123abcd-1111-4222-8333-666666666666
{
	event 31T00:05:00 run 8 '"detail":"started"'
	event 31T00:25:00 state 8 '"state":"waiting","why":"it waits"'
} >"$T/other/.worktrees/.status/.paneward/journal.ndjson"
(cd "$T/other" && "$PW" history) >"$T/said"
exits 0 'all projects are told' "$PW" history --all --since 2026-01-31
is "$(sed '1d; s/^\(.\{8\}\)  \([^ ]*\) .*/\1 \2/' "$T/out" | head -n 5)" \
	'00:05:00 other/8
00:10:00 project/8
00:20:00 project/8
00:15:00 project/8
00:25:00 other/8' 'by their time, with the name of the project'
exits 0 'as JSON' "$PW" history --all --json
check 'these are the lines of all journals' \
	test "$(wc -l <"$T/out")" -eq 12
exits 0 'as a page' "$PW" history --all --html -
is "$(grep -o 'class="label" title="[a-z]*/8' "$T/out" | cut -d '"' -f 4)" \
	'project/8
other/8
project/8' 'each run has a row'
like "$(cat "$T/out")" '^<p>All projects: ' 'of all projects'
exits 0 'of one issue' "$PW" history --all 9
is "$(sed 1d "$T/out")" '00:32:00  project/9  unknown   later' 'it is found'
exits 2 'all are not one directory' "$PW" history --all --status-dir "$S"

# ---- large, linked, gone ----------------------------------------------------------

perl -e 'open my $f, "<", $ARGV[0]; my @l = <$f>; chomp @l;
	for my $i (1 .. 30000) { print "$l[3]\n" =~ s/20:00.5/20:00.$i/gr }' \
	"$T/journal" >"$J"
exits 0 'of many events' "$PW" history --html "$T/many.html"
events=$(grep -c '<tr id=' "$T/many.html")
check 'a page has the last ones' test "$events" -ge 10000
check 'and no more than twice as many' test "$events" -le 20000
like "$(cat "$T/many.html")" "^<p>$((30000 - events)) earlier events are left out" \
	'it says how many it leaves out'
is "$("$PW" history | wc -l)" 30001 'as lines there are all'
"$PW" history 2>"$T/err" | head -n 1 >"$T/said"
is "$(cat "$T/err")" '' 'a reader may go early'

ln -sf "$T/journal" "$J"
exits 3 'a journal that is a link is not read' "$PW" history
like "$(cat "$T/err")" "cannot read the journal in '$S'" 'and that is said'
rm "$J"
exits 0 'a journal may be removed' "$PW" history
exits 0 'then a page is empty' "$PW" history --html -
like "$(cat "$T/out")" ': 0 events, 0 runs' 'and says so'

done_testing
