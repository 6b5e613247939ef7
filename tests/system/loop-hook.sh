#!/bin/sh
# The loop inside one agent session: `loop start`, `stop` and `status` as a user
# types them, and `hook loop` as the agent's client calls it.  What decides is
# tried by tests/cases/th-loop.t; here is what is around it.
. "${0%/*}/lib.sh"

state=.claude/th-loop.local.md
channel=temp/th-channel
hashes='###'
export TZ=UTC PANEWARD_NOW=1772366400   # 2026-03-01 12:00:00

# says STATUS REGEX DESCRIPTION COMMAND...: the reason is on standard error.
says() {
	want=$1 regex=$2 description=$3
	shift 3
	exits "$want" "$description" "$@" &&
		like "$(cat "$T/err")" "$regex" '... and the reason told'
}

# One call of the hook, of a turn that a hook has kept going: call ACTIVE.
call() {
	"$PW" hook loop <"$T/active-$1"
}
for active in true false; do
	printf '{"hook_event_name":"Stop","stop_hook_active":%s}' "$active" \
		>"$T/active-$active"
done
unset active

# The reason of a block; nothing if the agent may stop.
reason() {
	call "${1:-true}" 2>"$T/err" | perl -MJSON::PP -e '
		local $/;
		my $text = <STDIN>;
		exit if $text eq "";
		my $v = decode_json($text);
		$v->{decision} eq "block" or die "no decision";
		binmode STDOUT, ":utf8";
		print $v->{reason}'
}

# blocks TEXT DESCRIPTION: the agent is told a line that has the text.
blocks() {
	reason >"$T/reason"
	check "$2" grep -Fqe "$1" "$T/reason"
}

# allows WORD DESCRIPTION
allows() {
	is "$(reason)" '' "$2"
	like "$(cat "$T/err")" "^paneward: hook loop: (.*; )?$1: " '... and says why'
}

# value KEY: in the state.
value() {
	sed -n "s/^$1: *//p" "$state"
}

# written KEY=VALUE...: a state written by hand, with these values added.
write() {
	mkdir -p .claude
	rm -rf "$state"
	{
		echo ---
		printf '%s\n' 'status: active' 'max: 100' "$@"
		echo ---
	} >"$state"
}

mode() {
	stat -c %a "$1" 2>/dev/null || stat -f %Lp "$1"
}

# ---- as a user --------------------------------------------------------------

says 1 'there is no loop in .*th-loop.local.md. is missing' \
	'no loop has a status' "$PW" loop status
says 1 'there is no loop' 'and none can be stopped' "$PW" loop stop
check '... nothing is made by that' test ! -e .claude
allows no-state 'without a loop the agent stops'
exits 0 'a loop is started' "$PW" loop start
is "$(cat "$T/out" "$T/err")" "the loop is that of an agent in '$P'" \
	'... which is said, and no more'
is "$(sort "$state")" "$(printf '%s\n' --- --- 'duration: 0' 'iteration: 0' \
	'max: 10' 'prompt: ""' 'started: 1772366400' 'status: active')" \
	'... with ten turns, and no more'
is "$(mode "$state")" 600 '... for nobody else'
says 1 'active .*already.*loop stop' 'a second one is not' \
	"$PW" loop start --max 3
is "$(value max)" 10 '... and the first one goes on'

blocks '(No new messages since 2026-03-01 12:00:00)' 'the agent goes on'
mkdir -p "$channel"
printf '## 12:00:01 user\nthe first\n' >"$channel/2026-03-01.md"
export PANEWARD_NOW=1772366402
blocks 'the first' 'with what is in the channel'
printf '\n## 12:00:03 user\nthe second\n' >>"$channel/2026-03-01.md"
export PANEWARD_NOW=1772366404
blocks 'the second' 'and with what is new there'
check '... only that' no grep -q first "$T/reason"
blocks 'No new messages since 2026-03-01 12:00:04' 'and when nothing is'
exits 0 'its status' "$PW" loop status
is "$(cat "$T/out")" \
	"active  4 of 10 turns  the channel  $P/.claude/th-loop.local.md" \
	'... is a line'
exits 0 'its status as JSON' "$PW" loop status --json
is "$(cat "$T/out")" "{\"status\":\"active\",\"started\":1772366400,\"max\":10,\
\"iteration\":4,\"duration\":0,\"last_read_timestamp\":1772366404,\
\"prompt\":\"\",\"file\":\"$P/.claude/th-loop.local.md\"}" '... is an object'
exits 0 'it is stopped' "$PW" loop stop
allows inactive 'so the agent stops'
exits 0 'stopping it again is no error' "$PW" loop stop

