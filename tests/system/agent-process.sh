#!/bin/sh
# The agent in front of a pane, by its process: real processes with the names
# and titles of agents, in panes that no command of ours has opened.
. "${0%/*}/lib.sh"

# With a process id it prints the agent in front of that process's terminal.
find_agent=$BUILD/tests/unit/agent/agentprocess
ln -s "$ROOT/backends" "$HOME/.config/paneward/backends"

# An agent is perl under another name, with a line to run as its option.
mkdir -p "$T/bin" "$T/n/node_modules/.bin" "$T/n/vendor"
for name in claude opencode node timeout-like; do
	ln -s "$(command -v perl)" "$T/bin/$name"
done
ln -s "$(command -v perl)" "$T/n/vendor/codex"
PATH=$T/bin:$PATH
rest='sleep 999'
cat >"$T/n/node_modules/.bin/codex" <<-END
	system "$T/n/vendor/codex", "-e", "$rest";
END
cat >"$T/n/node_modules/.bin/pi" <<-END
	\$0 = "pi"; $rest;
END
cat >"$T/n/npm" <<-END
	\$0 = "npm exec claude"; system "sh", "-c", "claude -e '$rest'; true";
END
printf 'claude -e "%s"\ntrue\n' "$rest" | script bin/wrapper
echo "exec claude -e '$rest'" | script bin/wrapper-exec

# agent SESSION: the agent in front of its pane.
agent() {
	"$find_agent" "$(pane_tell "$1" '#{pane_pid}')" </dev/null |
		cut -d ' ' -f 1
}

agent_is() { [ "$(agent "$1")" = "$2" ]; }

tmux_start
count=0
# found AGENT DESCRIPTION COMMAND: in a pane whose process is the command, and
# in one whose shell is given it.
found() {
	count=$((count + 1))
	pane_run "own$count" "$3"
	pane_run "typed$count" 'exec sh -i'
	pane_type "typed$count" "$3"
	soon "$2" agent_is "own$count" "$1"
	soon '... in a shell' agent_is "typed$count" "$1"
}

found claude 'an agent' "claude -e '$rest'"
found opencode 'another one' "opencode -e '$rest'"
found codex 'a script of node, and its child' "node $T/n/node_modules/.bin/codex"
found pi 'one that overwrites its words' "node $T/n/node_modules/.bin/pi"
found claude 'what npm runs' "node $T/n/npm"
found claude 'what a script runs' wrapper
found claude 'what a script becomes' wrapper-exec
found claude 'a child of a shell' "sh -c \"claude -e '$rest'; true\""
found claude 'the end of a pipeline, its first part over' \
	"true | claude -e '$rest'"
found claude 'the end of a pipeline' "tail -f /dev/null | claude -e '$rest'"
found claude 'a child of another program' \
	"timeout-like -e 'system qw(claude -e), q($rest)'"
case $(command script --version 2>&1) in
*util-linux*)
	found claude 'one on a terminal of its own' \
		"script -qc \"claude -e '$rest'\" /dev/null" ;;
esac

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
	is "$(agent "none$count")" none "'$line' is none"
done

# ---- what changes in front of a pane ----------------------------------------
mkfifo "$T/ask" "$T/answer"
pane_run shell 'exec sh -i'
"$find_agent" "$(pane_tell shell '#{pane_pid}')" <"$T/ask" >"$T/answer" &
exec 3>"$T/ask" 4<"$T/answer"
read -r first <&4
is "$first" none 'a prompt is no agent'

# The same process looks again and again, and reads words after a change only.
next_is() {
	echo >&3
	read -r now_found <&4
	[ "${now_found%% *}" = "$1" ]
}
follows() { soon "$1" next_is "$2"; }

pane_type shell "claude -e '$rest'"
follows 'an agent that begins is found' claude
tm send-keys -t =shell: C-z
follows 'a stopped one is not in front' none
pane_type shell fg
follows 'until it goes on' claude
tm send-keys -t =shell: C-c
follows 'an agent that ends is gone' none
mkfifo "$T/wait"
exec 5<>"$T/wait"                       # a line blocks nothing if none reads it
pane_type shell "sh -c 'while ! test -e $T/go; do read x <$T/wait; done; wrapper; cat'"
wait_until 10 eval "pgrep -f 'test -e $T/go' >/dev/null"
follows 'a script is none' none
: >"$T/go"
echo >"$T/wait"
follows 'until it begins one' claude
kill "${now_found#* }"
follows 'which ends below it' none
tm send-keys -t =shell: C-c
pane_type shell "exec claude -e '$rest'"
follows 'a shell that becomes an agent is one' claude
tm kill-session -t =shell
follows 'a pane that is gone has none' none
exec 3>&- 4<&- 5>&-
done_testing
