#!/bin/sh
# sweep: what one round finds, in signals, logs, captures and processes, what
# it says and writes down of it, and what it leaves alone.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'

# The hand-off writes down what it was run for.
cat >"$T/handoff" <<END
#!/bin/sh
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID \$PANEWARD_ATTEMPT" \
	>>'$T/handed'
END
chmod +x "$T/handoff"
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >"$P/.paneward.json"
: >"$T/handed"

# sweeps OUTPUT DESCRIPTION [OPTION...]: it says that and nothing else.
sweeps() {
	want=$1
	description=$2
	shift 2
	"$PW" sweep "$@" >"$T/out" 2>"$T/err" </dev/null
	is "$? $(cat "$T/out" "$T/err")" "0 $want" "$description"
}

silent() {
	sweeps '' "$@"
}

# How often was it handed off?
handed() {
	grep -c "^$1 " "$T/handed"
}

begin() {
	obedient "a$1"
	"$PW" start "$1" --no-watch --session "s$1" -- "$T/a$1" \
		>"$T/said" 2>&1 || comment <"$T/said"
}

# longer FILE SIZE: is it by now?
longer() {
	[ "$(wc -c <"$1")" -gt "$2" ]
}

# says ISSUE TEXT: the agent prints it; then its log is at rest.
says() {
	size=$(wc -c 2>/dev/null <"$S/output-$1.log" || echo 0)
	tell "a$1" "printf '$2'"
	wait_until 5 longer "$S/output-$1.log" "$size"
	touch -d '1 second ago' "$S/output-$1.log"
}

# dead ISSUE: its pane is, and the log at rest.
dead() {
	[ "$(pane_tell "$1" '#{pane_dead}')" = 1 ] &&
		touch -c -d '1 second ago' "$S/output-${1##*[a-z-]}.log"
}

# edit ISSUE KEY VALUE: in the status record, as in `edit 42 handoff.next X`.
edit() {
	perl -MJSON::PP -e '
		my ($path, $key, $value) = @ARGV;
		local $/;
		open my $in, "<", $path or die;
		my $top = my $v = decode_json(<$in>);
		my @keys = split /\./, $key;
		$v = $v->{shift @keys} while @keys > 1;
		$v->{$keys[0]} = $value;
		open my $out, ">", $path or die;
		print $out encode_json($top);' "$S/.paneward/$1.json" "$2" "$3"
}

# ---- nothing ----------------------------------------------------------------

silent 'where there is nothing, nothing is said'
check 'nor made' no test -e "$P/.worktrees"
exits 2 'an issue is no argument of a sweep' "$PW" sweep 42
like "$(cat "$T/err")" 'takes no issue.*watch --once' 'and the way is told'
exits 2 'nor is an unknown option' "$PW" sweep --nonsense
exits 2 'nor no jobs at all' "$PW" sweep --jobs 0

# ---- signals ----------------------------------------------------------------

pane_run issue-1 "$busy"
"$PW" signal complete --issue 1 'all good'
sweeps '1 complete: signal-complete-1 is there: all good
1 handed off' 'the signal of a live session is found, and handed off'
is "$(handed 1)" 1 'by the command'
is "$(record 1 state)/$(record 1 source)/$(record 1 handoff.state)" \
	complete/signal/done 'the record says so'
is "$(record 1 adopted)/$(record 1 tmux.pane)" \
	"1/$(pane_tell issue-1 '#{pane_id}')" 'of an adopted run in that pane'
is "$(changes 1 complete)/$(journal 1 run | wc -l)/$(journal 1 handoff |
	wc -l)" 1/1/2 'the journal says it once'
check 'the signal is removed' no test -e "$S/signal-complete-1"
is "$(pane_tell issue-1 '#{pane_pipe}')" 0 'no pipe is opened'
silent 'the next sweep has nothing to say'
is "$(handed 1)" 1 'nor anything to do'

pane_run issue-2 "$busy"
silent 'an issue that works is not told of'
is "$(record 2 state)" working 'only recorded'
# The log may be older than what tmux knows.
printf '\033]0;✳ Claude Code\007' >"$S/output-2.log"
silent 'nor that it waits by a title in its log'
is "$(record 2 state)" working 'for the pane has another one'
rm "$S/output-2.log"
tm kill-session -t =issue-2:
"$PW" signal complete --issue 2
sweeps '2 complete: signal-complete-2 is there
2 handed off' 'the signal of a session that is gone counts'
"$PW" signal complete --issue 3
sweeps '3 complete: signal-complete-3 is there
3 handed off' 'so does one without a record or pane'
is "$(find "$S" -name 'signal-*')" '' 'no signal is left'

