#!/bin/sh
# What an agent's own hooks tell: whose run it is, what it is at, and whether
# what its pane shows is a report.
# shellcheck disable=SC2016
. "${0%/*}/lib.sh"

tmux_start

handed=$T/handed
: >"$handed"
echo '{ "handoff": "echo $PANEWARD_ISSUE $PANEWARD_SOURCE >>'"$handed"'" }' \
	>"$HOME/.config/paneward/config.json"

# begin ISSUE [OPTION...]: a run whose agent does what it is told.
begin() {
	begun=$1
	shift
	obedient "a$begun"
	"$PW" start "$begun" --session "s$begun" "$@" -- "$T/a$begun" \
		>"$T/said" 2>&1 || comment <"$T/said"
}

# event NAME MORE: the input of a hook.
event() {
	printf '{"session_id":"%s","cwd":"%s","hook_event_name":"%s"%s}\n' \
		"${session_id:-s-1}" "${cwd:-$P}" "$1" "${2:-}"
}

# A message, in JSON.
says() {
	printf ',"last_assistant_message":"%s"' "$1"
}

# hook ISSUE EVENT [MORE]: the agent's hook is run with that, and has ended.
hook() {
	event "$2" "${3:-}" >"$T/input"
	rm -f "$T/hooked"
	tell "a$1" "\"\${PANEWARD:-$PW}\" hook record <'$T/input' \
		>'$T/hook.out' 2>'$T/hook.err'; echo \$? >'$T/status'; \
		mv '$T/status' '$T/hooked'"
	wait_until 5 test -s "$T/hooked"
	[ "$(cat "$T/hooked" "$T/hook.out" "$T/hook.err")" = 0 ] ||
		comment "$T/hook.err"
}

# shows ISSUE TEXT: the agent prints it, and the log has it so often.
shows() {
	tell "a$1" "printf '%s\\n' '$2'"
	wait_until 5 logged_times "$1" "$2" "${3:-1}"
}

logged_times() {
	[ "$(grep -cFs -e "$2" "$S/output-$1.log")" -ge "$3" ]
}

# is_at ISSUE STATE [SOURCE]
is_at() {
	recorded "$1" "$2" && [ "$(record "$1" source)" = "${3:-hook}" ]
}

# becomes ISSUE STATE SOURCE DESCRIPTION
becomes() {
	wait_until 10 is_at "$1" "$2" "$3" && result 0 "$4"
}

told() {
	cat "$S/.paneward/$1.records"
}

# heard ISSUE: the watcher has read all that was told.
heard() {
	[ "$(record "$1" records)" = "$(told "$1" | wc -c)" ]
}

# turn ISSUE: the first one of its agent begins.
turn() {
	hook "$1" UserPromptSubmit
	wait_until 10 heard "$1"
}

handed_off() {
	[ "$(record "$1" handoff.state)" = 'done' ]
}

marker() {
	printf '###TASK_COMPLETE_%s###' "$1"
}

fenced='Print this:\n\n```\n'$(marker 2)'\n```\n'

# ---- a started run, found by its environment --------------------------------

begin 1
hook 1 SessionStart ',"source":"startup"'
becomes 1 waiting hook 'a session that has begun waits'
hook 1 UserPromptSubmit ',"prompt":"work"'
becomes 1 working hook 'a turn that has begun is work'
hook 1 PermissionRequest ',"tool_name":"Bash","tool_input":{"command":"make"}'
becomes 1 asking hook 'a tool that is to be allowed is a question'
is "$(record 1 why): $(record 1 message)" 'it asks for permission: Bash: make' \
	'and what is asked is known'
hook 1 PostToolUse ',"tool_name":"Bash","tool_input":{"command":"make"}'
becomes 1 working hook 'an answered one is not'
hook 1 StopFailure \
	",\"error\":\"rate_limit\"$(says 'limit reached|1893456000')"
