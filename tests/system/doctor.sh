#!/bin/sh
# paneward doctor: it says what works and what does not, and why, and changes
# nothing.
. "${0%/*}/lib.sh"

PROGRAM=$(cd "${PW%/*}" && pwd -P)/${PW##*/}
mkdir "$T/bin"

# fake NAME COMMAND: a program that is found before the real one.
fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"$T/bin/$1"
	chmod +x "$T/bin/$1"
}

# doctor STATUS [ARGUMENT...]: with the fakes.
doctor() {
	status=$1
	shift
	exits "$status" "doctor ends with $status" env PATH="$T/bin:$PATH" \
		"$PW" doctor "$@"
	env PATH="$T/bin:$PATH" "$PW" doctor --json "$@" >"$T/json" 2>&1
	is "$(perl -MJSON::PP -ne 'my $v = decode_json($_);
		print unless $v->{result} eq "ok" || $v->{do}' "$T/json")" \
		'' 'with what to do wherever something is wrong'
}

# says LEVEL CHECK TEXT DESCRIPTION
says() {
	like "$(cat "$T/out")" "^$1 +$2: .*$3" "$4"
}

fake crontab "cat '$T/crontab' 2>/dev/null"

# ---- nothing is there -------------------------------------------------------

doctor 0
is "$(cat "$T/err")" '' 'it says everything on standard output'
says ok paneward "$PROGRAM, version" 'the program'
if [ "$(uname -s)" = Linux ]; then
	says ok system "Linux $(uname -r)" 'the system'
else
	says warning system 'is untested' 'the system'
fi
says ok configuration "$P" 'the project'
says ok 'status directory' 'not there yet' 'no status directory'
check 'nor is one made' no test -e "$P/.worktrees"
says ok tmux 'tmux [0-9]' 'the version of tmux'
says ok 'tmux server' 'none at' 'no server'
says ok locale UTF-8 'the locale'
says warning hooks "no agent's settings have" 'no hooks, and what to do'
like "$(cat "$T/out")" 'paneward start brings them for Claude Code, OpenCode, pi' \
	'and which agents get them without'
says warning sweep "no crontab" 'no sweep, and what to do'
unlike "$(cat "$T/out")" '^problem' 'nothing is really wrong'
unlike "$(cat "$T/out")" 'pipes:' 'and nothing said of what is not there'

doctor 0 --json
is "$(perl -MJSON::PP -ne 'my $v = decode_json($_);
	print "bad\n" unless $v->{check} && $v->{what} &&
	    $v->{result} =~ /^(ok|warning|problem)$/' "$T/out")" '' \
	'with --json each line is an object'
is "$(perl -MJSON::PP -ne 'my $v = decode_json($_);
	print "$v->{result} $v->{do}" if $v->{check} eq "hooks"' "$T/out")" \
	"warning see 'paneward init --help'" 'with what to do'
exits 2 'no argument is taken' "$PW" doctor 42

# ---- tmux -------------------------------------------------------------------

fake tmux 'case $1 in -V) echo tmux 3.3a ;; *) exit 1 ;; esac'
doctor 1
says ok tmux 'flaw .* is worked around' 'a known flaw that needs nobody'
unlike "$(cat "$T/out")" '^warning *tmux:' 'is no warning'
says problem 'tmux server' 'the one at' 'a tmux that fails is a problem'
fake tmux 'case $1 in -V) echo tmux 3.7c ;; *) echo "no server running" >&2
	exit 1 ;; esac'
doctor 0 --json
unlike "$(cat "$T/out")" 'flaw' 'a newer one does not have it'
fake tmux 'case $1 in -V) echo tmux next-3.8 ;; *) exit 1 ;; esac'
env PATH="$T/bin:$PATH" "$PW" doctor >"$T/out" 2>&1
unlike "$(cat "$T/out")" 'flaw|too old' 'nor one of tomorrow'
fake tmux 'echo tmux 2.9a; exit 0'
doctor 1
says problem tmux "'tmux 2.9a' is too old" 'too old'
fake tmux 'exit 127'
doctor 1
says problem tmux 'no tmux' 'none'
rm "$T/bin/tmux"

