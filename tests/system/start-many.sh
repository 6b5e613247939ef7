#!/bin/sh
# paneward start of several issues, from the command line or from a list, and
# those that wait for their turn.
. "${0%/*}/lib.sh"

# waits ISSUE: it is queued.
waits() { "$PW" status "$1" 2>/dev/null | grep -q ' queued '; }

# started ISSUE: its agent has begun, which leaves a line.
started() { [ -e "$T/begun.$1" ]; }

# The agent: it says that it has begun, and ends when it is told to.
tmux_start
script agent <<'END'
echo "$@" >>"$T/begun.$PANEWARD_ISSUE"
until [ -e "$T/end.$PANEWARD_ISSUE" ]; do sleep 0.05; done
. "$T/end.$PANEWARD_ISSUE"
END

sed -i "s|\\\$T|$T|g" "$T/agent"

scenario 'several issues are started, or none' <<'END'
>>> fails 0 '' start 11 12 13 --no-watch -- "$T/agent" -x --prompt
>>> for issue in 11 12 13; do
... 	wait_until 10 started $issue
... 	is "$(cat "$T/begun.$issue")" '-x --prompt'
... done
>>> grep -c '^1[123]: started in session project-issue-1[123], pane' "$T/out"
3
>>> no test -e "$S/.paneward/queued"
>>> fails 2 "issue '21' is named twice" start 21 22 21 -- true
>>> fails 2 '' start 21 2/2 -- true
>>> fails 3 "cannot start issue '12': its run .* is alive" start 21 12 22 -- true
>>> fails 2 '' start 21 22 --session x -- true
>>> fails 2 '' start 21 22 --new-worktree=x -- true; fails 2 '' start -- true
>>> no test -e "$S/.paneward/21.json" && no test -e "$S/.paneward/queued"
END

shared="more than one agent would work in '$P':"
cp "$(command -v sleep)" "$T/claude"

scenario 'agents that would share a folder are named' <<'END'
>>> fails 0 "$shared 9, 11, 12 and 2 more; --new-worktree makes" start 14 9 \
... 	--no-watch -- "$T/agent"
>>> mkdir "$T/other"
>>> fails 0 '' start 16 --cwd "$T/other" --no-watch -- "$T/agent"
>>> is "$(cat "$T/err")" ''
>>> fails 0 '' start 18 19 --cwd "$P/.worktrees" --at-once 1 --no-watch -- \
... 	"$T/agent"
>>> is "$(cat "$T/err")" ''; fails 0 '' forget 18 19
>>> fails 0 '' start 18 --at-once 1 --no-watch -- "$T/agent"
>>> is "$(cat "$T/err")" ''; fails 0 '' forget 18
>>> pane_run ask "cd '$P'; \"$PW\" start 17 --no-watch -- '$T/agent'; echo said \$?; cat"
>>> wait_until 10 pane_shows ask 'the same? [y/N]'
>>> pane_type ask n; wait_until 10 pane_shows ask 'said 1'
>>> no test -e "$S/.paneward/17.json"
>>> mkdir "$T/by-hand"; pane_run hand "cd '$T/by-hand'; exec '$T/claude' 900"
>>> wait_until 5 eval '"$PW" status --all | grep -q "^hand:"'
>>> fails 0 "'$T/by-hand': 20, hand:.*0; --new-worktree" start 20 --no-watch \
... 	--cwd "$T/by-hand" -- "$T/agent"
>>> for issue in 14 9 16 20; do echo exit >"$T/end.$issue"; done
END

printf '31\tFix the map.\n# a comment\n\n%s\n' \
	'{ "issue": 32, "prompt": "Fix 32.", "command": ["'"$T/agent"'", "z"] }' \
	>"$T/list"
cat >"$T/fake.json" <<END
{ "command": "$T/agent", "prompt": ["<<prompt>>"] }
END

# wrong LINE PATTERN: a list with that line starts nothing.
wrong() {
	printf '41\tx\n%b\n' "$1" >"$T/list"
	fails 2 "^paneward: $T/list:2: .*$2" start --from "$T/list" --backend \
		fake
}

scenario 'a list starts each of its lines' <<'END'
>>> mkdir -p "$HOME/.config/paneward/backends"
>>> cp "$T/fake.json" "$HOME/.config/paneward/backends/fake.json"
>>> fails 0 '' start --from "$T/list" --backend fake --no-watch --no-report
>>> wait_until 10 started 31; wait_until 10 started 32
>>> is "$(cat "$T/begun.31")" 'Fix the map.'
>>> is "$(cat "$T/begun.32")" 'z Fix 32.'; wrong '4 1' "'4 1' is not an issue"
>>> wrong '41\tagain' "issue '41' is at $T/list:1 already"
>>> wrong '{ "issue": 42, "promt": "x" }' "'promt' .did you mean 'prompt'"
>>> wrong '{ "prompt": "x" }' "there is no 'issue'"
>>> wrong '{ "issue": 4.5 }' "'issue' is neither"; wrong '{ "issue": 42' ''
>>> wrong '42\t###TASK_COMPLETE_42###' 'finished marker'
>>> wrong '42\t\0351' 'not valid UTF-8'
>>> wrong '{ "issue": 42, "backend": "none" }' "backend 'none'"
>>> no test -e "$S/.paneward/41.json" && no test -e "$S/.paneward/queued"
>>> : >"$T/list"; fails 2 '' start --from "$T/list"
>>> fails 3 '' start --from "$T/no-list"; fails 2 '' start 41 --from "$T/list"
END

ended() { [ "$(pane_tell "project-issue-$1" '#{pane_dead}')" = 1 ]; }