becomes 1 limited hook 'a limit is one'
like "$(record 1 why)" 'until 2030-01-01T00:00:00' 'and when it ends is known'
hook 1 UserPromptSubmit
becomes 1 working hook 'it goes on'
is "$(record 1 agent.session)" s-1 "the agent's session is recorded"
before=$(told 1)
hook 1 SubagentStop "$(says "$(marker 1)")"
is "$(told 1)" "$before" 'what a helper says is not recorded'
hook 1 Stop "$(says 'I need to know more.')"
becomes 1 waiting hook 'a turn that ends without a report is no completion'
is "$(record 1 message)" 'I need to know more.' 'what was said is shown'
hook 1 UserPromptSubmit
hook 1 Stop "$(says "All done.\\n\\n$(marker 1)\\n")"
becomes 1 complete hook 'one with a marker is'
wait_until 10 handed_off 1
check 'it is handed off' grep -qx '1 hook' "$handed"
hook 1 UserPromptSubmit
hook 1 Stop "$(says "$(marker 1)")"
let_pass
is "$(grep -c '^1 ' "$handed") $(changes 1 complete)" '1 1' \
	'once, whatever is said afterwards'
is "$(told 1 | grep -c "\"run\":\"$(record 1 run)\"")" "$(told 1 | wc -l)" \
	'every record names the run'

# ---- what the pane shows, and what was written ------------------------------

begin 2
turn 2
shows 2 "$(marker 2)"
let_pass
check 'a marker in the pane waits for its record' recorded 2 working
hook 2 Stop "$(says "$fenced")"
becomes 2 waiting hook 'which shows that it was an example'
shows 2 "$(marker 2)" 2
let_pass
check 'drawn again it is none either' is_at 2 waiting
hook 2 UserPromptSubmit
becomes 2 working hook 'the next turn begins'
shows 2 "$(marker 2)" 3
hook 2 StopFailure ",\"error\":\"server_error\"$(says 'API Error: 400')"
becomes 2 asking hook 'drawn again in a turn that fails it is none'
hook 2 UserPromptSubmit
hook 2 Stop "$(says "$(marker 2)")"
becomes 2 complete hook 'a report in it counts'

# Two turns at once, as with a prompt that waited: the watcher sees the first
# one's end only when the next one has begun.
begin 12
turn 12
shows 12 "$(marker 12)"
let_pass
freeze "$(watcher 12)"
hook 12 Stop "$(says '```\n'"$(marker 12)"'\n```')"
hook 12 UserPromptSubmit
kill -CONT "$(watcher 12)"
hook 12 SessionEnd ',"reason":"clear"'
let_pass
check "an example is none when the next turn is cut off" no recorded 12 complete

# A heading is no report, and a tool prints a marker of the user's own.
begin 13 --marker BUILD-DONE
hook 13 UserPromptSubmit
hook 13 PostToolUse ',"tool_name":"Bash","tool_input":{
	"command":"echo \"### notes\"; cat notes"},
	"tool_response":{"stdout":"### notes\nBUILD-DONE\n"}'
let_pass
check 'a text that a tool read is no report' recorded 13 working
hook 13 PostToolUse ',"tool_name":"Bash",
	"tool_input":{"command":"echo BUILD-DONE"},
	"tool_response":{"stdout":"BUILD-DONE\n"}'
becomes 13 complete hook 'a marker of its own that it printed is one'

begin 14
turn 14
hook 14 AfterTool ',"tool_name":"run_shell_command",
	"tool_input":{"command":"echo \"###TASK_COMPLETE_14###\""},
	"tool_response":{"llmContent":"Output: ###TASK_COMPLETE_14###",
	"returnDisplay":"###TASK_COMPLETE_14###\n"}'
becomes 14 complete hook 'also one that Gemini printed'

