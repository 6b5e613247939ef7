#!/bin/sh
# What a row tells beside its state: the task, the tool in use, the last line of
# the answer, the branch and how many files have changed.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

tmux_start
git init -q -b main "$P"
git -C "$P" -c user.name=me -c user.email=me@example.org \
	commit -q --allow-empty -m begun

# writes JSON: a line of the transcript; now: its time.
writes() {
	printf '%s\n' "$1" | sed "s/NOW/$(stamp)/" >>"$(file 1)"
	shows 1 -
}
uses() {
	writes '{"type":"assistant","timestamp":"NOW","message":{"role":"assistant","content":[{"type":"tool_use","id":"'"$1"'","name":"'"$2"'","input":'"$3"'}]}}'
}
used() {
	writes '{"type":"user","timestamp":"NOW","toolUseResult":{},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"'"$1"'"}]}}'
}
titled() {
	writes '{"type":"custom-title","customTitle":"'"$1"'"}'
}

# row MEMBER: of the row's JSON, or "none".
row() {
	"$PW" status 1 --json | perl -MJSON::PP -ne 'BEGIN { $key = pop }
		binmode STDOUT, ":utf8";
		print decode_json($_)->{$key} // "none", "\n"' "$1"
}
row_is() { [ "$(row "$1")" = "$2" ]; }
tells() { wait_until 10 row_is "$1" "$2"; }
says_what() { "$PW" status 1 | sed 's/.*%[0-9]*  //; q'; }

tree=$P/.worktrees/issue-1
scenario 'a working row has the task, and the tool from its start to its end' \
	<<'END'
>>> begin 1 claude --new-worktree
>>> wait_until 10 no has 1 agent.pid ''
>>> says 1 prompt '\n  Port the parser.\nAnd its tests.'
>>> tells task 'Port the parser.'; says_what; row doing; row said
Port the parser.
none
none
>>> before=$(record 1 changes)
>>> writes '{"type":"last-prompt","lastPrompt":"Port the parser. And its tests."}'
>>> session 1 "$(record 1 agent.pid)" "$(record 1 agent.session)" busy
>>> uses t1 Bash '{"command":"npm test\nnpm run lint"}'
>>> tells doing 'Bash npm test npm run lint'; says_what
Bash npm test npm run lint
>>> uses t2 Edit '{"file_path":"'"$tree"'/src/x.c"}'; tells doing 'Edit src/x.c'
>>> "$PW" status 1 | sed -n 's/^  \(task\|doing\) *//p'
Port the parser.
Edit src/x.c
>>> valid 0 status 1 --json; covers row.doing
>>> used t2; tells doing 'Bash npm test npm run lint'
>>> used t1; tells doing none; is "$(record 1 changes)" "$before"
>>> says_what
Port the parser.
END
scenario 'at its prompt it has its last line, its branch and what has changed' \
	<<'END'
>>> : >"$tree/one"; : >"$tree/two"; git -C "$tree" switch -q -c other
>>> says 1 text 'Both are done.\n\nShall I push?\n'
>>> tells said 'Shall I push?'; wait_until 10 recorded 1 waiting; says_what
Shall I push?
>>> tells changes 2; valid 0 status 1 --json
>>> covers row.task row.said row.branch row.changes row.worktree row.base
>>> covers row.transcript row.agent.session
>>> valid 0 history 1 --json; covers history.data.said history.data.task
>>> row branch; ls "$S/.paneward" | grep doing
other
[1]
>>> "$PW" status 1 | sed -n 's/^  branch *//p'
other, 2 files changed
>>> fails 0 '  waiting   Shall I push\? - Port the parser\.$' history 1
>>> pane_run top "exec '$PW' top"; wait_until 10 pane_shows top 'Shall I push?'
>>> tm send-keys -t =top: Space
>>> wait_until 10 pane_shows top ' Both are done. Shall I push?'
END
scenario 'without its watcher a look finds the same' <<'END'
>>> kill "$(watcher 1)"; wait_until 10 no watched 1
>>> says 1 prompt 'Yes.'; uses t3 Bash '{"command":"git push"}'
>>> tells doing 'Bash git push'; row task
Yes.
END
long=$(head -c 500000 /dev/zero | tr '\0' x)
scenario 'a title is one line without controls, however long it is' <<'END'
>>> titled 'a\u001b[2J#{pane_id}\u202e%s\n###TASK_COMPLETE_1###'
>>> wait_until 10 no row_is task Yes.; row task
a#{pane_id}\u202e%s
>>> valid 0 status 1 --json; covers row.prompt
>>> titled "$long"; wait_until 10 eval '[ "$(row task | wc -c)" -eq 201 ]'
>>> "$PW" watch 1 >"$T/watched" 2>&1 & wait_until 10 watched 1
>>> wait_until 10 eval '[ "$(record 1 task | wc -c)" -ge 200 ]'
>>> "$PW" status 1 | LC_ALL=C grep -c '[^ -~]'
0
[1]
END
scenario 'a dead row has the last line, behind all that was drawn' <<'END'
>>> tell c1/claude 'printf "\033[Hbusy\n\033[2H\n│ no disk │\n❯\n"; exit 3'
>>> wait_until 10 recorded 1 dead; row message; says_what
no disk
no disk
END
done_testing
