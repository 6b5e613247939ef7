#!/bin/sh
# paneward start says no: with one line, the right status, and nothing left
# behind or changed.
. "${0%/*}/lib.sh"

tmux_start
obedient agent

# What counts in the status directory, with its content.
state() {
	(cd "$S" 2>/dev/null && find . -type f ! -name '*.lock' \
		! -name '*.old' ! -name '*.tmp' ! -name .gitignore | sort |
		while read -r file; do
			echo "$file $(cksum <"$file")"
		done)
}

# refused STATUS DESCRIPTION REASON ARGUMENT...
refused() {
	status=$1
	description=$2
	reason=$3
	shift 3
	before=$(state)
	panes=$(tm list-panes -a -F '#{pane_id} #{session_name}' 2>&1)
	exits "$status" "$description is refused" "$PW" start "$@"
	like "$(cat "$T/err")" "^paneward: .*$reason" 'with the reason'
	is "$(grep -vc 'new project' "$T/err") $(cat "$T/out")" '1 ' 'in one line'
	is "$(state)" "$before" 'nothing changes in the status directory'
	is "$(tm list-panes -a -F '#{pane_id} #{session_name}' 2>&1)" \
		"$panes" 'nor in tmux'
}

# ---- used wrongly -----------------------------------------------------------

no_issue() {
	exits 2 "$1 is no issue" "$PW" start -- "$2" true
	like "$(cat "$T/err")" '^paneward: ' 'and that is said'
	is "$(grep -vc 'new project' "$T/err") $(cat "$T/out")" '1 ' 'in one line'
}

for issue in ../x .hidden a/b '' 'a b' -x 'a;b' '#{pane_id}'; do
	no_issue "'$issue'" "$issue"
done
no_issue 'a text of two lines' "$(printf 'a\nb')"
no_issue 'a text of 65 characters' "$(printf '%065d' 1)"
refused 2 'no issue at all' 'takes an issue'
refused 2 'an unknown option' "unknown option.*--nonsense" --nonsense 42
refused 2 'an unknown backend' \
	'unknown backend .claud.: .*; there are .*claude, .*, shell' \
	--backend claud 42
refused 2 'a backend outside its folder' 'unknown backend' \
	--backend ../../x 42
refused 2 'a shell without a command' 'needs a command' --backend shell 42
refused 2 'a session and a window' 'exclude each other' \
	--session x --window 42 -- true
check 'there is no status directory yet, or an empty one' \
	test "$(state)" = ''

# ---- could not --------------------------------------------------------------

refused 3 'a program that is not there' "'no-such-program'.*in PATH" \
	42 -- no-such-program
refused 3 'one named by its path' "'./no-such-program'.*directory" \
	42 -- ./no-such-program
: >"$T/plain"
refused 3 'one that cannot be run' "'$T/plain': it is not executable.*chmod" \
	42 -- "$T/plain"
: >plain
refused 3 'one in its directory' "'./plain': it is not executable.*chmod" \
	42 -- ./plain
refused 3 'an absolute path of nothing' "'$T/none': no such program\$" \
	42 -- "$T/none"
refused 3 'a folder' "'$T': it is not a file" 42 -- "$T"
refused 3 'a backend that is not installed' "'claude'.*in PATH" 42
refused 3 'a directory that is not there' "'$T/nowhere'.*No such file" \
	--cwd "$T/nowhere" 42 -- true
refused 3 'a directory that is a file' "'$T/plain'.*not a directory" \
	--cwd "$T/plain" 42 -- true
refused 3 'a work tree that is not there' \
	"cannot use the work tree '$T/nowhere': it is not there; make it first: git worktree add '$T/nowhere'" \
	--worktree "$T/nowhere" 42 -- true
refused 3 'a window outside of tmux' 'not inside tmux' --window 42 -- true
refused 2 'a session name that tmux would change' 'is not a session name' \
	--session a.b 42 -- true

# ---- a session of that name -------------------------------------------------

pane_run project-issue-42 'tail -f /dev/null'
refused 3 'a session that is there already' \
	"'project-issue-42' is there.*kill-session -t =project-issue-42" \
	42 -- "$T/agent"
tm kill-session -t =project-issue-42:

# The same, where the issue has a past.
"$PW" start 42 --no-watch -- sh -c 'echo first' >"$T/out"
wait_until 5 logged 42 first
"$PW" watch 42 >"$T/out"
is "$?" 10 'a first run is over'
pane_run other 'tail -f /dev/null'
refused 3 'another one' "session 'other' is there already" --session other \
	42 -- "$T/agent"
is "$(record 42 state)" dead 'the record of the run before is restored'

tm kill-session -t =project-issue-42:
"$PW" start 42 --no-watch -- sh -c 'echo second; echo "###TASK_ERROR_42###"
	echo why' >"$T/out"
wait_until 5 logged 42 why
"$PW" watch 42 >"$T/out"
is "$?" 1 'a second run is over'
rm "$S/output-42.log"
refused 3 'a third one' "session 'other' is there already" --session other \
	42 -- "$T/agent"
check 'the log of the run before the last does not come back' \
	no test -e "$S/output-42.log"

# ---- an old tmux --------------------------------------------------------------

mkdir "$T/old"
real=$(command -v tmux)
cat >"$T/old/tmux" <<END
#!/bin/sh
case "\$*" in
*-V) echo tmux 2.8 ;;
*set-option*-p*) echo 'usage: set-option [-agosquw] ...' >&2; exit 1 ;;
*) exec '$real' "\$@" ;;
esac
END
chmod +x "$T/old/tmux"
PATH=$T/old:$PATH refused 3 'a tmux before 3.0' \
	"is version 2[.]8; paneward needs 3[.]0 or later" 45 -- "$T/agent"
check 'which keeps no session' no tm has-session -t =project-issue-45
check 'and the issue no record' no test -e "$S/.paneward/45.json"

# ---- a run that is alive ----------------------------------------------------

"$PW" start 43 -- "$T/agent" >"$T/out"
wait_until 5 watched 43
wait_until 5 eval '[ "$(record 43 agent.pid)" != "" ]'
refused 3 'a run with a watcher' "issue '43'" 43 --session x -- true
kill "$(watcher 43)"
wait_until 5 no watched 43
refused 3 'one without' "run $(record 43 run | cut -c 1-8) in .* is alive in pane %" \
	43 --session x -- true
tm kill-session -t =project-issue-43:
exits 10 'its pane ends' "$PW" watch 43
exits 0 'and then it may be started again' \
	"$PW" start 43 --no-watch -- "$T/agent"

# ---- records that cannot be read --------------------------------------------

printf '{"v":1,"issue":"44","run' >"$S/.paneward/44.json"
exits 0 'a record that is torn is written anew' \
	"$PW" start 44 --no-watch -- true
like "$(cat "$T/err")" '^paneward: cannot read the status record' 'with a word'
is "$(record 44 issue)" 44 'and is whole again'

done_testing
