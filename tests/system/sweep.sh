#!/bin/sh
# sweep: what one round finds, in signals, logs, captures and processes, what
# it says and writes down of it, and what it leaves alone.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'

# The hand-off writes down what it was run for.
script handoff <<END
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID \$PANEWARD_ATTEMPT" >>'$T/handed'
END
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >"$P/.paneward.json"
: >"$T/handed"

sweep() { "$PW" sweep "$@"; }
signal() { "$PW" signal "$1" --issue "$2" ${3:+"$3"}; }

# How often was it handed off?
handed() { grep -c "^$1 " "$T/handed"; }

# begin ISSUE...: agents that obey.
begin() {
	for issue; do
		obeys "$issue" --no-watch
	done
}

# longer FILE SIZE: is it by now?
longer() { [ "$(wc -c <"$1")" -gt "$2" ]; }

# says ISSUE TEXT: the agent prints it; then its log is at rest.
says() {
	size=$(wc -c 2>/dev/null <"$S/output-$1.log" || echo 0)
	tell "a$1" "printf '$2'"
	wait_until 5 longer "$S/output-$1.log" "$size"
	touch -d '1 second ago' "$S/output-$1.log"
}

# dead SESSION: its pane is, and the log at rest.
dead() {
	[ "$(pane_tell "$1" '#{pane_dead}')" = 1 ] &&
		touch -c -d '1 second ago' "$S/output-${1##*[a-z-]}.log"
}

# edit KEY VALUE ISSUE...: of the status records.
edit() {
	name=$1 value=$2
	shift 2
	for issue; do
		perl -MJSON::PP -0777 -i -pe 'BEGIN { ($k, $v) = splice @ARGV, 0,
			2 } my $record = decode_json($_); $record->{$k} = $v;
			$_ = encode_json($record)' \
			"$name" "$value" "$S/.paneward/$issue.json"
	done
}

# shows ISSUE TEXT [COMMAND]: its pane shows the text, or what the command prints.
shows() {
	pane_run "issue-$1" "${3:-echo '$2'}; $busy"
	wait_until 5 pane_shows "issue-$1" "$2"
}

scenario 'where there is nothing, nothing is said or made' <<'END'
>>> sweep; no test -e "$P/.worktrees"
>>> fails 2 "takes no argument, and '42' is one" sweep 42
>>> fails 2 nonsense sweep --nonsense; fails 2 "'0'" sweep --jobs 0
END

pane_run issue-1 "$busy"
pane_run issue-2 "$busy"
signal complete 1 'all good'
scenario 'a signal is handed off once, with or without a pane' <<'END'
>>> sweep
1 complete: signal-complete-1 is there: all good
1 handed off
>>> [ "$(record 1 tmux.pane)" = "$(pane_tell issue-1 '#{pane_id}')" ]
>>> fields 1 state source handoff.state adopted; changes 1 complete
complete signal done 1
1
>>> echo $(journal 1 run | wc -l) $(journal 1 handoff | wc -l)
1 2
>>> sweep; handed 1; pane_tell issue-1 '#{pane_pipe}'; record 2 state
1
0
working
>>> printf '\033]0;✳ Claude Code\007' >"$S/output-2.log"; sweep; record 2 state
working
>>> rm "$S/output-2.log"; tm kill-session -t =issue-2:
>>> signal complete 2; signal complete 3; sweep | sort
2 complete: signal-complete-2 is there
2 handed off
3 complete: signal-complete-3 is there
3 handed off
>>> ls "$S"
>>> begin 4; echo run=00000000-0000-4000-8000-000000000000 >"$S/signal-complete-4"
>>> sweep; rm "$S/signal-complete-4"
END