printf '# kept\nmine: 1\n' >"$T/own"
sed -i.bak "2r $T/own" "$state" && rm "$state.bak"
chmod 640 "$state"
echo 'and the text below' >>"$state"
exits 0 'another one is started' "$PW" loop start -m 2 -d 60 -p 'say "a\b" #1'
is "$(value iteration) $(value max) $(value duration)" '0 2 60' '... anew'
is "$(value last_read_timestamp)" '' '... as if nothing was read'
is "$(grep -cxF -f "$T/own" "$state"):$(tail -n 1 "$state")" \
	'2:and the text below' '... and what was there stays'
is "$(mode "$state")" 640 '... its mode, too'
blocks 'say "a\b" #1' 'a prompt is given as it is'
blocks 'say "a\b" #1' '... each time'
allows max-iterations 'until the turns are used up'
is "$(value status)" stopped '... which is written down'
printf '\n## 12:00:05 user\n* Stop\n' >>"$channel/2026-03-01.md"
says 0 "says 'stop', which ends the loop" \
	'who starts a loop that ends at once is told' "$PW" loop start
allows channel-stop '... and it does'
rm -r "$channel"
write
# A time zone that is a directory: localtime(3) fails and changes errno.
is "$(TZ=:/ reason; cat "$T/err")" '(No new messages since the loop began)' \
	'no channel is no trouble, whatever the time zone is'
exits 0 'it is stopped' "$PW" loop stop

# ---- wrong use --------------------------------------------------------------

says 2 "takes no argument, and 'stop' is one" 'two verbs' "$PW" loop start stop
says 2 "loop stop: unknown option '--max'" 'an option of another verb' \
	"$PW" loop stop --max 3
says 2 "loop start: unknown option '--json'" '... of another one' \
	"$PW" loop start --json
says 2 'max' 'no turns' "$PW" loop start --max 0
says 2 'max' 'words for turns' "$PW" loop start --max many
says 2 'duration' 'a negative time' "$PW" loop start --duration -1
says 2 'finished marker' 'a prompt with a marker' \
	"$PW" loop start --prompt "print ${hashes}TASK_COMPLETE_42${hashes}"
says 2 'control character' 'a prompt with an escape' \
	"$PW" loop start --prompt "$(printf 'a\033[1mb')"
says 2 "not the name of an agent" 'a name that is a path' \
	"$PW" loop start --agent ../x
says 2 'TH_LOOP_AGENT' '... in the environment' \
	env TH_LOOP_AGENT=a/b "$PW" loop status
check '... nothing is written' test ! -e x.local.md
is "$(value status)" stopped '... and nothing changed'

# ---- where ------------------------------------------------------------------

git_project
git worktree add -q .worktrees/issue-7-x -b issue-7-x
mkdir -p .worktrees/issue-7-x/deep/er
rm -r .claude
cd .worktrees/issue-7-x/deep/er || exit 1
exits 0 'a loop is started in a folder of a work tree' "$PW" loop start -p deep
is "$(cat "$T/out")" \
	"the loop is that of an agent in '$P/.worktrees/issue-7-x/deep/er'" \
	'... which is said'
is "$(reason)" deep '... where the hook looks, too'
exits 0 'and where it is stopped' "$PW" loop stop
is "$(value status)" stopped '... in the same file'
cd "$P" || exit 1
check '... and not at the top' test ! -e ".worktrees/issue-7-x/.claude"
check '... nor in the main work tree' test ! -e "$state"
cd .worktrees/issue-7-x || exit 1
exits 0 'one is started at the top of a work tree' "$PW" loop start
is "$(cat "$T/out")" "the loop is that of an agent in '$P/.worktrees/issue-7-x'" \
	'... which is said'
cd "$P" || exit 1
mkdir other
exits 0 'one is started where the client says' \
	env CLAUDE_PROJECT_DIR="$P/other" "$PW" loop start -p there
check '... there' test -f "other/$state"
is "$(cat "$T/out")" "the loop is that of an agent in '$P/other'" \
	'... which is said'
is "$(CLAUDE_PROJECT_DIR=$P/other reason)" there \
	'and that is where the hook looks'