# What was an example is none when the client ends, in whichever turn.
begin 15
turn 15
hook 15 Stop "$(says '```\n'"$(marker 15)"'\n```')"
hook 15 UserPromptSubmit
shows 15 "$(marker 15)"
tell a15 'exit 1'
becomes 15 dead process 'an example that is drawn again is none at the end'

# ended NUMBER EVENT MORE DESCRIPTION: a turn with a marker ends like that.
ended() {
	begin "$1"
	turn "$1"
	shows "$1" "$(marker "$1")"
	hook "$1" "$2" "$3"
	becomes "$1" complete log "$4"
}

ended 3 StopFailure ",\"error\":\"server_error\"$(says 'API Error: 500')" \
	'where the turn fails, the marker in the pane counts'
ended 4 Notification ',"notification_type":"idle_prompt","message":"Hello?"' \
	'where it was interrupted as well'
ended 5 SessionEnd ',"reason":"prompt_input_exit"' \
	'and where the session ends'

begin 6
turn 6
shows 6 "$(marker 6)"
tell a6 'exit 1'
becomes 6 complete log 'and where the agent dies'

begin 7
turn 7
nonce=$(record 7 run | cut -c 1-8)
shows 7 "###TASK_COMPLETE_7:$nonce###"
becomes 7 complete log 'a bound marker waits for nothing'

begin 8
hook 8 UserPromptSubmit
hook 8 Stop "$(says '###TASK_ERROR_8###\nno disk\n')"
becomes 8 error hook 'an error is one'
is "$(record 8 message)" 'no disk' 'with its message'
hook 8 UserPromptSubmit
hook 8 Stop "$(says "$(marker 8)")"
becomes 8 complete hook 'a completion may follow'

# ---- whose session it is -----------------------------------------------------

# session NAME ISSUE MESSAGE: writes $T/NAME, a process that has a session of
# that name, and in it one turn that ends with the message, if there is one.
session() {
	session_id=$1
	for event in SessionStart UserPromptSubmit Stop; do
		event "$event" "$(says "$3")" >"$T/$1.$event"
	done
	session_id=s-1
	[ "$3" != '' ] || rm "$T/$1.Stop"
	script "$1" <<-END
		for event in SessionStart UserPromptSubmit Stop; do
			[ ! -e '$T/$1.'\$event ] || "\$PANEWARD" hook record \
				<'$T/$1.'\$event
		done
		touch '$T/$1.over'
	END
	tell "a$2" "'$T/$1'"
	wait_until 10 test -e "$T/$1.over"
}

begin 20
hook 20 SessionStart
becomes 20 waiting hook 'a session has begun'
turn 20
hook 20 Stop "$(says 'Shall I go on?')"
becomes 20 waiting hook 'and its turn has ended'
session helper 20 "Say $(marker 20) or so:\\n\\n$(marker 20)"
let_pass
is_at 20 waiting
result $? 'an agent that the agent runs reports nothing'
turn 20
hook 20 Stop "$(says "$(marker 20)")"
becomes 20 complete hook 'and the agent goes on to'

begin 21
session cut 21 ''
session next 21 'Print this:\n\n```\n'"$(marker 21)"'\n```\n'
becomes 21 waiting hook 'who was killed in a turn is followed by another'
shows 21 "$(marker 21)"
let_pass
is_at 21 waiting
result $? 'whose fences are known'
session last 21 "$(marker 21)"
becomes 21 complete hook 'and whose report is one'

# ---- an adopted pane, found by its options and its name ---------------------

obedient a30
session_id=s-30
pane_run issue-30 "exec '$T/a30'"
hook 30 UserPromptSubmit
check 'a pane that nobody has looked at is known by its name' \
	test -s "$S/.paneward/30.records"
watch_begin w30 30
becomes 30 working hook 'what was told before the watch counts'
marked() {
	[ "$(tm show-options -pqv -t "=issue-$1:" @paneward_issue)" = "$1" ]
}
soon 'the watch has marked the pane' marked 30
tm rename-session -t =issue-30 elsewhere
hook 30 PermissionRequest ',"tool_name":"Edit"'
becomes 30 asking hook 'then its name does not matter'
like "$(told 30 | tail -n 1)" "\"run\":\"$(record 30 run)\"" \
	'and the run is known'