begin 4
printf 'run=00000000-0000-4000-8000-000000000000\n' >"$S/signal-complete-4"
silent 'a signal of another run is none'
check 'and stays' test -e "$S/signal-complete-4"
rm "$S/signal-complete-4"

# ---- markers in the log -----------------------------------------------------

begin 10
says 10 'hello\n'
silent 'a log without a marker'
is "$(record 10 log.read)" "$(wc -c <"$S/output-10.log")" 'is read to its end'
says 10 '###TASK_COMPLETE_10###\n'
sweeps '10 complete: a completion marker in the pane log
10 handed off' 'a marker since then is found'
silent 'once'
says 10 'more\n###TASK_COMPLETE_10###\n'
silent 'another one is nothing new'
is "$(handed 10)" 1 'and not handed off again'

begin 11
says 11 '###TASK_COM'
silent 'half a marker is none'
says 11 'PLETE_11###\n'
sweeps '11 complete: a completion marker in the pane log
11 handed off' 'the other half is found by the next sweep'

begin 12
says 12 '```\n'
silent 'a fence begins before a sweep'
says 12 '###TASK_COMPLETE_12###\n'
silent 'what stands in it does not count after it'
says 12 '```\n'
silent 'nor when it ends'
says 12 '###TASK_COMPLETE_12###\n'
sweeps '12 complete: a completion marker in the pane log
12 handed off' 'what comes behind it does'

# What was read is not read again, even if it is another thing now.
begin 13
says 13 "$(seq 100 | tr '\n' ' ')$(printf %022d 0)\\n"
silent 'a long line'
printf '\n###TASK_COMPLETE_13###\n' |
	dd of="$S/output-13.log" conv=notrunc bs=1 seek=260 2>/dev/null
says 13 'more\n'
silent 'the log is read from where the last sweep stood'

# A restart of the machine's idea of the log: it is emptied, and goes on.
begin 14
says 14 'hello\n'
silent 'a log'
: >"$S/output-14.log"
says 14 '###TASK_COMPLETE_14###\n'
sweeps '14 complete: a completion marker in the pane log
14 handed off' 'that was emptied is read from its start'

# A bound marker, in the middle of a line that has not ended.
begin 15
nonce=$(record 15 run | cut -c 1-8)
says 15 "so: ###TASK_COMPLETE_15:$nonce### --"
sweeps '15 complete: a completion marker in the pane log
15 handed off' 'a bound marker counts'

# A record whose own marker cannot be one.
begin 16
edit 16 marker ' x'
says 16 '###TASK_COMPLETE_16###\n'
exits 0 'a marker that cannot be one' "$PW" sweep
is "$(cat "$T/err" "$T/out")" "paneward: cannot use the marker ' x' of issue \
'16'; the usual ones count
16 complete: a completion marker in the pane log
16 handed off" 'does not hide the usual ones'

# ---- captures ---------------------------------------------------------------

pane_run issue-20 "echo '###TASK_COMPLETE_20###'; $busy"
wait_until 5 pane_shows issue-20 TASK_COMPLETE
sweeps '20 complete: a completion marker in the capture
20 handed off' 'without a log the screen is looked at'

pane_run issue-21 "echo '###TASK_COMPLETE_21###'; echo; seq 200; $busy"
wait_until 5 pane_shows issue-21 200
echo nothing >"$S/output-21.log"
touch -d '1 second ago' "$S/output-21.log"
sweeps '21 complete: a completion marker in the capture
21 handed off' 'and its history, where a log says nothing'

pane_run issue-22 "echo '\`\`\`'; echo '###TASK_COMPLETE_22###'; echo '\`\`\`'
	echo 'print \"###TASK_COMPLETE_22###\"'; echo end; $busy"
wait_until 5 pane_shows issue-22 end
silent 'what only tells of a marker is none'

# ---- whose pane -------------------------------------------------------------

