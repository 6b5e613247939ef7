#!/bin/sh
# Many issues on one tmux server, more than one call of tmux can ask for.
. "${0%/*}/lib.sh"

# windows FIRST LAST: a pane for each issue, in one session.
windows() {
	seq "$1" "$2" | sed "s|.*|new-window -d -t =keeper: -n x-issue-& \
'exec tail -f /dev/null'|" >"$T/windows"
	tm source-file "$T/windows"
}

pipes_are() {
	[ "$(tm list-panes -a -F '#{window_name} #{pane_pipe}' |
		grep -c "^x-issue-.* $1")" -eq "$2" ]
}

claimed() {
	# shellcheck disable=SC2012
	[ "$(ls "$S/.paneward"/*.pipe 2>/dev/null | wc -l)" -eq "$1" ]
}

states_are() { [ "$("$PW" status | grep -c " $1 ")" -eq "$2" ]; }

# said_are COUNT: the watch has printed so many lines.
said_are() { [ "$(wc -l <"$T/all.out")" -ge "$1" ]; }

tmux_start
count=300

held_are() {
	held=0
	for issue in $few; do
		watched "$issue" && held=$((held + 1))
	done
	[ "$held" -eq "$1" ]
}

all_complete() {
	for issue in $few; do
		recorded "$issue" complete || return 1
	done
}

few='601 602 603 604 605 606 607 608 609'
scenario 'what there are no descriptors for is left to a sweep, with one warning' <<'END'
>>> for issue in $few; do
... 	"$PW" start "$issue" --no-watch -- tail -f /dev/null >"$T/said" 2>&1
... done
>>> (ulimit -n 64; watch_begin few --all); wait_until 10 held_are 6
>>> wait_until 10 test -s "$T/few.err"; is "$(wc -l <"$T/few.err")" 1
>>> like "$(cat "$T/few.err")" 'are left to a sweep: the limit on open files'
>>> for issue in $few; do "$PW" signal complete --issue "$issue"; done
>>> "$PW" sweep >"$T/said" 2>&1; wait_until 10 all_complete
>>> no command_ended few
>>> kill "$(cat "$T/few.pid")"; wait_until 10 command_ended few
END

scenario 'three hundred adopted panes have a pipe each' <<'END'
>>> windows 1 $count; watch_begin all --all; wait_until 60 pipes_are 1 $count
>>> pipes_are 0 0; wait_until 60 claimed $((count + 9))
>>> wait_until 20 states_are working $count; wait_until 20 said_are $count
>>> is "$(cut -d ' ' -f 2 "$T/all.out" | sort | uniq -c | tr -s ' ')" \
... 	" $count working:"
>>> is "$(cat "$T/all.err")" ''
>>> kill "$(cat "$T/all.pid")"; wait_until 10 command_ended all
END

# Both screens are asked for in one call.
scenario 'a pane that is gone does not hide the screens of others' <<'END'
>>> pane_run issue-501 'exec tail -f /dev/null'; obedient agent
>>> pane_run issue-502 "exec '$T/agent'"
>>> "$PW" watch --once 501 502 >"$T/said" 2>&1
[124]
>>> tell agent 'echo "###TASK_COMPLETE_502###"'
>>> wait_until 5 pane_shows issue-502 TASK_COMPLETE
>>> tm kill-session -t =issue-501:
>>> "$PW" watch --once 501 502 >"$T/out" 2>"$T/err"
[10]
>>> like "$(cat "$T/out")" '^502 complete: '
>>> like "$(cat "$T/out")" '^501 gone: '
END
done_testing