scenario 'some wait for their turn, until others end' <<'END'
>>> for issue in 11 12 13 31 32; do echo exit 0 >"$T/end.$issue"; done
>>> for issue in 11 12 13 31 32; do wait_until 10 ended "$issue"; done
>>> "$PW" sweep >"$T/swept" 2>&1; printf '51\ta\n52\tb\n53\tc\n54\td\n55\te\n' |
... 	"$PW" start --from - --at-once 2 --backend fake --no-handoff --no-report \
... 	>"$T/out" 2>"$T/err"
>>> is "$(grep -c ': started in session' "$T/out")" 2; sed -n 3,5p "$T/out"
53: queued: next in line; the 2 places are taken by 51, 52
54: queued: 1 before it in line; the 2 places are taken by 51, 52
55: queued: 2 before it in line; the 2 places are taken by 51, 52
>>> like "$("$PW" status 54)" \
... 	'^54  *queued .*in line; the 2 places are taken by 51, 52$'
>>> like "$("$PW" status | tail -1)" '^55  *queued '
>>> valid 0 status --json 53; like "$(cat "$T/out")" \
... 	'"state":"queued".*"needs":false'
>>> like "$("$PW" status --tmux)" '2 working .*3 queued'
>>> like "$("$PW" explain 54)" \
... 	'queued.*1 before it in line; the 2 places are taken by 51, 52'
>>> fails 3 "it is queued; 'paneward forget 54' takes it out" start 54 -- true
>>> fails 3 '' start 60 54 -- true; fails 124 '' wait 54 --timeout 0
>>> fails 2 '' wait 54 --until queued; fails 0 '' forget 54; no waits 54
>>> waits 55
>>> echo '"$PANEWARD" signal complete; exit 0' >"$T/end.51"
>>> wait_until 20 started 53; no started 55
>>> is "$(record 53 branch)$(record 53 state)" working
>>> echo 'exit 3' >"$T/end.52"; wait_until 20 started 55; no started 54
>>> wait_until 10 no test -e "$S/.paneward/queued"
>>> sort "$T"/begun.5* >"$T/all"; is "$(tr '\n' ' ' <"$T/all")" 'a b c e '
END

scenario 'what cannot be started is dead' <<'END'
>>> cp "$T/agent" "$T/agent2"
>>> "$PW" start 56 57 --at-once 2 --no-handoff -- "$T/agent2" >"$T/out" 2>&1
>>> wait_until 10 waits 57; rm "$T/agent2"
>>> echo '"$PANEWARD" signal error "no luck"; exec tail -f /dev/null' >"$T/end.53"
>>> wait_until 20 recorded 56 dead; wait_until 20 recorded 57 dead
>>> is "$(record 57 state)" dead
>>> like "$(record 57 why)" "could not be started: cannot start '$T/agent2'"
>>> wait_until 10 no test -e "$S/.paneward/queued"
END

scenario 'each look starts the next' <<'END'
>>> fails 0 '' start 58 --at-once 1 --no-watch -- "$T/agent" late; waits 58
>>> echo exit 0 >"$T/end.55"; wait_until 20 started 58
>>> "$PW" start 59 60 --at-once 1 --no-watch -- "$T/agent" later >"$T/out" 2>&1
>>> waits 59
>>> pane_run top "exec '$PW' top" -x 120 -y 20
>>> wait_until 10 pane_shows top '2 queued'
>>> tm send-keys -t =top: End f; wait_until 10 no waits 60
>>> tm send-keys -t =top: q; echo exit 0 >"$T/end.58"; wait_until 10 ended 58
>>> waits 59
>>> "$PW" sweep >"$T/swept" 2>&1; wait_until 20 started 59
>>> echo exit 0 >"$T/end.59"
END

stop='{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"?"}'
scenario 'an agent at its prompt leaves its place' <<'END'
>>> wait_until 10 ended 59; "$PW" sweep >"$T/swept" 2>&1
>>> fails 0 '' start 65 66 --at-once 1 --no-handoff -- "$T/agent"; waits 66
>>> echo "echo '$stop' | \"\$PANEWARD\" hook record; exec tail -f /dev/null" \
... 	>"$T/end.65"
>>> wait_until 30 started 66; record 65 state
waiting
>>> fails 0 '' start 67 --at-once 1 --no-watch -- "$T/agent"; cat "$T/out"
67: queued: next in line; the 1 place is taken by 66
>>> "$PW" forget 67; tm kill-session -t =project-issue-65
67: out of the line; it will not be started
>>> echo exit 0 >"$T/end.66"; wait_until 10 ended 66
END

# An agent may begin before the queue without it is written.
scenario 'each has a work tree of its own when its turn comes' <<'END'
>>> git config --global user.name test
>>> git config --global user.email test@localhost; git init -q -b main
>>> echo one >file; git add file; git commit -q -m one
>>> "$PW" sweep >"$T/swept" 2>&1; cp "$T/agent" agent; git add agent
>>> git commit -q -m agent
>>> fails 0 '' start 61 62 --at-once 1 --new-worktree -- ./agent here
>>> wait_until 10 started 61; no test -e .worktrees/issue-62
>>> echo two >>file; echo exit 0 >"$T/end.61"; wait_until 20 started 62
>>> test -d .worktrees/issue-62
>>> is "$(record 62 base)" "$(git rev-parse HEAD)"
>>> wait_until 10 test ! -e "$S/.paneward/queued"
>>> mkdir -p .worktrees/issue-64/x
>>> fails 3 "issue '64': there is already a" start 63 64 --at-once 1 \
... 	--new-worktree --base HEAD -- true
>>> no test -e "$S/.paneward/queued"
END
done_testing