# ---- a server, panes and their pipes ----------------------------------------

tmux_start
doctor 0
says ok 'tmux server' 'answers, 1 panes, 0 clients' 'a server that answers'
"$PW" start 7 --no-watch --session seven -- sh -c 'echo ready; exec cat' \
	>/dev/null
wait_until 5 logged 7 ready
doctor 0
says ok pipes '1 of issues' 'a pane with a pipe of ours'
says ok 'status directory' "$S" 'the status directory'
tm pipe-pane -t "$(record 7 tmux.pane)" "cat >'$T/theirs'"
wait_until 5 no test -e "$S/.paneward/7.pipe"
doctor 0
says warning pipes "issue '7' has another program's pipe" "another's"
tm pipe-pane -t "$(record 7 tmux.pane)"
doctor 0
says warning pipes "issue '7' has no pipe" 'none'
journal=$(cksum <"$S/.paneward/journal.ndjson")
server=$(pane_tell keeper '#{pid}')
freeze "$server"
doctor 1
kill -CONT "$server"
says problem 'tmux server' 'does not answer' 'a server that is stopped'
is "$(cksum <"$S/.paneward/journal.ndjson")" "$journal" \
	'nothing of all that is journaled'

# ---- configuration and status directory -------------------------------------

echo '{ "nonsense": 1 }' >"$P/.paneward.json"
doctor 1
says problem configuration "nonsense.*; paneward.json.5. has the keys" \
	'a wrong configuration, and the page of its keys'
says ok 'tmux server' answers 'the rest is looked at all the same'
echo '{ "notify": ["osc", "webhook:https://u:s3cret@host/x"] }' \
	>"$P/.paneward.json"
mkdir "$T/nocurl"
for program in tmux sh git; do
	ln -s "$(command -v "$program")" "$T/nocurl/$program"
done
exits 0 'a way whose program is missing' env PATH="$T/nocurl" "$PW" doctor
says warning notices "'webhook' .* no program 'curl'" 'is a warning'
says ok notices 'by osc, once a client is attached' 'another one is not'
check 'and no address is shown' no grep -q s3cret "$T/out"
rm "$P/.paneward.json"
chmod 777 "$S"
doctor 1
says problem 'status directory' "$S" 'a directory that all can write to'
chmod 700 "$S"
mkdir "$T/other" && (cd "$T/other" && "$PW" doctor --status-dir "$S") \
	>"$T/out" 2>"$T/err"
says problem 'status directory' "belongs to the project '$P'" \
	"another project's"
echo 'no record' >"$S/.paneward/9.json"
doctor 0
says warning 'status directory' "issue '9' cannot be read" \
	'a record that is none'
rm "$S/.paneward/9.json"

# ---- the locale -------------------------------------------------------------

exits 0 'in the C locale' env LC_ALL=C "$PW" doctor
says warning locale 'not UTF-8.*set LANG' 'is warned of'

# ---- hooks ------------------------------------------------------------------

"$PW" init claude >/dev/null
"$PW" init opencode >/dev/null
doctor 0
says ok hooks "Claude Code: [0-9]+ in '$P/.claude/settings.json'" \
	"an agent's hooks"
says ok hooks "OpenCode: 1 in" 'and a plugin'
unlike "$(cat "$T/out")" 'no agent has' 'that is something'
"$PW" init claude --user >/dev/null
doctor 0
says warning hooks 'in the project and in your own settings' \
	'twice is too often'
"$PW" init claude --user --remove >/dev/null
cp "$P/.claude/settings.json" "$T/keep.json"
perl -pi -e 's|"command": "\S+paneward|"command": "/no/where/paneward|' \
	"$P/.claude/settings.json"
doctor 1
says problem hooks "run '/no/where/paneward', which is not there" \
	'a program that is gone'
