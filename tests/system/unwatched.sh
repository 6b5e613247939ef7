#!/bin/sh
# An issue that nothing watches is judged by the commands that show it, as long as
# its pane is there; else what it lives in has ended, and no watcher has seen
# that.
. "${0%/*}/lib.sh"

# row ISSUE: state and reason; a time is N.
row() {
	"$PW" status "$1" >"$T/row" 2>&1
	sed 's/  *[0-9]*[smhd]  */ | /; s/  */ /g; s/| \([a-z]* \)*%[0-9]*/|/
		s/since [0-9A-Z:].*/since N/' "$T/row"
}

# member ISSUE KEY: of its JSON.
member() {
	"$PW" status --json "$1" >"$T/member"
	perl -MJSON::PP -e 'open my $f, "<", $ARGV[0]; local $/;
		my $v = decode_json(<$f>);
		print exists $v->{$ARGV[1]} ? $v->{$ARGV[1]} // "null" :
		    "missing"' "$T/member" "$2"
}

row_is() {
	[ "$(row "$1")" = "$2" ]
}

# no_work ISSUE STATE VERDICT REASON WHAT: no command says that it works: not
# status, which calls it STATE, nor explain, whose verdict it is.  doctor has the
# reason.  history tells what was recorded, and no more.
no_work() {
	for command in "status $1" 'status --all'; do
		# shellcheck disable=SC2086
		like "$("$PW" $command)" "^$1 +$2 " "$5: $command"
		# shellcheck disable=SC2086
		like "$("$PW" $command --json)" \
			"\"issue\":\"$1\".*\"state\":\"$2\"" \
			"$5: $command --json"
	done
	like "$("$PW" explain "$1" 2>&1)" "^verdict: $3, by " "$5: explain"
	like "$("$PW" doctor 2>&1)" "issue '$1' is unwatched since .*: $4; run" \
		"$5: doctor"
	is "$("$PW" history "$1" | grep -c " $1 ")" \
		"$(grep -c "\"subject\":\"$1\"" "$S/.paneward/journal.ndjson")" \
		"$5: history"
}

# A tmux that fails: panes cannot be judged.
mkdir "$T/blind"
printf '#!/bin/sh\nexit 1\n' >"$T/blind/tmux"
chmod +x "$T/blind/tmux"
blind() {
	(PATH=$T/blind:$PATH && "$@")
}

tmux_start
judging="; not judged yet, 'paneward sweep' does that; not watched since N"

"$PW" start 80 -- sleep 500 >"$T/said"
wait_until 5 watched 80
is "$(row 80)" '80 working | the agent was started' \
	'of what is watched nothing more is said'
is "$(member 80 unwatched)" null 'as JSON neither'
"$PW" doctor >"$T/doctor" 2>&1
unlike "$(cat "$T/doctor")" unwatched 'nor by doctor'

begin_command later status --follow
wait_until 5 grep -q ' 80 *working ' "$T/later.out"
kill -KILL "$(watcher 80)"
wait_until 5 no watched 80
wait_until 10 grep -q ' 80 *working[?]' "$T/later.out"
looked_at() {
	grep ' 80 ' "$T/later.out" | tail -n 1 | grep -q ' 80 *working '
}
soon 'what loses its watcher is judged by a list that runs' looked_at
kill "$(cat "$T/later.pid")"
is "$(blind row 80)" '80 working? | the agent was started; not watched since N' \
	'without its watcher it is unwatched'
like "$(blind member 80 unwatched)" '^20.*Z$' 'as JSON since when'
is "$(row 80)" '80 working | the agent was started' \
	'unless its pane can be judged'
is "$(member 80 unwatched)" null 'as JSON neither'
"$PW" doctor >"$T/doctor" 2>&1
like "$(cat "$T/doctor")" \
	"^warning +watchers: issue '80' is unwatched since 20.*Z: changes of" \
	'doctor names it'

"$PW" start 81 --no-watch -- sleep 500 >"$T/said"
cp "$S/.paneward/80.json" "$T/80.json"
tm kill-session -t project-issue-80
soon 'what has ended is not working' \
	row_is 80 "80 unknown | its pane's process has ended$judging"
is "$(member 80 state)" unknown 'as JSON neither'
is "$("$PW" status --tmux)" '1 working 1 unknown' 'nor for tmux'
"$PW" doctor >"$T/doctor" 2>&1
like "$(cat "$T/doctor")" "issue '80' .*: its pane's process has ended" \
	'doctor says so, too'
no_work 80 unknown gone "its pane's process has ended" \
	'its watcher and its session were killed'
for state in asking waiting limited stalled; do
	sed "s/\"state\":\"working\"/\"state\":\"$state\"/" "$T/80.json" \
		>"$S/.paneward/80.json"
	is "$(member 80 state)" unknown "nor is it $state"
	exits 1 'nor does it need a person' "$PW" next --print
	is "$(cat "$T/err")" 'paneward: no agent needs a person' 'as next says'
done
for state in complete error; do
	sed "s/\"state\":\"working\"/\"state\":\"$state\"/" "$T/80.json" \
		>"$S/.paneward/80.json"
	is "$(member 80 state)" $state "but it stays $state"
done
is "$(member 80 unwatched | cut -c 1-2)" 20 \
	'a run that may still complete is unwatched'
cp "$T/80.json" "$S/.paneward/80.json"

# ---- other ends -------------------------------------------------------------

cp "$S/.paneward/81.json" "$T/81.good"
another_boot "$S/.paneward/81.json"
cp "$S/.paneward/81.json" "$T/81.json"
is "$(row 81)" "81 unknown | the machine was restarted$judging" \
	'nothing survives a restart'
