#!/bin/sh
# `hook record` at the end of a turn, with 1 KiB of input: CPU time compared
# with that of an empty C program.  The environment names the issue, as it does
# where start began the run of the agent that sends the event.  The static
# program is measured where `make static` built it.

. "${0%/*}/lib.sh"

rounds=${QUICK:+200}
rounds=${rounds:-1000}

tools repeat
echo 'int main(void) { return 0; }' >"$T/empty.c"
$CC -O2 -o "$T/bin/empty" "$T/empty.c"
server default

"$PW" start 42 --no-watch --backend claude --status-dir "$D" -- \
	sleep 100000 >/dev/null
PANEWARD_ISSUE=42
PANEWARD_STATUS_DIR=$D
PANEWARD_RUN=$(sed 's/.*"run":"\([^"]*\)".*/\1/' "$D/.paneward/42.json")
TMUX_PANE=$(tmux list-panes -a -F '#{@paneward_issue} #{pane_id}' |
	sed -n 's/^42 //p')
export PANEWARD_ISSUE PANEWARD_STATUS_DIR PANEWARD_RUN TMUX_PANE

# event NAME MORE: an event as Claude Code sends it.
event() {
	printf '{"session_id":"5e335ae5-ca18-4484-a92a-13d6c29dfdcb",'
	printf '"transcript_path":"%s/.claude/projects/x/5e335ae5.jsonl",' \
		"$HOME"
	printf '"cwd":"%s","hook_event_name":"%s"%s}\n' "$P" "$1" "$2"
}

# words BYTES: text without a marker.
words() {
	yes 'It is done so far, and here is what I have changed.\n' |
		tr -d '\n' | head -c $(($1 / 53 * 53))
}

event Stop ",\"stop_hook_active\":false,\"last_assistant_message\":\"$(
	words 750)\",\"background_tasks\":[],\"session_crons\":[]" >"$T/stop"
event PostToolUse ",\"tool_name\":\"Bash\",$(
	)\"tool_input\":{\"command\":\"make\"},\"tool_response\":{$(
	)\"stdout\":\"$(words 650)\",\"stderr\":\"\"}" >"$T/tool"

# compare WHAT GOAL INPUT COMMAND...
compare() {
	what=$1
	goal=$2
	input=$3
	shift 3
	repeat "$rounds" "$input" empty --- "$input" "$@" >"$T/medians"
	line "$what" us "$(sed -n 2p "$T/medians")" \
		"$(sed -n 1p "$T/medians")" "ratio <= $goal"
}

compare 'hook record, the end of a turn' 1.6 "$T/stop" "$PW" hook record
[ "$(grep -c '"event":"turn-ended".*"said":true}$' \
	"$D/.paneward/42.records")" -eq "$rounds" ]
compare 'hook record, one of many tools' 1.6 "$T/tool" "$PW" hook record

if [ "$STATIC" != '' ]; then
	compare 'hook record, static' 0.6 "$T/stop" "$STATIC" hook record
	# In memory: on a disk it waits until its file is safe.
	memory=$(mktemp -d /dev/shm/paneward-bench.XXXXXX)
	compare 'signal, static' 0.6 /dev/null "$STATIC" \
		signal error tired --issue 42 --status-dir "$memory"
	rm -rf "$memory"
fi

if command -v strace >/dev/null; then
	strace -f -o "$T/calls" "$PW" hook record <"$T/stop"
	strace -f -o "$T/calls.empty" empty
	line '... system calls' '' "$(grep -c '(' "$T/calls")" \
		"$(grep -c '(' "$T/calls.empty")" 'ours <= 100'
	line '... processes' '' \
		"$(cut -d ' ' -f 1 "$T/calls" | sort -u | wc -l)" 1 'ours <= 1'
fi
