#!/bin/sh
# paneward start of several issues, from the command line or from a list, and
# those that wait for their turn.
. "${0%/*}/lib.sh"

tmux_start

# waits ISSUE: it is queued.
waits() {
	"$PW" status "$1" 2>/dev/null | grep -q ' queued '
}

# started ISSUE: its agent has begun, which leaves a line.
started() {
	[ -e "$T/begun.$1" ]
}

# The agent: it says that it has begun, and ends when it is told to.
cat >"$T/agent" <<'END'
#!/bin/sh
echo "$@" >>"$T/begun.$PANEWARD_ISSUE"
until [ -e "$T/end.$PANEWARD_ISSUE" ]; do sleep 0.05; done
. "$T/end.$PANEWARD_ISSUE"
END
sed -i "s|\\\$T|$T|g" "$T/agent"
chmod +x "$T/agent"

# ---- several issues ---------------------------------------------------------

exits 0 'several issues are started' "$PW" start 11 12 13 --no-watch -- \
	"$T/agent" -x --prompt
for issue in 11 12 13; do
	wait_until 10 started $issue
	is "$(cat "$T/begun.$issue")" '-x --prompt' "$issue has its command"
done
is "$(grep -c '^1[123]: started in session project-issue-1[123], pane' \
	"$T/out")" 3 'each is told'
check 'nothing waits' no test -e "$S/.paneward/queued"
exits 2 'an issue is named once' "$PW" start 21 22 21 -- true
like "$(cat "$T/err")" "issue '21' is named twice" 'which is told'
exits 2 'a wrong one starts none' "$PW" start 21 2/2 -- true
exits 3 'nor does one that cannot start' "$PW" start 21 12 22 -- true
like "$(cat "$T/err")" "cannot start issue '12': its run .* is alive" \
	'which is told'
exits 2 'a session is for one' "$PW" start 21 22 --session x -- true
exits 2 'so is a branch' "$PW" start 21 22 --new-worktree=x -- true
exits 2 'without an issue there is no start' "$PW" start -- true
check 'no record is left of these' no test -e "$S/.paneward/21.json"
check 'nor do they wait' no test -e "$S/.paneward/queued"

# ---- in one folder ----------------------------------------------------------

shared="more than one agent would work in '$P': issues"
exits 0 'two agents in one folder' "$PW" start 14 9 --no-watch -- "$T/agent"
like "$(cat "$T/err")" "$shared 9, 11, 12 and 2 more; --new-worktree makes" \
	'are told of, with those that live there'
mkdir "$T/other"
exits 0 'another folder' "$PW" start 16 --cwd "$T/other" --no-watch -- "$T/agent"
is "$(cat "$T/err")" '' 'is its own'
exits 0 'one after the other' "$PW" start 18 19 --cwd "$P/.worktrees" \
	--at-once 1 --no-watch -- "$T/agent"
is "$(cat "$T/err")" '' 'they do not meet'
exits 0 'they are taken out' "$PW" forget 18 19
exits 0 'one that waits for all that live' "$PW" start 18 --at-once 1 \
	--no-watch -- "$T/agent"
is "$(cat "$T/err")" '' 'does not meet them either'
exits 0 'it is taken out' "$PW" forget 18
pane_run ask "cd '$P'; \"$PW\" start 17 --no-watch -- '$T/agent'; echo said \$?; cat"
soon 'a person at a terminal is asked' pane_shows ask 'the same? [y/N]'
pane_type ask n
soon 'no' pane_shows ask 'said 1'
check 'starts nothing' no test -e "$S/.paneward/17.json"
for issue in 14 9 16; do
	echo exit >"$T/end.$issue"
done

# ---- a list -----------------------------------------------------------------

printf '31\tFix the map.\n# a comment\n\n%s\n' \
	'{ "issue": 32, "prompt": "Fix 32.", "command": ["'"$T/agent"'", "z"] }' \
	>"$T/list"
