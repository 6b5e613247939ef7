#!/bin/sh
# paneward revive: runs whose panes were lost come back as the same runs, in
# their sessions, with the same conversation.  What has reported does not.
. "${0%/*}/lib.sh"

mkdir "$T/words"
script bin/claude <<END
case "\$*" in *--help*) exit ;; esac
! [ -e "$T/refuses" ] || { printf '\033[1mNo conversation\033[0m\n\n'; exit 1; }
printf '%s|' "\${0##*/}" "\$@" >>"$T/words/\$PANEWARD_ISSUE"
printf '%s\\n' "\$PANEWARD_RUN \$PWD" >>"$T/words/\$PANEWARD_ISSUE"
printf '{"session_id":"%s","cwd":"%s","hook_event_name":"SessionStart"}\\n' \\
	"s-\$PANEWARD_ISSUE" "\$PWD" >"$T/words/\$PANEWARD_ISSUE.event"
case \${0##*/} in
codex | opencode)
	"\$PANEWARD" hook record <"$T/words/\$PANEWARD_ISSUE.event" ;;
pi)
	while [ "\$1" != --session ]; do shift; done
	mkdir -p "\${2%/*}" && : >>"\$2" ;;
esac
[ "\$PANEWARD_ISSUE" != 21 ] || trap '' HUP
: >"$T/words/\$PANEWARD_ISSUE.begun"
exec tail -f /dev/null
END

# begin ISSUE BACKEND [OPTION...]: in a work tree of its own.
begin() {
	git worktree add -q "$T/tree-$1" 2>/dev/null
	begun=$1
	backend=$2
	shift 2
	"$PW" start "$begun" --backend "$backend" --worktree "$T/tree-$begun" \
		--no-watch "$@" >"$T/said" 2>&1 || comment <"$T/said"
	wait_until 20 test -e "$T/words/$begun.begun"
	# Its parent writes down its process after the agent has begun.
	wait_until 20 test -e "$S/.paneward/$begun.agent"
	rm -f "$T/words/$begun.begun"
}

# A server without any process of it left, as after a restart.
lose_server() {
	tm kill-server 2>/dev/null
	wait_until 20 no pgrep -f "agent-run .* $S"
	wait_until 20 no pgrep -f "log-writer .*$S"
}

# Another boot, for all records.
restart() {
	lose_server
	another_boot "$S"/.paneward/*.json
}

# agents ISSUE: how often was its agent started?
agents() { grep -c . "$T/words/$1"; }

# words ISSUE: the last ones, without those that bring our hooks.
words() {
	sed -n '$s/|[^|]*$//p' "$T/words/$1" |
		sed 's/|--plugin-dir=[^|]*//; s/|--extension|[^|]*//'
}

# row_is ISSUE PATTERN
row_is() { "$PW" status "$1" | grep -q "$2"; }

panes() {
	tm list-panes -a -F '#{session_name} #{pane_dead}' 2>/dev/null | sort |
		tr '\n' ' '
}

for client in codex opencode pi gemini; do
	cp "$T/bin/claude" "$T/bin/$client"
done
PATH=$T/bin:$PATH
git init -q . && git -c user.name=t -c user.email=t@t commit -q --allow-empty \
	-m one

issues='1 2 3 4 5 6 7 8 9 10 11 12'
set -- claude codex opencode pi gemini
for issue in $issues; do
	begin "$issue" "$1"
	set -- "$2" "$3" "$4" "$5" "$1"
done
scenario 'after a restart of the machine the lost ones are revived' <<'END'
>>> for issue in 2 3 7 8 12; do
... 	PANEWARD_ISSUE=$issue "$PW" watch --once "$issue" >/dev/null 2>&1
... done
[124]
>>> for issue in $issues; do record "$issue" run >"$T/run-$issue"; done
>>> prints '' revive
>>> fails 3 '^1: left alone: its pane %[0-9]+ is alive$' revive 1
>>> PANEWARD_ISSUE=11 PANEWARD_STATUS_DIR=$S "$PW" signal complete 11; restart
>>> valid 0 revive --dry-run --json; grep -c '"did":"would revive"' "$T/out"
11
>>> fails 0 '' revive --dry-run
>>> is "$(grep -c '^[0-9]*: would revive ' "$T/out")" 11
>>> like "$(cat "$T/out")" \
... 	'^11: left alone: it is complete, which is not recorded yet'
>>> is "$(grep 'left alone' "$T/out" | grep -v ^11:)" ''; is "$(panes)" ''
>>> like "$("$PW" status 1)" "^1 .*; 'paneward revive 1' brings it back"
>>> like "$("$PW" explain 1)" "^way out: 'paneward revive 1' brings it back$"
>>> valid 0 revive --no-watch --json; grep -c '"did":"revived"' "$T/out"
11
>>> for issue in 1 2 3 4 5 6 7 8 9 10 12; do
... 	wait_until 20 test -e "$T/words/$issue.begun"
... 	is "$(record "$issue" run)" "$(cat "$T/run-$issue")"
... 	is "$(sed -n '$s/.*|//p' "$T/words/$issue")" \
... 		"$(cat "$T/run-$issue") $T/tree-$issue"
... 	is "$(agents "$issue")" 2
... 	is "$(pane_tell "project-issue-$issue" '#{@paneward_run}')" \
... 		"$(cat "$T/run-$issue")"
... 	is "$(record "$issue" state)" working
... done
>>> is "$(words 1)" "claude|--resume|$(cat "$T/run-1")"
>>> is "$(words 2)" 'codex|resume|s-2'; is "$(words 3)" 'opencode|-s|s-3'
>>> like "$(words 4)" "^pi\|--session\|/.*/$(cat "$T/run-4").jsonl$"
>>> is "$(words 5)" "gemini|-r|$(cat "$T/run-5")"; is "$(agents 11)" 1
>>> fails 0 '' sweep; is "$(record 11 state)" complete
>>> like "$("$PW" history 1)" 'revived'; prints '' revive
END

