#!/bin/sh
# What an agent is at, by what its pane shows: title, announced state, screen.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
script bin/tmux <<END
echo asked >>'$T/asked'
PATH=\${PATH#*:} exec tmux "\$@"
END
tmux_start

# screen NAME TEXT: the agent of that name shows nothing but this.
screen() {
	printf '%s\n' "$2" >"$T/$1.screen"
	tell "$1" "printf '\\033[2J\\033[H'; cat '$T/$1.screen'"
}

# title NAME TEXT; announce NAME STATE.
title() {
	tell "$1" "printf '\\033]0;$2\\007'"
}

announce() {
	tell "$1" "printf '\\033]7501;state=$2:app=codex\\033\\\\'"
}

# says ISSUE STATE WHY: is that in its record?
says() {
	recorded "$1" "$2" &&
		echo "$(record "$1" why): $(record "$1" message)" |
		grep -Fq -e "$3"
}

# becomes ISSUE STATE WHY DESCRIPTION
becomes() {
	soon "$4" says "$1" "$2" "$3"
}

# run ISSUE BACKEND [PROGRAM]: an obedient agent, and its watcher.
run() {
	[ $# -eq 3 ] || obedient "$2"
	"$PW" start "$1" --backend "$2" --session "s$1" -- "$T/${3:-$2}" \
		>"$T/said" 2>&1
	wait_until 10 watched "$1"
}

rule=────────────────────────────────────────
prompt="$rule
❯ 
$rule
  ? for shortcuts"

# ---- an agent whose title tells ----------------------------------------------

PATH=$T/bin:$PATH
run 1 claude
PATH=${PATH#*:}
title claude '✳ demo'
screen claude "$prompt"
becomes 1 waiting 'at its prompt' 'a title at rest is a prompt'

# There are versions that never change it.
screen claude "✽ Brewing…

$rule
❯ 
$rule
  esc to interrupt"
becomes 1 working 'busy' 'a title at rest never beats a busy screen'

screen claude "$rule
 Bash command

   rm -rf build
   clean up

 Do you want to proceed?
 ❯ 1. Yes
   2. No

 Esc to cancel · Tab to amend"
becomes 1 asking 'it asks for permission: Bash command rm -rf build' \
	'a dialog tells what is asked'
fails 0 '^1 +asking .*it asks for permission: Bash' status 1
exits 11 'wait --until asking ends' \
	"$PW" wait 1 --until asking --timeout 10
fails 0 "^screen +asking +backend claude: title '✳ demo': ready" explain 1
like "$(cat "$T/out")" '^verdict: asking, by screen: it asks for permission' \
	'and that it decides'

let_pass
asked=$(wc -l <"$T/asked")
sleep 4
is "$(wc -l <"$T/asked")" "$asked" 'while it waits tmux is not asked'

title claude '⠂ demo'
becomes 1 working 'busy' 'when it is answered the agent works again'
screen claude "  ⎿  You've hit your limit · resets in 2 hours

$prompt"
title claude '✳ demo'
becomes 1 limited 'a usage limit holds it until 20' \
	'a limit tells when it ends'
title claude '⠐ demo'
becomes 1 working 'busy' 'and it goes on'
tell claude 'kill -KILL $$'
wait_until 10 recorded 1 dead
check 'a title that is left behind says nothing' recorded 1 dead

# ---- an agent that announces -------------------------------------------------

run 2 codex
announce codex blocked
becomes 2 asking 'it asks for permission' 'what is announced is known'
announce codex working
becomes 2 working 'busy' 'and that it is over'
announce codex error
screen codex "■ exceeded retry limit

› Ask Codex to do anything"
becomes 2 asking 'its turn failed: exceeded retry limit' \
	'a turn that failed needs a person'

# A watcher that comes later knows it at once, and says nothing new.
changes=$(changes 2 asking)/$(changes 2 working)
kill -TERM "$(watcher 2)"
wait_until 5 no watched 2
watch_begin w 2
wait_until 10 watch_holds w 2
let_pass
is "$(record 2 state) $(changes 2 asking)/$(changes 2 working)" \
	"asking $changes" 'a new watcher finds it as it is'

# ---- an agent whose screen alone tells ---------------------------------------

run 3 pi
screen pi "$rule

$rule
0.0%/200k (auto)"
becomes 3 waiting 'at its prompt' 'a prompt on the screen is seen'
# It spins on and on, so that there is no moment of silence.
cat >"$T/spin" <<END
printf '\\033[2J\\033[H ⠋ Working...\\n\\n$rule\\n\\n$rule\\n'
while [ ! -e '$T/enough' ]; do
	printf '\\033[H ⠙ '; sleep 0.1
	printf '\\033[H ⠋ '; sleep 0.1
done
END
tell pi "sh '$T/spin'"
becomes 3 working 'busy' 'a spinner is looked at though it never rests'
: >"$T/enough"
screen pi " Error: 400 too long

$rule

$rule"
becomes 3 asking 'its turn failed: Error: 400 too long' 'and its end'

# The first look comes before it draws, and what it draws goes on and on: the
# prompt until it was seen, then a spinner.
rm "$T/enough"
script pi-at-once <<END
until [ -e '$T/looked' ]; do sleep 0.02; done
printf '\\033[2J'
while [ ! -e '$T/seen' ]; do
	printf '\\033[H$rule\\n\\n$rule\\n0.0%%/200k (auto)\\n'; sleep 0.1
done
exec sh '$T/spin'
END
run 33 pi pi-at-once
let_pass
: >"$T/looked"
becomes 33 waiting 'at its prompt' 'a prompt is seen at once'
: >"$T/seen"
becomes 33 working 'busy' 'and that it is gone, though nothing rests'
: >"$T/enough"

# ---- a pane that paneward did not start --------------------------------------

cat >"$T/adopted" <<'END'
#!/usr/bin/perl
# Called like an agent, as tmux sees it.
$0 = 'pi';
$| = 1;
print " \xe2\xa0\x8b Working...\n\n", "\xe2\x94\x80" x 40, "\n\n",
    "\xe2\x94\x80" x 40, "\n";
sleep 1000;
END
chmod +x "$T/adopted"
pane_run issue-4 "exec '$T/adopted'"
wait_until 5 pane_shows issue-4 Working
"$PW" sweep
is "$(fields 4 state why)" 'working busy' \
	'the program in front tells which agent it is'
pane_run issue-5 "printf '⠂ x'; printf '\\033]0;⠂ demo\\007'; PS1= exec sh"
wait_until 5 pane_shows issue-5 x
"$PW" sweep
is "$(record 5 source)" process 'the title of a shell says nothing'

# ---- files that are wrong ----------------------------------------------------

mkdir -p "$HOME/.config/paneward/backends"
cat >"$HOME/.config/paneward/backends/mine.json" <<'END'
{
  "screen": {
    "busy": ["fine", "(never closed"]
  }
}
END
wrong="'.*/backends/mine.json' line 3: 'screen.busy': pattern '\(never closed'"
fails 2 "$wrong does not compile" start 6 --backend mine -- sleep 1000
fails 2 "$wrong" explain 1 --session alive --backend mine
export PANEWARD_BACKEND=mine
fails 2 "$wrong" watch 2 --once
fails 2 "$wrong" sweep
unset PANEWARD_BACKEND
fails 2 "unknown backend 'nonesuch'" explain 1 --session dead --backend nonesuch
exits 2 'what replaces evidence needs --session' "$PW" explain 1 --title x

done_testing
