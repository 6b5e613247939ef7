#!/bin/sh
# Panes of earlier runs that are still there: what they show was acted on, and
# is not acted on again because the last run has lost its pane.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'

script handoff <<END
echo "\$PANEWARD_ISSUE \$PANEWARD_PANE" >>'$T/handed'
END
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >"$P/.paneward.json"
: >"$T/handed"

# done_in SESSION ISSUE: another run of the issue, complete and handed off.
done_in() {
	"$PW" start "$2" --no-watch --session "$1" -- \
		sh -c "echo '###TASK_COMPLETE_$2###'; $busy" >"$T/said"
	exits 0 "a run in $1 is complete" "$PW" watch "$2"
}

handed() { grep -c "^$1 " "$T/handed"; }

# is_still ISSUE RUN TIMES DESCRIPTION: nothing was said, and neither has another
# run begun nor was it handed off again.
is_still() {
	is "$(cat "$T/out" "$T/err") $(record "$1" run) $(handed "$1")" \
		" $2 $3" "$4"
}

# ---- the last run's pane is closed ------------------------------------------
done_in first 3
old=$(record 3 tmux.pane)
done_in second 3
run=$(record 3 run)
is "$(handed 3)" 2 'two runs are handed off'
tm kill-session -t =second:
exits 0 'a sweep after the second is closed' "$PW" sweep
is_still 3 "$run" 2 'has nothing to say, nor anything to hand off'
exits 0 'a watch' "$PW" watch 3
is "$(record 3 run) $(handed 3)" "$run 2" 'says what is recorded'

since=$(date -u -d '31 days ago' +%Y-%m-%dT%H:%M:%S.000Z)
sed -i "s/\"since\":\"[^\"]*\"/\"since\":\"$since\"/" "$S/.paneward/3.json"
"$PW" sweep
"$PW" sweep
is "$(record 3 run) $(handed 3)" "$run 2" \
	'the record is kept as long as the old pane is there'

# The record is lost: then the pane is all that is known.
cp "$S/.paneward/3.json" "$T/kept.json"
rm "$S/.paneward/3.json"
exits 0 'without a record' "$PW" sweep --dry-run
like "$(cat "$T/out")" '^3 complete: ' 'the pane is the issue'\''s again'
cp "$T/kept.json" "$S/.paneward/3.json"

# ---- who names it may have it -----------------------------------------------
watch_begin w 3 --new --no-handoff
wait_until 5 recorded 3 working
is "$(record 3 tmux.pane)" "$old" '--new begins another run in it'
kill "$(cat "$T/w.pid")"
wait_until 5 command_ended w
"$PW" signal complete --issue 3
exits 0 'which is complete' "$PW" watch 3 --no-handoff
done_in third 3
tm kill-session -t =third:
exits 0 'so does its name' "$PW" watch 3 --pane "$old" --no-handoff
is "$(record 3 tmux.pane)" "$old" 'whatever run it was of'

# ---- several of them --------------------------------------------------------
done_in one 4
done_in two 4
done_in three 4
run=$(record 4 run)
tm set-option -p -t =three: remain-on-exit on
kill "$(pane_tell three '#{pane_pid}')"
exits 0 'earlier panes beside a dead one are not several' "$PW" watch 4
tm kill-session -t =three:
exits 0 'nor when that is closed' "$PW" sweep
is_still 4 "$run" 3 'and none is taken'
exits 0 'nor is anything said of them' "$PW" watch 4
pane_run issue-4 "$busy"
exits 0 'a pane of the name is another matter' "$PW" sweep
is "$(record 4 tmux.pane)" "$(pane_tell issue-4 '#{pane_id}')" \
	'and begins a new run'

# Its own pane has ended and is still there: no neighbour has its place.
done_in p-issue-7 7
run=$(record 7 run)
tm set-option -p -t =p-issue-7: remain-on-exit on
tm split-window -d -t =p-issue-7: "$busy"
kill "$(record 7 tmux.pane_pid)"
wait_until 5 eval '[ "$(pane_tell p-issue-7 "#{pane_dead}")" = 1 ]'
exits 0 'a pane beside its dead one' "$PW" sweep
is "$(fields 7 run state)" "$run complete" 'begins no run'

# ---- every issue ------------------------------------------------------------
# said COUNT: so many lines at least.
said() { [ "$(wc -l <"$T/all.out")" -ge "$1" ]; }

printf '{ "handoff": null }\n' >"$P/.paneward.json"
done_in a 5
done_in b 5
# A pane without a name of its own, in the session of a run that is over.
done_in p-issue-6 6
tm split-window -d -t =p-issue-6: "$busy"
watch_begin all --all
wait_until 5 watch_holds all 4
"$PW" signal complete --issue 4
wait_until 5 grep -q '^4 complete' "$T/all.out"
check 'a watch of everything leaves old panes alone' no said 4
let_pass
check 'and goes on doing so' no said 4
unlike "$(cat "$T/all.out" "$T/all.err")" '^[56] |paneward: ' \
	'without a word of them'
kill "$(cat "$T/all.pid")"
wait_until 5 command_ended all

# Several panes and a signal: found twice, refused once.
pane_run issue-9 "$busy"
tm split-window -d -t =issue-9: "$busy"
wait_until 5 all_placed
"$PW" signal complete --issue 9
# The last run of another issue was on another server.
tmux -S "$T/other" -f /dev/null new-session -d -s issue-8 "$busy"
wait_until 5 all_placed tmux -S "$T/other"
printf '{ "handoff": null, "sockets": ["%s"] }\n' "$T/other" \
	>"$P/.paneward.json"
"$PW" watch 8 --once >"$T/said"
is "$(record 8 tmux.socket)" "$T/other" 'a run is on another server'
tmux -S "$T/other" kill-server
exits 10 'and ends with it' "$PW" watch 8
printf '{ "handoff": null }\n' >"$P/.paneward.json"
pane_run issue-8 "$busy"
watch_begin all --all
wait_until 5 watch_holds all 8
let_pass
is "$(grep -c "issue '9' is left alone: 2 panes" "$T/all.err")" 1 \
	'several panes are refused once'
is "$(record 8 tmux.pane)" "$(pane_tell issue-8 '#{pane_id}')" \
	'a pane on this server begins a new run'
kill "$(cat "$T/all.pid")"

done_testing