cat >"$T/fake.json" <<END
{ "command": "$T/agent", "prompt": ["<<prompt>>"] }
END
mkdir -p "$HOME/.config/paneward/backends"
cp "$T/fake.json" "$HOME/.config/paneward/backends/fake.json"
exits 0 'a list is started' "$PW" start --from "$T/list" --backend fake \
	--no-watch
wait_until 10 started 31
wait_until 10 started 32
is "$(cat "$T/begun.31")" 'Fix the map.' 'a line has its prompt'
is "$(cat "$T/begun.32")" 'z Fix 32.' 'an object of JSON, too'

# wrong LINE PATTERN DESCRIPTION: a list with that line starts nothing.
wrong() {
	printf '41\tx\n%b\n' "$1" >"$T/list"
	exits 2 "$3" "$PW" start --from "$T/list" --backend fake
	like "$(cat "$T/err")" "^paneward: $T/list:2: .*$2" 'its place is told'
}

wrong '4 1' "'4 1' is not an issue" 'a wrong issue ends it'
wrong '41\tagain' "issue '41' is at $T/list:1 already" 'so does a double one'
wrong '{ "issue": 42, "promt": "x" }' "'promt' .did you mean 'prompt'" \
	'and an unknown key'
wrong '{ "prompt": "x" }' "there is no 'issue'" 'and an object without one'
wrong '{ "issue": 4.5 }' "'issue' is neither" 'and half a number'
wrong '{ "issue": 42' '' 'and half an object'
wrong '42\t###TASK_COMPLETE_42###' 'finished marker' 'and a prompt that counts'
wrong '42\t\0351' 'not valid UTF-8' 'and what is no text'
wrong '{ "issue": 42, "backend": "none" }' "backend 'none'" \
	'and a backend that is not there'
check 'no record is left of these' no test -e "$S/.paneward/41.json"
check 'nor do they wait' no test -e "$S/.paneward/queued"
: >"$T/list"
exits 2 'an empty list is none' "$PW" start --from "$T/list"
exits 3 'nor is one that is not there' "$PW" start --from "$T/no-list"
exits 2 'a list goes without issues' "$PW" start 41 --from "$T/list"

# ---- some at once -----------------------------------------------------------

for issue in 11 12 13 31 32; do
	echo exit 0 >"$T/end.$issue"
done
ended() { [ "$(pane_tell "project-issue-$1" '#{pane_dead}')" = 1 ]; }
for issue in 11 12 13 31 32; do
	wait_until 10 ended "$issue"
done
"$PW" sweep >"$T/swept" 2>&1
printf '51\ta\n52\tb\n53\tc\n54\td\n55\te\n' |
	"$PW" start --from - --at-once 2 --backend fake --no-handoff \
	>"$T/out" 2>"$T/err"
is "$(grep -c ': started in session' "$T/out")" 2 'two are started'
is "$(sed -n 3,5p "$T/out")" \
'53: queued: next in line; the 2 places are taken by 51, 52
54: queued: 1 before it in line; the 2 places are taken by 51, 52
55: queued: 2 before it in line; the 2 places are taken by 51, 52' \
	'the others wait'
like "$("$PW" status 54)" '^54  *queued .*in line; the 2 places are taken by 51, 52$' \
	'status shows it, and who is at work'
like "$("$PW" status | tail -1)" '^55  *queued ' 'behind those at work'
like "$("$PW" status --json 53)" '"state":"queued".*"needs":false' \
	'as JSON, too'
like "$("$PW" status --tmux)" '2 working .*3 queued' 'the summary counts it'
like "$("$PW" explain 54)" 'queued.*1 before it in line; the 2 places are taken by 51, 52' \
	'explain says what it waits for'
exits 3 'it is not started twice' "$PW" start 54 -- true
like "$(cat "$T/err")" "it is queued; 'paneward forget 54' takes it out" \
	'which is told'