tm new-window -d -t =keeper: -n issue-30 "$busy"
pane_run whatever "$busy"
tm set-option -p -t =whatever: @paneward_issue 31
pane_run issue-32 "echo '###TASK_COMPLETE_32###'; $busy"
tm set-option -p -t =issue-32: @paneward_issue 32
tm set-option -p -t =issue-32: @paneward_dir "$T/elsewhere"
wait_until 5 pane_shows issue-32 TASK_COMPLETE
pane_run issue-33x "$busy"
silent 'panes are found by their names and options'
is "$(record 30 tmux.window)" \
	"$(tm display-message -p -t =keeper:issue-30 '#{window_id}')" \
	'by the name of the window'
is "$(record 31 tmux.pane)" "$(pane_tell whatever '#{pane_id}')" \
	'by the option'
check 'not one of another status directory' \
	no test -e "$S/.paneward/32.json"
check 'nor what only resembles it' no test -e "$S/.paneward/33.json"
is "$(tm show-options -pqv -t =issue-32: @paneward_dir)" "$T/elsewhere" \
	'that pane stays as it is'

pane_run issue-34 "echo '###TASK_COMPLETE_34###'; $busy"
first=$(pane_tell issue-34 '#{pane_id}')
second=$(tm split-window -d -P -F '#{pane_id}' -t =issue-34: "$busy")
wait_until 5 pane_shows issue-34 TASK_COMPLETE
exits 0 'of two panes' "$PW" sweep
like "$(cat "$T/err")" "'34' is left alone: 2 panes.*$first.*$second" \
	'both are named'
is "$(cat "$T/out")" '' 'and nothing is said'
check 'nor written' no test -e "$S/.paneward/34.json"
tm set-option -p -t "$first" @paneward_issue 34
sweeps '34 complete: a completion marker in the capture
34 handed off' 'an option is stronger than two names'

tm kill-session -t =issue-1:
pane_run issue-1 "$busy"
run=$(record 1 run)
silent 'a new pane of a finished issue'
unlike "$(record 1 run)" "^$run\$" 'is a new run'
is "$(record 1 state)" working 'which works'
silent 'and goes on'

# What was left behind was all there was of it, until its pane is seen.
"$PW" signal error --issue 35
# It is older than the pane, and no longer about to be filled.
touch -d '1 minute ago' "$S/signal-error-35"
silent 'an error without a pane'
pane_run issue-35 "echo '###TASK_COMPLETE_35###'; $busy"
wait_until 5 pane_shows issue-35 TASK_COMPLETE
sweeps '35 complete: a completion marker in the capture
35 handed off' 'does not keep a pane of the issue from being looked at'
rm "$S/signal-error-35"

# What is only called like a signal.
mkdir "$S/signal-complete-36"
ln -s "$T/handoff" "$S/signal-error-37"
silent 'a folder and a link are no signals' --check-errors
is "$(find "$S/.paneward" -name '3[67].json')" '' 'and no runs'
rm -r "$S/signal-complete-36" "$S/signal-error-37"

# ---- ends -------------------------------------------------------------------

"$PW" start 40 --no-watch --session s40 -- sh -c 'exit 3' >"$T/said"
wait_until 5 dead s40
sweeps "40 dead: the agent ended with status 3, without a report" \
	'an agent that ended is dead, and how is known'
is "$(record 40 exit.code)" 3 'which is recorded'
begin 41
wait_until 5 test -s "$S/.paneward/41.agent"
kill -KILL "$(cut -d ' ' -f 2 "$S/.paneward/41.agent")"
wait_until 5 dead s41
sweeps "41 dead: the agent ended by signal 9 (Killed), without a report" \
	'or by which signal'

pane_run issue-42 "$busy"
pane_run issue-43 "$busy"
tm set-option -t =issue-43: remain-on-exit on
silent 'two panes that nobody started'
tm kill-session -t =issue-42:
kill -TERM "$(pane_tell issue-43 '#{pane_pid}')"
wait_until 5 dead issue-43
exits 0 'one is closed, the other ends' "$PW" sweep
is "$(head -n 1 "$T/out")" \
	'42 gone: its pane is no longer there, and there is no report' \
	'the first is gone'
# Before 3.6 tmux may lose the news of how.
like "$(cat "$T/out")" \
	'^43 dead: the agent ended(, its status is unknown,| by signal 15).*without a report$' \
	'the other dead'
