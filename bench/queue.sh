#!/bin/sh
# `status --all` and `next --print` of a thousand issues in 20 projects and 200
# panes, of which 50 have an agent without an issue; compared with one
# list-panes that asks for as much of each pane.

. "${0%/*}/lib.sh"

projects=20
each=50                                 # issues
agents=50                               # without one
panes=149                               # without an agent
rounds=${QUICK:+11}
rounds=${rounds:-51}

tools stopwatch
server default

ln -s "$(command -v sleep)" "$T/bin/claude"
{
	seq $agents | sed "s|.*|new-window -d 'exec claude 100000'|"
	seq $panes | sed "s|.*|new-window -d 'exec sleep 100000'|"
} >"$T/windows"
tmux source-file "$T/windows"

start 1 sh -c 'exec sleep 100000'
for project in $(seq $projects); do
	state=$T/project$project/.worktrees/.status/.paneward
	mkdir -p "$state"
	chmod 700 "${state%/*}" "$state"
	for issue in $(seq $each); do
		sed "s/\"issue\":\"1\"/\"issue\":\"$issue\"/" \
			"$D/.paneward/1.json" >"$state/$issue.json"
	done
	"$PW" status --status-dir "${state%/*}" >/dev/null
done
# It needs a person.
sed -i 's/"state":"working"/"state":"error"/' "$D/.paneward/1.json"

all=$((1 + projects * each + agents))
[ "$("$PW" status --all | wc -l)" -eq $all ]
[ "$("$PW" status --all | grep -c ' claude ')" -eq $agents ]
"$PW" next --print >/dev/null

fields='#{pane_id} #{session_id} #{window_id} #{pane_pid} #{pane_dead}
#{pane_pipe} #{window_activity} #{pid} #{start_time} #{version}
#{pane_dead_status} #{pane_dead_signal} #{session_name} #{window_name}
#{pane_current_path} #{@paneward_issue} #{@paneward_run} #{@paneward_dir}
#{pane_title} #{pane_current_command} #{pane_index}'
for _ in $(seq "$rounds"); do
	stopwatch "$PW" status --all >>"$T/status"
	stopwatch tmux list-panes -a -F "$fields" >>"$T/theirs"
	stopwatch "$PW" next --print >>"$T/next"
done

# The column of wall time, in ms.
ms() {
	median 2 "$1" | awk '{ print 1000 * $1 }'
}
what="$all agents in $projects projects"
line "status --all, $what" ms "$(ms "$T/status")" "$(ms "$T/theirs")" \
	'ours <= 40'
line "next --print, the same" ms "$(ms "$T/next")" "$(ms "$T/theirs")" \
	'ours <= 40'
