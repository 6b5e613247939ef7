#!/bin/sh
# paneward start says no: with one line, the right status, and nothing left
# behind or changed.
. "${0%/*}/lib.sh"

# What counts in the status directory, with its content.
state() {
	(cd "$S" 2>/dev/null && find . -type f ! -name '*.lock' \
		! -name '*.old' ! -name '*.tmp' ! -name .gitignore | sort |
		while read -r file; do
			echo "$file $(cksum <"$file")"
		done)
}

# refused STATUS REASON ARGUMENT...: in one line, and nothing changes.
refused() {
	status=$1
	reason=$2
	shift 2
	before=$(state)
	panes=$(tm list-panes -a -F '#{pane_id} #{session_name}' 2>&1)
	fails "$status" "^paneward: .*$reason" start "$@"
	is "$(grep -vc 'new project' "$T/err") $(cat "$T/out")" '1 '
	is "$(state)" "$before"
	is "$(tm list-panes -a -F '#{pane_id} #{session_name}' 2>&1)" "$panes"
}

tmux_start
obedient agent

: >"$T/plain"
: >plain
scenario 'there is no status directory yet, or an empty one' <<'END'
>>> for issue in ../x .hidden a/b '' 'a b' -x 'a;b' '#{pane_id}' 'a
... b' "$(printf '%065d' 1)"; do
... 	refused 2 '' -- "$issue" true
... done
>>> refused 2 'takes an issue'
>>> refused 2 "unknown option.*--nonsense" --nonsense 42
>>> refused 2 'unknown backend .claud.: .*; there are .*claude, .*, shell' \
... 	--backend claud 42
>>> refused 2 'unknown backend' --backend ../../x 42
>>> refused 2 'needs a command' --backend shell 42
>>> refused 2 'exclude each other' --session x --window 42 -- true
>>> test "$(state)" = ''
>>> refused 3 "'no-such-program'.*in PATH" 42 -- no-such-program
>>> refused 3 "'./no-such-program'.*directory" 42 -- ./no-such-program
>>> refused 3 "'$T/plain': it is not executable.*chmod" 42 -- "$T/plain"
>>> refused 3 "'./plain': it is not executable.*chmod" 42 -- ./plain
>>> refused 3 "'$T/none': no such program\$" 42 -- "$T/none"
>>> refused 3 "'$T': it is not a file" 42 -- "$T"
>>> refused 3 "'claude'.*in PATH" 42
>>> refused 3 "'$T/nowhere'.*No such file" --cwd "$T/nowhere" 42 -- true
>>> refused 3 "'$T/plain'.*not a directory" --cwd "$T/plain" 42 -- true
>>> refused 3 "cannot use the work tree '$T/nowhere': it is not there; \
... make it first: git worktree add '$T/nowhere'" --worktree "$T/nowhere" 42 -- true
>>> refused 3 'not inside tmux' --window 42 -- true
END

scenario 'the record of the run before is restored' <<'END'
>>> pane_run project-issue-42 'tail -f /dev/null'
>>> refused 3 "'project-issue-42' is there.*kill-session -t =project-issue-42" \
... 	42 -- "$T/agent"
>>> tm kill-session -t =project-issue-42:
>>> "$PW" start 42 --no-watch -- sh -c 'echo first' >"$T/out"
>>> wait_until 5 logged 42 first; "$PW" watch 42 >"$T/out"; is "$?" 10
>>> pane_run other 'tail -f /dev/null'
>>> refused 3 "session 'other' is there already" --session other \
... 	42 -- "$T/agent"
>>> is "$(record 42 state)" dead; tm kill-session -t =project-issue-42:
>>> "$PW" start 42 --no-watch -- sh -c 'echo second; echo "###TASK_ERROR_42###"
... 	echo why' >"$T/out"
>>> wait_until 5 logged 42 why; "$PW" watch 42 >"$T/out"; is "$?" 1
>>> rm "$S/output-42.log"
>>> refused 3 "session 'other' is there already" --session other \
... 	42 -- "$T/agent"
>>> no test -e "$S/output-42.log"
END

real=$(command -v tmux)
script old/tmux <<END
case "\$*" in
*-V) echo tmux 2.8 ;;
*set-option*-p*) echo 'usage: set-option [-agosquw] ...' >&2; exit 1 ;;
*) exec '$real' "\$@" ;;
esac
END

scenario 'a session that is there is refused, and stays' <<'END'
>>> PATH=$T/old:$PATH refused 3 "is version 2[.]8; paneward needs 3[.]0 or later" \
... 	45 -- "$T/agent"
>>> tm has-session -t =project-issue-45; no test -e "$S/.paneward/45.json"
can't find session: project-issue-45
END

scenario 'its pane ends' <<'END'
>>> "$PW" start 43 -- "$T/agent" >"$T/out"; wait_until 5 watched 43
>>> wait_until 5 eval '[ "$(record 43 agent.pid)" != "" ]'
>>> refused 3 "issue '43'" 43 --session x -- true
>>> kill "$(watcher 43)"; wait_until 5 no watched 43
>>> refused 3 "run $(record 43 run | cut -c 1-8) in .* is alive in pane %" \
... 	43 --session x -- true
>>> tm kill-session -t =project-issue-43:; fails 10 '' watch 43
>>> fails 0 '' start 43 --no-watch -- "$T/agent"
END

scenario 'and is whole again' <<'END'
>>> printf '{"v":1,"issue":"44","run' >"$S/.paneward/44.json"
>>> fails 0 '^paneward: cannot read the status record' start 44 --no-watch -- true
>>> is "$(record 44 issue)" 44
END
done_testing
