#!/bin/sh
# paneward revive: runs whose panes were lost come back as the same runs, in
# their sessions, with the same conversation.  What has reported does not.
. "${0%/*}/lib.sh"

mkdir "$T/bin" "$T/words"
cat >"$T/bin/claude" <<END
#!/bin/sh
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
chmod +x "$T/bin/claude"
for client in codex opencode pi gemini; do
	cp "$T/bin/claude" "$T/bin/$client"
done
PATH=$T/bin:$PATH
git init -q . && git -c user.name=t -c user.email=t@t commit -q --allow-empty \
	-m one

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
agents() {
	grep -c . "$T/words/$1"
}

# words ISSUE: the last ones, without those that bring our hooks.
words() {
	sed -n '$s/|[^|]*$//p' "$T/words/$1" |
		sed 's/|--plugin-dir=[^|]*//; s/|--extension|[^|]*//'
}

# row_is ISSUE PATTERN
row_is() {
	"$PW" status "$1" | grep -q "$2"
}

panes() {
	tm list-panes -a -F '#{session_name} #{pane_dead}' 2>/dev/null | sort |
		tr '\n' ' '
}

# ---- a restart of the machine ------------------------------------------------

issues='1 2 3 4 5 6 7 8 9 10 11 12'
set -- claude codex opencode pi gemini
for issue in $issues; do
	begin "$issue" "$1"
	set -- "$2" "$3" "$4" "$5" "$1"
done
for issue in 2 3 7 8 12; do
	PANEWARD_ISSUE=$issue "$PW" watch --once "$issue" >/dev/null 2>&1
done
for issue in $issues; do
	record "$issue" run >"$T/run-$issue"
done
exits 0 'nothing is lost' "$PW" revive
is "$(cat "$T/out")" '' 'and nothing is done'
exits 3 'a run that lives' "$PW" revive 1
like "$(cat "$T/out")" '^1: left alone: its pane %[0-9]+ is alive$' \
	'is left alone'

PANEWARD_ISSUE=11 PANEWARD_STATUS_DIR=$S "$PW" signal complete 11
restart
exits 0 'what would be revived' "$PW" revive --dry-run
is "$(grep -c '^[0-9]*: would revive ' "$T/out")" 11 'is shown'
like "$(cat "$T/out")" \
	'^11: left alone: it is complete, which is not recorded yet' \
	'and what has reported'
is "$(grep 'left alone' "$T/out" | grep -v ^11:)" '' 'and nothing else'
is "$(panes)" '' 'and nothing else is done'
like "$("$PW" status 1)" "^1 .*; 'paneward revive 1' brings it back" \
	'status names the way'
like "$("$PW" explain 1)" "^way out: 'paneward revive 1' brings it back$" \
	'and explain'
exits 0 'the lost ones are revived' "$PW" revive --no-watch
for issue in 1 2 3 4 5 6 7 8 9 10 12; do
	wait_until 20 test -e "$T/words/$issue.begun"
	is "$(record "$issue" run)" "$(cat "$T/run-$issue")" \
		"$issue is the same run"
	is "$(sed -n '$s/.*|//p' "$T/words/$issue")" \
		"$(cat "$T/run-$issue") $T/tree-$issue" \
		'which its agent gets, in its work tree'
	is "$(agents "$issue")" 2 'and its agent was started once more'
	is "$(pane_tell "project-issue-$issue" '#{@paneward_run}')" \
		"$(cat "$T/run-$issue")" 'in its session'
	is "$(record "$issue" state)" working 'it works'
done
is "$(words 1)" "claude|--resume|$(cat "$T/run-1")" "Claude Code's words"
is "$(words 2)" 'codex|resume|s-2' "those of Codex"
is "$(words 3)" 'opencode|-s|s-3' 'those of OpenCode'
like "$(words 4)" "^pi\|--session\|/.*/$(cat "$T/run-4").jsonl$" 'those of pi'
is "$(words 5)" "gemini|-r|$(cat "$T/run-5")" 'those of Gemini'
is "$(agents 11)" 1 'what had reported was not revived'
exits 0 'a sweep' "$PW" sweep
is "$(record 11 state)" complete 'records the report'
like "$("$PW" history 1)" 'revived' 'the journal says it'
exits 0 'a second time' "$PW" revive
is "$(cat "$T/out")" '' 'there is nothing to do'

# ---- at the same time ----------------------------------------------------------

lose_server
rm "$T/words/1.begun" "$T/words/2.begun"
for i in 1 2 3; do
	"$PW" revive --no-watch 1 2 >"$T/at-once.$i" 2>&1 &