is "$(grep -c '/no/where' "$T/out")" 1 'is told once'
printf '{ nonsense' >"$P/.claude/settings.json"
doctor 0
says warning hooks 'cannot tell which hooks' 'settings that are no JSON'
rm "$P/.claude/settings.json" && mkfifo "$P/.claude/settings.json"
doctor 0
says warning hooks "settings.json': it is not a regular file" 'a FIFO'
rm "$P/.claude/settings.json"
perl -e 'print "{\"a\":\"", "x" x 1048576, "\"}"' >"$P/.claude/settings.json"
doctor 0
says warning hooks 'is larger than 1048576 bytes' 'settings that are too large'
mv "$T/keep.json" "$P/.claude/settings.json"

# Settings with comments: who reads them is known of some agents.
cp "$P/.claude/settings.json" "$T/keep.json"
{ echo '// mine'; cat "$T/keep.json"; } >"$P/.claude/settings.json"
doctor 0
says warning hooks "the hooks of Claude Code in '$P/.*line 1: a comment" \
	'with a comment in them'
unlike "$(cat "$T/out")" 'ok +hooks: Claude' 'they may not run'
mv "$T/keep.json" "$P/.claude/settings.json"
"$PW" init gemini >/dev/null
{ echo '// mine'; cat "$P/.gemini/settings.json"; } >"$T/keep.json"
mv "$T/keep.json" "$P/.gemini/settings.json"
doctor 0
says ok hooks 'Gemini CLI: [0-9]+ in' 'or do, if it is known to read them'
rm -r "$P/.gemini"
mkdir "$T/bare" && cp -R "$P/.claude" "$T/bare"
{ echo '// mine'; cat "$P/.claude/settings.json"; } \
	>"$T/bare/.claude/settings.json"
(cd "$T/bare" && "$PW" doctor >"$T/out")
unlike "$(cat "$T/out")" 'no agent has' 'pasted by hand they are found'
exits 0 'where an agent would look is unclear' \
	env CLAUDE_CONFIG_DIR=config "$PW" doctor
says warning hooks "CLAUDE_CONFIG_DIR is 'config', which is no abs" \
	'with a folder that hangs on the current one'

# An agent that works in a work tree in which the hooks are not.
mkdir -p "$T/tree"
fake claude 'exec cat'
fake codex 'exec cat'
"$PW" init codex >/dev/null
for backend in claude codex; do
	env PATH="$T/bin:$PATH" "$PW" start "$backend" --no-watch \
		--backend "$backend" --worktree "$T/tree" >/dev/null
done
doctor 0
unlike "$(cat "$T/out")" "issue 'claude' without" \
	'one that was given hooks for its session works with them'
says warning hooks "issue 'codex' without hooks.*--user" \
	'an agent in a work tree without them'
mkdir "$T/tree/.codex"
cp "$P/.codex/hooks.json" "$T/tree/.codex"
doctor 0
unlike "$(cat "$T/out")" 'without hooks' 'or with them'

# ---- sweep ------------------------------------------------------------------

says warning sweep "none has run yet; run 'paneward sweep'" \
	'that there was no sweep, and what to do'
"$PW" sweep --print-cron >"$T/crontab"
doctor 0
says ok sweep 'is swept' 'a crontab that sweeps it'
says warning sweep 'none has run yet; wait' 'but has not yet'
"$PW" sweep --dry-run >/dev/null
check 'one that only looks leaves no time' no test -e "$S/.paneward/sweep"
"$PW" sweep
check 'a sweep leaves the time' test -f "$S/.paneward/sweep"
doctor 0
says ok sweep "last one ran at 20" 'which is told'
touch -d '2 hours ago' "$S/.paneward/sweep"
doctor 0
says warning sweep 'last one ran at .*due every minute; see what cron' \
	'that it is late, and what to do'