# At last one is killed between opening its pane and recording it.
scenario 'of several at once, one starts each agent' <<'END'
>>> lose_server; rm "$T/words/1.begun" "$T/words/2.begun"
>>> for i in 1 2 3; do "$PW" revive --no-watch 1 2 >"$T/at-once.$i" 2>&1 & done
>>> wait
>>> for issue in 1 2; do wait_until 20 test -e "$T/words/$issue.begun"; done
>>> is "$(agents 1) $(agents 2)" '3 3'
>>> is "$(panes)" 'project-issue-1 0 project-issue-2 0 '
>>> is "$(cat "$T"/at-once.? | grep -c ': revived in ')" 2
>>> tm set-option -g remain-on-exit off
>>> sed -i 's/"tmux":{[^}]*},//' "$S/.paneward/1.json"
>>> fails 3 'its pane %[0-9]+ is alive' revive 1; fails 124 '' watch --once 1
>>> is "$(record 1 tmux.pane)" "$(pane_tell project-issue-1 '#{pane_id}')"
END

scenario 'a killed pane comes back beside others' <<'END'
>>> tm split-window -d -t =project-issue-2: 'exec tail -f /dev/null'
>>> tm kill-pane -t "$(record 2 tmux.pane)"
>>> wait_until 20 no pgrep -f "agent-run 2 $S"
>>> rm "$T/words/2.begun"; fails 0 '' revive 2 --no-watch --prompt 'Go on.'
>>> wait_until 20 test -e "$T/words/2.begun"
>>> is "$(words 2)" 'codex|resume|s-2|Go on.'
>>> is "$(panes)" 'project-issue-1 0 project-issue-2 0 project-issue-2 0 '
END

scenario 'an agent that outlived its server comes back once it has ended' <<'END'
>>> begin 21 claude; pid=$(record 21 tmux.server_pid)
>>> agent=$(cut -d ' ' -f 2 "$S/.paneward/21.agent"); kill -KILL "$pid"
>>> wait_until 20 no kill -0 "$pid"
>>> fails 3 "its agent, process $agent, lives" revive 21
>>> kill -KILL "$agent"; wait_until 20 grep -q signal "$S/.paneward/21.agent"
>>> fails 0 '' revive 21; wait_until 20 test -e "$T/words/21.begun"
>>> is "$(agents 21)" 2; wait_until 10 pgrep -f "watch 21 --status-dir $S"
>>> kill -KILL "$(cut -d ' ' -f 2 "$S/.paneward/21.agent")"; lose_server
END

scenario 'a revived run has the hand-off that start was given' <<'END'
>>> begin 22 claude --handoff "echo \$PANEWARD_ISSUE >>'$T/handed'"
>>> begin 23 claude --no-handoff; lose_server
>>> fails 0 '' revive 22 23 --no-watch
>>> for issue in 22 23; do
... 	PANEWARD_ISSUE=$issue PANEWARD_STATUS_DIR=$S "$PW" signal complete \
... 		"$issue"
... done
>>> fails 0 '' sweep; is "$(cat "$T/handed")" 22
>>> is "$(record 22 handoff.state) $(record 23 state) $(record 23 handoff)" \
... 	'done complete '
>>> begin 24 claude --handoff "echo \$PANEWARD_ISSUE >>'$T/handed'"
>>> lose_server; fails 0 '' revive 24
>>> PANEWARD_ISSUE=24 PANEWARD_STATUS_DIR=$S "$PW" signal complete 24
>>> fails 0 '' wait 24 --timeout 60; is "$(sed 1d "$T/handed")" 24; lose_server
END

