#!/bin/sh
# The status directory: what is refused, what is narrowed, and what happens
# when it is removed during a watch.
. "${0%/*}/lib.sh"

tmux_start

# refused DESCRIPTION REASON: by every command, with one line.
refused() {
	for command in 'watch 42' 'signal complete --issue 42' 'status 42' \
		'start 42 --no-watch -- true'; do
		# shellcheck disable=SC2086
		fails 3 "^paneward: cannot use the status directory '$S': $2" \
			$command
		is "$(wc -l <"$T/err") $(cat "$T/out")" '1 ' 'in one line'
	done
}

mkdir "$P/.worktrees"
: >"$S"
refused 'a file' 'it is not a directory'
rm "$S"
mkdir "$T/elsewhere"
ln -s "$T/elsewhere" "$S"
refused 'a link' 'it is a link'
is "$(ls -A "$T/elsewhere")" '' 'and nothing is written where it leads'
rm "$S"
mkdir "$S"
chmod 777 "$S"
refused 'one that any user can write to' 'any user can write to it'
chmod 1777 "$S"
refused 'one like /tmp' 'any user can write to it'
is "$(ls -A "$S")" '' 'and nothing is written there'
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$S"
	chown 65534 "$S"
	refused "another user's" 'it belongs to another user'
	chown 0 "$S"
else
	skip "another user's" 'this is not root'
fi
chmod 700 "$S"
: >"$S/.paneward"
fails 3 '.paneward in it is not a directory' watch 42
rm "$S/.paneward"

chmod 775 "$S"
exits 0 'one that the group can write to is narrowed' \
	"$PW" signal complete --issue 42
is "$(cat "$T/err")" "paneward: status directory '$S': the group could write \
to it; its mode is 700 now
paneward: new project '$P'" 'with a word'
is "$(stat -c %a "$S")" 700 'to the user alone'
exits 0 'once' "$PW" status
is "$(cat "$T/err")" '' 'without another word'
exits 0 'what the signal says counts' "$PW" watch 42

chmod 755 "$S"
exits 0 'one that others can read is fine' "$PW" status
is "$(stat -c %a "$S")$(cat "$T/err")" 755 'and stays as it is'

# ---- which one --------------------------------------------------------------

exits 0 'an option chooses it' "$PW" signal complete --issue 50 \
	--status-dir "$T/by-option"
check 'and it is made' test -e "$T/by-option/signal-complete-50"
exits 0 'so does the environment' env PANEWARD_STATUS_DIR="$T/by-env" \
	"$PW" signal complete --issue 50
check 'and it is made as well' test -e "$T/by-env/signal-complete-50"
printf '{ "status_dir": "by/config" }\n' >"$P/.paneward.json"
mkdir "$P/below"
cd "$P/below" || exit 1
exits 0 'and the configuration' "$PW" signal complete --issue 50
check 'from its own folder' test -e "$P/by/config/signal-complete-50"
is "$(stat -c %a "$P/by/config")" 700 'for the user alone'
cd "$P" || exit 1
rm "$P/.paneward.json"

# ---- a wrong configuration --------------------------------------------------

# wrong REASON: the line and the key are told.
wrong() {
	fails 2 "^paneward: '$P/.paneward.json' line $2" watch 42
	is "$(wc -l <"$T/err")" 1 'in one line'
	rm "$P/.paneward.json"
}

printf '{\n  "log_cap": 65536,\n  "log_capp": 1\n}\n' >"$P/.paneward.json"
wrong 'an unknown key' "3: .*'log_capp'"
printf '{\n  "log_cap": "much"\n}\n' >"$P/.paneward.json"
wrong 'a wrong type' "2: 'log_cap'"
printf '{\n// a word\n  "session_pattern": "("\n}\n' >"$P/.paneward.json"
wrong 'a pattern that is none' "3: 'session_pattern'"
printf '{\n  "log_cap": 65536\n' >"$P/.paneward.json"
wrong 'no end' '[0-9]'
printf '{ "capture_every": 0 }\n' >"$P/.paneward.json"
wrong 'a number that cannot be' "1: 'capture_every'"
exits 2 'a variable is looked at as closely' \
	env PANEWARD_LOG_CAP=x "$PW" watch 42
like "$(cat "$T/err")" '^paneward: PANEWARD_LOG_CAP: ' 'and named'

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
moved() {
	[ -s "$S/.paneward/$1.json" ]
}

# It does not see it half removed, nor has anything to write down just then, of
# which more would be said.
begin 60
let_pass 900
freeze "$(cat "$T/w60.pid")"
rm -rf "$S"
kill -CONT "$(cat "$T/w60.pid")"
wait_until 5 moved 60
is "$(stat -c %a "$S")" 700 'a status directory that was removed is made again'
is "$(cat "$S/.gitignore")" '*' 'as at first'
like "$(cat "$T/w60.err")" 'was replaced; going on in the new one' 'with a word'
"$PW" signal complete --issue 60
watch_ended w60 0 'a signal in the new one is found'
is "$(record 60 state)" complete 'and recorded there'
is "$(wc -l <"$T/w60.err")" 1 'that one word was all'

begin 61
freeze "$(cat "$T/w61.pid")"
mv "$S" "$P/.worktrees/old"
mkdir -m 700 "$S"
kill -CONT "$(cat "$T/w61.pid")"
"$PW" signal complete --issue 61
watch_ended w61 0 'so it is in one that somebody else made'
rm -rf "$P/.worktrees/old"

begin 62
let_turn "$(cat "$T/w62.pid")"
rm -rf "$S"
wait_until 5 moved 62
let_turn "$(cat "$T/w62.pid")"
tell a62 'echo "###TASK_COMPLETE_62###"'
watch_ended w62 0 'a marker that is printed afterwards is found as well'

begin 63
let_turn "$(cat "$T/w63.pid")"
rm -rf "$S"
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
freeze "$(cat "$T/w65.pid")"
rm -rf "$S"
mkdir -m 777 "$S"
kill -CONT "$(cat "$T/w65.pid")"
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
