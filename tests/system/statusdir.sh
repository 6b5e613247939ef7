#!/bin/sh
# The status directory: what is refused, what is narrowed, and what happens
# when it is removed during a watch.
# shellcheck disable=SC2059
. "${0%/*}/lib.sh"

tmux_start

# refused REASON: by every command, with one line.
refused() {
	for command in 'watch 42' 'signal complete --issue 42' 'status 42' \
		'start 42 --no-watch -- true' sweep; do
		# shellcheck disable=SC2086
		fails 3 "^paneward: cannot use the status directory '$S': $1" \
			$command
		is "$(wc -l <"$T/err") $(cat "$T/out")" '1 '
	done
}
# The watcher may write meanwhile.
remove() { rm -rf "$S" 2>"$T/kept" || rm -rf "$S"; }

scenario 'only a directory of the user alone is used' <<'END'
>>> mkdir "$P/.worktrees"; : >"$S"; refused 'it is not a directory'
>>> rm "$S"; mkdir "$T/elsewhere"; ln -s "$T/elsewhere" "$S"
>>> refused 'it is a link'; rm "$S"; mkdir "$S"
>>> for mode in 777 1777; do
... 	chmod $mode "$S"
... 	refused 'any user can write to it'
... done
>>> is "$(ls -A "$T/elsewhere" "$S" | grep -v :)" ''
>>> chmod 700 "$S"; : >"$S/.paneward"
>>> fails 3 '.paneward in it is not a directory' watch 42; rm "$S/.paneward"
END
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 "$S"
	refused 'it belongs to another user'
	chown 0 "$S"
else
	skip "another user's" 'this is not root'
fi

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

gives 2 '^paneward: PANEWARD_LOG_CAP: ' env PANEWARD_LOG_CAP=x "$PW" watch 42

# ---- taken away -------------------------------------------------------------
# begin ISSUE: an obedient agent and a watch with a quick tick.
begin() {
	obeys "$1" --no-watch
	watch_locks "w$1" "$1" --interval 1
	tell "a$1" 'echo hello'
	wait_until 5 logged "$1" hello
}

# Is the watcher in the directory that is there now?
moved() { [ -s "$S/.paneward/$1.json" ]; }

# replaced ISSUE COMMAND: the directory is replaced while it stands still.
replaced() {
	freeze "$(cat "$T/w$1.pid")"
	eval "$2"
	kill -CONT "$(cat "$T/w$1.pid")"
}

# Whichever comes first says that the project is new.
complete() { "$PW" signal complete --issue "$1" >"$T/said" 2>&1; }

scenario 'a directory that was removed is made again, with one warning' <<'END'
>>> begin 60; let_pass 900; replaced 60 'remove'; wait_until 5 moved 60
>>> stat -c %a "$S"; cat "$S/.gitignore"
700
*
>>> complete 60; watch_ended w60 0; record 60 state
complete
>>> grep -v 'new project' "$T/w60.err"
~ paneward: .* was replaced; going on in the new one
END
scenario 'a signal, a marker and an end are found in the new one' <<'END'
>>> begin 61; replaced 61 'mv "$S" "$P/.worktrees/old"; mkdir -m 700 "$S"'
>>> complete 61; watch_ended w61 0
>>> rm -rf "$P/.worktrees/old"; begin 62; let_turn "$(cat "$T/w62.pid")"
>>> remove; wait_until 5 moved 62
>>> let_turn "$(cat "$T/w62.pid")"; tell a62 'echo "###TASK_COMPLETE_62###"'
>>> watch_ended w62 0
>>> begin 63; let_turn "$(cat "$T/w63.pid")"; remove
>>> tell a63 'echo "###TASK_COMPLETE_63###"'
>>> watch_ended w63 0
>>> begin 64; remove; wait_until 5 moved 64; tell a64 'exit 3'
>>> watch_ended w64 10; record 64 state
dead
END
scenario 'nothing is written to a refused one, and the watch goes on' <<'END'
>>> begin 65; replaced 65 'remove; mkdir -m 777 "$S"'
>>> wait_until 5 grep -q 'any user can write' "$T/w65.err"
>>> let_turn "$(cat "$T/w65.pid")"; grep -c 'any user can write' "$T/w65.err"
1
>>> no test -e "$S/.paneward" && chmod 700 "$S"
>>> complete 65; watch_ended w65 0
END
scenario 'one issue has one watcher, also in the new one' <<'END'
>>> begin 66; remove; wait_until 5 moved 66; fails 124 '' watch 66 --once
>>> complete 66; watch_ended w66 0
END
done_testing