# tests/unit/run/panelog.c has markers and fences across two of them.
begin 10 13 14 15 16
scenario 'a marker in the log is found once' <<'END'
>>> says 10 'hello\n'; sweep
>>> [ "$(record 10 log.read)" = "$(wc -c <"$S/output-10.log")" ]
>>> says 10 '###TASK_COMPLETE_10###\n'; sweep
10 complete: a completion marker in the pane log
10 handed off
>>> sweep; says 10 'more\n###TASK_COMPLETE_10###\n'; sweep; handed 10
1
END
scenario 'the log is read from where the last sweep stood, or anew' <<'END'
>>> says 13 "$(seq 100 | tr '\n' ' ')$(printf %022d 0)\\n"; sweep
>>> printf '\n###TASK_COMPLETE_13###\n' |
... 	dd of="$S/output-13.log" conv=notrunc bs=1 seek=260 2>/dev/null
>>> says 13 'more\n'; says 14 'hello\n'; sweep
>>> : >"$S/output-14.log"; says 14 '###TASK_COMPLETE_14###\n'; sweep
14 complete: a completion marker in the pane log
14 handed off
END
scenario 'a bound marker counts within a line, an impossible one nowhere' <<'END'
>>> says 15 "so: ###TASK_COMPLETE_15:$(record 15 run | cut -c 1-8)### --"; sweep
15 complete: a completion marker in the pane log
15 handed off
>>> edit marker ' x' 16; says 16 '###TASK_COMPLETE_16###\n'; sweep
paneward: cannot use the marker ' x' of issue '16'; the usual ones count
16 complete: a completion marker in the pane log
16 handed off
END

shows 20 '###TASK_COMPLETE_20###'
shows 21 200 "echo '###TASK_COMPLETE_21###'; echo; seq 200"
echo nothing >"$S/output-21.log"
touch -d '1 second ago' "$S/output-21.log"
scenario 'without a log, or a word in it, the screen and its history count' <<'END'
>>> sweep | sort
20 complete: a completion marker in the capture
20 handed off
21 complete: a completion marker in the capture
21 handed off
END

pane_run issue-31 "$busy"
shows 34 '###TASK_COMPLETE_34###'
first=$(pane_tell issue-34 '#{pane_id}')
second=$(tm split-window -d -P -F '#{pane_id}' -t =issue-34: "$busy")
scenario 'an issue with two panes is left alone until one is named' <<'END'
>>> sweep 2>&1 | sed "s/$first/FIRST/; s/$second/SECOND/"
paneward: issue '34' is left alone: 2 panes belong to it: FIRST (session issue-34), SECOND (session issue-34); choose one with 'paneward watch --pane'
>>> tm set-option -p -t "$first" @paneward_issue 34; sweep
34 complete: a completion marker in the capture
34 handed off
END

"$PW" start 40 --no-watch --session s40 -- sh -c 'exit 3' >"$T/said"
begin 41 44
pane_run issue-42 "$busy"
pane_run issue-43 "$busy"
tm set-option -t =issue-43: remain-on-exit on
# Before 3.6 tmux may lose the news of how the last one ended.
scenario 'an agent that ended is dead or gone, and how is known' <<'END'
>>> wait_until 5 dead s40; sweep; record 40 exit.code
40 dead: the agent ended with status 3, without a report
3
>>> wait_until 5 test -s "$S/.paneward/41.agent"
>>> kill -KILL "$(cut -d ' ' -f 2 "$S/.paneward/41.agent")"
>>> wait_until 5 dead s41; sweep
41 dead: the agent ended by signal 9 (Killed), without a report
>>> tm kill-session -t =issue-42:; kill "$(pane_tell issue-43 '#{pane_pid}')"
>>> wait_until 5 dead issue-43; sweep
42 gone: its pane is no longer there, and there is no report
~ 43 dead: the agent ended(, its status is unknown,| by signal 15).*without a report
>>> sweep; fields 42 exit.code
-
>>> pane=$(tm split-window -d -P -F '#{pane_id}' -t =issue-43: "$busy"); sweep
>>> record 43 state; [ "$(record 43 tmux.pane)" = "$pane" ]
working
END
scenario 'a report counts before the end and after it' <<'END'
>>> says 44 '###TASK_COMPLETE_44###\n'; tm kill-session -t =s44:; sweep
44 complete: a completion marker in the pane log
44 handed off
>>> signal complete 42; sweep
42 complete: signal-complete-42 is there
42 handed off
END