done
wait
for issue in 1 2; do
	wait_until 20 test -e "$T/words/$issue.begun"
done
is "$(agents 1) $(agents 2)" '3 3' 'of three at once, one starts each agent'
is "$(panes)" 'project-issue-1 0 project-issue-2 0 ' 'in one pane'
is "$(cat "$T"/at-once.? | grep -c ': revived in ')" 2 'and one says so'

# Killed between opening the pane and recording it.
tm set-option -g remain-on-exit off
sed -i 's/"tmux":{[^}]*},//' "$S/.paneward/1.json"
exits 3 'a pane that was not recorded' "$PW" revive 1
like "$(cat "$T/out")" 'its pane %[0-9]+ is alive' 'is found'
exits 124 'the next watch' "$PW" watch --once 1
is "$(record 1 tmux.pane)" "$(pane_tell project-issue-1 '#{pane_id}')" \
	'records it'

# ---- a killed pane, beside others -----------------------------------------------

tm split-window -d -t =project-issue-2: 'exec tail -f /dev/null'
tm kill-pane -t "$(record 2 tmux.pane)"
wait_until 20 no pgrep -f "agent-run 2 $S"
rm "$T/words/2.begun"
exits 0 'a killed pane' "$PW" revive 2 --no-watch --prompt 'Go on.'
wait_until 20 test -e "$T/words/2.begun"
is "$(words 2)" 'codex|resume|s-2|Go on.' 'comes back with a prompt'
is "$(panes)" 'project-issue-1 0 project-issue-2 0 project-issue-2 0 ' \
	'in its session, where other panes stay'

# ---- an agent that lives without its pane ---------------------------------------

begin 21 claude
pid=$(record 21 tmux.server_pid)
agent=$(cut -d ' ' -f 2 "$S/.paneward/21.agent")
kill -KILL "$pid"
wait_until 20 no kill -0 "$pid"
exits 3 'an agent that outlives its server' "$PW" revive 21
like "$(cat "$T/out")" "its agent, process $agent, lives" 'is no second one'
kill -KILL "$agent"
wait_until 20 grep -q signal "$S/.paneward/21.agent"
exits 0 'once it has ended' "$PW" revive 21
wait_until 20 test -e "$T/words/21.begun"
is "$(agents 21)" 2 'it comes back'
soon 'and a watcher follows' pgrep -f "watch 21 --status-dir $S"
kill -KILL "$(cut -d ' ' -f 2 "$S/.paneward/21.agent")"
lose_server

# ---- the hand-off that start was given --------------------------------------------

begin 22 claude --handoff "echo \$PANEWARD_ISSUE >>'$T/handed'"
begin 23 claude --no-handoff
lose_server
exits 0 'both come back' "$PW" revive 22 23 --no-watch
for issue in 22 23; do
	PANEWARD_ISSUE=$issue PANEWARD_STATUS_DIR=$S "$PW" signal complete \
		"$issue"
done
exits 0 'a sweep' "$PW" sweep
is "$(cat "$T/handed")" 22 "runs the hand-off that start was given"
is "$(record 22 handoff.state) $(record 23 state) $(record 23 handoff)" \
	'done complete ' 'and none if it was given none'
begin 24 claude --handoff "echo \$PANEWARD_ISSUE >>'$T/handed'"
lose_server
exits 0 'a revived one' "$PW" revive 24
PANEWARD_ISSUE=24 PANEWARD_STATUS_DIR=$S "$PW" signal complete 24
exits 0 'with a watcher' "$PW" wait 24 --timeout 60
is "$(sed 1d "$T/handed")" 24 'has its own, too'
lose_server

# ---- an agent that start did not begin ---------------------------------------------

# adopted_knows ISSUE NAME VALUE: adds that to its record.
adopted_knows() {
	perl -MJSON::PP -0777 -i -pe 'BEGIN { ($name, $value) =
		splice @ARGV, 0, 2 } my $r = decode_json($_);
		my $o = $r; $o = $o->{$1} while $name =~ s/^(\w+)\.//;
		$o->{$name} = $value; $_ = encode_json($r)' \
		"$2" "$3" "$S/.paneward/$1.json"
}

