#!/bin/sh
# What an agent is at, by what its pane shows: title, announced state, screen.
# It is the same word wherever it is said.
. "${0%/*}/lib.sh"

script bin/tmux <<END
echo asked >>'$T/asked'
PATH=\${PATH#*:} exec tmux "\$@"
END
tmux_start

# screen ISSUE TEXT: its agent shows nothing but this.
screen() {
	printf '%s\n' "$2" >"$T/$1.screen"
	tell "a$1" "printf '\\033[2J\\033[H'; cat '$T/$1.screen'"
}

# title ISSUE TEXT; announce ISSUE STATE.
title() { tell "a$1" "printf '\\033]0;$2\\007'"; }
announce() { tell "a$1" "printf '\\033]7501;state=$2:app=codex\\033\\\\'"; }

# becomes ISSUE STATE WHY
becomes() { wait_until 10 says "$1" "$2" "$3"; }
says() {
	recorded "$1" "$2" &&
		echo "$(record "$1" why): $(record "$1" message)" |
		grep -Fq -e "$3"
}

# is_everywhere WORD: so is issue 1 in all nine places.
is_everywhere() {
	wait_until 10 noticed "$1"
	{
		"$PW" status 1 | awk 'NR == 1 { print $2 }'
		"$PW" status 1 --json | grep -o '"state":"[a-z]*"' | head -n 1
		"$PW" status --tmux
		"$PW" explain 1 | sed -n 's/^verdict: \([a-z]*\),.*/\1/p'
		"$PW" explain 1 --json | tail -n 1 |
			grep -o '"verdict":"[a-z]*"'
		"$PW" wait 1 --until asking,waiting,limited --timeout 10 \
			--json | grep -o '"state":"[a-z]*"'
		journal 1 state | tail -n 1 | grep -o '"state":"[a-z]*"'
		tail -n 1 "$T/notices"
		tail -n 1 "$T/input" | grep -o '"state":"[a-z]*"' | head -n 1
	} | sed 's/^1 //; s/.*:"//; s/"//' | uniq -c | xargs
}
noticed() { [ "$(tail -n 1 "$T/notices")" = "$1" ]; }

script note <<END
cat >>'$T/input'
echo "\$PANEWARD_STATE" >>'$T/notices'
END
cat >"$P/.paneward.json" <<END
{ "notify": "$T/note", "notify_on": ["asking", "waiting", "limited"] }
END
: >"$T/notices"

# run ISSUE BACKEND: an obedient agent, and its watcher.
run() {
	obeys "$1" --backend "$2"
	wait_until 10 watched "$1"
}

rule=────────────────────────────────────────
prompt="$rule
❯ 
$rule
  ? for shortcuts"
busy="✽ Brewing…

$rule
❯ 
$rule
  esc to interrupt"
dialog="$rule
 Bash command

   rm -rf build
   clean up

 Do you want to proceed?
 ❯ 1. Yes
   2. No

 Esc to cancel · Tab to amend"

# There are versions that never change their title.
scenario 'a title at rest is a prompt, but never beats a busy screen' <<'END'
>>> PATH=$T/bin:$PATH; run 1 claude; PATH=${PATH#*:}
>>> title 1 '✳ demo'; screen 1 "$prompt"; becomes 1 waiting 'at its prompt'
>>> is_everywhere waiting
9 waiting
>>> screen 1 "$busy"; becomes 1 working 'busy'
END
scenario 'a dialog tells what is asked, and tmux is not asked meanwhile' <<'END'
>>> screen 1 "$dialog"
>>> becomes 1 asking 'it asks for permission: Bash command rm -rf build'
>>> is_everywhere asking; fails 0 'it asks for permission: Bash' status 1
9 asking
>>> fails 0 "^screen +asking +backend claude: title '✳ demo': ready" explain 1
>>> like "$(cat "$T/out")" '^verdict: asking, by screen: it asks for permission'
>>> let_pass; asked=$(wc -l <"$T/asked"); sleep 4
... is "$(wc -l <"$T/asked")" "$asked"
>>> screen 1 "$prompt"; title 1 '⠂ demo'; becomes 1 working 'busy'
END
scenario 'a limit tells when it ends; the title of a dead agent does not' \
	<<'END'
>>> screen 1 "  ⎿  You've hit your limit · resets in 2 hours
... 
... $prompt"; title 1 '✳ demo'
>>> becomes 1 limited 'a usage limit holds it until 20'
>>> is_everywhere limited
9 limited
>>> screen 1 "$prompt"; title 1 '⠐ demo'; becomes 1 working 'busy'
>>> tell a1 'kill -KILL $$'; wait_until 10 recorded 1 dead
END
scenario 'an announced state is known, also by a later watcher' <<'END'
>>> run 2 codex; announce 2 blocked; becomes 2 asking 'it asks for permission'
>>> announce 2 working; becomes 2 working 'busy'; announce 2 error
>>> screen 2 "■ exceeded retry limit
... 
... › Ask Codex to do anything"
>>> becomes 2 asking 'its turn failed: exceeded retry limit'
>>> before="$(changes 2 asking) $(changes 2 working)"
>>> kill -TERM "$(watcher 2)"; wait_until 5 no watched 2; watch_locks w 2
>>> let_pass; is "$(changes 2 asking) $(changes 2 working)" "$before"
>>> fields 2 state
asking
END

cat >"$T/spin" <<END
printf '\\033[2J\\033[H ⠋ Working...\\n\\n$rule\\n\\n$rule\\n'
while [ ! -e '$T/enough' ]; do
	printf '\\033[H ⠙ '; sleep 0.1
	printf '\\033[H ⠋ '; sleep 0.1
done
END
# The first look comes before it draws, and what it draws goes on and on: the
# prompt until it was seen, then a spinner.
script pi-at-once <<END
until [ -e '$T/looked' ]; do sleep 0.02; done
printf '\\033[2J'
while [ ! -e '$T/seen' ]; do
	printf '\\033[H$rule\\n\\n$rule\\n0.0%%/200k (auto)\\n'; sleep 0.1
done
exec sh '$T/spin'
END
scenario 'a screen alone tells, also one that never rests' <<'END'
>>> run 3 pi; screen 3 "$rule
... 
... $rule
... 0.0%/200k (auto)"; becomes 3 waiting 'at its prompt'
>>> tell a3 "sh '$T/spin'"; becomes 3 working 'busy'; : >"$T/enough"
>>> screen 3 " Error: 400 too long
... 
... $rule
... 
... $rule"; becomes 3 asking 'its turn failed: Error: 400 too long'
>>> rm "$T/enough"; "$PW" start 33 --backend pi -- "$T/pi-at-once" \
... 	>"$T/said" 2>&1; wait_until 10 watched 33
>>> let_pass; : >"$T/looked"; becomes 33 waiting 'at its prompt'
>>> : >"$T/seen"; becomes 33 working 'busy'; : >"$T/enough"
END

# Called like an agent, as tmux sees it.
cat >"$T/adopted" <<'END'
#!/usr/bin/perl
$0 = 'pi';
$| = 1;
print " \xe2\xa0\x8b Working...\n\n", "\xe2\x94\x80" x 40, "\n\n",
    "\xe2\x94\x80" x 40, "\n";
sleep 1000;
END
chmod +x "$T/adopted"
scenario 'the program in front tells which agent it is, not a title' <<'END'
>>> pane_run issue-4 "exec '$T/adopted'"
... wait_until 5 pane_shows issue-4 Working
>>> "$PW" sweep; fields 4 state why
working busy
>>> pane_run issue-5 "printf '⠂ x'; printf '\\033]0;⠂ demo\\007'; PS1= exec sh"
>>> wait_until 5 pane_shows issue-5 x; "$PW" sweep; fields 5 source
process
END

mkdir -p "$HOME/.config/paneward/backends"
cat >"$HOME/.config/paneward/backends/mine.json" <<'END'
{
  "screen": {
    "busy": ["fine", "(never closed"]
  }
}
END
wrong="'.*/backends/mine.json' line 3: 'screen.busy': pattern '\(never closed'"
scenario 'a wrong pattern is refused by each command' <<'END'
>>> fails 2 "$wrong does not compile" start 6 --backend mine -- sleep 1000
>>> fails 2 "$wrong" explain 1 --session alive --backend mine
>>> export PANEWARD_BACKEND=mine
>>> fails 2 "$wrong" watch 2 --once; fails 2 "$wrong" sweep
>>> unset PANEWARD_BACKEND
>>> fails 2 "unknown backend 'nonesuch'" explain 1 --session dead \
... 	--backend nonesuch
>>> fails 2 '' explain 1 --title x && fails 2 '' explain 1 --session gone
>>> for file in capture transcript; do
... 	fails 3 '' explain 1 --session alive --$file none
... done
END
done_testing