"$PW" sweep
doctor 0
says ok sweep 'last one ran at' 'that it is not any more'
mkdir "$T/third"
(cd "$T/third" && "$PW" sweep --status-dir "$S" >"$T/out" 2>&1)
find "$S/.paneward/sweep" -newer "$T/third" >"$T/newer"
is "$(cat "$T/newer")" '' "another project's sweep is none"
sed -i.old 's/^\*/# */' "$T/crontab"
doctor 0
says warning sweep 'no crontab' 'a line that is a comment does not'
echo "* * * * * cd $P-2 && $PROGRAM sweep" >"$T/crontab"
doctor 0
says warning sweep 'no crontab' "nor does another project's line"
echo "* * * * * rm -rf $P/x; rm $P; echo clean sweep" >"$T/crontab"
doctor 0
says warning sweep 'no crontab' 'nor another program'
echo "* * * * * cd '$P'; '$PROGRAM' sweep" >"$T/crontab"
doctor 0
says ok sweep 'is swept' 'a line of his own does'
rm "$T/crontab"
mkdir -p "$HOME/.config/systemd/user"
echo "WorkingDirectory=$P-2" \
	>"$HOME/.config/systemd/user/paneward-sweep-y.service"
doctor 0
says warning sweep 'no crontab' "another project's unit does not"
echo "WorkingDirectory=$P" \
	>"$HOME/.config/systemd/user/paneward-sweep-x.service"
doctor 0
says ok sweep 'is swept' 'a unit does'

# What names bring along is shown, never obeyed.
bad=$T/$(printf 'a\033[31mb')
mkdir "$bad" && (cd "$bad" && "$PW" doctor) >"$T/out" 2>&1
is "$(LC_ALL=C tr -d '\040-\176\n' <"$T/out")" '' 'no control byte is printed'

# ---- a server that agents share ---------------------------------------------

fake codex 'echo "  --no-daemon"'
perl -e 'sleep 1000' app-server --listen unix:// --managed-daemon &
daemon=$!
wait_until 5 eval 'ps -o args= -p "$daemon" | grep -q "^perl .*managed"'
exits 0 'an agent without the option' "$PW" start 9 --backend codex \
	-- sh -c 'echo ready; exec cat'
wait_until 10 eval '[ "$(record 9 agent.pid)" != "" ]'
"$PW" doctor >"$T/out" 2>&1
says warning 'shared server' "process $daemon " 'a server of Codex'
unlike "$(cat "$T/out")" "issue '9' runs without" 'a codex of old has none'
env PATH="$T/bin:$PATH" "$PW" doctor >"$T/out" 2>&1
says warning 'shared server' "issue '9' runs without --no-daemon" \
	'and an agent that may use it'
kill "$daemon"

# ---- versions of clients ----------------------------------------------------

# What its rules were tried with is the last of these.
tried=$(sed -n 's/.*"tried": \[.*"\(.*\)"\].*/\1/p' "$ROOT/backends/codex.json")
fake codex "echo 'codex-cli $tried'"
fake pi 'echo 999.0'
fake opencode 'exec sleep 1000'
fake gemini 'echo sorry; exit 1'
fake claude 'echo "Claude Code"'
fake shell "touch '$T/asked'"
env PATH="$T/bin:$PATH" "$PW" doctor >"$T/out" 2>&1
says ok clients "codex $tried; .* tried with $tried" 'one that was tried'
says warning clients 'pi 999.0; .*newer one' 'a newer one'
says warning clients "'opencode --version' is unknown: .*10 seconds" 'one that hangs'
says warning clients "'gemini --version' is unknown: it failed" 'that fails'
says warning clients "'claude --version' is unknown: it printed none" \
	'that says nothing'
check 'what is no client is not asked' no test -e "$T/asked"
rm "$T/bin/codex" "$T/bin/pi" "$T/bin/opencode" "$T/bin/gemini" "$T/bin/claude"

. "$ROOT/tests/system/clients.sh"
begin 3 claude
mkdir -p "$HOME/.claude/projects/-p"
says 3 prompt 'Begin.'
wait_until 10 eval '[ "$(record 3 transcript.path)" != "" ]'
echo '{"type":"system","version":"999.0"}' >>"$(file 3)"
"$PW" doctor >"$T/out" 2>&1
like "$(cat "$T/out")" "^warning  clients: the agent of issue '3' is claude 999.0" \
	'a running one that is newer'

done_testing