silent 'that is said once'
is "$(record 42 exit.code)" '' 'of the first nobody knows how'

pane=$(tm split-window -d -P -F '#{pane_id}' -t =issue-43: "$busy")
silent 'a dead pane does not compete with a new one'
is "$(record 43 tmux.pane) $(record 43 state)" "$pane working" \
	'which begins a new run'

# A report that came before the end, and one that comes after it.
begin 44
says 44 '###TASK_COMPLETE_44###\n'
tm kill-session -t =s44:
sweeps '44 complete: a completion marker in the pane log
44 handed off' 'a report beats the end'
"$PW" signal complete --issue 42
sweeps '42 complete: signal-complete-42 is there
42 handed off' 'one that comes late counts as well'

# A start that writes down its pane when tmux has told the sweep of its panes
# already: what was told is older than the record.
mkdir "$T/slow"
cat >"$T/slow/tmux" <<END
#!/bin/sh
told=$T/told.\$(echo "\$*" | cksum | cut -d ' ' -f 1)
[ -e "\$told" ] || '$(command -v tmux)' "\$@" >"\$told"
cat "\$told"
[ ! -e '$T/placed' ] || mv '$T/placed' '$S/.paneward/45.json'
END
chmod +x "$T/slow/tmux"
PATH=$T/slow:$PATH "$PW" sweep >"$T/out" 2>&1 </dev/null
begin 45
cp "$S/.paneward/45.json" "$T/placed"
sed 's/"tmux":{[^}]*},//' "$T/placed" >"$S/.paneward/45.json"
touch -d '1 second ago' "$S/output-45.log"
PATH=$T/slow:$PATH "$PW" sweep >"$T/out" 2>&1 </dev/null
check 'a run gets its pane while panes are asked for' test ! -e "$T/placed"
is "$(cat "$T/out")" '' 'and is not missing among those that were there before'
is "$(record 45 state)" working 'but works'
tm kill-session -t =s45:

is_gone() {
	"$PW" sweep --check-errors >>"$T/said" 2>&1
	grep -q "^$1 gone" "$T/said"
}

check 'until it is gone' wait_until 5 is_gone 45

# ---- errors -----------------------------------------------------------------

pane_run issue-50 "$busy"
silent 'a run'
"$PW" signal error --issue 50 'no disk'
silent 'errors are not looked for'
check 'their signal stays' test -e "$S/signal-error-50"
is "$(record 50 state)" working 'and is not recorded'
tm kill-session -t =issue-50:
silent 'a run that has reported one is not called gone'
sweeps '50 error: signal-error-50 is there: no disk' \
	'with --check-errors it is told' --check-errors
is "$(record 50 state)/$(record 50 message)" 'error/no disk' 'and recorded'
check 'its signal is removed' no test -e "$S/signal-error-50"
silent 'that is all' --check-errors
is "$(handed 50)/$(record 50 handoff)" '0/' 'it is never handed off'
"$PW" signal complete --issue 50
sweeps '50 complete: signal-complete-50 is there
50 handed off' 'a completion that comes later is'

begin 55
says 55 '###TASK_ERROR_55###\n'
tell a55 'exit 4'
wait_until 5 dead s55
silent 'nor is one called dead'
sweeps '55 error: an error marker in the pane log: Unknown error' \
	'but an error' --check-errors
begin 56
says 56 '###TASK_COMPLETE_56###\n'
"$PW" signal error --issue 56 'it broke'
sweeps '56 error: signal-error-56 is there, after a completion marker: it broke' \
	'an error after a completion marker' --check-errors
silent 'which does not count after it' --check-errors
begin 51
says 51 '###TASK_ERROR_51###\nout of memory\n'
silent 'nor are they in a log'
silent 'by any sweep'
begin 54
says 54 '###TASK_ERROR_54###\nno time\n'
silent 'nor one of a run that goes on'
silent 'again'
sweeps '51 error: an error marker in the pane log: out of memory
54 error: an error marker in the pane log: no time' \
	'until they are looked for' --check-errors
