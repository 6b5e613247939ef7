#!/bin/sh
# An issue that nothing watches is judged by the commands that show it, as long
# as its pane is there; else what it lives in has ended, and no watcher has seen
# that.
. "${0%/*}/lib.sh"

# row ISSUE: state and reason; a time is N.
row() {
	"$PW" status "$1" >"$T/row" 2>&1
	sed '/^  /d; s/  *[0-9]*[smhd]  */ | /; s/  */ /g; s/| \([a-z]* \)*%[0-9]*/|/
		s/since [0-9A-Z:].*/since N/' "$T/row"
}

# member ISSUE KEY: of its JSON.
member() {
	"$PW" status --json "$1" | perl -MJSON::PP -0777 -ne '
		my $v = decode_json($_);
		print exists $v->{$key} ? $v->{$key} // "null" : "none", "\n";
		BEGIN { $key = pop }' "$2"
}

row_is() { [ "$(row "$1")" = "$2" ]; }

# no_work ISSUE STATE VERDICT REASON: no command says that it works: not status,
# which calls it STATE, nor explain, whose verdict it is.  doctor has the
# reason. history tells what was recorded, and no more.
no_work() {
	state="\"issue\":\"$1\".*\"state\":\"$2\""
	fails 0 "^$1 +$2 " status "$1"
	fails 0 "$state" status "$1" --json
	fails 0 "^$1 +$2 " status --all
	fails 0 "$state" status --all --json
	fails 0 "^verdict: $3, by " explain "$1"
	"$PW" doctor >"$T/out" 2>&1
	like "$(cat "$T/out")" "issue '$1' is unwatched since .*: $4; run"
	is "$("$PW" history "$1" | grep -c " $1 ")" \
		"$(grep -c "subject\":\"$1\"" "$S/.paneward/journal.ndjson")"
}

# A tmux that fails: panes cannot be judged.
script blind/tmux <<-END
	exit 1
END
blind() { (PATH=$T/blind:$PATH && "$@"); }

tmux_start
judging="; not judged yet, 'paneward sweep' does that; not watched since N"

"$PW" start 80 -- sleep 500 >"$T/said"
wait_until 5 watched 80
begin_command later status --follow
wait_until 5 grep -q ' 80 *working ' "$T/later.out"
looked_at() {
	grep ' 80 ' "$T/later.out" | tail -n 1 | grep -q ' 80 *working '
}
scenario 'without its watcher it is unwatched, unless its pane can be judged' \
	<<'END'
>>> row 80; member 80 unwatched; "$PW" doctor | grep unwatched
80 working | the agent was started
null
[1]
>>> kill -KILL "$(watcher 80)"; wait_until 5 no watched 80
>>> wait_until 10 grep -q ' 80 *working[?]' "$T/later.out"
>>> wait_until 10 looked_at; kill "$(cat "$T/later.pid")"
>>> blind row 80; blind member 80 unwatched
80 working? | the agent was started; not watched since N
~ 20.*Z
>>> row 80; member 80 unwatched; "$PW" doctor | grep unwatched
80 working | the agent was started
null
~ warning +watchers: issue '80' is unwatched since 20.*Z: changes of.*
END

"$PW" start 81 --no-watch -- sleep 500 >"$T/said" 2>&1
cp "$S/.paneward/80.json" "$T/80.json"
# as STATE: as if it had been recorded so.
as() {
	sed "s/\"state\":\"working\"/\"state\":\"$1\"/" "$T/80.json" \
		>"$S/.paneward/80.json"
}
scenario 'what has ended does not work or wait; a report stays' <<'END'
>>> tm kill-session -t project-issue-80
>>> wait_until 10 row_is 80 "80 unknown | its pane's process has ended$judging"
>>> no_work 80 unknown gone "its pane's process has ended"
>>> "$PW" status --tmux
1 working 1 unknown
>>> for state in asking waiting limited stalled; do
... 	as $state; member 80 state; "$PW" next --print
... done 2>&1 | sort | uniq -c | sed 's/^ *//'
4 paneward: no agent needs a person
4 unknown
>>> as complete && member 80 state && member 80 unwatched
complete
null
>>> as error && member 80 state
error
>>> member 80 unwatched; cp "$T/80.json" "$S/.paneward/80.json"
~ 20.*Z
END

# ---- other ends -------------------------------------------------------------

scenario 'nothing survives a restart; a pid that is used again is another one' \
	<<'END'
>>> cp "$S/.paneward/81.json" "$T/81.good"; another_boot "$S/.paneward/81.json"
>>> row 81
~ 81 unknown \| the machine was restarted; not judged yet, .*
>>> no_work 81 unknown gone 'the machine was restarted'
>>> sed 's/"boot":"[^"]*"/"boot":"unknown"/' "$T/81.good" >"$T/81"
>>> cp "$T/81" "$S/.paneward/81.json"; member 81 state
working
>>> sed 's/"pane_start":/&1/' "$T/81.good" >"$S/.paneward/81.json"; row 81
81 unknown | its pane's process has ended; not judged yet, 'paneward sweep' does that; not watched since N
>>> cp "$T/81.good" "$S/.paneward/81.json"
END

