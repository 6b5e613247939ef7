#!/bin/sh
# The status directory: the kernel loses count of what happens in it, or has no
# more to tell; it is removed, renamed, mounted over, full, read-only, another
# project's, or a lock in it is.  Watchers and sweeps lose nothing by that, and
# every completion is handed off once.
#
# In a mount namespace of its own, so that no mount outlives the test.
for how in -m -Urm; do
	[ "${TEST_FOLDER:-}" = '' ] && [ $# -eq 0 ] &&
		unshare "$how" true 2>/dev/null &&
		exec unshare "$how" sh "$0" mounts
done
. "${0%/*}/../system/lib.sh"

mounts=${1:-}
cat >"$P/h.sh" <<END
#!/bin/sh
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID \$PANEWARD_ATTEMPT" >>'$T/handed'
[ ! -e '$T/do-'\$PANEWARD_ISSUE ] || . '$T/do-'\$PANEWARD_ISSUE
END
chmod +x "$P/h.sh"
printf '{ "handoff": "./h.sh" }\n' >"$P/.paneward.json"
: >"$T/handed"
tmux_start

handed() {
	grep -c "^$1 " "$T/handed"
}

handed_once() {
	[ "$(handed "$1")" -eq 1 ]
}

# begin ISSUE OPTION...: two agents, a watch of the first and one of all; the
# latter has the issue behind.  Its trouble is in $T/one.err and $T/all.err.
begin() {
	one=$1
	two=$((one + 1))
	shift
	for issue in $one $two; do
		"$PW" start $issue --no-watch --session s$issue -- \
			tail -f /dev/null >"$T/said" 2>&1 || comment <"$T/said"
	done
	watch_begin one "$one" --handoff ./h.sh "$@"
	wait_until 5 watch_holds one "$one"
	watch_begin all --all "$@"
	wait_until 5 watch_holds all "$two"
}

# What both said that is not about the end of the test.
trouble() {
	cat "$T/one.err" "$T/all.err" | grep '^paneward:'
}

report() {
	for issue; do
		"$PW" signal complete --issue "$issue"
	done
}

# done_with DESCRIPTION [SECONDS]: both are handed off, within so many; a sweep
# finds nothing left to do.
done_with() {
	wait_until "${2:-5}" handed_once "$one"
	wait_until "${2:-5}" handed_once "$two"
	watch_ended one 0 "$1: a watch ends"
	wait_until 5 no test -e "$S/signal-complete-$two"
	finish "$1"
}

finish() {
	kill "$(cat "$T/all.pid")"
	wait_until 5 test -e "$T/all.status"
	for issue in $one $two; do
		is "$(handed $issue)/$(record $issue handoff.state)" 1/done \
			"$1: issue $issue is handed off once"
	done
	exits 0 "$1: after it a sweep" "$PW" sweep
	is "$(cat "$T/out" "$T/err")" '' 'has nothing to do'
	tm kill-session -t "=s$one:"
	tm kill-session -t "=s$two:"
}

# ---- more happens than the kernel can tell ----------------------------------

limit=/proc/sys/fs/inotify/max_queued_events
if [ -r $limit ] && [ "$(cat $limit)" -le 50000 ]; then
	begin 10
	kill -STOP "$(cat "$T/one.pid")" "$(cat "$T/all.pid")"
	# Each file is two events: made, and closed after writing.
	perl -e 'for (1 .. $ARGV[1]) {
		open my $f, ">", "$ARGV[0]/x$_" or die; close $f;
		unlink "$ARGV[0]/x$_";
	}' "$S" "$(cat $limit)"
	report 10 11
	kill -CONT "$(cat "$T/one.pid")" "$(cat "$T/all.pid")"
	done_with 'the queue has run over'
	is "$(trouble)" '' 'nobody says a word'
else
	skip 'the queue has run over' 'there is no small queue'
fi

# ---- the kernel tells nothing -----------------------------------------------

# without KIND COMMAND...: it can have no inotify instances, or watches.
cat >"$T/without" <<'END'
#!/bin/sh
exec unshare -Ur sh -c 'echo 0 >"/proc/sys/user/max_inotify_$0" && exec "$@"' \
	"$@"
END
chmod +x "$T/without"

kernel=$PW
for kind in instances watches; do
	if ! "$T/without" $kind true 2>/dev/null; then
		skip "no inotify $kind" 'it cannot be provoked here'
		continue
	fi
	cat >"$T/blind" <<-END
		#!/bin/sh
		exec '$T/without' $kind '$kernel' "\$@"
	END
	chmod +x "$T/blind"
	PW=$T/blind
	begin $([ $kind = instances ] && echo 20 || echo 22)
	PW=$kernel
	report $one $two
	done_with "no inotify $kind" 5
	cat $T/one.err $T/all.err | comment
done
done_testing
