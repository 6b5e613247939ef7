#!/bin/sh
# The status directory: what is refused, what is narrowed, and what happens
# when it is removed during a watch.
# shellcheck disable=SC2016,SC2059
. "${0%/*}/lib.sh"

tmux_start

# refused REASON: by every command, with one line.
refused() {
	for command in 'watch 42' 'signal complete --issue 42' 'status 42' \
		'start 42 --no-watch -- true'; do
		# shellcheck disable=SC2086
		fails 3 "^paneward: cannot use the status directory '$S': $1" \
			$command
		is "$(wc -l <"$T/err") $(cat "$T/out")" '1 ' 'in one line'
	done
}

mkdir "$P/.worktrees"
: >"$S"
refused 'it is not a directory'
rm "$S"
mkdir "$T/elsewhere"
ln -s "$T/elsewhere" "$S"
refused 'it is a link'
rm "$S"
mkdir "$S"
for mode in 777 1777; do
	chmod $mode "$S"
	refused 'any user can write to it'
done
is "$(ls -A "$T/elsewhere" "$S" | grep -v :)" '' 'and nothing is written there'
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$S"
	chown 65534 "$S"
	refused 'it belongs to another user'
	chown 0 "$S"
else
	skip "another user's" 'this is not root'
fi
chmod 700 "$S"
: >"$S/.paneward"
fails 3 '.paneward in it is not a directory' watch 42
rm "$S/.paneward"

scenario 'what the group can write to is narrowed once, and told' <<'END'
>>> chmod 775 "$S"; "$PW" signal complete --issue 42; stat -c %a "$S"
paneward: status directory '$T/project/.worktrees/.status': the group could write to it; its mode is 700 now
paneward: new project '$T/project'
700
>>> "$PW" status >"$T/out"; "$PW" watch 42 >"$T/out"
>>> chmod 755 "$S"; "$PW" status >"$T/out"; stat -c %a "$S"
755
END

# ---- which one --------------------------------------------------------------
scenario 'an option, a variable or the configuration chooses it' <<'END'
>>> "$PW" signal complete --issue 50 --status-dir "$T/by-option"
>>> PANEWARD_STATUS_DIR=$T/by-env "$PW" signal complete --issue 50
>>> printf '{ "status_dir": "by/config" }' >.paneward.json; mkdir below
>>> (cd below && "$PW" signal complete --issue 50); rm .paneward.json
>>> ls "$T/by-option" "$T/by-env" "$P/by/config" | xargs
$T/by-env: signal-complete-50 $T/by-option: signal-complete-50 $T/project/by/config: signal-complete-50
>>> stat -c %a by/config
700
END

# ---- a wrong configuration --------------------------------------------------
# The line and the key are told.
while IFS='|' read -r text where; do
	printf "$text" >"$P/.paneward.json"
	fails 2 "^paneward: '$P/.paneward.json' line $where" watch 42
	is "$(wc -l <"$T/err")" 1 'in one line'
done <<'END'
{\n"log_cap": 65536,\n"log_capp": 1\n}\n|3: .*'log_capp'
{\n"log_cap": "much"\n}\n|2: 'log_cap'
{\n// a word\n"session_pattern": "("\n}\n|3: 'session_pattern'
{\n"log_cap": 65536\n|[0-9]
{ "capture_every": 0 }|1: 'capture_every'
END
rm "$P/.paneward.json"
gives 2 '^paneward: PANEWARD_LOG_CAP: ' env PANEWARD_LOG_CAP=x "$PW" watch 42

# ---- taken away -------------------------------------------------------------
# begin ISSUE: an obedient agent and a watch with a quick tick.
begin() {
	obedient "a$1"
	"$PW" start "$1" --no-watch --session "s$1" -- "$T/a$1" \
		>"$T/said" 2>&1 || comment <"$T/said"
	watch_begin "w$1" "$1" --interval 1
	wait_until 5 watch_holds "w$1" "$1"
	tell "a$1" 'echo hello'
	wait_until 5 logged "$1" hello
}

# Is the watcher in the directory that is there now?
moved() { [ -s "$S/.paneward/$1.json" ]; }

# removed ISSUE: while its watcher rests.
removed() {
	let_turn "$(cat "$T/w$1.pid")"
	rm -rf "$S"
}

# replaced ISSUE COMMAND: the directory is replaced while it stands still.
replaced() {
	freeze "$(cat "$T/w$1.pid")"
	eval "$2"
	kill -CONT "$(cat "$T/w$1.pid")"
}

# It does not see it half removed, nor has anything to write down just then, of
# which more would be said.
begin 60
let_pass 900
replaced 60 'rm -rf "$S"'
wait_until 5 moved 60
is "$(stat -c %a "$S") $(cat "$S/.gitignore")" '700 *' \
	'a status directory that was removed is made again, as at first'
like "$(cat "$T/w60.err")" 'was replaced; going on in the new one' 'with a word'
"$PW" signal complete --issue 60
watch_ended w60 0 'a signal in the new one is found'
is "$(record 60 state) $(wc -l <"$T/w60.err")" 'complete 1' \
	'and recorded there; that one word was all'

begin 61
replaced 61 'mv "$S" "$P/.worktrees/old"; mkdir -m 700 "$S"'
"$PW" signal complete --issue 61
watch_ended w61 0 'so it is in one that somebody else made'
rm -rf "$P/.worktrees/old"
begin 62
removed 62
wait_until 5 moved 62
let_turn "$(cat "$T/w62.pid")"
tell a62 'echo "###TASK_COMPLETE_62###"'
watch_ended w62 0 'a marker that is printed afterwards is found as well'
begin 63
removed 63
tell a63 'echo "###TASK_COMPLETE_63###"'
watch_ended w63 0 'or at the same moment'
begin 64
rm -rf "$S"
wait_until 5 moved 64
tell a64 'exit 3'
watch_ended w64 10 'and so is the end of the agent'
is "$(record 64 state)" dead 'who is dead'

# A refused one: nothing is written there, and the watch goes on.
begin 65
replaced 65 'rm -rf "$S"; mkdir -m 777 "$S"'
wait_until 5 grep -q 'any user can write' "$T/w65.err"
let_turn "$(cat "$T/w65.pid")"
is "$(grep -c 'any user can write' "$T/w65.err")" 1 \
	'one that cannot be used is told once'
check 'and nothing is written to it' no test -e "$S/.paneward"
chmod 700 "$S"
"$PW" signal complete --issue 65
watch_ended w65 0 'when it can be used again the watch goes on in it'

# The issue has a watcher already: one issue has one watcher.
begin 66
rm -rf "$S"
wait_until 5 moved 66
exits 124 'a second watcher still follows the first' "$PW" watch 66 --once
"$PW" signal complete --issue 66
watch_ended w66 0 'which has the lock there'

done_testing
