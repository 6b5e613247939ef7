#!/bin/sh
# paneward start of an issue that was started before: the dead pane of the last
# run makes room for the new one, and whatever lives is left as it is.
. "${0%/*}/lib.sh"

# Not even a session that keeps the server alive: that of the last run may be
# the only one.

# again ISSUE: another run of it begins in the place of the last, alone.
again() {
	before=$(record "$1" run)
	fails 0 '' start "$1" --no-watch -- sh -c 'echo again; exec cat'
	wait_until 5 logged "$1" again
	is "$(pane_tell "project-issue-$1" '#{session_windows} #{window_panes}
		#{pane_dead} #{@paneward_run}')" "1 1
		0 $(record "$1" run)"
	tm kill-session -t "=project-issue-$1:"
	no has "$1" run "$before"
}

# there ISSUE: what is in the status directory and in tmux.
there() {
	cksum "$S/.paneward/$1.json" "$S/output-$1.log"
	tm list-panes -a -F '#{pane_id} #{session_name} #{pane_dead}'
}

# refused ISSUE REASON: in one line, and nothing is touched.
refused() {
	before=$(there "$1")
	fails 3 "^paneward: cannot start issue '$1': .*$2" start "$1" \
		--no-watch -- true
	is "$(wc -l <"$T/err") $(there "$1")" "1 $before"
}

# run ISSUE STATUS COMMAND [OPTION...]: a run that ends so.
run() {
	issue=$1
	status=$2
	command=$3
	shift 3
	"$PW" start "$issue" "$@" -- sh -c "$command" >"$T/said" 2>&1
	fails "$status" '' watch "$issue" "$@"
	wait_until 5 no watched "$issue"
}

is_dead() { [ "$(pane_tell "project-issue-$1" '#{pane_dead}')" = 1 ]; }

# Of 4 the log is not written any more, so that tmux itself has to refuse.
scenario 'a dead pane of the last run makes room, whatever it came to' <<'END'
>>> run 1 10 'exit 3'; again 1; run 2 1 '"$PANEWARD" signal error bad'; again 2
>>> run 3 0 '"$PANEWARD" signal complete' --no-handoff
>>> wait_until 5 is_dead 3; again 3; run 4 10 'exit 3'
>>> kill -KILL "$(cut -d ' ' -f 2 "$S/.paneward/4.pipe")" 2>/dev/null; again 4
END
tmux_start
scenario 'a pane whose agent lives does not, though it is complete' <<'END'
>>> run 9 0 '"$PANEWARD" signal complete
... 	while [ ! -e later ]; do sleep 0.02; done; echo LATER; exec cat'
>>> refused 9 "tmux kill-session -t =project-issue-9'.*--session"
>>> : >later; wait_until 10 logged 9 LATER
END
scenario "nor does a pane beside it, or a foreign session" <<'END'
>>> run 10 10 'exit 3'
>>> tm split-window -d -t =project-issue-10: 'exec tail -f /dev/null'
>>> refused 10 'kill-session'; tm kill-session -t =project-issue-10:
>>> pane_run project-issue-10 'exec cat'
>>> refused 10 'kill-session'; tm kill-session -t =project-issue-10:
>>> tm set-option -g remain-on-exit on; pane_run project-issue-10 true
>>> wait_until 5 is_dead 10; tm set-option -g remain-on-exit off
>>> refused 10 'kill-session'
END
scenario 'nor a run without a verdict, or one that is to be handed off' <<'END'
>>> "$PW" start 11 --no-watch -- sh -c 'echo over' >"$T/said"
>>> wait_until 5 is_dead 11; wait_until 5 logged 11 over
>>> refused 11 'kill-session'
>>> run 12 12 '"$PANEWARD" signal complete; exec cat' --handoff 'exit 77'
>>> refused 12 "'paneward handoff 12'"
END
done_testing
