#!/bin/sh
# A transcript that is damaged, or not what it should be: explain says so, the
# other detectors decide, and nothing in it is believed.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start
mkdir -p "$HOME/.claude/projects/-p"
n=0

# next_one: another run of the stand-in; its number is $n.
next_one() {
	n=$((n + 1))
	begin $n claude
	wait_until 10 eval '[ "$(record '$n' agent.pid)" != "" ]'
	of=$(file $n)
}

# found: its transcript is known.
found() {
	wait_until 10 eval '[ "$(record '$n' transcript.path)" = "$of" ]'
}

# is_useless WHAT REGEX: explain says so, and the pane decides.
is_useless() {
	shows $n "$(marker $n)"
	becomes $n complete log "$1: the pane log decides"
	like "$("$PW" explain $n)" "^transcript - +.*$2" 'explain says why'
}

# is_sound WHAT REGEX: the pane does not decide, explain says so, and the report
# of a later line counts.
is_sound() {
	shows $n "$(marker $n)"
	let_pass
	no recorded $n complete
	result $? "$1: no report is taken from it"
	like "$("$PW" explain $n)" "^transcript .*$2" 'explain says what is wrong'
	says $n text "$(marker $n)"
	becomes $n complete transcript 'what follows is read'
}

# ---- files that are not read -------------------------------------------------
next_one
line $n text "$(marker $n)" >"$T/elsewhere"
ln -s "$T/elsewhere" "$of"
is_useless 'a link' 'none is known'

next_one
mkdir -p "$T/other"
line $n text "$(marker $n)" >"$T/other/${of##*/}"
ln -s "$T/other" "$HOME/.claude/projects/-link"
is_useless "a link out of the client's folder" 'none is known'
rm "$HOME/.claude/projects/-link"

next_one
says $n prompt 'Begin.'
found
mv "$HOME/.claude/projects/-p" "$T/moved"
ln -s "$T/moved" "$HOME/.claude/projects/-p"
says $n text "$(marker $n)"
let_pass
no recorded $n complete
result $? 'a folder that has become a link: no report is taken from it'
like "$("$PW" explain $n)" '^transcript .*no file of yours' 'explain says so'
rm "$HOME/.claude/projects/-p"
mv "$T/moved" "$HOME/.claude/projects/-p"
says $n prompt 'Go on.'
becomes $n complete transcript 'it is read when it is back'

next_one
mkfifo "$of"
is_useless 'a FIFO' 'no file of yours'

next_one
mkdir "$of"
is_useless 'a directory' 'no file of yours'

next_one
line $n text "$(marker $n)" >"$T/made"
if chown 12345 "$T/made" 2>/dev/null; then
	mv "$T/made" "$of"
	is_useless "another user's" 'no file of yours'
else
	skip "another user's" 'only root can make one'
fi

next_one
line $n text "$(marker $n)" >"$T/secret"
chmod 0 "$T/secret"
if [ ! -r "$T/secret" ]; then
	mv "$T/secret" "$of"
	is_useless 'one that cannot be read' 'Permission denied'
else
	skip 'one that cannot be read' 'root can read it'
fi

next_one
line $n text "$(marker $n)" >"${of%/*}/11111111-2222-4333-8444-555555555555.jsonl"
is_useless 'of another session' 'none is known'

next_one
mv "$HOME/.claude/projects" "$T/made"
mkdir "$T/made/-q"
line $n text "$(marker $n)" | tee "$T/made/-p/${of##*/}" >"$T/made/-q/${of##*/}"
mv "$T/made" "$HOME/.claude/projects"
is_useless 'two of one session' 'none is known'

# ---- a format that is not known ----------------------------------------------
next_one
printf '{"v":9,"kind":"agent","says":"%s"}\n' "$(marker $n)" "$(marker $n)" >"$of"
is_useless 'a format of another version' 'none of its 2 lines is of the known'

next_one
says $n prompt 'Begin.'
found
printf '{"type":"agent","says":"%s"}\n' "$(marker $n)" >>"$of"
shows $n "$(marker $n)"
becomes $n complete log \
	'a format of which only a part is known: the pane log decides'
like "$("$PW" explain $n)" '^transcript .* 1 lines with a marker are of no known' \
	'explain says why'

next_one
says $n prompt 'Begin.'
says $n text "$(fence "$(marker $n)")"
printf '{"type":"agent","says":"%s"}\n' "$(marker $n)" >>"$of"
is_sound 'one of which the messages are known' 'of no known format'

next_one
printf 'agent: %s\n' "$(marker $n)" >"$of"
is_useless 'a text' '1 lines are no JSON'

next_one
: >"$of"
is_useless 'an empty file' 'none of its 0 lines'

# ---- lines that are not read -------------------------------------------------
next_one
says $n prompt 'Begin.'
found
# A full disk: the line ends somewhere, the next one follows at once.
line $n text "$(marker $n)" | head -c 150 >>"$of"
line $n text "$(marker $n)" >>"$of"
is_sound 'a torn line' '1 lines are no JSON'

next_one
says $n prompt 'Begin.'
line $n text "\\377\\376 $(marker $n)" | sed 's/\\377\\376/'"$(printf '\377\376')/" \
	>>"$of"
is_sound 'not UTF-8' '1 lines are no JSON'

next_one
says $n prompt 'Begin.'
{
	printf '{"type":"assistant","message":{"content":"%s' "$(marker $n)"
	head -c 50000000 /dev/zero | tr '\0' ' '
	printf '"}}\n'
} >>"$of"
is_sound 'a line of 50 MB' '1 lines are too long'

next_one
says $n prompt 'Begin.'
perl -e 'print q({"type":"assistant","message":), "[" x 10000, "]" x 10000,
	"}\n"' >>"$of"
is_sound '10,000 levels' '1 lines are no JSON'

next_one
says $n prompt 'Begin.'
for odd in '[]' '{}' 'null' '1' '"text"' '{"type":"assistant","message":[]}' \
	'{"type":"assistant","message":{"content":[1,null,[],{}]}}' \
	'{"type":"assistant","message":{"content":"text"},"timestamp":{}}' \
	'{"type":["assistant"],"timestamp":"yesterday"}'; do
	echo "$odd" >>"$of"
done
is_sound 'lines of another shape' 'turn-started'

# A time that is none, or has not come, neither hides nor delays what follows.
next_one
says $n prompt 'Begin.'
line $n text No. | sed 's/"timestamp":"20/"timestamp":"90/' >>"$of"
says $n prompt 'Go on.'
works $n 'a line from the future does not hide a later one'
is_sound 'a line from the future' '1 turns have ended'

# ---- files that change -------------------------------------------------------
next_one
says $n prompt 'Begin.'
found
rm "$of"
shows $n "$(marker $n)"
let_pass
no recorded $n complete
result $? 'one that was removed: the pane does not report in its place'
says $n text "$(marker $n)"
shows $n -
becomes $n complete transcript 'a new one is read'

next_one
says $n prompt 'Begin.'
found
mv "$of" "$of.old"
mkfifo "$of"
shows $n "$(marker $n)"
let_pass
no recorded $n complete
result $? 'one that became a FIFO: the pane does not report in its place'
rm "$of"
says $n text "$(marker $n)"
becomes $n complete transcript 'a new one is read'

check 'every watcher lives, or has ended well' no grep -rqs \
	'Sanitizer\|signal 11\|assert' "$S/.paneward"

done_testing
