#!/bin/sh
# What an agent is at is the same word wherever it is said: asking, waiting and
# limited are three.
. "${0%/*}/lib.sh"

# screen TEXT: the agent shows nothing but this.
screen() {
	printf '%s\n' "$1" >"$T/screen"
	tell a1 "printf '\\033[2J\\033[H'; cat '$T/screen'"
}

# The words for issue 1, if it waits until it is at one of them.
words() {
	"$PW" status 1 | awk '{ print $2 }'
	"$PW" status 1 --json | grep -o '"state":"[a-z]*"' | head -n 1
	"$PW" status --tmux
	"$PW" explain 1 | sed -n 's/^verdict: \([a-z]*\),.*/\1/p'
	"$PW" explain 1 --json | tail -n 1 | grep -o '"verdict":"[a-z]*"'
	"$PW" wait 1 --until asking,waiting,limited --timeout 10 --json |
		grep -o '"state":"[a-z]*"'
	journal 1 state | tail -n 1 | grep -o '"state":"[a-z]*"'
	tail -n 1 "$T/notices"
	tail -n 1 "$T/input" | grep -o '"state":"[a-z]*"' | head -n 1
}

noticed() { [ "$(tail -n 1 "$T/notices")" = "$1" ]; }

# is_everywhere WORD: in all nine places.
is_everywhere() {
	wait_until 10 recorded 1 "$1"
	wait_until 10 noticed "$1"
	words | sed 's/^1 //; s/.*:"//; s/"//' | uniq -c | xargs
}

script note <<END
cat >>'$T/input'
echo "\$PANEWARD_STATE" >>'$T/notices'
END
cat >"$P/.paneward.json" <<END
{ "notify": "$T/note", "notify_on": ["asking", "waiting", "limited"] }
END
: >"$T/notices"
rule=────────────────────
prompt="$rule
❯ 
$rule"

tmux_start
scenario 'a state is the same word in each of nine places' <<'END'
>>> obeys 1 --backend claude; screen "$prompt"; is_everywhere waiting
9 waiting
>>> screen "$rule
...  Bash command
... 
...    rm -rf build
... 
...  Do you want to proceed?
...  ❯ 1. Yes
... 
...  Esc to cancel"; is_everywhere asking
9 asking
>>> screen "● API Error: Request rejected (429) · too much
... 
... $prompt"; is_everywhere limited
9 limited
>>> screen "● API Error: 529 Overloaded
... 
... $prompt"; is_everywhere asking
9 asking
END
done_testing
