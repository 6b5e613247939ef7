#!/bin/sh
# What an agent's own hooks tell: whose run it is, what it is at, and whether
# what its pane shows is a report.
. "${0%/*}/lib.sh"

tmux_start

handed=$T/handed
cat >"$HOME/.config/paneward/config.json" <<END
{ "handoff": "echo \$PANEWARD_ISSUE \$PANEWARD_SOURCE >>'$handed'" }
END

# begin ISSUE [OPTION...]: a run whose agent does what it is told; from now on
# it is $i.
begin() {
	i=$1
	obeys "$@"
}

# adopted ISSUE: a pane with such an agent, which no watcher has seen.
adopted() {
	i=$1
	[ -e "$T/a$i" ] || obedient "a$i"
	pane_run "issue-$i" "exec '$T/a$i'"
}

# event NAME MORE: the input of a hook.
event() {
	printf '{"session_id":"%s","cwd":"%s","hook_event_name":"%s"%s}\n' \
		"${session_id:-s-1}" "${cwd:-$P}" "$1" "${2:-}"
}

says() { printf ',"last_assistant_message":"%s"' "$1"; }

# hook EVENT [MORE]: the agent's hook is run with that, and has ended.
hook() {
	event "$@" >"$T/input"
	rm -f "$T/hooked"
	tell "a$i" "{ \"\${PANEWARD:-$PW}\" hook record <'$T/input' || echo \$?; } \
		>'$T/hook.out' 2>&1; mv '$T/hook.out' '$T/hooked'"
	wait_until 5 test -e "$T/hooked"
	cat "$T/hooked"
}

# shows TEXT [TIMES]: the agent prints it, and the log has it so often.
shows() {
	tell "a$i" "printf '%s\\n' '$1'"
	wait_until 5 logged_times "$1" "${2:-1}"
}

logged_times() { [ "$(grep -cFs -e "$1" "$S/output-$i.log")" -ge "$2" ]; }

is_at() { recorded "$i" "$1" && has "$i" source "${2:-hook}"; }
at() { wait_until 10 is_at "$@"; }

# stays STATE [SOURCE]: when the watcher has dealt with everything.
stays() {
	let_pass
	check "it is $*" is_at "$@" || fields "$i" state source why
}

told() { cat "$S/.paneward/$1.records"; }

heard() { has "$i" records "$(told "$i" | wc -c)"; }

turn() { hook UserPromptSubmit && wait_until 10 heard; }

m() { printf '###TASK_COMPLETE_%s###' "$i"; }

example() { says 'Print this:\n\n```\n'"$(m)"'\n```\n'; }

scenario 'an agent is at what its hooks tell' <<'END'
>>> begin 1; hook SessionStart ',"source":"startup"'; at waiting
>>> hook UserPromptSubmit ',"prompt":"work"'; at working
>>> make='"tool_name":"Bash","tool_input":{"command":"make"}'
>>> hook PermissionRequest ",$make"; at asking; fields 1 why message
it asks for permission Bash: make
>>> hook PostToolUse ",$make"; at working
>>> hook StopFailure ",\"error\":\"rate_limit\"$(says 'limit|1893456000')"
>>> at limited; fields 1 why
~ .* until 2030-01-01T00:00:00.*
>>> hook UserPromptSubmit; at working; fields 1 agent.session
s-1
>>> before=$(told 1); hook SubagentStop "$(says "$(m)")"
>>> is "$(told 1)" "$before"
>>> hook Stop "$(says 'I need to know more.')"; at waiting; fields 1 message
I need to know more.
>>> hook UserPromptSubmit
>>> hook Stop "$(says "All done.\\n\\n$(m)\\n")"; at complete
>>> wait_until 10 has 1 handoff.state 'done'; grep '^1 ' "$handed"
1 hook
>>> hook UserPromptSubmit; hook Stop "$(says "$(m)")"
>>> let_pass; grep -c '^1 ' "$handed"; changes 1 complete
1
1
>>> told 1 | grep -vc "\"run\":\"$(record 1 run)\""
0
[1]
END

