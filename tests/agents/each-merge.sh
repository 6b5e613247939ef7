#!/bin/sh
# A task from its start, with nothing configured, to its merge: the agent reports
# that it is done, gets one more prompt, and its branch becomes one commit.
. "${0%/*}/lib.sh"

git_project
client "$1"
rm "$HOME/.config/paneward/config.json"
git config user.name test
git config user.email test@localhost
work() {
	printf '{ "say": "I write %s.", "run": "%s" }, { "say": "%s" }' \
		"$1" "echo $1 >$1 && git add $1 && git commit -q -m $1" "$2"
}
model "[ $(work code 'I did it.\n\n###TASK_COMPLETE_51###'),
	$(work docs 'And the docs.') ]"
rm -rf .opencode                        # It writes an ignored file there.
git add .
git commit -q -m settings

tree=$P/.worktrees/issue-51
# shellcheck disable=SC2086
exits 0 'it is started' "$PW" start 51 --new-worktree \
	--backend "$CLIENT" --prompt 'port the parser' ${COMMAND:+-- $COMMAND}
becomes 51 complete
"$PW" diff 51 >"$T/diff" 2>&1
like "$(cat "$T/diff")" '\+code' 'its diff is shown'
exits 0 'one more prompt is sent' \
	"$PW" send 51 --when-idle --wait 'also the docs'
like "$("$PW" diff 51)" '\+docs' 'and that is in the diff, too'
echo mine >"$tree/mine"
fails 1 "'mine'" merge 51 --squash
rm "$tree/mine"
exits 0 'it is merged' "$PW" merge 51 --squash
comment <"$T/out"
is "$(git log --format=%s -1) $(cat code docs | tr '\n' ' ')" \
	'Issue 51: code code docs ' 'the base has one commit'
check 'its work tree is gone' test ! -e "$tree"
check 'and so is its pane' no tm has-session -t =project-issue-51
done_testing