# elsewhere EVENT MORE: a hook of no pane.
elsewhere() {
	event "$1" "${2:-}" | env -u TMUX -u TMUX_PANE "$PW" hook record
}

is "$(record 30 agent.session)" s-30 'the session is recorded'
elsewhere UserPromptSubmit
becomes 30 working hook 'a hook of no pane is known by the session'
elsewhere Stop "$(says "$(marker 30)")"
watch_ended w30 0 'a report of it ends the watch'
is "$(record 30 source)" hook 'by the hook'
session_id=unknown
is "$(elsewhere Stop "$(says "$(marker 30)")" 2>&1)" '' \
	'one of a session that nobody knows says nothing'
is "$(cd "$S/.paneward" && grep -l unknown ./*.records)" '' \
	'and is not recorded'
session_id=s-1
is "$(cd / && elsewhere SessionStart 2>&1)" '' 'nor is one of no project'

# ---- the sweep --------------------------------------------------------------

# swept ISSUE STATE [SOURCE]: a sweep comes to that.
swept() {
	"$PW" sweep >"$T/out" 2>&1
	is_at "$@"
}

obedient a31
session_id=s-31
pane_run issue-31 "exec '$T/a31'"
hook 31 UserPromptSubmit
check 'a sweep adopts the pane of an agent' swept 31 working
first=$(record 31 run)
pid=$(pane_tell issue-31 '#{pane_pid}')
tm kill-session -t =issue-31
check 'which is gone' swept 31 gone session
# It would take the orders of the next one.
wait_until 5 no kill -0 "$pid"
pane_run issue-31 "exec '$T/a31'"
hook 31 Stop "$(says "$(marker 31)")"
check 'the next agent reports for a run of its own' swept 31 complete
check 'which is a new one' [ "$(record 31 run)" != "$first" ]
session_id=s-1

begin 40 --no-watch
hook 40 UserPromptSubmit
"$PW" sweep >"$T/out" 2>&1
is "$(record 40 agent.session)" s-1 'a sweep reads the records'
shows 40 "$(marker 40)"
"$PW" sweep >"$T/out" 2>&1
check 'a marker waits there as well' recorded 40 working
hook 40 Stop "$(says 'It is ###TASK_COMPLETE_NN### then.')"
wait_until 10 swept 40 waiting
check 'and is past when the text has none' is_at 40 waiting
"$PW" sweep >"$T/out" 2>&1
check 'for good' is_at 40 waiting
hook 40 UserPromptSubmit
hook 40 Stop "$(says "$(marker 40)")"
"$PW" sweep --dry-run >"$T/out" 2>&1
check 'a dry run changes nothing' is_at 40 waiting
"$PW" sweep >"$T/out" 2>&1
check 'a report is found' is_at 40 complete
"$PW" sweep >"$T/out" 2>&1
is "$(grep -c '^40 hook$' "$handed")" 1 'and handed off once'

begin 41 --no-watch
hook 41 UserPromptSubmit
shows 41 "$(marker 41)"
"$PW" sweep >"$T/out" 2>&1
check 'where nothing tells of the end of a turn, it waits' \
	recorded 41 working
PANEWARD_NOW=$(($(date +%s) + 70)) "$PW" sweep >"$T/out" 2>&1
check 'for a minute' is_at 41 complete log

# ---- the next run of the same issue -----------------------------------------

agent=$(cut -d ' ' -f 2 "$S/.paneward/40.agent")
tm kill-session -t =s40
wait_until 5 no kill -0 "$agent"
rm "$T/a40.orders"
before=$(told 40)
old=$(record 40 run)
begin 40
is "$(cat "$S/.paneward/40.records.old")" "$before" \
	'start sets the old records aside'