# For the watcher of 12 that stands still two turns are one: it sees the first
# one's end only when the next one has begun.
scenario 'a marker in the pane waits for what the turn has written' <<'END'
>>> begin 12; turn; shows "$(m)"; begin 2; turn; shows "$(m)"; let_pass
>>> recorded 2 working
>>> hook Stop "$(example)"; at waiting
>>> freeze "$(watcher 12)"; i=12; hook Stop "$(example)"; hook UserPromptSubmit
>>> kill -CONT "$(watcher 12)"; hook SessionEnd ',"reason":"clear"'
>>> i=2; shows "$(m)" 2; stays waiting; recorded 12 complete
[1]
>>> hook UserPromptSubmit; at working; shows "$(m)" 3
>>> hook StopFailure ",\"error\":\"server_error\"$(says 'API Error: 400')"
>>> at asking; hook UserPromptSubmit; hook Stop "$(says "$(m)")"; at complete
END
# A heading is no report.
scenario 'a marker that a tool printed counts if it was told to' <<'END'
>>> begin 13 --marker BUILD-DONE; hook UserPromptSubmit
>>> hook PostToolUse ',"tool_name":"Bash","tool_input":{
... "command":"echo \"### notes\"; cat notes"},
... "tool_response":{"stdout":"### notes\nBUILD-DONE\n"}'
>>> let_pass; recorded 13 working
>>> hook PostToolUse ',"tool_name":"Bash",
... "tool_input":{"command":"echo BUILD-DONE"},
... "tool_response":{"stdout":"BUILD-DONE\n"}'; at complete
>>> begin 14; turn; hook AfterTool ',"tool_name":"run_shell_command",
... "tool_input":{"command":"echo \"###TASK_COMPLETE_14###\""},
... "tool_response":{"llmContent":"Output: ###TASK_COMPLETE_14###",
... "returnDisplay":"###TASK_COMPLETE_14###\n"}'; at complete
END
scenario 'where nothing was written, the marker in the pane counts' <<'END'
>>> marked() { begin "$1"; turn; shows "$(m)"; }
>>> marked 3; hook StopFailure ",\"error\":\"server_error\"$(says 'API Error')"
>>> marked 4; hook Notification \
... ',"notification_type":"idle_prompt","message":"Hello?"'
>>> marked 5; hook SessionEnd ',"reason":"prompt_input_exit"'
>>> marked 6; tell a6 'exit 1'
>>> for i in 3 4 5 6; do at complete log; done
>>> begin 7; turn; shows "###TASK_COMPLETE_7:$(record 7 run | cut -c 1-8)###"
>>> at complete log
>>> begin 15; turn; hook Stop "$(example)"; hook UserPromptSubmit; shows "$(m)"
>>> tell a15 'exit 1'; at dead process
>>> # A completion may follow an error.
>>> begin 8; hook UserPromptSubmit
>>> hook Stop "$(says '###TASK_ERROR_8###\nno disk\n')"
>>> at error; fields 8 message
no disk
>>> hook UserPromptSubmit; hook Stop "$(says "$(m)")"; at complete
END

# session NAME MESSAGE: the agent runs another one, which has a session of that
# name, and in it one turn that ends with the message, if there is one.
script session <<'END'
while read -r event; do
	printf '%s\n' "$event" | "$PANEWARD" hook record
done <"$1"
touch "$1.over"
END
session() {
	for event in SessionStart UserPromptSubmit ${2:+Stop}; do
		session_id=$1 event "$event" "$(says "$2")"
	done >"$T/$1"
	tell "a$i" "'$T/session' '$T/$1'"
	wait_until 10 test -e "$T/$1.over"
}

scenario 'an agent that the agent runs reports nothing, a later does' <<'END'
>>> begin 21; session cut ''; session next 'Print:\n\n```\n'"$(m)"'\n```\n'
>>> at waiting; shows "$(m)"; begin 20; hook SessionStart; at waiting; turn
>>> hook Stop "$(says 'Shall I go on?')"; at waiting
>>> session helper "Say $(m) or so:\\n\\n$(m)"; stays waiting
>>> is_at waiting && turn && hook Stop "$(says "$(m)")"; at complete
>>> i=21; is_at waiting && session last "$(m)"; at complete
END

elsewhere() {
	event "$1" "${2:-}" | env -u TMUX -u TMUX_PANE "$PW" hook record
}

marked() { [ "$(pane_tell "issue-$i" '#{@paneward_issue}')" = "$i" ]; }