exits 0 'an agent with a name' "$PW" loop start --agent eris -p 'I am Eris'
check '... has a file of its own' test -f .claude/th-loop-eris.local.md
is "$(TH_LOOP_AGENT=eris reason)" 'I am Eris' '... which its hook reads'
allows no-state '... and nobody else'

# ---- a state that is none ---------------------------------------------------

# refuses REASON: the file is neither used nor changed.
refuses() {
	[ ! -f "$state" ] || cp "$state" "$T/before"
	allows malformed "$1: the agent stops"
	like "$(cat "$T/err")" "malformed: .*$2" '... and what is wrong'
	says 1 "$2" "$1: no loop is started" "$PW" loop start
	says 1 "$2" "$1: nor stopped" "$PW" loop stop
	says 1 "$2" "$1: nor shown" "$PW" loop status
	[ ! -f "$state" ] || check '... it stays' cmp "$state" "$T/before"
}

mkdir -p .claude
echo 'status: active' >"$state"
refuses 'a file without a frontmatter' 'first line'
printf -- '---\nstatus: active\nmax: 3\n' >"$state"
refuses 'one that is cut off' 'is missing'
printf -- '---\nstatus: active\nmax: 3\nprompt: "x\n---\n' >"$state"
refuses 'one with an open quote' 'not closed'
printf -- '---\nstatus: active\nmax: 3\nprompt: "a\000b"\n---\n' >"$state"
refuses 'one with a NUL' 'NUL'
{
	printf -- '---\nstatus: active\nmax: 3\n---\n'
	yes 'more and more' | head -c 70000
} >"$state"
refuses 'a huge one' 'more than 64 KiB'
write
chmod 666 "$state"
refuses 'one that any user can write to' 'any user can write'
write
mv "$state" real.md
ln -s "$P/real.md" "$state"
refuses 'a link' 'is a link'
is "$(grep -c 'status: active' real.md)" 1 '... its target stays'
rm "$state"
mkfifo "$state"
refuses 'a pipe' 'not a regular file'
rm "$state"
mkdir "$state"
refuses 'a folder' 'not a regular file'
rm -r .claude real.md
mkdir elsewhere && ln -s elsewhere .claude
refuses 'a folder that is a link' 'no folder, or a link'
is "$(ls elsewhere)" '' '... nothing is put there'
rm .claude

# ---- what an agent is told --------------------------------------------------

tell() {
	mkdir -p "$channel"
	printf '## 12:00 user\n%b\n' "$1" >"$channel/2026-03-01.md"
}

write
tell "print ${hashes}TASK_COMPLETE_42${hashes} then #${hashes}ERROR_TASK_7${hashes}"
blocks 'then' 'a channel with markers'
unlike "$(cat "$T/reason")" "${hashes}(TASK|ERROR)" '... has none that is whole'
write "prompt: \"${hashes}TASK_COMPLETE_a${hashes}\""
blocks 'COMPLETE_a' 'a prompt with one'
unlike "$(cat "$T/reason")" "${hashes}T" '... neither'
write
tell 'a\033[1mb\r\n\001\tc\0377d'
reason >"$T/reason"
check 'control characters are left out, tabs stay' grep -q "^$(printf '\t')c" \
	"$T/reason"
is "$(LC_ALL=C tr -d '\011\012\040-\176\200-\377' <"$T/reason" | wc -c |
	tr -d ' ')" 0 '... all of them'
write
{
	echo '## 12:00 user'
	yes 'all work and no play' | head -c 3000000
	echo the end
} >"$channel/2026-03-01.md"
blocks 'the end' 'of a channel that is huge the end is told'
[ "$(wc -c <"$T/reason")" -lt 70000 ]
result $? '... of a size that an agent can bear'
write
tell 'from a stranger'
chmod 666 "$channel/2026-03-01.md"
blocks 'No new messages' 'what any user can write is not handed on'
like "$(cat "$T/err")" "2026-03-01.md.: any user can write" '... which is said'
tell stop
chmod 666 "$channel/2026-03-01.md"
write
allows channel-stop '... but a stop is one, whoever says it'
rm "$channel/2026-03-01.md"
mkfifo "$channel/2026-03-01.md"
write
blocks 'No new messages' 'a channel that is a pipe is passed over'
rm "$channel/2026-03-01.md"
echo secret >"$T/secret"
ln -s "$T/secret" "$channel/2026-03-01.md"
write
blocks 'No new messages' 'and one that is a link'
rm -r "$channel"
mkdir "$T/linked"
echo stop >"$T/linked/2026-03-01.md"
ln -s "$T/linked" "$channel"
write
blocks 'No new messages' 'and a folder that is one'
like "$(cat "$T/err")" 'or a link' '... which is said'
rm -r temp
write 'prompt: "   "'
blocks 'No new messages' 'a prompt of blanks is none'