check 'so that there are none' no test -e "$S/.paneward/40.records"
check 'the new run is another one' no test "$(record 40 run)" = "$old"
check 'and not complete' recorded 40 working

# ---- what is left of a run ---------------------------------------------------

check 'there are records' test -s "$S/.paneward/8.records"
PANEWARD="$PW" PANEWARD_ISSUE=8 PANEWARD_RUN=$(record 8 run) \
	PANEWARD_STATE=complete PANEWARD_SOURCE=record PANEWARD_MESSAGE='' \
	PANEWARD_SESSION=$(record 8 tmux.session) \
	PANEWARD_PANE=$(record 8 tmux.pane) \
	PANEWARD_SOCKET=$(record 8 tmux.socket) PANEWARD_STATUS_DIR=$S \
	PANEWARD_WORKTREE='' PANEWARD_BRANCH='' PANEWARD_HANDOFF_ID=1 \
	PANEWARD_ATTEMPT=1 "$ROOT/scripts/cleanup.sh" \
	<"$S/.paneward/8.json" >"$T/out" 2>&1 || comment <"$T/out"
check 'cleanup removes them' no test -e "$S/.paneward/8.records"
check 'and keeps what is known of the run' recorded 8 complete

# ---- what is kept and told beside it ----------------------------------------

kept=$P/.claude/self-reborn
session_id=s-50
home() {
	event "$@" | CLAUDE_PROJECT_DIR=$P PANEWARD_ISSUE=50 "$PW" hook record
}

home SessionStart
check 'a project without .claude gets none' no test -e "$P/.claude"
mkdir "$P/.claude"
home SessionStart ',"source":"startup"'
is "$(cat "$kept/session_id")" s-50 'the session is kept'
session_id=s-51
home SessionStart ',"source":"clear"'
home UserPromptSubmit
home SessionEnd ',"reason":"other"'
is "$(cat "$kept/session_id")" s-51 'the newest one'
is "$(sed 's/.*"session_id":"\([^"]*\)","event":"\([^"]*\)".*/\1 \2/' \
	"$kept/session_history.jsonl")" 's-50 session_start
s-51 session_start
s-51 session_end' 'and a history of them'
is "$(cat "$kept/.gitignore")" '*' 'of which git sees nothing'
rm -r "$kept"
mkdir "$T/outside"
ln -s "$T/outside" "$kept"
is "$(home SessionStart 2>&1)" '' 'a link there is no trouble'
is "$(ls "$T/outside")" '' 'and not followed'
rm "$kept"
mkdir "$kept"
echo mine >"$T/outside/file"
ln -s "$T/outside/file" "$kept/session_history.jsonl"
ln -s "$T/outside/file" "$kept/session_id"
home SessionStart
is "$(cat "$T/outside/file") $(cat "$kept/session_id")" 'mine s-51' \
	'nor is one of a file'
rm -r "$P/.claude"
ln -s "$T/outside" "$P/.claude"
home SessionStart
is "$(ls "$T/outside")" file 'nor one of the whole folder'
rm "$P/.claude"

# record_with OPTION...: a hook of the test's own.
record_with() {
	PANEWARD_ISSUE=50 PANEWARD_STATUS_DIR=$S "$PW" hook record "$@"
}

printf 'Read "plan.md".\n\tThen go on.\n' >"$T/context"
is "$(event SessionStart | record_with --context "$T/context")" \
	'{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Read \"plan.md\".\n\tThen go on.\n"}}' \
	'a new session is told what is in a file'
is "$(event Stop | record_with --context "$T/context" 2>&1)" '' \
	'no other event is answered'
is "$(event SessionStart | record_with --context "$T/nothing" 2>&1)" '' \
	'a file that is not there says nothing'
marker 50 >"$T/context"
is "$(event SessionStart | record_with --context "$T/context" 2>"$T/err")" '' \
	'one with a finished marker is not told'
