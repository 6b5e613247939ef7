#!/bin/sh
# Any input leaves the agent of a hook unharmed: exit status 0, nothing on standard
# output, at most one line on standard error, in under two seconds.
. "${0%/*}/lib.sh"

# An issue to record for, and an agent that has an inbox.
"$PW" signal error --issue 42 'makes the status directory' || exit 1
export PANEWARD_ISSUE=42 PANEWARD_STATUS_DIR="$S" \
	__STOP_HOOK_AGENT_ID=ashigaru1 __STOP_HOOK_SCRIPT_DIR="$P"
mkdir -p queue/inbox
printf 'tasks: []\n' >queue/inbox/ashigaru1.yaml
stop='"hook_event_name":"Stop","stop_hook_active":false'

# harmless LINES HOOKS WHAT COMMAND...: standard input comes from the command; LINES
# are how many there may be on standard error: 1, or "0 1".
harmless() {
	lines=$1 hooks=$2 what=$3
	shift 3
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

text() { printf '%b' "$1"; }
endless() { printf '{' && go_on :; }
dripping() { go_on printf ' '; }
hundred_megabytes() {
	text "{$stop,\"last_assistant_message\":\""
	head -c 104857600 /dev/zero | tr '\0' x
	text '"}'
}
deep() { perl -e 'print "{\"a\":", $ARGV[0] x 1e4, 1, $ARGV[1] x 1e4, "}"' "$@"; }
completed() { text "{$stop,\"last_assistant_message\":\"task completed\"}"; }

all='record inbox loop'
# shellcheck disable=SC2089
for input in endless dripping hundred_megabytes 'deep [ ]' 'deep {"a": }'; do
	# shellcheck disable=SC2086,SC2090
	harmless 1 "$all" "$input" $input
done
# How many lines there may be, and an input.  M is a message.
while IFS= read -r row; do
	input=${row#*: }
	case $input in
	M*) input="{$stop,\"last_assistant_message\":${input#M}" ;;
	esac
	# shellcheck disable=SC1003
	harmless "${row%%: *}" "$all" "$(printf %s "$input" | tr '\\' /)" \
		text "$input"
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
for value in null 7; do
	harmless 1 inbox "a message that is $value" \
		text "{$stop,\"last_assistant_message\":$value}"
done

# As if the disk were full: no file may have a byte.  The input is whole, so that no
# hook waits for it.
echo "trap '' XFSZ; ulimit -f 0; exec '$PW' \"\$@\"" | script full
completed >"$T/message"
for hook in record inbox; do
	rm -f queue/inbox/roju_reports.yaml
	{ "$T/full" hook "$hook" <"$T/message" 2>&3 | cat >"$T/out"; } 3>&1 |
		cat >"$T/err"
	is "$(grep -Ec 'too large|No space' "$T/err") $(cat "$T/out"
		find queue/inbox -type f ! -name '*lock*' | sed 's|.*/||')" \
		'1 ashigaru1.yaml' "$hook: a full disk is told, nothing left"
done

while IFS=: read -r lines place; do
	PANEWARD_STATUS_DIR=$place __STOP_HOOK_SCRIPT_DIR=$place
	harmless "$lines" record "no directory at ${place##*/}" completed
	harmless 1 inbox "no directory at ${place##*/}" completed
done <<END
0 1:$T/nowhere/at/all
1:$T/message
END
check 'it is not made' test ! -e "$T/nowhere"

PANEWARD_STATUS_DIR=$S __STOP_HOOK_SCRIPT_DIR=$P
echo 'tasks: [{status: assigned}]' >queue/inbox/ashigaru1.yaml
echo '{}' >"$T/message"
scenario 'an answer that cannot be written matters as little' <<'END'
>>> "$PW" hook inbox <"$T/message" >&-
>>> [ ! -c /dev/full ] || "$PW" hook inbox <"$T/message" >/dev/full 2>"$T/err"
>>> [ ! -c /dev/full ] || grep -q 'cannot write the answer' "$T/err"
END
done_testing
