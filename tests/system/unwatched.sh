#!/bin/sh
# paneward status: what a run lives in has ended, and no watcher has seen that.
. "${0%/*}/lib.sh"

# row ISSUE: state and reason; a time is N.
row() {
	"$PW" status "$1" >"$T/row" 2>&1
	sed 's/  *[0-9]*[smhd]  */ | /; s/  */ /g; s/| \(shell \)*%[0-9]*/|/
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

# no_work ISSUE WHAT: no command says that it works.
no_work() {
	for command in "status $1" 'status --all' "status --json $1" \
		'status --all --json' 'next --print' "explain $1" doctor; do
		# shellcheck disable=SC2086
		"$PW" $command >"$T/said" 2>&1
		unlike "$(grep -w -e "$1" "$T/said"; sed -n \
			"s/^verdict:/$1/p" "$T/said")" \
			"^$1 +working|\"issue\":\"$1\".*\"state\":\"working" \
			"$2: $command"
	done
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

kill -KILL "$(watcher 80)"
wait_until 5 no watched 80
is "$(row 80)" '80 working? | the agent was started; not watched since N' \
	'without its watcher it is unwatched'
like "$(member 80 unwatched)" '^20.*Z$' 'as JSON since when'
"$PW" doctor >"$T/doctor" 2>&1
like "$(cat "$T/doctor")" \
	"^warning +watchers: issue '80' is unwatched since 20.*Z: changes of" \
	'doctor names it'

"$PW" start 81 --no-watch -- sleep 500 >"$T/said"
cp "$S/.paneward/80.json" "$T/80.json"
tm kill-session -t project-issue-80
wait_until 5 row_is 80 "80 unknown | its pane's process has ended$judging"
is "$(row 80)" "80 unknown | its pane's process has ended$judging" \
	'what has ended is not working'
is "$(member 80 state)" unknown 'as JSON neither'
is "$("$PW" status --tmux)" '1 working 1 unknown' 'nor for tmux'
"$PW" doctor >"$T/doctor" 2>&1
like "$(cat "$T/doctor")" "issue '80' .*: its pane's process has ended" \
	'doctor says so, too'
no_work 80 'its watcher and its session were killed'
for state in asking waiting limited stalled; do
	sed "s/\"state\":\"working\"/\"state\":\"$state\"/" "$T/80.json" \
		>"$S/.paneward/80.json"
	is "$(member 80 state)" unknown "nor is it $state"
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

sed 's/"boot":"[^"]*"/"boot":"00000000-0000-4000-8000-000000000000"/' \
	"$S/.paneward/81.json" >"$T/81.json"
cp "$S/.paneward/81.json" "$T/81.good"
cp "$T/81.json" "$S/.paneward/81.json"
is "$(row 81)" "81 unknown | the machine was restarted$judging" \
	'nothing survives a restart'
no_work 81 'the machine was restarted'
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
wait_until 5 row_is 82 "82 unknown | its agent has ended$judging"
is "$(row 82)" "82 unknown | its agent has ended$judging" \
	'until it ends, though its pane lives'
no_work 82 'its agent was killed'

# ---- a sweep ----------------------------------------------------------------

exits 0 'a sweep judges them' "$PW" sweep
is "$(row 80)" '80 gone | its pane is no longer there, and there is no report' \
	'what has ended needs nothing more'
is "$(member 82 state)" dead 'nor what has died'
is "$(row 81)" '81 working | the agent was started' 'and stands behind the rest'
touch -d '11 minutes ago' "$S/.paneward/sweep" "$S/.paneward/81.lock"
is "$(row 81)" '81 working? | the agent was started; not watched since N' \
	'for ten minutes'
like "$(cat "$T/row")" " since $(date -d '11 minutes ago' +%H:%M)\$" \
	'since it ended'
touch -d '1 hour' "$S/.paneward/sweep"
is "$(row 81)" '81 working? | the agent was started; not watched since N' \
	'one that is to come tells nothing'
: >"$S/.paneward/.all.lock"
touch -d '5 minutes ago' "$S/.paneward/.all.lock"
row 81 >"$T/said"
like "$(cat "$T/row")" " since $(date -d '5 minutes ago' +%H:%M)\$" \
	'or since a watcher of all issues did'

cp "$S/.paneward/81.json" "$T/81.json"
tm kill-server
wait_until 5 row_is 81 "81 unknown | its tmux server has ended$judging"
is "$(row 81)" "81 unknown | its tmux server has ended$judging" \
	'a server takes its panes with it'
no_work 81 'its tmux server was killed'
check 'no record was changed' cmp -s "$T/81.json" "$S/.paneward/81.json"

done_testing
