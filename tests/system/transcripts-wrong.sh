#!/bin/sh
# A transcript that is damaged, or not what it should be: explain says so, the
# other detectors decide, and nothing in it is believed.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start
projects=$HOME/.claude/projects
mkdir -p "$projects/-p"
for n in $(seq 23); do
	begin "$n" claude
done
n=0
: >"$T/expected"

# next_one [TEXT]: another run of the stand-in; its number is $n.  With a text it
# has a transcript that begins with it.
next_one() {
	n=$((n + 1))
	wait_until 10 grep -q '"agent":{.*"pid"' "$S/.paneward/$n.json"
	of=$(file $n)
	[ $# -eq 0 ] || says $n prompt "$1"
}

# found: its transcript is known.
found() { wait_until 10 eval '[ "$(record '$n' transcript.path)" = "$of" ]'; }

marked() { line $n text "$(marker $n)"; }

# The pane shows a marker, and what is to be found by `judge`.
# useless WHAT REGEX: explain says so, and the pane decides.
# sound WHAT REGEX: the pane does not decide, explain says so, and the report of a
# later line counts.
# lost WHAT: the pane does not decide, but a new transcript does.
useless() { expect useless "$@"; }
sound() { expect sound "$@"; }
lost() { expect lost "$1" .; }
expect() {
	echo "$n|$of|$1|$2|$3" >>"$T/expected"
	shows $n "$(marker $n)"
}

judge() {
	last=$n
	let_pass
	while IFS='|' read -r n of kind what regex <&8; do
		if [ "$kind" = useless ]; then
			becomes "$n" complete log "$what: the pane log decides"
			explained
			continue
		fi
		check "$what: no report is taken" no recorded "$n" complete
		explained
		[ "$kind" = sound ] || rm -f "$of"
		says "$n" text "$(marker "$n")"
		shows "$n" -
		becomes "$n" complete transcript 'what follows is read'
	done 8<"$T/expected"
	: >"$T/expected"
	n=$last
}

explained() {
	like "$("$PW" explain "$n")" "^transcript .*$regex" 'explain says why'
}

# ---- folders -----------------------------------------------------------------
next_one
mkdir "$T/other"
marked >"$T/other/${of##*/}"
ln -s "$T/other" "$projects/-link"
useless "a link out of the client's folder" 'none is known'
judge
rm "$projects/-link"

next_one 'Begin.'
found
mv "$projects/-p" "$T/moved"
ln -s "$T/moved" "$projects/-p"
says $n text "$(marker $n)"
let_pass
check 'a folder that has become a link: no report is taken from it' \
	no recorded $n complete
regex='no file of yours'
explained
rm "$projects/-p"
mv "$T/moved" "$projects/-p"
says $n prompt 'Go on.'
becomes $n complete transcript 'it is read when it is back'

next_one
mv "$projects" "$T/made"
mkdir "$T/made/-q"
marked | tee "$T/made/-p/${of##*/}" >"$T/made/-q/${of##*/}"
mv "$T/made" "$projects"
useless 'two of one session' 'none is known'

# ---- files that are not read -------------------------------------------------
next_one
marked >"$T/elsewhere"
ln -s "$T/elsewhere" "$of"
useless 'a link' 'none is known'

next_one
mkfifo "$of"
useless 'a FIFO' 'no file of yours'

next_one
mkdir "$of"
useless 'a directory' 'no file of yours'

next_one
marked >"$T/secret"
if chown 12345 "$T/secret" 2>/dev/null; then
	mv "$T/secret" "$of"
	useless "another user's" 'no file of yours'
else
	skip "another user's" 'only root can make one'
fi

next_one
marked >"$T/secret"
chmod 0 "$T/secret"
if [ ! -r "$T/secret" ]; then
	mv "$T/secret" "$of"
	useless 'one that cannot be read' 'Permission denied'
else
	skip 'one that cannot be read' 'root can read it'
fi

next_one
marked >"${of%/*}/11111111-2222-4333-8444-555555555555.jsonl"
useless 'of another session' 'none is known'

# ---- a format that is not known ----------------------------------------------
next_one
printf '{"v":9,"kind":"agent","says":"%s"}\n' "$(marker $n)" "$(marker $n)" >"$of"
useless 'a format of another version' 'none of its 2 lines is of the known'

next_one 'Begin.'
found
printf '{"type":"agent","says":"%s"}\n' "$(marker $n)" >>"$of"
useless 'a format of which only a part is known' \
	' 1 lines with a marker are of no known'

next_one 'Begin.'
says $n text "$(fence "$(marker $n)")"
printf '{"type":"agent","says":"%s"}\n' "$(marker $n)" >>"$of"
sound 'one of which the messages are known' 'of no known format'

next_one
printf 'agent: %s\n' "$(marker $n)" >"$of"
useless 'a text' '1 lines are no JSON'

next_one
: >"$of"
useless 'an empty file' 'none of its 0 lines'

# ---- lines that are not read -------------------------------------------------
# A full disk: the line ends somewhere, the next one follows at once.
next_one 'Begin.'
found
marked | head -c 150 >>"$of"
marked >>"$of"
sound 'a torn line' '1 lines are no JSON'

next_one 'Begin.'
marked | sed 's/###/'"$(printf '\377\376')/" >>"$of"
sound 'not UTF-8' '1 lines are no JSON'

next_one 'Begin.'
perl -e 'print q({"type":"assistant","message":{"content":"), shift,
	" " x 50_000_000, qq("}}\n)' "$(marker $n)" >>"$of"
sound 'a line of 50 MB' '1 lines are too long'

next_one 'Begin.'
perl -e 'print q({"type":"assistant","message":), "[" x 10000, "]" x 10000,
	"}\n"' >>"$of"
sound '10,000 levels' '1 lines are no JSON'

next_one 'Begin.'
printf '%s\n' '[]' '{}' null 1 '"text"' '{"type":"assistant","message":[]}' \
	'{"type":"assistant","message":{"content":[1,null,[],{}]}}' \
	'{"type":"assistant","message":{"content":"text"},"timestamp":{}}' \
	'{"type":["assistant"],"timestamp":"yesterday"}' >>"$of"
sound 'lines of another shape' 'turn-started'

# A time that is none, or has not come, neither hides nor delays what follows.
next_one 'Begin.'
line $n text No. | sed 's/"timestamp":"20/"timestamp":"90/' >>"$of"
says $n prompt 'Go on.'
works $n 'a line from the future does not hide a later one'
sound 'a line from the future' '1 turns have ended'

# ---- files that change -------------------------------------------------------
next_one 'Begin.'
found
rm "$of"
lost 'one that was removed'

next_one 'Begin.'
found
mv "$of" "$of.old"
mkfifo "$of"
lost 'one that became a FIFO'

judge
check 'every watcher lives, or has ended well' no grep -rqs \
	'Sanitizer\|signal 11\|assert' "$S/.paneward"
done_testing
