#!/bin/sh
# paneward history: what happened, from the journal, as lines, JSON or a page.
. "${0%/*}/lib.sh"
# It is noon, so that no midnight parts what happens.
hour=$(date -u +%H)
export TZ="NOON$((${hour#0} - 12))"
J=$S/.paneward/journal.ndjson

history() { "$PW" history "$@"; }

page() { history "$@" --html - >"$T/page"; }

# events: of the page, and its rows.
events() {
	printf '%s %s\n' "$(grep -c '<tr id=' "$T/page")" \
		"$(grep -c '<div class="row">' "$T/page")"
}

# odd: the control bytes of standard input.
odd() { LC_ALL=C tr -d '[:print:]\t\n\200-\377' | od -c; }

tmux_start
obedient agent
pane_run narrow "until [ -e '$T/narrow' ]; do sleep 0.1; done
	'$PW' history 42; exec sleep 1000" -x 40 -c "$P"
scenario 'a real run is told, as lines, JSON or a page' <<'END'
>>> history; no test -e "$P/.worktrees"
>>> fails 1 "^paneward: no journal has anything of issue '42'\$" history 42
>>> "$PW" start 42 --no-watch --session s42 -- sh -c '"$PANEWARD" signal complete \
... 	"<b>all</b> done"; exec sleep 1000' >"$T/said" 2>&1
>>> "$PW" watch 42 >"$T/said"
>>> "$PW" start 7 --no-watch --session s7 -- "$T/agent" >"$T/said" 2>&1
>>> history 42 | sed 's/^[0-9:]\{8\}/TIME/; 1s/.*/DAY/'
DAY
TIME  42        run       started
TIME  42        complete  signal-complete-42 is there: <b>all</b> done
>>> history | sed 1d | cut -c 11-12
42
42
7 
>>> history --json | cmp - "$J"; history 7 --json | grep -vc '"subject":"7"'
0
[1]
>>> history --since 2999-01-01; history 42 --since 2999-01-01
>>> page; events; grep -o 'working</strong> [0-9]*, [0-9:]* to [now0-9:]*' "$T/page"
3 2
~ working</strong> 42, [0-9:]+ to [0-9:]+
~ working</strong> 7, [0-9:]+ to now
>>> grep -o 'is there: .* done' "$T/page" | head -n 1
is there: &lt;b&gt;all&lt;/b&gt; done
>>> : >"$T/narrow"; wait_until 10 pane_shows narrow 'complete  signal-co…'
>>> tm capture-pane -p -t =narrow: | sed -n '3s/^[0-9:]*//p'
  42        complete  signal-co…
END
tm kill-session -t =s7
soon 'a run whose pane is gone goes on until its last event' eval \
	"page; grep -q 'working</strong> 7, [0-9:]* to [0-9]' '$T/page'"

export TZ=UTC

# event TIME TYPE ISSUE DATA: a line of the journal, of run $run.
run=0123abcd-1111-4222-8333-444444444444
event() {
	printf '{"specversion":"1.0","id":"%s","source":"/","type":"%s",' \
		"$1-$2" "paneward.$2"
	printf '"subject":"%s","time":"2026-01-%sZ","data":{"run":"%s",%s}}\n' \
		"$3" "$1" "$run" "$4" | tr '\n' ' '
	echo
}
{
	echo 'half","time":"2026-01-01T00:00:00Z"}'
	event 30T23:50:00 run 8 '"detail":"started"'
	event 31T00:10:00 state 8 '"state":"asking","source":"screen",
"why":"it asks","message":"no line feed is in a line","task":"port it"'
	event 31T00:20:00.5 state 8 '"state":"working","why":"it works"'
	event 31T00:20:00.5 state 8 '"state":"working","why":"it works"'
	event 31T00:15:00 notify 8 '"detail":"the clock was set back"'
	event 31T00:30:00 state 8 '"state":"complete","why":"\u001b[31mred\u001b\\ \u009b \u202e",
"message":"</td><script>alert(1)</script><img src=x onerror=alert(2)>\" style=\"x"'
	event 31T00:30:01 handoff 8 '"handoff":"x","state":"running",
"attempt":1,"detail":"attempt 1 begins"'
	event 31T00:30:02 handoff 8 '"state":"done","attempt":1,"exit":0,
"message":"cleaned up","detail":"attempt 1 ended"'
	event 31T00:31:00 dream 8 '"detail":"of a later version"'
	run=0123abcd-1111-4222-8333-555555555555
	event 31T00:32:00 state 9 '"state":"dreaming","why":"later"'
	run=
	event 31T00:33:00 warning 'queue/inbox/<i>.yaml' '"detail":"pushed out"'
	printf '{"id":"1","type":"paneward.run","subject":"8",'
} >"$T/journal"
cp "$T/journal" "$J"
export PANEWARD_NOW=1769860800         # 2026-01-31T12:00:00Z

# since WHEN FIRST: the first line that is left.
since() {
	is "$(history --since "$1" | sed -n 2p | cut -c 1-8)" "$2" "since $1"
}

scenario 'what is no event is skipped; times are local' <<'END'
>>> history
Friday, 30 January 2026
23:50:00  8         run       started