# adopted_knows ISSUE NAME VALUE: adds that to its record.
adopted_knows() {
	perl -MJSON::PP -0777 -i -pe 'BEGIN { ($name, $value) =
		splice @ARGV, 0, 2 } my $r = decode_json($_);
		my $o = $r; $o = $o->{$1} while $name =~ s/^(\w+)\.//;
		$o->{$name} = $value; $_ = encode_json($r)' \
		"$2" "$3" "$S/.paneward/$1.json"
}

scenario 'an adopted run comes back if its session is known' <<'END'
>>> pane_run issue-30 'PANEWARD_ISSUE=30 exec claude'
>>> wait_until 20 test -e "$T/words/30.begun"; fails 124 '' watch --once 30
>>> is "$(record 30 adopted) $(record 30 cwd)" "1 $P"
>>> pid=$(record 30 agent.pid); lose_server; wait_until 20 no kill -0 "$pid"
>>> fails 3 'which agent it was is not known' revive 30
>>> adopted_knows 30 backend claude
>>> fails 3 'the id of its session is not known' revive 30
>>> adopted_knows 30 agent.session s-30; rm "$T/words/30.begun"
>>> fails 0 '' revive 30 --no-watch; wait_until 20 test -e "$T/words/30.begun"
>>> is "$(words 30)" 'claude|--resume|s-30'
>>> is "$(sed -n '$s/.*|//p' "$T/words/30")" "$(record 30 run) $P"
>>> is "$(record 30 adopted)" ''; lose_server
END

scenario 'an agent that refuses its session has ended' <<'END'
>>> : >"$T/refuses"; fails 3 '^21: revived in session ' revive 21; cat "$T/err"
paneward: the agent of issue '21' has ended already; it printed last:
No conversation
>>> wait_until 20 row_is 21 'dead .*  No conversation$'
>>> is "$(record 21 state)" dead; rm "$T/refuses"; lose_server
END

# refused ISSUE REASON
refused() {
	before=$(cksum "$S/.paneward/$1.json")
	fails 3 "^$1: left alone: .*$2" revive "$1"
	is "$(cksum "$S/.paneward/$1.json")" "$before" 'and the record'
}

scenario 'a prompt is for one that takes it' <<'END'
>>> sed -i 's/"session":"s-3"//; s/,}/}/' "$S/.paneward/3.json"
>>> rm -f "$S/.paneward/3.records"
>>> refused 3 'the id of its session is not known'; rm -rf "$T/tree-4"
>>> refused 4 'the folder of its agent is gone'
>>> rm "$HOME"/.pi/agent/sessions/*/"$(cat "$T/run-9").jsonl"
>>> refused 9 'the transcript of its session is gone'
>>> sed -i 's|"transcript":{"path":"[^"]*",*|"transcript":{|' "$S/.paneward/9.json"
>>> refused 9 'no transcript of its session is known'
>>> mkdir -p "$HOME/.config/paneward/backends"
>>> sed 's/"resume": .*//' "$ROOT/backends/gemini.json" \
... 	>"$HOME/.config/paneward/backends/gemini.json"
>>> sed -i "s|\"worktree\":\"[^\"]*\",||" "$S/.paneward/5.json"
>>> refused 5 "resumes only the last session of a folder"
>>> rm "$S/.paneward/6.command"
>>> refused 6 'how its agent was started is not known'; rm "$T/bin/codex"
>>> refused 7 'the program of its agent is gone'
>>> sed -i 's|"transcript":{|&"path":"/nowhere/1.jsonl",|' "$S/.paneward/12.json"
>>> grep -q nowhere "$S/.paneward/12.json" ||
... 	sed -i 's|"started":|"transcript":{"path":"/nowhere/1.jsonl"},&|' \
... 		"$S/.paneward/12.json"
>>> cp "$T/bin/claude" "$T/bin/codex"
>>> refused 12 'the transcript of its session is gone'
>>> refused 11 'its run is over: complete'
>>> fails 1 '^99: left alone: it has no run$' revive 99; valid 1 revive 99 -j
>>> covers done.reason revive
>>> fails 3 "takes no prompt when it resumes" revive 8 --prompt x
>>> fails 2 '' revive 1 --prompt -x; fails 2 '' revive 1 --prompt ''
>>> fails 3 '^1: left alone: the prompt holds a finished marker' revive 1 2 \
... 	--dry-run --prompt '###TASK_COMPLETE_1###'
>>> like "$(cat "$T/out")" '^2: would revive '
END

scenario 'all projects are revived, at login if that is wanted' <<'END'
>>> cd / || exit 1
>>> fails 0 "^$P 1: would revive claude with session [^ ]+ in '/" revive --all \
... 	--dry-run
>>> fails 0 "^ExecStart=.* revive --all$" revive --print-systemd
END
done_testing