says 54 '###TASK_COMPLETE_54###\n'
tell a51 'exit 4'
wait_until 5 dead s51
sweeps '54 complete: a completion marker in the pane log
54 handed off' 'what comes later in the log counts'
silent 'a run with an error is not dead as well' --check-errors
is "$(record 51 exit.code)" 4 'how it ended is recorded'
is "$(changes 51 error)/$(changes 51 dead)" 1/0 'but it is no other state'

# Without a log, on the screen: what was there before is part of the error.
obedient a52
pane_run issue-52 "$T/a52"
tell a52 'echo "###TASK_ERROR_52###"; echo no net; echo'
wait_until 5 pane_shows issue-52 'no net'
sweeps '52 error: an error marker in the capture: no net' \
	'an error on a screen' --check-errors
tell a52 'echo "###TASK_COMPLETE_52###"'
wait_until 5 pane_shows issue-52 TASK_COMPLETE
sweeps '52 complete: a completion marker in the capture
52 handed off' 'and a completion that follows it there'

# The sweep's clock stands still, so it is never too late.
PANEWARD_NOW=$(date +%s)
export PANEWARD_NOW
: >"$S/signal-error-53"
touch -d "@$PANEWARD_NOW" "$S/signal-error-53"
silent 'an error file still empty' --check-errors
unset PANEWARD_NOW
touch -d '2 seconds ago' "$S/signal-error-53"
sweeps '53 error: signal-error-53 is there: Unknown error' \
	'is given a second to be filled' --check-errors

# ---- others at work ---------------------------------------------------------

begin 60
watch_begin w 60
wait_until 5 watch_holds w 60
wait_until 5 recorded 60 working
freeze "$(cat "$T/w.pid")"
says 60 '###TASK_COMPLETE_60###\n'
exits 0 'an issue whose watcher is stopped' "$PW" sweep
like "$(cat "$T/err")" "'60' is left alone: .*[(]$(cat "$T/w.pid")[)] is suspended" \
	'is left alone, with the number of the process'
is "$(wc -l <"$T/err")/$(cat "$T/out")" 1/ 'in one line'
is "$(handed 60)" 0 'and nothing is done'
kill -CONT "$(cat "$T/w.pid")"
watch_ended w 0 'its watcher finds it complete'
is "$(handed 60)/$(changes 60 complete)" 1/1 'and hands it off'
silent 'then there is nothing left to do'

begin 61
watch_begin w 61
wait_until 5 watch_holds w 61
says 61 'hello\n'
silent 'an issue with a watcher is left to it'
kill -KILL "$(cat "$T/w.pid")"
wait_until 5 test -e "$T/w.status"
says 61 '###TASK_COMPLETE_61###\n'
sweeps '61 complete: a completion marker in the pane log
61 handed off' 'without one it is not'

# ---- what is kept, and how long ---------------------------------------------

old=$(date -u -d '31 days ago' +%Y-%m-%dT%H:%M:%S.000Z)
edit 2 since "$old"
edit 3 since "$old"
echo one more >"$S/signal-complete-3"
touch -d '32 days ago' "$S/signal-complete-3"
edit 31 since "$old"
silent 'a month later'
check 'the record of a run that is over goes' no test -e "$S/.paneward/2.json"
check 'but never a lock' test -e "$S/.paneward/2.lock"
is "$(find "$S/.paneward" -name '2.*' ! -name '*.lock')" '' 'nor anything else'
check 'nor a record with a signal' test -e "$S/.paneward/3.json"
check 'nor one of a run that goes on' test -e "$S/.paneward/31.json"
rm "$S/signal-complete-3"
silent 'without the signal'
check 'it goes' no test -e "$S/.paneward/3.json"

# Its pane still shows why it is complete.
edit 20 since "$old"
silent 'a run that is complete, in a pane that is still there'
silent 'is no new one because it is old'
is "$(handed 20)" 1 'and is not handed off again'

sleep 1000 &
living=$!
for name in "7.json.$living" 7.json.4194305 journal.ndjson.4194305 8.json.0; do
	echo half >"$S/.paneward/$name.tmp"
	touch -d '2 hours ago' "$S/.paneward/$name.tmp"
done
echo half >"$S/.paneward/8.json.4194305.tmp"
echo all >"$S/.paneward/9.json.4194305"
touch -d '2 hours ago' "$S/.paneward/9.json.4194305"
"$PW" sweep --dry-run >"$T/out" 2>&1
is "$(find "$S/.paneward" -name '*.tmp' | wc -l)" 5 \
	'a dry run does not tidy up'