scenario 'a pane is known by its name, its mark, or its session' <<'END'
>>> session_id=s-30; adopted 30; hook UserPromptSubmit; told 30 | wc -l
1
>>> watch_begin w30 30; at working; wait_until 5 marked
>>> tm rename-session -t =issue-30 elsewhere
>>> hook PermissionRequest ',"tool_name":"Edit"'; at asking
>>> fields 30 agent.session
s-30
>>> told 30 | tail -n 1 | grep -c "\"run\":\"$(record 30 run)\""
1
>>> elsewhere UserPromptSubmit; at working
>>> elsewhere Stop "$(says "$(m)")"; watch_ended w30 0 it; fields 30 source
hook
>>> session_id=unknown; elsewhere Stop "$(says "$(m)")"
>>> (cd "$S/.paneward" && grep -l unknown ./*.records)
[1]
>>> session_id=s-1; (cd / && elsewhere SessionStart)
END

swept() {
	"$PW" sweep >"$T/out" 2>&1
	is_at "$@"
}

scenario 'a sweep adopts the pane of an agent, and the next of its name' <<'END'
>>> session_id=s-31; adopted 31; hook UserPromptSubmit; swept working
>>> first=$(record 31 run); pid=$(pane_tell issue-31 '#{pane_pid}')
>>> tm kill-session -t =issue-31; swept gone session
>>> wait_until 5 no kill -0 "$pid" # it would take the orders of the next one
>>> adopted 31; hook Stop "$(says "$(m)")"; swept complete; has 31 run "$first"
[1]
>>> session_id=s-1
END
scenario 'a sweep reads what was told, and hands off once' <<'END'
>>> begin 41 --no-watch; hook UserPromptSubmit; shows "$(m)"
>>> begin 40 --no-watch; hook UserPromptSubmit; "$PW" sweep
>>> fields 40 agent.session
s-1
>>> shows "$(m)"; "$PW" sweep; recorded 40 working
>>> hook Stop "$(says 'It is ###TASK_COMPLETE_NN### then.')"
>>> wait_until 10 swept waiting; is_at waiting && swept waiting
>>> hook UserPromptSubmit; hook Stop "$(says "$(m)")"
>>> "$PW" sweep --dry-run >"$T/out"; is_at waiting && swept complete
>>> "$PW" sweep; grep -c '^40 hook$' "$handed"
1
>>> i=41; recorded 41 working
>>> export PANEWARD_NOW=$(($(date +%s) + 70)); swept complete log
>>> unset PANEWARD_NOW
END

scenario 'start sets the records of an earlier run aside' <<'END'
>>> agent=$(cut -d ' ' -f 2 "$S/.paneward/40.agent"); tm kill-session -t =s40
>>> wait_until 5 no kill -0 "$agent"; rm "$T/a40.orders"
>>> told 40 >"$T/before"; old=$(record 40 run); begin 40
>>> cmp "$S/.paneward/40.records.old" "$T/before"; told 40
~ cat: .*40.records.*
[1]
>>> has 40 run "$old" || recorded 40 working
END
scenario 'cleanup removes records, and keeps what is known of the run' <<'END'
>>> test -s "$S/.paneward/8.records"; env PANEWARD="$PW" PANEWARD_ISSUE=8 \
... 	PANEWARD_RUN="$(record 8 run)" PANEWARD_STATE=complete \
... 	PANEWARD_SESSION="$(record 8 tmux.session)" PANEWARD_STATUS_DIR="$S" \
... 	PANEWARD_PANE="$(record 8 tmux.pane)" PANEWARD_HANDOFF_ID=1 \
... 	PANEWARD_SOCKET="$(record 8 tmux.socket)" PANEWARD_ATTEMPT=1 \
... 	"$ROOT/scripts/cleanup.sh" <"$S/.paneward/8.json" >"$T/out" 2>&1
>>> test -e "$S/.paneward/8.records"
[1]
>>> recorded 8 complete
END

home() {
	event "$@" | CLAUDE_PROJECT_DIR=$P PANEWARD_ISSUE=50 "$PW" hook record
}
kept=.claude/self-reborn

scenario 'sessions are kept in .claude, if there is one and no link' <<'END'
>>> session_id=s-50; home SessionStart; ls -A .claude
~ ls: .*
[2]
>>> mkdir .claude; home SessionStart ',"source":"startup"'; cat $kept/session_id
s-50
>>> session_id=s-51; home SessionStart ',"source":"clear"'
>>> home UserPromptSubmit; home SessionEnd ',"reason":"other"'
>>> echo "$(cat $kept/session_id) $(cat $kept/.gitignore)"
s-51 *
>>> cut -d '"' -f 8,12 $kept/session_history.jsonl
s-50"session_start
s-51"session_start
s-51"session_end
>>> rm -r $kept; mkdir "$T/outside"; ln -s "$T/outside" $kept
>>> home SessionStart; ls "$T/outside"
>>> rm $kept; mkdir $kept; echo mine >"$T/outside/file"
>>> ln -s "$T/outside/file" $kept/session_history.jsonl
>>> ln -s "$T/outside/file" $kept/session_id
>>> home SessionStart; cat "$T/outside/file" $kept/session_id
mine
s-51
>>> rm -r .claude; ln -s "$T/outside" .claude; home SessionStart
>>> ls "$T/outside"
file
>>> rm .claude
END

# with EVENT OPTION...: a hook of the test's own.
with() {
	with_event=$1
	shift
	event "$with_event" |
		PANEWARD_ISSUE=50 PANEWARD_STATUS_DIR=$S "$PW" hook record "$@"
}

printf 'Read "plan.md".\n\tThen go on.\n' >"$T/context"
scenario 'a new session is told what is in a file, and a text is saved' <<'END'
>>> with SessionStart --context "$T/context"
{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Read \"plan.md\".\n\tThen go on.\n"}}
>>> with Stop --context "$T/context"
>>> with SessionStart --context "$T/nothing"
>>> i=50; m >"$T/context"
>>> with SessionStart --context "$T/context"
~ paneward: hook record: .*finished marker.*
>>> head -c 40000 /dev/zero | tr '\0' x >"$T/context"
>>> with SessionStart --context "$T/context"
~ paneward: hook record: .*has more than 32 KiB.*
>>> echo notes >"$T/notes"
>>> with PreCompact --save "$T/notes"
>>> cat "$T/notes.before-compact"
notes
>>> with PreCompact --save "$T/none"
>>> with PreCompact --save "$T/no/folder/notes"
END

echo mine >"$T/target"
scenario 'trouble is told in a line, and none for the agent' <<'END'
>>> rm -f "$S/.paneward/50.records"; ln -s "$T/target" "$S/.paneward/50.records"
>>> with Stop; cat "$T/target"
~ paneward: hook record: .*records of issue '50'.*
mine
>>> rm "$S/.paneward/50.records"; chmod 777 "$S"; with Stop; chmod 700 "$S"
~ paneward: hook record: .*any user.*
>>> S=$T/none; with Stop; test -e "$S"
~ paneward: hook record: .*nothing is kept in '.*/none'.*
[1]
END
mkdir "$T/small"
if mount -t tmpfs -o size=64k,mode=700 tmpfs "$T/small" 2>/dev/null; then
	trap 'umount -l "$T/small"' EXIT
	scenario 'a full disk is no trouble for the agent' <<-'END'
	>>> S=$T/small; mkdir -m 700 "$S/.paneward"
	>>> with UserPromptSubmit; told 50 | wc -l
	1
	>>> cat /dev/zero >"$S/ballast" 2>"$T/said"
	[1]
	>>> printf '%4000s' '' | tr ' ' x >>"$S/.paneward/50.records"; with Stop
	~ paneward: hook record: .*No space left.*
	>>> rm "$S/ballast"; with Stop; told 50 | tail -n 1
	~ \{.*turn-ended.*\}
	END
else
	skip 'a full disk' 'no small one can be mounted here'
fi
mkdir -p "$T/tree/src"
scenario "an event of another run's tree or session is not recorded" <<'END'
>>> S=$P/.worktrees/.status; begin 61 --worktree "$T/tree"
>>> begin 62; session_id=s-62 hook SessionStart; wait_until 10 heard
>>> begin 60; session_id=s-60 hook SessionStart; wait_until 10 heard
>>> session_id=s-61 cwd=$T/tree/src hook UserPromptSubmit
>>> session_id=s-62 hook Stop "$(says "$(m)")"
>>> cwd=$T/tree session_id=s-60 hook UserPromptSubmit
>>> session_id=s-60b hook SessionStart
>>> told 60 | grep -o '"\(event\|session\)":"[^"]*' | cut -d '"' -f 4 | xargs
session-started s-60 turn-started s-60 session-started s-60b
END

done_testing
