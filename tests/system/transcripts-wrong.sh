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
found() { wait_until 10 has "$n" transcript.path "$of"; }
marked() { line $n text "$(marker "$n")"; }

# begun: its transcript is known, and has begun.
begun() {
	next_one 'Begin.'
	found
}

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
	shows $n "$(marker "$n")"
}

judge() {
	last=$n
	let_pass
	while IFS='|' read -r n of kind what regex <&8; do
		if [ "$kind" = useless ]; then
			becomes "$n" complete log "$what: the pane log decides"
			explained "$regex"
			continue
		fi
		check "$what: no report is taken" no recorded "$n" complete
		explained "$regex"
		[ "$kind" = sound ] || rm -f "$of"
		says "$n" text "$(marker "$n")"
		shows "$n" -
		becomes "$n" complete transcript 'what follows is read'
	done 8<"$T/expected"
	: >"$T/expected"
	n=$last
}

explained() {
	like "$("$PW" explain "$n")" "^transcript .*$1" "explain says: $1"
}

mkdir "$T/other"
scenario 'a link out of the folder of the client is not read' <<'END'
>>> next_one; marked >"$T/other/${of##*/}"; ln -s "$T/other" "$projects/-link"
>>> useless "a link out of the client's folder" 'none is known'; judge
>>> rm "$projects/-link"
END
scenario 'of a folder that becomes a link no report is read, until it is back' \
	<<'END'
>>> begun; mv "$projects/-p" "$T/moved"; ln -s "$T/moved" "$projects/-p"
>>> says $n text "$(marker "$n")"; let_pass; no recorded $n complete
>>> explained 'no file of yours'
>>> rm "$projects/-p"; mv "$T/moved" "$projects/-p"
>>> says $n prompt 'Go on.'; becomes $n complete transcript it
END
scenario 'files that are not read' <<'END'
>>> next_one; mv "$projects" "$T/made"; mkdir "$T/made/-q"
>>> marked | tee "$T/made/-p/${of##*/}" >"$T/made/-q/${of##*/}"
>>> mv "$T/made" "$projects"; useless 'two of one session' 'none is known'
>>> next_one; marked >"$T/elsewhere"; ln -s "$T/elsewhere" "$of"
>>> useless 'a link' 'none is known'
>>> next_one; mkfifo "$of"; useless 'a FIFO' 'no file of yours'
>>> next_one; mkdir "$of"; useless 'a directory' 'no file of yours'
>>> next_one; marked >"${of%/*}/11111111-2222-4333-8444-555555555555.jsonl"
>>> useless 'of another session' 'none is known'
END
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

# strange: a line of no known format.
strange() { printf '{"type":"agent","says":"%s"}\n' "$(marker "$n")" >>"$of"; }
scenario 'a format that is not known' <<'END'
>>> next_one; strange; strange
>>> useless 'another version' 'none of its 2 lines is of the known'
>>> begun; strange; useless 'of which only a part is known' \
... 	' 1 lines with a marker are of no known'
>>> next_one 'Begin.'; says $n text "$(fence "$(marker "$n")")"; strange
>>> sound 'one of which the messages are known' 'of no known format'
>>> next_one; printf 'agent: %s\n' "$(marker "$n")" >"$of"
>>> useless 'a text' '1 lines are no JSON'
>>> next_one; : >"$of"; useless 'an empty file' 'none of its 0 lines'
END

# A full disk: the line ends somewhere, the next one follows at once.  A
# time that is none, or has not come, neither hides nor delays what follows.
scenario 'lines that are not read' <<'END'
>>> begun; marked | head -c 150 >>"$of"; marked >>"$of"
>>> sound 'a torn line' '1 lines are no JSON'
>>> next_one 'Begin.'; marked | sed 's/###/'"$(printf '\377\376')/" >>"$of"
>>> sound 'not UTF-8' '1 lines are no JSON'; next_one 'Begin.'
>>> perl -e 'print q({"type":"assistant","message":{"content":"), shift,
... 	" " x 50_000_000, qq("}}\n)' "$(marker "$n")" >>"$of"
>>> sound 'a line of 50 MB' '1 lines are too long'
>>> next_one 'Begin.'; perl -e 'print q({"type":"assistant","message":),
... 	"[" x 10000, "]" x 10000, "}\n"' >>"$of"
>>> sound '10,000 levels' '1 lines are no JSON'; next_one 'Begin.'
>>> printf '%s\n' '[]' '{}' null 1 '"text"' '{"type":"assistant","message":[]}' \
... 	'{"type":"assistant","message":{"content":[1,null,[],{}]}}' \
... 	'{"type":"assistant","message":{"content":"text"},"timestamp":{}}' \
... 	'{"type":["assistant"],"timestamp":"yesterday"}' >>"$of"
>>> sound 'lines of another shape' 'turn-started'; next_one 'Begin.'
>>> line $n text No. | sed 's/"timestamp":"20/"timestamp":"90/' >>"$of"
>>> says $n prompt 'Go on.'; works $n it
>>> sound 'a line from the future' '1 turns have ended'
END
scenario 'files that change' <<'END'
>>> begun; rm "$of"; lost 'one that was removed'
>>> begun; mv "$of" "$of.old"; mkfifo "$of"; lost 'one that became a FIFO'
END

judge
check 'every watcher lives, or has ended well' no grep -rqs \
	'Sanitizer\|signal 11\|assert' "$S/.paneward"
done_testing