pane_run issue-30 'PANEWARD_ISSUE=30 exec claude'
wait_until 20 test -e "$T/words/30.begun"
exits 124 'it is adopted' "$PW" watch --once 30
is "$(record 30 adopted) $(record 30 cwd)" "1 $P" 'in its folder'
pid=$(record 30 agent.pid)
lose_server
wait_until 20 no kill -0 "$pid"
exits 3 'of which nothing more is known' "$PW" revive 30
like "$(cat "$T/out")" 'which agent it was is not known' 'is left alone'
adopted_knows 30 backend claude
exits 3 'without its session' "$PW" revive 30
like "$(cat "$T/out")" 'the id of its session is not known' 'too'
adopted_knows 30 agent.session s-30
rm "$T/words/30.begun"
exits 0 'with both' "$PW" revive 30 --no-watch
wait_until 20 test -e "$T/words/30.begun"
is "$(words 30)" 'claude|--resume|s-30' 'it comes back'
is "$(sed -n '$s/.*|//p' "$T/words/30")" "$(record 30 run) $P" \
	'as the same run, in its folder'
is "$(record 30 adopted)" '' 'and is like one of start'
lose_server

# ---- one that refuses its session -----------------------------------------------

: >"$T/refuses"
exits 3 'an agent that ends at once is no success' "$PW" revive 21
like "$(cat "$T/out")" '^21: revived in session ' 'it was revived'
is "$(cat "$T/err")" "paneward: the agent of issue '21' has ended already; it printed last:
No conversation" 'and what it printed is shown'
wait_until 20 row_is 21 'dead .*, without a report: No conversation$'
is "$(record 21 state)" dead 'the row has its last line'
rm "$T/refuses"
lose_server

# ---- what cannot be -------------------------------------------------------------

# refused ISSUE REASON
refused() {
	before=$(cksum "$S/.paneward/$1.json")
	exits 3 "issue $1 is left alone" "$PW" revive "$1"
	like "$(cat "$T/out")" "^$1: left alone: .*$2" 'with the reason'
	is "$(cksum "$S/.paneward/$1.json")" "$before" 'and the record'
}

sed -i 's/"session":"s-3"//; s/,}/}/' "$S/.paneward/3.json"
rm -f "$S/.paneward/3.records"
refused 3 'the id of its session is not known'
rm -rf "$T/tree-4"
refused 4 'the folder of its agent is gone'
rm "$HOME"/.pi/agent/sessions/*/"$(cat "$T/run-9").jsonl"
refused 9 'the transcript of its session is gone'
sed -i 's|"transcript":{"path":"[^"]*",*|"transcript":{|' "$S/.paneward/9.json"
refused 9 'no transcript of its session is known'
mkdir -p "$HOME/.config/paneward/backends"
sed 's/"resume": .*//' "$ROOT/backends/gemini.json" \
	>"$HOME/.config/paneward/backends/gemini.json"
sed -i "s|\"worktree\":\"[^\"]*\",||" "$S/.paneward/5.json"
refused 5 "resumes only the last session of a folder"
rm "$S/.paneward/6.command"
refused 6 'how its agent was started is not known'
rm "$T/bin/codex"
refused 7 'the program of its agent is gone'
sed -i 's|"transcript":{|&"path":"/nowhere/1.jsonl",|' "$S/.paneward/12.json"
grep -q nowhere "$S/.paneward/12.json" ||
	sed -i 's|"started":|"transcript":{"path":"/nowhere/1.jsonl"},&|' \
		"$S/.paneward/12.json"
cp "$T/bin/claude" "$T/bin/codex"
refused 12 'the transcript of its session is gone'
refused 11 'its run is over: complete'
exits 3 'an issue without a run' "$PW" revive 99
like "$(cat "$T/out")" '^99: left alone: it has no run$' 'has none to revive'
exits 3 'a prompt that OpenCode would not send' "$PW" revive 8 --prompt x
like "$(cat "$T/out")" "takes no prompt when it resumes" 'is refused'
exits 2 'an option as a prompt' "$PW" revive 1 --prompt -x
exits 2 'an empty one' "$PW" revive 1 --prompt ''
exits 3 'one with a marker of the issue' "$PW" revive 1 2 --dry-run \
	--prompt '###TASK_COMPLETE_1###'
like "$(cat "$T/out")" '^1: left alone: the prompt holds a finished marker' \
	'is refused'
like "$(cat "$T/out")" '^2: would revive ' 'for this one only'

# ---- all projects, and at login -------------------------------------------------

cd / || exit 1
exits 0 'from anywhere' "$PW" revive --all --dry-run
like "$(cat "$T/out")" "^$P 1: would revive claude with session [^ ]+ in '/" \
	'all projects are revived'
exits 0 'a unit' "$PW" revive --print-systemd
like "$(cat "$T/out")" "^ExecStart=.* revive --all$" 'does it at login'
done_testing