# cap ITERATION [NAME=VALUE]: is the client's cap told at this turn?
cap() {
	write "iteration: $1" 'prompt: "go on"'
	shift
	(
		[ $# -eq 0 ] || export "${1?}"
		reason "${active:-true}"
	) | grep -c 'unless a tool is used'
}
is "$(cap 5) $(cap 6) $(cap 7)" '0 1 1' \
	'the cap of the client is told at the seventh block in a row'
is "$(active=false cap 7)" 0 'the first one of a turn is not the seventh'
is "$(cap 40 CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=0)" 0 'there may be no cap'
is "$(cap 17 CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=20) $(cap 18 \
	CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=20)" '0 1' 'or another one'
is "$(cap 7 CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=many)" 1 'words are none'

printf '{"hook_event_name":"PreToolUse"}' | "$PW" hook loop \
	>"$T/out" 2>"$T/err"
is "$(cat "$T/out"):$(grep -c other-event "$T/err")" ':1' \
	'an event at which nobody stops is let pass'

# ---- two at once, and killed ones -------------------------------------------

write 'iteration: 0' 'prompt: "x"'
for _ in 1 2 3 4 5 6; do
	for _ in 1 2 3 4; do
		call true >>"$T/answers" 2>>"$T/lost" &
	done
	wait
done
is "$(value iteration)" "$(grep -c block "$T/answers")" \
	'of hooks at the same time each turn is counted once'
# One that stands still with the lock makes the others let the agent stop.
late=$(grep -c 'unreadable: .*lock' "$T/lost")
is "$(wc -l <"$T/lost" | tr -d ' '):$(($(value iteration) + late))" "$late:24" \
	'... and none is lost'

begun=0 refused=0
for _ in 1 2 3 4 5 6 7 8; do
	rm -f "$state"
	: >"$T/statuses"
	for _ in 1 2 3 4 5 6; do
		("$PW" loop start >/dev/null 2>&1; echo $? >>"$T/statuses") &
	done
	wait
	begun=$((begun + $(grep -cx 0 "$T/statuses")))
	# 3 is one that could not have the lock, whose holder stood still.
	refused=$((refused + $(grep -cx '[13]' "$T/statuses")))
done
is "$begun $refused" '8 40' 'of starts at the same time one begins the loop'
is "$(find .claude -name '*.tmp')" '' '... and nothing lies about'
write 'iteration: 24' 'prompt: "x"'

printf '{"hook_event_name":"Stop"}' >"$T/input"
count=$(value iteration)
broken=0
i=0
while [ "$i" -lt 60 ]; do
	"$PW" hook loop <"$T/input" >/dev/null 2>&1 &
	pid=$!
	[ $((i % 3)) -eq 0 ] || sleep "0.00$((i % 10))"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	new=$(value iteration)
	[ "$(grep -c '^---$' "$state"):$(value prompt)" = '2:"x"' ] &&
		[ "$new" -ge "$count" ] || broken=$((broken + 1))
	count=$new
	i=$((i + 1))
done
is "$broken" 0 'hooks that are killed leave a whole state'
: >".claude/.th-loop.local.md.tmp"
blocks x 'what one of them has left beside'
is "$(ls -A .claude)" th-loop.local.md '... goes with the next'
mkdir .claude/.th-loop.local.md.tmp
count=$(value iteration)
is "$(reason)" '' 'a turn that cannot be counted is not kept going'
like "$(cat "$T/err")" 'cannot write' '... and that is said'
is "$(value iteration)" "$count" '... and the state stays'
says 3 'cannot write' 'loop stop says so, too' "$PW" loop stop
rmdir .claude/.th-loop.local.md.tmp
if command -v flock >/dev/null; then
	(
		exec 9<"$state"
		flock 9
		echo >"$T/held"
		exec sleep 1000
	) &
	pid=$!
	wait_until 5 test -e "$T/held"
	is "$(reason)" '' 'who cannot have the lock lets the agent stop'
	check '... though it is held on' kill -0 "$pid"
	like "$(cat "$T/err")" 'unreadable: .*lock' '... and says so'
	kill "$pid"
	wait "$pid" 2>/dev/null
else
	skip 'who cannot have the lock' 'no flock here'
fi

# ---- the run that it belongs to ---------------------------------------------

unset PANEWARD_NOW
export PANEWARD_ISSUE=42 PANEWARD_STATUS_DIR="$S"
mine=11111111-1111-4111-8111-111111111111
write 'prompt: "go on"'
blocks 'go on' 'a run of which nothing is known goes on'
"$PW" signal error 'not yet'
blocks 'go on' 'an error does not end the loop'
PANEWARD_RUN=22222222-2222-4222-8222-222222222222 "$PW" signal complete
is "$(PANEWARD_RUN=$mine reason)" 'go on' 'nor the signal of another run'
PANEWARD_RUN=$mine "$PW" signal complete
is "$(PANEWARD_RUN=$mine reason)" '' 'its own signal does'
like "$(cat "$T/err")" 'run-complete: issue 42 is complete: signal' \
	'... with the reason'
is "$(value status)" stopped '... which is written down'
check '... and the signal stays for who waits for it' \
	test -f "$S/signal-complete-42"
rm "$S"/signal-*

write 'prompt: "go on"'
printf '{"hook_event_name":"Stop","last_assistant_message":"Done.\\n%s"}' \
	"${hashes}TASK_COMPLETE_42${hashes}" | "$PW" hook loop \
	>"$T/out" 2>"$T/err"
is "$(cat "$T/out"):$(grep -c 'run-complete.*message' "$T/err")" ':1' \
	'the message that reports it ends the loop'
write 'prompt: "go on"'
printf '{"hook_event_name":"SubagentStop","last_assistant_message":"%s"}' \
	"${hashes}TASK_COMPLETE_42${hashes}" | "$PW" hook loop >"$T/out"
like "$(cat "$T/out")" block '... but not that of a subagent'

unset PANEWARD_ISSUE PANEWARD_STATUS_DIR
tmux_start
exits 0 'a run of tmux' "$PW" start 43 -- sh -c \
	'"$PANEWARD" signal complete; exec tail -f /dev/null'
wait_until 10 recorded 43 complete
wait_until 5 test ! -e "$S/signal-complete-43"
write 'prompt: "go on"'
is "$(PANEWARD_ISSUE=43 PANEWARD_STATUS_DIR=$S PANEWARD_RUN=$mine reason)" \
	'go on' 'the record of another run does not end a loop'
is "$(PANEWARD_ISSUE=43 PANEWARD_STATUS_DIR=$S PANEWARD_RUN=$(record 43 run) \
	reason)" '' 'the record of its own does'
like "$(cat "$T/err")" 'run-complete: issue 43 is complete: signal' \
	'... with its source'
write 'prompt: "go on"'
is "$(TMUX=$(tm display-message -p '#{socket_path},#{pid},0') \
	TMUX_PANE=$(record 43 tmux.pane) reason)" '' \
	'without an environment the pane tells whose loop it is'
write 'prompt: "go on"'
is "$(TMUX=$T/nowhere,1,0 TMUX_PANE=%1 reason)" 'go on' \
	'a server that is gone changes nothing'
exits 0 'a run with a marker of its own' \
	"$PW" start 44 --no-watch --marker ALL-DONE -- cat
write 'prompt: "go on until ALL-DONE"'
is "$(PANEWARD_ISSUE=44 PANEWARD_STATUS_DIR=$S reason)" \
	'go on until A LL-DONE' '... is not told it whole'
server=$(tm display-message -p '#{pid}')
freeze "$server"
is "$(TMUX=$TMUX_TMPDIR/tmux-$(id -u)/default,$server,0 \
	TMUX_PANE=$(record 44 tmux.pane) reason)" '' \
	'... nor if tmux does not say whose pane it is'
kill -CONT "$server"
like "$(cat "$T/err")" 'did not answer.*not kept going' '... which is said'
echo '{"torn' >"$S/.paneward/44.json"
is "$(PANEWARD_ISSUE=44 PANEWARD_STATUS_DIR=$S reason)" '' \
	'... or if its record cannot be read'
like "$(cat "$T/err")" "record of issue '44': it is torn; the agent is not" \
	'... which is said too'
done_testing
