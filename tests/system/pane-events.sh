#!/bin/sh
# What hooks report in a pane that belongs to no run.
. "${0%/*}/lib.sh"

panes=$HOME/.local/state/paneward/panes

# hook SESSION EVENT [VARIABLE=VALUE]: the pane's shell runs the hook, which
# has ended and said nothing.
hook() {
	printf '{"session_id":"s-1","cwd":"%s","hook_event_name":"%s"}\n' \
		"$P" "$2" >"$T/input"
	rm -f "$T/hooked"
	pane_type "$1" "${3:-} $PW hook record <$T/input >$T/hook.out \
2>&1; echo \$? >$T/status; mv $T/status $T/hooked"
	wait_until 5 test -s "$T/hooked"
	is "$(cat "$T/hooked" "$T/hook.out")" 0
}

# events FILE: the names of the events in it.
events() { sed 's/.*"event": *"\([^"]*\)".*/\1/' "$1" | xargs; }

tmux_start
pane_run any 'exec sh -i'
server=$(pane_tell any '#{pid}')
file=$panes/$(pane_tell any '#{pane_id}' | tr -d %)-$server.records

scenario 'what a hook reports in any pane is kept for the pane' <<'END'
>>> hook any SessionStart; hook any UserPromptSubmit; events "$file"
session-started turn-started
>>> like "$(head -n 1 "$file")" \
... 	"\"processes\": *\"$(pane_tell any '#{pane_pid}')\.[0-9]+"
>>> stat -c %a "$panes" "$file"; no test -e "$P/.worktrees"
700
600
END
scenario 'a run beside it has its events in its project' <<'END'
>>> "$PW" start 7 --no-watch --session s7 -- sh -i >"$T/said" 2>&1
>>> hook s7 SessionStart; is "$(ls "$panes")" "${file##*/}"
>>> events "$S/.paneward/7.records"
session-started
END

# Left over by a server that has ended.
tmux -L other -f /dev/null new-session -d -s other -x 80 -y 24 'exec sh -i'
other=$(tmux -L other display-message -p -t =other: '#{pid}')
left=$panes/3-$other.records
scenario 'those of an ended server go when a session begins a day later' <<'END'
>>> : >"$left"; hook any SessionStart; test -e "$left"
>>> tmux -L other kill-server; wait_until 5 no kill -0 "$other" 2>/dev/null
>>> hook any UserPromptSubmit; hook any SessionStart; test -e "$left"
>>> touch -d '2 days ago' "$left"; hook any SessionStart; test -e "$left"
[1]
END
scenario 'what names no pane is kept for none' <<'END'
>>> lines=$(wc -l <"$file"); hook any UserPromptSubmit 'TMUX=/nowhere,x,0'
>>> hook any UserPromptSubmit 'TMUX_PANE=%1/../x'
>>> hook any UserPromptSubmit TMUX=
>>> is "$(wc -l <"$file") $(ls "$panes")" "$lines ${file##*/}"
>>> hook any UserPromptSubmit HOME=/proc/none
END
done_testing