silent 'what was half written'
is "$(find "$S/.paneward" -name '*.tmp' -o -name '*.4194305' |
	sed 's|.*/||' | sort | tr '\n' ' ')" \
	"7.json.$living.tmp 8.json.0.tmp 8.json.4194305.tmp 9.json.4194305 " \
	'is removed an hour after its process was last seen'
rm -f "$S"/.paneward/*.tmp
echo x >"$S/.paneward/_pane-1-2.reload" && echo x >"$S/.paneward/_pane-1-3.reload"
touch -d '2 days ago' "$S/.paneward/_pane-1-2.reload"
"$PW" sweep
is "$(find "$S/.paneward" -name '_pane*')" "$S/.paneward/_pane-1-3.reload" \
	'nor what old restarts of other panes have left'
rm "$S/.paneward/_pane-1-3.reload"
kill $living

# ---- as JSON ----------------------------------------------------------------

"$PW" signal complete --issue 70 'a "quoted" word'
"$PW" signal error --issue 71 'x'
exits 0 'all of it as JSON' "$PW" sweep --json --check-errors
perl -MJSON::PP -ne 'my $o = decode_json($_); $o->{handoff}{state} //= "";
	print "$o->{issue} $o->{state} $o->{source} $o->{message} " .
	    "$o->{handoff}{state}\n"' <"$T/out" >"$T/parsed" 2>&1
is "$(cat "$T/parsed")" '70 complete signal a "quoted" word pending
71 error signal x 
70 complete signal a "quoted" word done' 'an object per line'

"$PW" signal complete --issue 72
find "$S" -exec stat -c '%n %y %z %s %i' {} + | sort >"$T/before"
sweeps '72 complete: signal-complete-72 is there
72 would be handed off' 'a dry run says what would be done' --dry-run
find "$S" -exec stat -c '%n %y %z %s %i' {} + | sort >"$T/after"
check 'and does nothing' cmp "$T/before" "$T/after"
"$PW" sweep --dry-run --json >"$T/out"
is "$(sed 's/.*"issue":"\([^"]*\)".*"state":"\([^"]*\)","source".*/\1 \2/' \
	"$T/out")" '72 complete' 'also as JSON'
"$PW" sweep >"$T/out"
is "$(handed 72)" 1 'the next sweep does it'

# ---- how little it costs ----------------------------------------------------

# A tmux in front of the real one counts; strace sees the rest.
mkdir "$T/bin"
cat >"$T/bin/tmux" <<END
#!/bin/sh
echo "\$*" | tr '\n' ' ' | sed 's/\$/\n/' >>'$T/calls'
PATH=\${PATH#*:} exec tmux "\$@"
END
chmod +x "$T/bin/tmux"
server=$(tm display-message -p '#{pid}')
tm kill-server
# While its process lives, nothing is known of its panes.
wait_until 5 no kill -0 "$server"
"$PW" sweep >"$T/said" 2>&1
tmux_start
for issue in 80 81 82 83; do
	begin $issue
	says $issue 'working\n'
done
tell a83 'exit 1'
wait_until 5 dead s83
sleep 1.1
sweeps '83 dead: the agent ended with status 1, without a report: working' \
	'three that work, and one that is dead'
PATH=$T/bin:$PATH
: >"$T/calls"
silent 'and have printed nothing since'
PATH=${PATH#*:}
is "$(wc -l <"$T/calls")" 1 'cost one call of tmux'
if command -v strace >/dev/null && strace -o "$T/trace" true 2>/dev/null; then
	strace -f -e trace=execve -o "$T/trace" "$PW" sweep
	is "$(grep -c 'execve(.*= 0$' "$T/trace")" 2 'and no other process'
else
	skip 'and no other process' 'there is no strace'
fi
says 81 'more\n'
PATH=$T/bin:$PATH
: >"$T/calls"
silent 'one of them goes on'
PATH=${PATH#*:}
is "$(wc -l <"$T/calls")/$(grep -c capturep "$T/calls")" 2/1 \
	'which costs one more'
is "$(tail -n 1 "$T/calls" | grep -o 'capturep' | wc -l)" 1 \
	'for that one alone'

done_testing
