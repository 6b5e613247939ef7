#!/bin/sh
# A notice reaches the person wherever they are: once, by the host at whose desk
# they sit, and not if they sit at the agent's own.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"

# What a command of `notify` is run for, a line each.
notes() {
	cat "$T/notes-$1" 2>/dev/null
}

noted() {
	notes "$1" | grep -q "$2"
}

# notify_on HOST: notices there are lines of $T/notes-HOST.
notify_at() {
	script "note-$1" <<-END
	echo "\$PANEWARD_HOST \$PANEWARD_ISSUE \$PANEWARD_STATE" >>'$T/notes-$1'
	END
	host_configure "$1" '' "\"notify\": [[\"$T/note-$1\"]]"
}

# agent HOST: begins its agent.
agent() {
	on "$1" "$FLEET" agent >>"$T/agent-$1.out" 2>&1 &
	echo $! >"$T/agent-$1.pid"
}

# Its subshell may have a child.
agent_kill() {
	pid=$(cat "$T/agent-$1.pid")
	kill -KILL "$(pgrep -P "$pid" -f 'fleet agent' || echo "$pid")"
	wait "$pid" 2>/dev/null
}

# fails HOST ISSUE: an agent there reports an error, and a watcher says so.
fails() {
	on "$1" "$PW" start "$2" -- sleep 1000 >/dev/null
	echo "$2 is broken" >"$T/error"
	mv "$T/error" "$(status_of "$1")/signal-error-$2"
}

fleet_begin lab desk1 desk2
notify_at desk1
notify_at desk2
desk_open desk1
desk_open desk2
agent lab
agent desk1
agent desk2
fails lab 7
told() {
	noted desk1 'lab 7 error' || noted desk2 'lab 7 error'
}
wait_until 40 told
result $? 'the notice of an agent elsewhere reaches a desk'
fails lab 8
told_next() {
	noted desk1 'lab 8' || noted desk2 'lab 8'
}
wait_until 30 told_next
result $? 'the next one, too'
is "$(cat "$T"/notes-* | sort)" 'lab 7 error
lab 8 error' 'each once, though there are two desks'

# A desk that was not there takes no notice a second time.
agent_kill desk1
agent desk1
fails lab 9
told_third() {
	noted desk1 'lab 9' || noted desk2 'lab 9'
}
wait_until 30 told_third
is "$(cat "$T"/notes-* | sort)" 'lab 7 error
lab 8 error
lab 9 error' 'nor again after an agent was killed'

# At the desk of the agent's own host nothing comes from elsewhere.
fails desk1 5
fails lab 10
told_last() {
	noted desk1 'lab 10' || noted desk2 'lab 10'
}
wait_until 30 told_last
check 'the host of the agent tells it itself, if a person is there' \
	no noted desk2 'desk1 5'
# Of a busy server it may.
is "$(grep -h '^paneward-fleet: ' "$T"/agent-*.out |
	grep -v "the fleet's server")" '' 'no agent has complained'
done_testing