no_work 81 unknown gone 'the machine was restarted' 'the machine was restarted'
sed 's/"boot":"[^"]*"/"boot":"unknown"/' "$T/81.good" >"$S/.paneward/81.json"
is "$(member 81 state)" working 'a boot that is not known is no other one'
sed 's/"pane_start":/&1/' "$T/81.good" >"$S/.paneward/81.json"
is "$(row 81)" "81 unknown | its pane's process has ended$judging" \
	'a pid that is used again is another process'
cp "$T/81.good" "$S/.paneward/81.json"

pane_run x-issue-82 'exec sh -i'
pane_type x-issue-82 'sleep 500'
wait_until 5 eval '[ "$(pane_tell x-issue-82 "#{pane_current_command}")" = sleep ]'
"$PW" watch --once 82 >"$T/said" 2>&1
is "$(member 82 state)" working 'an agent in a shell works'
kill -KILL "$(record 82 agent.pid)"
dead="82 dead | the agent ended, its status is unknown, without a report; not \
recorded yet, 'paneward sweep' does that"
soon 'until it ends, though its pane lives' row_is 82 "$dead"
is "$(blind row 82)" "82 unknown | its agent has ended$judging" \
	'which only a look at the pane can tell'
no_work 82 dead dead 'its agent has ended' 'its agent was killed'
like "$("$PW" next --print)" '^82 +dead ' 'next goes there'

# ---- what the pane shows ------------------------------------------------------

tm set-option -g default-size 120x45
obedient agent
script handoff <<-END
	touch '$T/handed'
END
export PANEWARD_HANDOFF="$T/handoff"
"$PW" start 83 --no-watch --backend claude --session s83 -- "$T/agent" \
	>"$T/said"
begin_command follow status --follow
wait_until 5 grep -q ' 83 *working ' "$T/follow.out"
cp "$S/.paneward/83.json" "$T/83.json"
tell agent "printf '\\033[2J\\033[H'
cat '$ROOT/tests/recordings/claude-s-permission.permission.capture.txt'"
asks='asks for permission: Bash'
soon 'an agent that asks is seen to' \
	eval 'row 83 | grep -q "^83 asking | it $asks"'
unlike "$(cat "$T/row")" 'not watched' 'as it is now'
is "$(member 83 unwatched)" null 'as JSON too'
like "$("$PW" status --all)" "^83 +asking .*it $asks" 'among all as well'
like "$("$PW" next --print)" '^83 +asking ' 'and is the next to go to'
wait_until 10 grep -q " 83 *asking .*it $asks" "$T/follow.out"
unlike "$(grep ' 83 ' "$T/follow.out")" '[?]' 'who follows it is told'

watch_begin w 83 --no-handoff
wait_until 5 recorded 83 asking
kill -KILL "$(cat "$T/w.pid")"
wait_until 5 no watched 83
cp "$T/83.json" "$S/.paneward/83.json"
tell agent '"$PANEWARD" signal complete'
complete="signal-complete-83 is there; not recorded yet, 'paneward sweep' does \
that"
soon 'a report is seen' row_is 83 "83 complete | $complete"
is "$(member 83 since | cut -d . -f 1)" \
	"$(date -u -r "$S/signal-complete-83" +%Y-%m-%dT%H:%M:%S)" \
	'since it was left'
wait_until 10 grep -q ' 83 *complete ' "$T/follow.out"
check 'a look changes no record' cmp "$T/83.json" "$S/.paneward/83.json"
check 'takes no signal' test -e "$S/signal-complete-83"
check 'and hands nothing off' no test -e "$T/handed"
kill "$(cat "$T/follow.pid")"
exits 0 'a sweep does' "$PW" sweep
is "$(member 83 state)" complete 'and records it'
unset PANEWARD_HANDOFF

# ---- another project ----------------------------------------------------------

# In the folder that the tests begin in, an agent may be silent for an hour.
mkdir "$T/other"
echo '{ "stalled_after": 1 }' >"$T/other/.paneward.json"
(cd "$T/other" && "$PW" start other-1 --no-watch \
	--status-dir "$T/other/.worktrees/.status" -- sleep 500) >"$T/said"
stalled() {
	"$PW" status --all | grep -q '^other-1 *stalled '
}
soon 'an issue is judged by the configuration of its own project' stalled

# ---- a sweep ----------------------------------------------------------------

exits 0 'a sweep judges them' "$PW" sweep
is "$(row 80)" '80 gone | its pane is no longer there, and there is no report' \
	'what has ended needs nothing more'
is "$(member 82 state)" dead 'nor what has died'
is "$(row 81)" '81 working | the agent was started' 'and stands behind the rest'
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
touch -d "@$then" "$S/.paneward/sweep" "$S/.paneward/81.lock"
is "$(blind row 81)" '81 working? | the agent was started; not watched since N' \
	'for ten minutes'
soon 'since it ended' since_is $then
touch -d '1 hour' "$S/.paneward/sweep"
is "$(blind row 81)" '81 working? | the agent was started; not watched since N' \
	'one that is to come tells nothing'
: >"$S/.paneward/.all.lock"
then=$(($(date +%s) - 300))
touch -d "@$then" "$S/.paneward/.all.lock"
soon 'or since a watcher of all issues did' since_is $then

cp "$S/.paneward/81.json" "$T/81.json"
tm kill-server
soon 'a server takes its panes with it' \
	row_is 81 "81 unknown | its tmux server has ended$judging"
no_work 81 unknown gone 'its tmux server has ended' 'its tmux server was killed'
check 'no record was changed' cmp -s "$T/81.json" "$S/.paneward/81.json"

done_testing