exits 3 'nor queued twice' "$PW" start 60 54 -- true
exits 124 'wait waits for it' "$PW" wait 54 --timeout 0
exits 2 'it is no state to wait for' "$PW" wait 54 --until queued
exits 0 'forget takes it out' "$PW" forget 54
check 'then it is not known' no waits 54
check 'the others still wait' waits 55

echo '"$PANEWARD" signal complete; exit 0' >"$T/end.51"
wait_until 20 started 53
check 'the end of one starts the next' started 53
check 'and no other' no started 55
is "$(record 53 branch)$(record 53 state)" working 'it works'
echo 'exit 3' >"$T/end.52"
wait_until 20 started 55
check 'so does a death' started 55
check 'what was forgotten is not started' no started 54
wait_until 10 no test -e "$S/.paneward/queued"
check 'nothing waits any more' no test -e "$S/.paneward/queued"
sort "$T"/begun.5* >"$T/all"
is "$(tr '\n' ' ' <"$T/all")" 'a b c e ' 'each was started once'

# ---- a start that fails -----------------------------------------------------

cp "$T/agent" "$T/agent2"
"$PW" start 56 57 --at-once 2 --no-handoff -- "$T/agent2" >"$T/out" 2>&1
wait_until 10 waits 57
rm "$T/agent2"
echo '"$PANEWARD" signal error "no luck"; exec tail -f /dev/null' >"$T/end.53"
wait_until 20 recorded 56 dead
wait_until 20 recorded 57 dead
is "$(record 57 state)" dead 'what cannot be started is dead'
like "$(record 57 why)" "could not be started: cannot start '$T/agent2'" \
	'with the reason'
wait_until 10 no test -e "$S/.paneward/queued"
check 'and waits no more' no test -e "$S/.paneward/queued"

# ---- who looks --------------------------------------------------------------

exits 0 'one without a watcher waits, too' "$PW" start 58 --at-once 1 \
	--no-watch -- "$T/agent" late
check 'it has no place' waits 58
echo exit 0 >"$T/end.55"
wait_until 20 started 58
check 'the watcher of another starts it' started 58
"$PW" start 59 60 --at-once 1 --no-watch -- "$T/agent" later >"$T/out" 2>&1
check 'the next waits' waits 59
pane_run top "exec '$PW' top" -x 120 -y 20
wait_until 10 pane_shows top '2 queued'
tm send-keys -t =top: End f
wait_until 10 no waits 60
check 'top takes one out' no waits 60
tm send-keys -t =top: q
echo exit 0 >"$T/end.58"
wait_until 10 ended 58
check 'the end of an unwatched one is not seen' waits 59
"$PW" sweep >"$T/swept" 2>&1
wait_until 20 started 59
check 'a sweep starts it' started 59
echo exit 0 >"$T/end.59"

# ---- work trees -------------------------------------------------------------

git config --global user.name test
git config --global user.email test@localhost
git init -q -b main
echo one >file
git add file
git commit -q -m one
wait_until 10 ended 59
"$PW" sweep >"$T/swept" 2>&1
cp "$T/agent" agent
git add agent
git commit -q -m agent
exits 0 'each may have its work tree' "$PW" start 61 62 --at-once 1 \
	--new-worktree -- ./agent here
wait_until 10 started 61
check 'one is not made before its turn' no test -e .worktrees/issue-62
echo two >>file
echo exit 0 >"$T/end.61"
wait_until 20 started 62
check 'changes since then are no reason' test -d .worktrees/issue-62
is "$(record 62 base)" "$(git rev-parse HEAD)" 'it begins with the HEAD'
# Its agent may begin before the queue without it is written.
wait_until 10 test ! -e "$S/.paneward/queued"
mkdir -p .worktrees/issue-64/x
exits 3 'a place that is taken is told at once' "$PW" start 63 64 \
	--at-once 1 --new-worktree --base HEAD -- true
like "$(cat "$T/err")" "issue '64': there is already a" 'and why'
check 'nothing is queued' no test -e "$S/.paneward/queued"

done_testing