# A start that writes down its pane when tmux has told the sweep of its panes
# already: what was told is older than the record.
script slow/tmux <<END
told=$T/told.\$(echo "\$*" | cksum | cut -d ' ' -f 1)
[ -e "\$told" ] || '$(command -v tmux)' "\$@" >"\$told"
cat "\$told"
[ ! -e '$T/placed' ] || mv '$T/placed' '$S/.paneward/45.json'
END
is_gone() { sweep --check-errors | grep "^$1 gone"; }
scenario 'a run that gets its pane while panes are asked for is not missing' <<'END'
>>> PATH=$T/slow:$PATH sweep; begin 45; cp "$S/.paneward/45.json" "$T/placed"
>>> sed 's/"tmux":{[^}]*},//' "$T/placed" >"$S/.paneward/45.json"
>>> touch -d '1 second ago' "$S/output-45.log"
>>> PATH=$T/slow:$PATH sweep; no test -e "$T/placed" && record 45 state
working
>>> tm kill-session -t =s45:; wait_until 5 is_gone 45
END

pane_run issue-50 "$busy"
begin 51 54 55 56
obedient a52
pane_run issue-52 "$T/a52"
scenario 'errors are looked for if that is asked for' <<'END'
>>> sweep; signal error 50 'no disk'; sweep; record 50 state
working
>>> tm kill-session -t =issue-50:; sweep; ls "$S"/signal*
$T/project/.worktrees/.status/signal-error-50
>>> sweep --check-errors; no ls "$S"/signal* 2>/dev/null
50 error: signal-error-50 is there: no disk
>>> sweep --check-errors; fields 50 state message handoff; handed 50
error no disk -
0
[1]
>>> signal complete 50; sweep
50 complete: signal-complete-50 is there
50 handed off
>>> says 51 '###TASK_ERROR_51###\nout of memory\n'; sweep; sweep
>>> says 54 '###TASK_ERROR_54###\nno time\n'; sweep; sweep
>>> says 55 '###TASK_ERROR_55###\n'; tell a55 'exit 4'; wait_until 5 dead s55
>>> sweep; sweep --check-errors
51 error: an error marker in the pane log: out of memory
54 error: an error marker in the pane log: no time
55 error: an error marker in the pane log: Unknown error
END
scenario 'what comes later counts, but no completion before an error' <<'END'
>>> says 56 '###TASK_COMPLETE_56###\n'; signal error 56 'it broke'
>>> sweep --check-errors; sweep --check-errors
56 error: signal-error-56 is there, after a completion marker: it broke
>>> says 54 '###TASK_COMPLETE_54###\n'; tell a51 'exit 4'; wait_until 5 dead s51
>>> sweep; sweep --check-errors; record 51 exit.code
54 complete: a completion marker in the pane log
54 handed off
4
>>> changes 51 error; changes 51 dead
1
0
[1]
>>> tell a52 'echo "###TASK_ERROR_52###"; echo no net; echo'
>>> wait_until 5 pane_shows issue-52 'no net'; sweep --check-errors
52 error: an error marker in the capture: no net
>>> tell a52 'echo "###TASK_COMPLETE_52###"'
>>> wait_until 5 pane_shows issue-52 TASK_COMPLETE; sweep
52 complete: a completion marker in the capture
52 handed off
END
begin 60 61
watch_locks v 61
watch_locks w 60
wait_until 5 recorded 60 working
scenario 'an issue with a watcher is left to it, even a stopped one' <<'END'
>>> freeze "$(cat "$T/w.pid")"; says 60 '###TASK_COMPLETE_60###\n'; sweep
~ paneward: issue '60' is left alone: the process holding its lock \(\d+\) is suspended
>>> handed 60; kill -CONT "$(cat "$T/w.pid")"; wait_until 10 command_ended w
0
>>> cat "$T/w.status"; handed 60; changes 60 complete; sweep
0
1
1
>>> says 61 'hello\n'; sweep
>>> kill -KILL "$(cat "$T/v.pid")"; wait_until 5 command_ended v
>>> says 61 '###TASK_COMPLETE_61###\n'; sweep
61 complete: a completion marker in the pane log
61 handed off
END

