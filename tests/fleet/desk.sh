#!/bin/sh
# A notice reaches the person wherever they are: once, by the host at whose desk
# they sit, and not if they sit at the agent's own.
# shellcheck source=tests/fleet/lib.sh
. "${0%/*}/lib.sh"

# What a command of `notify` is run for, a line each.
notes() { cat "$T/notes-$1" 2>/dev/null; }
noted() { notes "$1" | grep -q "$2"; }

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
# told WHAT: one of the desks has that note.
told() { noted desk1 "$1" || noted desk2 "$1"; }

# A busy server may be complained of.
scenario 'a notice reaches one person, wherever that is' <<'END'
>>> notify_at desk1; notify_at desk2; desk_open desk1; desk_open desk2
>>> agent lab; agent desk1; agent desk2; fails lab 7
paneward: new project '$T/hosts/lab/project'
>>> wait_until 40 told 'lab 7 error'; fails lab 8; wait_until 30 told 'lab 8'
>>> is "$(cat "$T"/notes-* | sort)" 'lab 7 error
... lab 8 error'
>>> agent_kill desk1; agent desk1; fails lab 9; wait_until 30 told 'lab 9'
>>> is "$(cat "$T"/notes-* | sort)" 'lab 7 error
... lab 8 error
... lab 9 error'
>>> fails desk1 5
paneward: new project '$T/hosts/desk1/project'
>>> fails lab 10; wait_until 30 told 'lab 10'; no noted desk2 'desk1 5'
>>> is "$(grep -h '^paneward-fleet: ' "$T"/agent-*.out |
... 	grep -v "the fleet's server")" ''
END
done_testing
