#!/bin/sh
# What hooks report in a pane that belongs to no run.
. "${0%/*}/lib.sh"

panes=$HOME/.local/state/paneward/panes

# input EVENT: what a hook reads.
input() {
	printf '{"session_id":"s-1","cwd":"%s","hook_event_name":"%s"}\n' \
		"$P" "$1"
}

# hook SESSION EVENT [VARIABLE=VALUE]: the pane's shell runs the hook, which
# has ended.
hook() {
	input "$2" >"$T/input"
	rm -f "$T/hooked"
	pane_type "$1" "${3:-} $PW hook record <$T/input >$T/hook.out \
2>&1; echo \$? >$T/status; mv $T/status $T/hooked"
	wait_until 5 test -s "$T/hooked"
	is "$(cat "$T/hooked" "$T/hook.out")" 0 "$2: the hook says nothing"
}

# events FILE: the names of the events in it.
events() {
	sed 's/.*"event": *"\([^"]*\)".*/\1/' "$1" | tr '\n' ' '
}

tmux_start
pane_run any 'exec sh -i'
server=$(pane_tell any '#{pid}')
file=$panes/$(pane_tell any '#{pane_id}' | tr -d %)-$server.records

hook any SessionStart
hook any UserPromptSubmit
is "$(events "$file")" 'session-started turn-started ' \
	'what a hook reports in any pane is kept for the pane'
like "$(head -n 1 "$file")" \
	"\"processes\": *\"$(pane_tell any '#{pane_pid}')\.[0-9]+" \
	'with the process that had the hook'
is "$(stat -c %a "$panes") $(stat -c %a "$file")" '700 600' 'for the user alone'
check 'the project gets nothing of it' no test -e "$P/.worktrees"

# A pane of a run, beside it.
"$PW" start 7 --no-watch --session s7 -- sh -i >"$T/said" 2>&1
hook s7 SessionStart
is "$(ls "$panes")" "${file##*/}" 'a run has its events in its project'
is "$(events "$S/.paneward/7.records")" 'session-started ' 'as before'

# Left over by a server that has ended.
tmux -L other -f /dev/null new-session -d -s other -x 80 -y 24 'exec sh -i'
other=$(tmux -L other display-message -p -t =other: '#{pid}')
: >"$panes/3-$other.records"
hook any SessionStart
check 'a file of a server that lives stays' test -e "$panes/3-$other.records"
tmux -L other kill-server
wait_until 5 no kill -0 "$other"
hook any UserPromptSubmit
check 'or of one that has ended' test -e "$panes/3-$other.records"
hook any SessionStart
check 'also when a session begins' test -e "$panes/3-$other.records"
touch -d '2 days ago' "$panes/3-$other.records"
hook any SessionStart
check 'a session begins a day later' no test -e "$panes/3-$other.records"

lines=$(wc -l <"$file")
hook any UserPromptSubmit 'TMUX=/nowhere,x,0'
hook any UserPromptSubmit 'TMUX_PANE=%1/../x'
hook any UserPromptSubmit TMUX=
is "$(wc -l <"$file") $(ls "$panes")" "$lines ${file##*/}" \
	'what names no pane is kept for none'
# A home that cannot be written to is no reason for a word.
hook any UserPromptSubmit HOME=/proc/none
done_testing