in_front() { [ "$(pane_tell x-issue-82 "#{pane_current_command}")" = sleep ]; }
scenario 'an agent in a shell works until it ends; its pane lives' <<'END'
>>> pane_run x-issue-82 'exec sh -i'; pane_type x-issue-82 'sleep 500'
>>> wait_until 5 in_front; fails 124 '' watch --once 82; member 82 state
working
>>> kill -KILL "$(record 82 agent.pid)"
>>> wait_until 10 row_is 82 "82 dead | the agent ended, its status is unknown, \
... without a report; not recorded yet, 'paneward sweep' does that"
>>> is "$(blind row 82)" "82 unknown | its agent has ended$judging"
>>> no_work 82 dead dead 'its agent has ended'
... fails 0 '^82 +dead ' next --print
END

# ---- what the pane shows -----------------------------------------------------

tm set-option -g default-size 120x45
obedient agent
script handoff <<-END
	touch '$T/handed'
END
export PANEWARD_HANDOFF="$T/handoff"
"$PW" start 83 --no-watch --backend claude --session s83 -- "$T/agent" \
	>"$T/said" 2>&1
begin_command follow status --follow
wait_until 5 grep -q ' 83 *working ' "$T/follow.out"
cp "$S/.paneward/83.json" "$T/83.json"
tell agent "printf '\\033[2J\\033[H'
cat '$ROOT/tests/recordings/claude-s-permission.permission.capture.txt'"
asks() { row 83 | grep -q "^83 asking | Bash command rm -rf build"; }
scenario 'an agent that asks is seen to, as it is now' <<'END'
>>> wait_until 10 asks; grep -c 'not watched' "$T/row"; member 83 unwatched
0
null
>>> "$PW" status --all | grep ^83; "$PW" next --print | head -n 1
~ 83 +asking .*Bash command rm -rf build.*
~ 83 +asking .*
>>> wait_until 10 grep -q " 83 *asking .*Bash command rm" "$T/follow.out"
>>> grep ' 83 .*[?]' "$T/follow.out"
[1]
>>> watch_begin w 83 --no-handoff; wait_until 5 recorded 83 asking
>>> kill -KILL "$(cat "$T/w.pid")"; wait_until 5 no watched 83
END
scenario 'a look changes no record, takes no signal, hands nothing off' <<'END'
>>> cp "$T/83.json" "$S/.paneward/83.json"
... tell agent '"$PANEWARD" signal complete'
>>> wait_until 10 row_is 83 "83 complete | signal-complete-83 is there; not \
... recorded yet, 'paneward sweep' does that"
>>> is "$(member 83 since | cut -d . -f 1)" \
... 	"$(date -u -r "$S/signal-complete-83" +%Y-%m-%dT%H:%M:%S)"
>>> wait_until 10 grep -q ' 83 *complete ' "$T/follow.out"
>>> kill "$(cat "$T/follow.pid")"
>>> cmp "$T/83.json" "$S/.paneward/83.json"; (cd "$S" && ls signal*)
signal-complete-83
>>> ls "$T/handed"
~ ls: .*handed.*
[2]
>>> "$PW" sweep >"$T/out"; member 83 state; unset PANEWARD_HANDOFF
complete
END

# ---- another project ---------------------------------------------------------

# In the folder that the tests begin in, an agent may be silent for an hour.
mkdir "$T/other"
echo '{ "stalled_after": 1 }' >"$T/other/.paneward.json"
(cd "$T/other" && "$PW" start other-1 --no-watch \
	--status-dir "$T/other/.worktrees/.status" -- sleep 500) >"$T/said"
stalled() { "$PW" status --all | grep -q '^other-1 *stalled '; }
soon 'an issue is judged by the configuration of its own project' stalled

# ---- a sweep ----------------------------------------------------------------

# The time is told with its day if that is another one.
told() {
	if [ "$(date -d "@$1" +%F)" = "$(date +%F)" ]; then
		date -d "@$1" '+ since %H:%M'
	else
		date -d "@$1" '+ since %b %e %H:%M'
	fi
}
since_is() {
	blind row 81 >"$T/said"
	grep -q "$(told "$1")\$" "$T/row"
}
then=$(($(date +%s) - 660))
scenario 'a sweep judges them and stands behind them for ten minutes' <<'END'
>>> "$PW" sweep >"$T/out"; row 80; member 82 state; row 81; blind row 81
80 gone | its pane is no longer there, and there is no report
dead
81 working | the agent was started
81 working | the agent was started
>>> touch -d "@$then" "$S/.paneward/sweep" "$S/.paneward/81.lock"; blind row 81
81 working? | the agent was started; not watched since N
>>> wait_until 10 since_is $then
>>> touch -d '1 hour' "$S/.paneward/sweep"; blind row 81
81 working? | the agent was started; not watched since N
>>> : >"$S/.paneward/.all.lock"; then=$(($(date +%s) - 300))
>>> touch -d "@$then" "$S/.paneward/.all.lock"; wait_until 10 since_is $then
END

scenario 'a server takes its panes with it' <<'END'
>>> cp "$S/.paneward/81.json" "$T/81.json"; tm kill-server
>>> wait_until 10 row_is 81 "81 unknown | its tmux server has ended$judging"
>>> no_work 81 unknown gone 'its tmux server has ended'
>>> cmp "$T/81.json" "$S/.paneward/81.json"
END
done_testing
