#!/bin/sh
# A day: six issues of a list, three at once, in work trees of their own.  Two
# permissions are answered from top, a limit passes, tmux is killed and the
# agents are brought back; the hand-off merges each.
. "${0%/*}/lib.sh"

git_project
client "$1" ask
hooks
cat >"$T/merge" <<'END'
#!/bin/sh
# Merges the branch, then cleans up.
flock "$0" git merge -q --no-edit "$PANEWARD_BRANCH" &&
	exec "$CLEANUP" "$@"
END
chmod +x "$T/merge"
cat >"$P/.paneward.json" <<END
{ "worktree": "new", "on_limit": "resume", "limit_prompt": "now proceed",
  "handoff": "CLEANUP='$ROOT/scripts/cleanup.sh' exec '$T/merge' \"\$@\"" }
END
git config user.name test
git config user.email test@localhost
git add .
git commit -q -m settings

# The limits of the others take minutes: each-parked.sh.
case $CLIENT in
claude|codex|pi) limited=51 ;;
*)               limited= ;;
esac
until=$(($(date +%s) + 60))
limit="You have hit your limit, resets at $(date -u -d "@$until" +%FT%TZ)"
work='{ "say": "I write %i.", "run": "echo %i >file-%i", "ask": true },
	{ "say": "I commit %i.", "run": "echo %i >file-%i && git add file-%i &&
		git commit -q -m %i", "ask": true },
	{ "say": "I finished %i.\n\n###TASK_COMPLETE_%i###" }'
work=$(echo "$work" | tr -d '\n\t')
hold='{ "say": "I think.", "hold": true }'
# It writes its transcript with the agent's first message.
[ "$CLIENT" != pi ] || hold='{ "say": "I begin.", "run": "true" }, '"$hold"
model '[ { "case": "work", "replies": [ '"$work"' ] },
	{ "case": "slow", "replies": [ '"$hold, $work"' ] },
	{ "case": "late", "replies": [ { "status": 429,
		"headers": { "x-should-retry": "false" }, "text": "'"$limit"'",
		"before": "'"$T/ended"'" }, '"$hold, $work"' ] } ]'
touch "$T/work.go" "$T/slow.go" "$T/late.go"
for issue in 51 52 53 54 55 56; do
	case $issue in
	"$limited") kind=late ;;
	51|54|55)   kind=slow ;;
	*)          kind=work ;;
	esac
	printf '%s\tPlease work on issue %s: [%s]\n' $issue $issue $kind
done >"$T/list"

state() {
	[ "$(record "$1" state 2>"$T/no-record")" = "$2" ]
}

merged() {
	[ -e "$P/file-$1" ] && [ ! -e "$P/.worktrees/issue-$1" ]
}

all_merged() {
	for issue in 51 52 53 54 55 56; do
		merged "$issue" || return
	done
}

# Answers what is asked; a dialog may be gone by then.
tend() {
	for issue in 51 52 53 54 55 56; do
		! state "$issue" asking ||
			"$PW" answer "$issue" yes >>"$T/answers" 2>&1 || :
	done
}

tended() {
	tend
	"$@"
}

at_work() {
	tm list-panes -a -F '#{@paneward_issue}' | grep -c '5'
}

# ---- the morning --------------------------------------------------------------

# shellcheck disable=SC2086
exits 0 'a list is started' "$PW" start --from "$T/list" --at-once 3 \
	--backend "$CLIENT" ${COMMAND:+-- $COMMAND} || done_testing
is "$(at_work)" 3 'three agents are at work'
is "$("$PW" status | grep -c queued)" 3 'and three issues wait'

# answered N: have so many dialogs been answered?
answered() {
	[ "$(grep -c '"type":"paneward\.answer"' \
		"$S/.paneward/journal.ndjson")" -ge "$1" ]
}

# The issue in the first row of top, if it asks, and is another one.
first_asks() {
	issue=$(pane_text top |
		sed -n '3s/^[ ▸]*\([0-9]*\) .* asking .*/\1/p')
	[ "$issue" != '' ] && [ "$issue" != "$last" ]
}

if [ "$ASKS" != '' ]; then
	wait_until "$LONG" state 52 asking
	wait_until "$LONG" state 53 asking
	pane_run top "cd '$P' && exec '$PW' top" -x 140 -y 40
	issue=
	for _ in 1 2; do
		last=$issue
		wait_until "$LONG" first_asks
		# Its hook tells before it draws.
		wait_until "$LONG" pane_shows "project-issue-$issue" "$ASKS"
		tm send-keys -t =top: Home r
		wait_until "$LONG" pane_shows top "answer $issue"
		tm send-keys -t =top: y Enter
		wait_until "$LONG" pane_shows top "$issue: answered"
	done
	check 'two permissions are answered from top' answered 2
fi
if [ "$limited" != '' ]; then
	wait_until "$LONG" state 51 limited
	wait_until "$LONG" grep -q '"parked":{' "$S/.paneward/51.json"
	# It repeats the request by itself before.
	[ "$CLIENT" != pi ] || wait_until "$LONG" \
		pane_shows project-issue-51 'Retry failed'
	: >"$T/ended"
	if ! grep -q '"parked":{[^}]*"until"' "$S/.paneward/51.json"; then
		kill -KILL "$(watcher 51)"
		sed -i 's/\("next":"\)2[0-9]*/\12020/' "$S/.paneward/51.json"
		"$PW" watch 51 >"$T/watch" 2>&1 &
	fi
fi

# ---- noon -----------------------------------------------------------------------

wait_until "$LONG" tended merged 52
wait_until "$LONG" tended merged 53
check 'two are merged by their hand-off' true
for issue in 51 54 55; do
	wait_until "$LONG" state $issue working
	wait_until "$LONG" grep -q "issue $issue" "$T/model.log"
done
is "$("$PW" status | grep -c queued)" 1 'and two of those that waited are started'

for issue in 51 52 53 54 55 56; do
	[ ! -e "$S/.paneward/$issue.json" ] || record "$issue" run >"$T/run-$issue"
done
machine_restarts 51 52 53 54 55 56
exits 0 'after tmux was killed they are brought back' "$PW" revive \
	--prompt 'please go on'
comment <"$T/out"

# ---- the evening ----------------------------------------------------------------

wait_until $((2 * LONG)) tended all_merged
for issue in 51 52 53 54 55 56; do
	check "$issue is merged, its work tree removed" merged "$issue"
	is "$(changes "$issue" complete)" 1 'it was complete once'
done
is "$(git log --format=%s | grep -c '^5[1-6]$')" 6 'six commits'
is "$(git worktree list | wc -l)" 1 'in one tree'
done_testing
