#!/bin/sh
# Whatever a hook is given, it never harms the agent: exit status 0, nothing on
# standard output, at most one line on standard error, in under two seconds.
. "${0%/*}/lib.sh"

hooks='record inbox loop'
# An issue to record for, and an agent that has an inbox.
"$PW" signal error --issue 42 'makes the status directory' || exit 1
export PANEWARD_ISSUE=42 PANEWARD_STATUS_DIR="$S" \
	__STOP_HOOK_AGENT_ID=ashigaru1 __STOP_HOOK_SCRIPT_DIR="$P"
mkdir -p queue/inbox
printf 'tasks: []\n' >queue/inbox/ashigaru1.yaml
stop='"hook_event_name":"Stop","stop_hook_active":false'

# harmless LINES WHAT COMMAND...: standard input comes from the command; LINES
# are how many there may be on standard error: 1, or "0 1".
harmless() {
	lines=$1
	what=$2
	shift 2
	for hook in $hooks; do
		rm -f "$T/over" "$T/late"
		"$@" 2>/dev/null |
			{
				"$PW" hook "$hook" >"$T/out" 2>"$T/err"
				echo $? >"$T/exit"
				: >"$T/over"
				# The test must not have to wait for the writer.
				exec </dev/null
			}
		told=$(wc -l <"$T/err" | tr -d ' ')
		[ "$(cat "$T/exit" "$T/out")" = 0 ] && [ ! -e "$T/late" ] &&
			case " $lines " in *" $told "*) ;; *) false ;; esac
		result $? "$hook: $what" || comment <"$T/err"
	done
}

# go_on COMMAND...: again and again until the hook has ended, or for a minute.
go_on() {
	left=600
	until [ -e "$T/over" ]; do
		"$@"
		sleep 0.1
		left=$((left - 1))
		[ "$left" -gt 0 ] || : >"$T/late"
	done
}

endless() {
	printf '{'
	go_on :
}

dripping() { go_on printf ' '; }
text() { printf '%b' "$1"; }

large() {
	printf '{%s,"last_assistant_message":"' "$stop"
	head -c 104857600 /dev/zero | tr '\0' x
	printf '"}'
}

# deep OPEN CLOSE: ten thousand of them, in each other.
deep() {
	perl -e 'print "{\"a\":", $ARGV[0] x 1e4, 1, $ARGV[1] x 1e4, "}"' "$@"
}

harmless 1 'an input that never ends' endless
harmless 1 'an input that comes byte by byte' dripping
harmless 1 'a hundred megabytes' large
harmless 1 'lists ten thousand deep' deep '[' ']'
harmless 1 'objects ten thousand deep' deep '{"a":' '}'
# How many lines there may be, and an input.  M is a message.
while IFS= read -r row; do
	input=${row#*: }
	case $input in
	M*) input="{$stop,\"last_assistant_message\":${input#M}" ;;
	esac
	harmless "${row%%: *}" "$(printf %s "$input" | tr '\\' /)" text "$input"
done <<-'END'
	1: {"hook_event_name":"Stop","stop_hook_active":false,"stop_hook_active":true}
	1: M"a\0000b"}
	1: M"\0377\0376"}
	0 1: M"a\\u0000\\ud800"}
	1: 
	1: {"hook_event_name":"Stop","stop_hook_active":false
	1: [1]
	1: "Stop"
	1: null
	0 1: Mnull,"session_id":null}
	0 1: {"hook_event_name":"Stop","last_assistant_message":7,"session_id":8}
	0 1: {"hook_event_name":[],"last_assistant_message":[],"session_id":[]}
	0 1: {}
END
hooks=inbox
for value in null 7; do
	harmless 1 "a message that is $value" \
		text "{$stop,\"last_assistant_message\":$value}"
done

# ---- where nothing can be written -------------------------------------------
done_message() { text "{$stop,\"last_assistant_message\":\"task completed\"}"; }
# As if the disk were full: no file may have a byte.
echo "trap '' XFSZ; ulimit -f 0; exec '$PW' \"\$@\"" | script full
# Whole, so that no hook waits for it.
done_message >"$T/message"
for hook in record inbox; do
	rm -f queue/inbox/roju_reports.yaml
	{ "$T/full" hook "$hook" <"$T/message" 2>&3 | cat >"$T/out"; } 3>&1 |
		cat >"$T/err"
	is "$(grep -c . "$T/err") $(cat "$T/out"; ls queue/inbox | grep -v lock)" \
		'1 ashigaru1.yaml' "$hook: a full disk is told, nothing left"
	like "$(cat "$T/err")" 'too large|No space' '... that says so'
done

hooks='record inbox'
PANEWARD_STATUS_DIR=$T/nowhere/at/all
__STOP_HOOK_SCRIPT_DIR=$PANEWARD_STATUS_DIR
harmless '0 1' 'a directory that is missing' done_message
hooks=inbox
harmless 1 'a missing directory of inboxes' done_message
check 'it is not made' test ! -e "$T/nowhere"

: >"$T/file"
PANEWARD_STATUS_DIR=$T/file
__STOP_HOOK_SCRIPT_DIR=$T/file
hooks='record inbox'
harmless 1 'a file in its place' done_message

# ---- where the answer cannot be written -------------------------------------
__STOP_HOOK_SCRIPT_DIR=$P
printf 'tasks: [{status: assigned}]\n' >queue/inbox/ashigaru1.yaml
echo '{}' >"$T/message"
if [ -c /dev/full ]; then
	check 'an answer without a reader' \
		eval '"$PW" hook inbox <"$T/message" >/dev/full 2>"$T/err"'
	like "$(cat "$T/err")" 'cannot write the answer' '... is told'
fi
check 'nor does a closed output matter' \
	eval '"$PW" hook inbox <"$T/message" >&-'
done_testing
