#!/bin/sh
# Fifty sessions in which agents begin, report and end again and again, while
# every second a watcher, a sweep or the tmux server is killed, or a log is cut,
# moved or removed: every completion is handed off once, nothing else is, and
# the watch that is not killed does not grow.
#
# SOAK in the environment says how many completions there are to be; soak.pl
# has the kinds of them.
[ $# -gt 0 ] || set -- "${SOAK:-150}"
. "${0%/*}/../system/lib.sh"

cat >"$T/agent" <<END
#!/bin/sh
# agent KEY ISSUE STATUS-DIR: does what lines in KEY.orders say, word by word,
# and says in the files KEY.1, KEY.2, ... that it has.
key=\$1 issue=\$2 status=\$3 orders=0
END
cat >>"$T/agent" <<'END'
exec 3<>"$key.orders"
echo $$ >"$key.new" && mv "$key.new" "$key.pid"
echo "at work on issue $issue"

# leave_signal TEXT: all at once.
leave_signal() {
	printf '%s\n' "$1" >"$key.new"
	mv "$key.new" "$status/signal-complete-$issue"
}

# What stands before it tells the test that it came through.
say() {
	printf '%s\n%b' "reports ${key##*/}" "$1"
}

obeyed() {
	orders=$((orders + 1))
	: >"$key.$orders"
}

while read -r line <&3; do
	# shellcheck disable=SC2086
	set -- $line
	while [ $# -gt 0 ]; do
		word=$1
		shift
		case $word in
		noise) printf '%s\n' 'one line' 'and another' '' ;;
		signal) "$PW" signal complete --issue "$issue" \
			--status-dir "$status" ;;
		echo) echo finished >"$status/signal-complete-$issue" ;;
		move) leave_signal finished ;;
		plain) say "###TASK_COMPLETE_$issue###\n" ;;
		swapped) say "###COMPLETE_TASK_$issue###\n" ;;
		bound) say "###TASK_COMPLETE_$issue:$1###\n"; shift ;;
		bare) say "###TASK_COMPLETE_$issue###" ;;
		split) say '###TASK_COM'
			sleep 0.3
			printf '%s\n' "PLETE_$issue###" ;;
		fail_signal) "$PW" signal error 'no luck' --issue "$issue" \
			--status-dir "$status" ;;
		fail_marker) printf '%s\n' "###TASK_ERROR_$issue###" \
			'no luck' ;;
		fenced) printf '%s\n' '```' "###TASK_COMPLETE_$issue###" \
			'```' ;;
		quoted) printf '%s\n' "'###TASK_COMPLETE_$issue###'" ;;
		prompt) printf '%s\n' \
			"> At the end, print ###TASK_COMPLETE_$issue### please" ;;
		foreign) printf '%s\n' "###TASK_COMPLETE_${issue}0###" \
			"###TASK_COMPLETE_1$issue###" ;;
		nonce) printf '%s\n' "###TASK_COMPLETE_$issue:00000000###" ;;
		stale) leave_signal "run=$1"; shift ;;
		old) : >"$key.new"
			touch -t 202001010000 "$key.new"
			mv "$key.new" "$status/signal-complete-$issue" ;;
		leave) obeyed; exit 0 ;;
		crash) obeyed; kill -s KILL $$ ;;
		esac
	done
	obeyed
done
END
# The pane of some runs ends with their hand-off, as it does with cleanup.sh.
cat >"$T/h.sh" <<END
#!/bin/sh
cat >/dev/null
echo "\$PANEWARD_ISSUE \$PANEWARD_RUN \$PANEWARD_HANDOFF_ID \
\$PANEWARD_ATTEMPT \$PANEWARD_STATE" >>'$T/effects'
case \$PANEWARD_ISSUE in *[37]) sleep 0.2 ;; esac
[ -e '$T/runs/ends-'"\$PANEWARD_RUN" ] || exit 0
run=\$(tmux -S "\$PANEWARD_SOCKET" display-message -p -t "\$PANEWARD_PANE" \
	'#{@paneward_run}' 2>/dev/null)
[ "\$run" != "\$PANEWARD_RUN" ] ||
	tmux -S "\$PANEWARD_SOCKET" kill-pane -t "\$PANEWARD_PANE"
exit 0
END
chmod +x "$T/agent" "$T/h.sh"
: >"$T/effects"
: >"$T/wrong"
mkdir "$T/runs"
tmux_start

perl "$ROOT/tests/faults/soak.pl" "$1" "$T" "$PW"
check 'it comes to its end' test -e "$T/ended"

# none KIND DESCRIPTION: nothing of that kind went wrong.
none() {
	is "$(sed -n "s/^$1: //p" "$T/wrong")" '' "$2"
}

none missed 'every completion is handed off'
none false 'and nothing else'
none twice 'each once, under one id'
none record 'which the records say'
none journal 'every line of the journals is whole'
none left 'no process is left behind'
none grown 'and the watch that was not killed has not grown'
none trouble 'nothing else is odd'
done_testing
