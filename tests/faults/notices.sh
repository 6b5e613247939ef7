#!/bin/sh
# Exactly one notice for each question of agents in many panes, while their
# watcher is killed again and again, a second after it has begun at the latest.
#
# NOTICES in the environment says how many questions there are to be, and
# NOTICE_PANES in how many panes; notices.pl has the agents.
[ $# -gt 0 ] || set -- "${NOTICES:-24}" "${NOTICE_PANES:-3}"
. "${0%/*}/../system/lib.sh"

script note <<END
echo "\$PANEWARD_EPISODE" >>'$T/told.'\$PANEWARD_ISSUE
END
printf '{ "handoff": null, "notify": [["%s"]], "notify_on": ["asking"] }\n' \
	"$T/note" >"$P/.paneward.json"
tmux_start
issue=0
while [ "$issue" -lt "$2" ]; do
	issue=$((issue + 1))
	"$PW" start "$issue" --session "s$issue" --no-watch -- sleep 100000 \
		>"$T/said" 2>&1 || comment <"$T/said"
done

perl "$ROOT/tests/faults/notices.pl" "$1" "$2" "$T" "$PW" "$S"
check 'every question comes to its notice' test -e "$T/ended"
is "$(sort "$T"/told.* | uniq -d)" '' 'and none to two'
# A line of the journal that a killed watcher repeats has the same id.
asked=$(grep -h '"state":"asking"' "$S/.paneward/journal.ndjson" |
	sed 's/.*"id":"\([^"]*\)".*/\1/' | sort -u | wc -l)
is "$(cat "$T"/told.* | wc -l) of $((asked))" "$1 of $1" \
	'as many as the journal has'
is "$(cat "$T/trouble")" '' 'no watcher had a word to say'
done_testing