echo one more >"$S/signal-complete-3"
touch -d '32 days ago' "$S/signal-complete-3"
# The pane of 20 still shows why it is complete.
scenario 'a month later the record of a run that is over goes, but no lock' <<'END'
>>> edit since "$(date -u -d '31 days ago' +%Y-%m-%dT%H:%M:%S.000Z)" 2 3 20 31
>>> sweep; ls "$S/.paneward" | grep -e '^2\.' -e '^3\.' -e ^31
2.lock
3.handoff.log
3.json
3.lock
31.json
31.lock
>>> rm "$S/signal-complete-3"; sweep; ls "$S/.paneward" | grep '^3\.'
3.lock
>>> sweep; handed 20
1
END

sleep 1000 &
living=$!
for name in "7.json.$living.tmp" 7.json.4194305.tmp journal.ndjson.4194305.tmp \
	8.json.0.tmp 9.json.4194305; do
	echo half >"$S/.paneward/$name"
	touch -d '2 hours ago' "$S/.paneward/$name"
done
echo half >"$S/.paneward/8.json.4194305.tmp"
echo x >"$S/.paneward/_pane-1-2.reload"
echo x >"$S/.paneward/_pane-1-3.reload"
touch -d '2 days ago' "$S/.paneward/_pane-1-2.reload"
scenario 'an hour after its process was last seen what is half written goes' <<'END'
>>> sweep --dry-run; ls "$S/.paneward" | grep -c -e tmp -e reload
7
>>> sweep
>>> ls "$S/.paneward" | grep -e tmp -e reload -e 4194305 | sed "s/$living/LIVING/"
7.json.LIVING.tmp
8.json.0.tmp
~ 8\.json\.\d+\.tmp
~ 9\.json\.\d+
_pane-1-3.reload
>>> kill "$living"; rm "$S"/.paneward/*.tmp "$S"/.paneward/*.reload
END

scenario 'JSON has an object per line' <<'END'
>>> signal complete 70 'a "quoted" word'; signal error 71 'x'
>>> sweep --json --check-errors >"$T/out"
>>> perl -MJSON::PP -ne 'my $o = decode_json($_); $o->{handoff}{state} //= "-";
... 	print "$o->{issue} $o->{state} $o->{source} $o->{message} " .
... 	    "$o->{handoff}{state}\n"' <"$T/out"
70 complete signal a "quoted" word pending
71 error signal x -
70 complete signal a "quoted" word done
>>> signal complete 72; sweep --dry-run; sweep >"$T/out"; handed 72
72 complete: signal-complete-72 is there
72 would be handed off
1
END

# A tmux in front of the real one counts; strace sees the rest.
script bin/tmux <<END
echo "\$*" | tr '\n' ' ' | sed 's/\$/\n/' >>'$T/calls'
PATH=\${PATH#*:} exec tmux "\$@"
END
server=$(tm display-message -p '#{pid}')
tm kill-server
# While its process lives, nothing is known of its panes.
wait_until 5 no kill -0 "$server"
sweep >"$T/said" 2>&1
tmux_start
begin 80 81 82 83
for issue in 80 81 82 83; do
	says $issue 'working\n'
done
tell a83 'exit 1'
wait_until 5 dead s83
sleep 1.1
scenario 'panes cost one call of tmux' <<'END'
>>> sweep; : >"$T/calls"; PATH=$T/bin:$PATH sweep; wc -l <"$T/calls"
83 dead: the agent ended with status 1, without a report: working
1
END
if command -v strace >/dev/null && strace -o "$T/trace" true 2>/dev/null; then
	strace -f -e trace=execve -o "$T/trace" "$PW" sweep
	is "$(grep -c 'execve.*= 0$' "$T/trace")" 2 'and no other process'
else
	skip 'and no other process' 'there is no strace'
fi
scenario 'and another one for each pane that went on' <<'END'
>>> says 81 'more\n'; : >"$T/calls"; PATH=$T/bin:$PATH sweep; wc -l <"$T/calls"
2
>>> grep -o capturep "$T/calls"
capturep
END
done_testing
