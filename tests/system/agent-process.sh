#!/bin/sh
# The agent in front of a pane, by its process: real processes with the names
# and titles of agents, in panes that no command of ours has opened.
. "${0%/*}/lib.sh"

# With a process id it prints the agent in front of that process's terminal.
find_agent=$BUILD/tests/unit/agent/agentprocess
ln -s "$ROOT/backends" "$HOME/.config/paneward/backends"

# An agent is perl under another name, with a line to run as its option.
mkdir -p "$T/bin" "$T/n/node_modules/.bin" "$T/n/vendor"
for name in bin/claude bin/opencode bin/node bin/timeout-like n/vendor/codex; do
	ln -s "$(command -v perl)" "$T/$name"
done
PATH=$T/bin:$PATH
rest='sleep 999'
cd "$T/n" || exit 1
echo "system '$T/n/vendor/codex', '-e', '$rest'" >node_modules/.bin/codex
echo "\$0 = 'pi'; $rest" >node_modules/.bin/pi
echo "\$0 = 'npm exec claude'; system 'sh', '-c', q(claude -e '$rest'; true)" \
	>npm
printf 'claude -e "%s"\ntrue\n' "$rest" | script bin/wrapper
echo "exec claude -e '$rest'" | script bin/wrapper-exec

# agent_is SESSION AGENT: is that the agent in front of its pane?
agent_is() {
	found=$("$find_agent" "$(pane_tell "$1" '#{pane_pid}')" </dev/null)
	[ "${found%% *}" = "$2" ]
}

tmux_start
count=0
# The agent that is found if a pane's process is the command, and if its shell is
# given it.
while IFS='|' read -r agent line; do
	[ "$agent" != "" ] || continue
	count=$((count + 1))
	pane_run "own$count" "$line" -c "$T/n"
	pane_run "typed$count" 'exec sh -i' -c "$T/n"
	pane_type "typed$count" "$line"
	soon "$agent: $line" agent_is "own$count" "$agent"
	soon '... in a shell' agent_is "typed$count" "$agent"
done <<END
claude|claude -e '$rest'
opencode|opencode -e '$rest'
codex|node node_modules/.bin/codex
pi|node node_modules/.bin/pi
gemini|env PANEWARD_AGENT=gemini tail -f /dev/null
claude|node npm
claude|wrapper
claude|wrapper-exec
claude|sh -c "claude -e '$rest'; true"
claude|true | claude -e '$rest'
claude|tail -f /dev/null | claude -e '$rest'
claude|timeout-like -e 'system qw(claude -e), q($rest)'
$(case $(command script --version 2>&1) in
*util-linux*) echo "claude|script -qc \"claude -e '$rest'\" /dev/null" ;;
esac)
END

runs() {
	# shellcheck disable=SC2009
	ps -o args= -t "$(pane_tell "$1" '#{pane_tty}')" | grep -Fxq -e "$2"
}

# It runs when it is looked at.
for line in 'tail -f /dev/null claude' 'claude -p -e sleep(999)' \
	'node -e sleep(999) claude'; do
	count=$((count + 1))
	pane_run "none$count" "exec $(printf %s "$line" |
		sed "s/sleep(999)/'&'/")"
	wait_until 10 runs "none$count" "$line"
	check "'$line' is none" agent_is "none$count" none
done

# ---- what changes in front of a pane ----------------------------------------
mkfifo "$T/ask" "$T/answer" "$T/wait"
pane_run shell 'exec sh -i'
"$find_agent" "$(pane_tell shell '#{pane_pid}')" <"$T/ask" >"$T/answer" &
# A line to $T/wait blocks nothing while no process reads it.
exec 3>"$T/ask" 4<"$T/answer" 5<>"$T/wait"
read -r first <&4

# The same process looks again and again, and reads words after a change only.
next_is() {
	echo >&3
	read -r now_found <&4
	[ "${now_found%% *}" = "$1" ]
}
finds() { wait_until 10 next_is "$1"; }

scenario 'an agent is found and lost as it comes and goes' <<'END'
>>> echo "$first"; pane_type shell "claude -e '$rest'"; finds claude
none
>>> tm send-keys -t =shell: C-z; finds none; pane_type shell fg; finds claude
>>> tm send-keys -t =shell: C-c; finds none
>>> pane_type shell \
... 	"sh -c 'while ! test -e $T/go; do read x <$T/wait; done; wrapper; cat'"
>>> wait_until 10 eval "pgrep -f 'test -e $T/go' >/dev/null"; finds none
>>> : >"$T/go"; echo >"$T/wait"; finds claude
>>> kill "${now_found#* }"; finds none; tm send-keys -t =shell: C-c
>>> pane_type shell "exec claude -e '$rest'"; finds claude
>>> tm kill-session -t =shell; finds none
END
exec 3>&- 4<&- 5>&-
done_testing
