#!/bin/sh
# The process that restarts an agent is killed, at any moment: the agent lives,
# or it is dead and its watcher says so, and what it was to be told is never
# typed into a shell.
# shellcheck disable=SC2016,SC2034
. "${0%/*}/../system/lib.sh"

mkdir "$T/bin"
PATH=$T/bin:$PATH
export PATH

# It needs two Ctrl+C, and shows when at its prompt.
cat >"$T/bin/claude" <<END
#!/bin/sh
echo \$\$ >"$T/pid"
pressed=0
trap 'pressed=\$((pressed + 1)); [ \$pressed -lt 2 ] || exit 0' INT
title() {
	printf '\\033]2;%s claude\\033\\\\' "\$1"
}
title '⠂'
echo "\$*" | tr '\\n' '~' >>"$T/starts"
# It works until a restart of it has seen that.
i=0
while grep -Eqs '"phase":"(starting|delivering)"' \
	"$S/.paneward/"\${PANEWARD_ISSUE:-_pane*}.reload && [ \$i -lt 100 ]; do
	sleep 0.1
	i=\$((i + 1))
done
title '✳'
while :; do read -r line && echo "\$line" >>"$T/typed-to-it"; done
END
chmod +x "$T/bin/claude"
mkdir -p .claude/self-reborn
note=.claude/self-reborn/handoff.md
tmux_start

idle() {
	[ "$(tm display-message -p -t "$1" '#{pane_title}')" = '✳ claude' ]
}

phase() {
	grep -qs "\"phase\":\"$2\"" "$S/.paneward/$1.reload"
}

# The process that restarts the agent of an issue or a pane.
reloader() {
	sed -n 's/.*"pid":\([0-9]*\),"start".*/\1/p' "$S/.paneward/$1.reload"
}

agent_lives() {
	kill -0 "$(cat "$T/pid")" 2>/dev/null
}

# kill_at KEY PANE PHASE HUNDREDTHS: a restart is begun, and its process killed
# that long after it has come to the phase.  False: it was over before.
kill_at() {
	echo "touch '$T/typed'" >"$note"
	"$PW" reload --pane "$2" --session-id s1 >/dev/null || return 1
	wait_until 5 grep -qs 'waits for\|"phase":"[sdf]' \
		"$S/.paneward/$1.reload"
	wait_until 5 eval "phase $1 $3 || phase $1 'done'"
	[ "$4" -eq 0 ] || sleep "0.$4"
	kill -9 "$(reloader "$1")" 2>/dev/null
	rm -f "$note"
}

# settled ISSUE: its record agrees with what is there.
settled() {
	[ "$(record "$1" reload.phase)" = '' ] || return 1
	! agent_lives || { ! recorded "$1" dead; return; }
	recorded "$1" dead
}

clear=0
tried=0
for at in waiting:00 waiting:90 stopping:10 stopping:30 stopping:32 \
	stopping:34 stopping:35 stopping:37 starting:00 starting:02 \
	delivering:00; do
	tried=$((tried + 1))
	"$PW" start "k$tried" --backend claude --prompt hello >"$T/out" 2>&1 ||
		comment <"$T/out"
	wait_until 5 watched "k$tried"
	pane=$(record "k$tried" tmux.pane)
	wait_until 5 idle "$pane"
	wait_until 5 eval '[ "$(record "k$tried" agent.pid)" != "" ]'
	kill_at "k$tried" "$pane" "${at%:*}" "${at#*:}"
	wait_until 10 settled "k$tried" && sleep 0.4 && settled "k$tried" &&
		clear=$((clear + 1))
	tm kill-pane -t "$pane"
	wait_until 10 eval '! watched "k$tried"'
done
is "$clear" "$tried" 'wherever it is killed, the watcher is right'

# by_hand: a new agent in the pane of a shell.
by_hand() {
	agent_lives && kill -9 "$(cat "$T/pid")"
	rm -f "$S/.paneward/$key.reload"        # and with it the budget
	wait_until 5 eval '! agent_lives'
	pane_type hand ' claude hello'
	wait_until 5 eval 'agent_lives && idle "$hand"'
}

pane_run hand 'exec sh -i'
hand=$(pane_tell hand '#{pane_id}')
key=_pane-$(pane_tell hand '#{pid}')-${hand#%}
good=0
tried=0
for at in waiting:50 stopping:10 stopping:31 stopping:33 stopping:35 \
	stopping:37 starting:00 starting:02 delivering:00; do
	tried=$((tried + 1))
	by_hand
	kill_at "$key" "$hand" "${at%:*}" "${at#*:}"
	sleep 0.5
	agent_lives || {
		pane_type hand "echo shell-\"$tried\""
		wait_until 5 pane_shows hand "shell-$tried"
	} && good=$((good + 1))
done
is "$good" "$tried" 'in a shell there is the agent, or its prompt'
check 'and nothing was run there' test ! -e "$T/typed"
unlike "$(tm capture-pane -p -S - -t "$hand")" 'touch|restarted in this' \
	'nor typed'

by_hand
exits 0 'the next restart is not held up' "$PW" reload --pane "$hand" \
	--session-id s1
wait_until 10 phase "$key" 'done'

# ---- what cannot be written down is not begun --------------------------------

wait_until 5 idle "$hand"
pid=$(cat "$T/pid")
rm -f "$S/.paneward/$key.reload"
"$PW" reload --pane "$hand" --session-id s1 >/dev/null
wait_until 5 grep -q 'waits for the turn' "$S/.paneward/$key.reload"
reloader=$(reloader "$key")
rm "$S/.paneward/$key.reload" && mkdir "$S/.paneward/$key.reload"
wait_until 5 eval '! kill -0 "$reloader" 2>/dev/null'
is "$(cat "$T/pid")" "$pid" 'an agent is only stopped when that is recorded'
check 'and goes on' agent_lives
like "$(cat "$S/.paneward/$key.reload.log")" 'failed: cannot write to' \
	'the log says why'
rmdir "$S/.paneward/$key.reload"

done_testing