like "$(cat "$T/err")" '^paneward: hook record: .*finished marker' 'but why'
head -c 40000 /dev/zero | tr '\0' x >"$T/context"
is "$(event SessionStart | record_with --context "$T/context" 2>"$T/err")" '' \
	'nor is one that is too long'
like "$(cat "$T/err")" 'has more than 32 KiB' 'as is said'
printf 'notes\n' >"$T/notes"
event PreCompact ',"trigger":"auto"' | record_with --save "$T/notes"
is "$(cat "$T/notes.before-compact")" notes 'what is to be saved is'
is "$(event PreCompact | record_with --save "$T/none" 2>&1)" '' \
	'what is not there is not'
event PreCompact | record_with --save "$T/no/folder/notes" >"$T/out" 2>&1
is "$? $(cat "$T/out")" '0 ' 'wherever it is not'

# ---- trouble ----------------------------------------------------------------

# trouble REASON DESCRIPTION: status 0, no answer, a line that says why.
trouble() {
	status=0
	event Stop "$(says hello)" >"$T/input"
	record_with <"$T/input" >"$T/out" 2>"$T/err" || status=$?
	is "$status $(cat "$T/out")" '0 ' "$2"
	is "$(wc -l <"$T/err")" 1 'a line says so'
	like "$(cat "$T/err")" "^paneward: hook record: .*$1" 'and why'
}

echo mine >"$T/target"
rm -f "$S/.paneward/50.records"
ln -s "$T/target" "$S/.paneward/50.records"
trouble "records of issue '50'" 'records that are a link are refused'
is "$(cat "$T/target")" mine 'and not followed'
rm "$S/.paneward/50.records"
chmod 777 "$S"
trouble 'any user' 'so is a folder that any user can write to'
chmod 700 "$S"

if [ "$(id -u)" -eq 0 ] && mkdir "$T/small" &&
	mount -t tmpfs -o size=64k,mode=700 tmpfs "$T/small" 2>/dev/null
then
	trap 'umount -l "$T/small"' EXIT
	real=$S
	S=$T/small
	event UserPromptSubmit >"$T/input"
	mkdir -m 700 "$S/.paneward"
	record_with <"$T/input"
	is "$(told 50 | wc -l)" 1 'there is room'
	cat /dev/zero >"$S/ballast" 2>/dev/null
	printf '%4000s' '' | tr ' ' x >>"$S/.paneward/50.records" 2>/dev/null
	trouble 'No space left' 'a full disk is no trouble for the agent'
	rm "$S/ballast"
	record_with <"$T/input"
	like "$(told 50 | tail -n 1)" '^\{.*turn-ended.*\}$' \
		'when there is room, what is told is recorded'
	S=$real
else
	skip 'a full disk' 'no small one can be mounted here'
fi
rm -r "$S"
trouble "nothing is kept in '$S'" 'nothing is recorded in no directory'
check 'and none is made' no test -e "$S"

# ---- a hook that is run with another run's environment ----------------------

mkdir -p "$T/tree/src"
begin 60
begin 61 --worktree "$T/tree"
begin 62
session_id=s-60 hook 60 SessionStart
session_id=s-62 hook 62 SessionStart
wait_until 10 heard 60
wait_until 10 heard 62
before=$(told 60)
session_id=s-61 cwd=$T/tree/src hook 60 UserPromptSubmit
is "$(told 60)" "$before" "an event in another run's work tree is not recorded"
session_id=s-62 hook 60 Stop "$(says "$(marker 60)")"
is "$(told 60)" "$before" "nor one of another run's session"
cwd=$T/tree session_id=s-60 hook 60 UserPromptSubmit
session_id=s-60b hook 60 SessionStart
is "$(told 60 | grep -o '"session":"[^"]*' | cut -d '"' -f 4 | tr '\n' ' ')" \
	's-60 s-60 s-60b ' 'its own session is, wherever it is, and its next one'

done_testing