Saturday, 31 January 2026
00:10:00  8         asking    no line feed is in a line - port it
00:20:00  8         working   it works
00:15:00  8         notice    the clock was set back
00:30:00  8         complete  \x1b[31mred\x1b\ \x9b \u202e: </td><script>alert(1)</script><img src=x onerror=alert(2)>" style="x
00:30:01  8         hand-off  attempt 1 begins
00:30:02  8         hand-off  attempt 1 ended with 0, done: cleaned up
00:32:00  9         unknown   later
00:33:00  queue/inbox/<i>.yaml  warning   pushed out
>>> history --json | perl -MJSON::PP -ne 'decode_json($_); print "x"'
xxxxxxxxxx
>>> history --json | odd
0000000
>>> TZ=XYZ-5:30 history 8 | sed -n 2p
05:20:00  8         run       started
>>> since 13h 23:50:00; since 12h 00:10:00; since 710m 00:10:00
>>> since 709m 00:20:00; since 00:15 00:20:00; since 2026-01-31 00:10:00
>>> since '2026-01-31 00:33' 00:33:00; since 2d 23:50:00
>>> for wrong in '' yesterday 2 25:00 2026-02-30 '2026-01-31  00:30' -1h; do
... 	fails 2 "--since '$wrong' is not a time such as" history --since "$wrong"
... done
END

echo old >"$T/page.html"
ln -s page.html "$T/link.html"
controls=$(printf '\302\233|\342\200\256')
scenario 'a page has each day, state and event, and no hostile markup' <<'END'
>>> page; head -n 1 "$T/page"; events
<!DOCTYPE html>
9 3
>>> grep -c 'lt;script&gt;alert(1)' "$T/page"; odd <"$T/page"
2
0000000
>>> grep -E '://|<script|<img|<i>\.yaml|" style="x|'"$controls" "$T/page"
[1]
>>> grep -o "Content-Security-Policy.*default-src 'none'" "$T/page"
Content-Security-Policy" content="default-src 'none'
>>> sed -n 's|^<h2>\(.*\)</h2>|\1|p' "$T/page"
Saturday, 31 January 2026
Friday, 30 January 2026
>>> grep -o 'asking</strong> 8, 00:10:00 to 00:20:00, 10m00s' "$T/page" | uniq
asking</strong> 8, 00:10:00 to 00:20:00, 10m00s
>>> grep -o 'href="#[^"]*"' "$T/page" | cut -d '"' -f 2 | while read -r link; do
... 	grep -q "id=\"${link#?}\"" "$T/page" || echo "$link"
... done
>>> page --since 11:00; events; page --since 00:25; events
0 0
5 2
>>> grep -o '<span tabindex="0" class="bar working" style="left:0.00%' "$T/page"
<span tabindex="0" class="bar working" style="left:0.00%
>>> history --html "$T/page.html"; head -n 1 "$T/page.html"; ls "$T" | grep page
<!DOCTYPE html>
page
page.html
>>> history --html "$T/link.html"; test -L "$T/link.html"
[1]
END
scenario 'what cannot be written or told is refused' <<'END'
>>> for place in "$T" /dev/null "$T/no/page.html"; do
... 	fails 3 "cannot write the page '$place': " history --html "$place"
... done
>>> test -c /dev/null && history --html - >/dev/full
paneward: cannot write to standard output: No space left on device
[3]
>>> fails 2 html history --json --html "$T/page.html"; fails 2 more history 7 8
>>> fails 2 ../x history ../x; fails 2 status-dir history --all --status-dir "$S"
END

browser=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome) || browser=
history --html "$T/page.html"
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

mkdir -p "$T/other/.worktrees/.status/.paneward"
chmod 700 "$T/other/.worktrees/.status"
run=0123abcd-1111-4222-8333-666666666666
{
	event 31T00:05:00 run 8 '"detail":"started"'
	event 31T00:25:00 state 8 '"state":"waiting","why":"it waits"'
} >"$T/other/.worktrees/.status/.paneward/journal.ndjson"
(cd "$T/other" && "$PW" history) >"$T/said"
scenario 'all projects are told by their time, with their names' <<'END'
>>> history --all --since 2026-01-31 | sed '1d; s/^\(.\{18\}\).*/\1/' | head -n 5
00:05:00  other/8 
00:10:00  project/
00:20:00  project/
00:15:00  project/
00:25:00  other/8 
>>> history --all --json | wc -l
12
>>> page --all; grep -o 'class="label" title="[a-z]*/8' "$T/page"
class="label" title="project/8
class="label" title="other/8
class="label" title="project/8
>>> grep -o '^<p>All projects: ' "$T/page"; history --all 9 | sed 1d
<p>All projects: 
00:32:00  project/9  unknown   later
END

perl -e 'open my $f, "<", $ARGV[0]; my @l = <$f>; chomp @l;
	for my $i (1 .. 30000) { print "$l[3]\n" =~ s/20:00.5/20:00.$i/gr }' \
	"$T/journal" >"$J"
scenario 'a page has the last of many events, lines have all' <<'END'
>>> page; events=$(grep -c '<tr id=' "$T/page")
>>> [ "$events" -ge 10000 ] && [ "$events" -le 20000 ]
>>> grep -c "^<p>$((30000 - events)) earlier events are left out" "$T/page"
1
>>> history | wc -l; history | head -n 1 >"$T/said"
30001
>>> ln -sf "$T/journal" "$J"; fails 3 "cannot read the journal in '$S'" history
>>> rm "$J"; history; page; grep -o ': 0 events, 0 runs' "$T/page"
: 0 events, 0 runs
END
done_testing
