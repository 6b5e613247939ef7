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

# doctor [ARGUMENT...]: with the fakes.
doctor() {
	(PATH=$T/bin:$PATH && exec "$PW" doctor "$@") >"$T/out" 2>"$T/err"
}

# has_lines DESCRIPTION REGEX...: of its lines; with "no " before it none is so.
# The check's name ends at a colon, before which there may be blanks.
has_lines() {
	description=$1
	shift
	for regex; do
		case $regex in
		'no '*) no grep -Eq -e "${regex#no }" "$T/out" "$T/err" ;;
		*) grep -Eq -e "^$(echo "$regex" | sed 's/ / +/')" "$T/out" ;;
		esac || description="$description: $regex" wrong=$regex
	done
	[ "${wrong:-}" = '' ]
	result $? "$description" || comment <"$T/out"
	wrong=
}

# finds STATUS DESCRIPTION REGEX...
finds() {
	want=$1
	shift
	got=0
	doctor || got=$?
	[ "$got" = "$want" ] || wrong="status $got"
	has_lines "$@"
	(PATH=$T/bin:$PATH && exec "$PW" doctor --json) >>"$T/json" 2>&1
}

fake crontab "cat '$T/crontab' 2>/dev/null"

# ---- nothing is there -------------------------------------------------------

system="ok system: Linux $(uname -r)"
[ "$(uname -s)" = Linux ] || system='warning system: .*is untested'
finds 0 'it says what is there and what to do' "ok paneward: $PROGRAM, version" \
	"$system" "ok configuration: .*$P" 'ok tmux: tmux [0-9]' \
	'ok status directory: .*not there yet' 'ok tmux server: .*none at' \
	'ok locale: .*UTF-8' "warning hooks: no agent's settings have" \
	'.*paneward start brings them for Claude Code, OpenCode, pi' \
	'warning sweep: .*no crontab' 'no ^problem' 'no pipes:'
is "$(cat "$T/err")$(ls)" '' 'on standard output, and makes nothing'
doctor --json
is "$(perl -MJSON::PP -ne 'my $v = decode_json($_);
	print "bad\n" unless $v->{check} && $v->{what} &&
	    $v->{result} =~ /^(ok|warning|problem)$/;
	print "$v->{result} $v->{do}" if $v->{check} eq "hooks"' "$T/out")" \
	"warning see 'paneward init --help'" 'as JSON each line is an object'
exits 2 'no argument is taken' "$PW" doctor 42

# ---- tmux -------------------------------------------------------------------

fake tmux 'case $1 in -V) echo tmux 3.3a ;; *) exit 1 ;; esac'
finds 1 'a known flaw needs no work, a tmux that fails does' \
	'ok tmux: .*flaw .* is worked around' 'no ^warning *tmux:' \
	'problem tmux server: the one at'
fake tmux 'case $1 in -V) echo tmux 3.7c ;; *) echo "no server running" >&2
	exit 1 ;; esac'
finds 0 'a newer one does not have it' 'no flaw'
fake tmux 'case $1 in -V) echo tmux next-3.8 ;; *) exit 1 ;; esac'
finds 1 'nor one of tomorrow' 'no flaw|too old'
fake tmux 'echo tmux 2.9a; exit 0'
finds 1 'too old' "problem tmux: .*'tmux 2.9a' is too old"
fake tmux 'exit 127'
finds 1 'none' 'problem tmux: .*no tmux'
rm "$T/bin/tmux"

# ---- a server, panes and their pipes ----------------------------------------

tmux_start
"$PW" start 7 --no-watch --session seven -- sh -c 'echo ready; exec cat' \
	>"$T/said" 2>&1
wait_until 5 logged 7 ready
finds 0 'a server, a pipe of ours, the status directory' \
	'ok tmux server: .*answers, 2 panes, 0 clients' \
	'ok pipes: .*1 of issues' "ok status directory: .*$S"
tm pipe-pane -t "$(record 7 tmux.pane)" "cat >'$T/theirs'"
wait_until 5 no test -e "$S/.paneward/7.pipe"
finds 0 "another's" "warning pipes: .*issue '7' has another program's pipe"
tm pipe-pane -t "$(record 7 tmux.pane)"
finds 0 'no pipe' "warning pipes: .*issue '7' has no pipe"
journal=$(cksum <"$S/.paneward/journal.ndjson")
server=$(pane_tell keeper '#{pid}')
freeze "$server"
finds 1 'a server that is stopped' 'problem tmux server: .*does not answer'
kill -CONT "$server"
is "$(cksum <"$S/.paneward/journal.ndjson")" "$journal" \
	'nothing of all that is journaled'

# ---- configuration and status directory -------------------------------------

echo '{ "nonsense": 1 }' >"$P/.paneward.json"
finds 1 'a wrong configuration, and the page of its keys; the rest is seen to' \
	'problem configuration: .*nonsense.*; paneward.json.5. has the keys' \
	'ok tmux server: .*answers'
echo '{ "notify": ["osc", "webhook:https://u:s3cret@host/x"] }' \
	>"$P/.paneward.json"
mkdir "$T/nocurl"
for program in tmux sh git; do
	ln -s "$(command -v "$program")" "$T/nocurl/$program"
done
exits 0 'a way whose program is missing' env PATH="$T/nocurl" "$PW" doctor
has_lines 'is a warning, another one is not, and no address is shown' \
	"warning notices: .*'webhook' .* no program 'curl'" \
	'ok notices: .*by osc, once a client is attached' 'no s3cret'
rm "$P/.paneward.json"
chmod 777 "$S"
finds 1 'a directory that all can write to' "problem status directory: .*$S"
chmod 700 "$S"
mkdir "$T/other"
(cd "$T/other" && doctor --status-dir "$S")
has_lines "another project's" \
	"problem status directory: .*belongs to the project '$P'"
echo 'no record' >"$S/.paneward/9.json"
finds 0 'a record that is none' \
	"warning status directory: .*issue '9' cannot be read"
rm "$S/.paneward/9.json"
LC_ALL=C doctor
has_lines 'the C locale' 'warning locale: .*not UTF-8.*set LANG'

# ---- hooks ------------------------------------------------------------------

settings=$P/.claude/settings.json
"$PW" init claude >"$T/said"
"$PW" init opencode >"$T/said"
finds 0 "an agent's hooks, and a plugin" \
	"ok hooks: .*Claude Code: [0-9]+ in '$settings'" \
	'ok hooks: .*OpenCode: 1 in' 'no no agent has'
"$PW" init claude --user >"$T/said"
finds 0 'twice is too often' \
	'warning hooks: .*in the project and in your own settings'
"$PW" init claude --user --remove >"$T/said"
cp "$settings" "$T/keep.json"
perl -pi -e 's|"command": "\S+paneward|"command": "/no/where/paneward|' \
	"$settings"
finds 1 'a program that is gone' \
	"problem hooks: .*run '/no/where/paneward', which is not there"
is "$(grep -c '/no/where' "$T/out")" 1 'is told once'
printf '{ nonsense' >"$settings"
finds 0 'no JSON' 'warning hooks: .*cannot tell which hooks'
rm "$settings" && mkfifo "$settings"
finds 0 'a FIFO' "warning hooks: .*settings.json': it is not a regular file"
rm "$settings"
perl -e 'print "{\"a\":\"", "x" x 1048576, "\"}"' >"$settings"
finds 0 'too large' 'warning hooks: .*is larger than 1048576 bytes'

# Settings with comments: who reads them is known of some agents.
{ echo '// mine'; cat "$T/keep.json"; } >"$settings"
"$PW" init gemini >"$T/said"
{ echo '// mine'; cat "$P/.gemini/settings.json"; } >"$T/gemini.json"
mv "$T/gemini.json" "$P/.gemini/settings.json"
finds 0 'with a comment in them they may not run, or do if that is known' \
	"warning hooks: the hooks of Claude Code in '$P/.*line 1: a comment" \
	'no ok +hooks: Claude' 'ok hooks: .*Gemini CLI: [0-9]+ in'
rm -r "$P/.gemini"
mkdir "$T/bare" && cp -R "$P/.claude" "$T/bare"
cp "$T/keep.json" "$settings"
(cd "$T/bare" && doctor)
has_lines 'pasted by hand they are found' 'no no agent has'
CLAUDE_CONFIG_DIR=config doctor
has_lines 'with a folder that hangs on the current one' \
	"warning hooks: .*CLAUDE_CONFIG_DIR is 'config', which is no abs"

# An agent that works in a work tree in which the hooks are not.
mkdir -p "$T/tree"
fake claude 'exec cat'
fake codex 'exec cat'
"$PW" init codex >"$T/said"
for backend in claude codex; do
	(PATH=$T/bin:$PATH && exec "$PW" start "$backend" --no-watch \
		--backend "$backend" --worktree "$T/tree") >"$T/said" 2>&1
done
finds 0 'an agent without hooks; another one got them for its session' \
	"warning hooks: .*issue 'codex' without hooks.*--user" \
	"no issue 'claude' without"
mkdir "$T/tree/.codex"
cp "$P/.codex/hooks.json" "$T/tree/.codex"
finds 0 'or with them' 'no without hooks'

# ---- sweep ------------------------------------------------------------------

has_lines 'there was no sweep' \
	"warning sweep: .*no sweep has run yet; run 'paneward sweep'"
"$PW" sweep --print-cron >"$T/crontab"
finds 0 'a crontab that sweeps it, but has not yet' 'ok sweep: .*is swept' \
	'warning sweep: .*no sweep has run yet; wait'
"$PW" sweep --dry-run >"$T/said"
check 'one that only looks leaves no time' no test -e "$S/.paneward/sweep"
"$PW" sweep
finds 0 'a sweep leaves the time' 'ok sweep: .*last one ran at 20'
touch -d '2 hours ago' "$S/.paneward/sweep"
finds 0 'it is late' \
	'warning sweep: .*last one ran at .*due every minute; see the log of cron'
"$PW" sweep
finds 0 'it is not any more' 'ok sweep: .*last one ran at'
mkdir "$T/third"
(cd "$T/third" && "$PW" sweep --status-dir "$S" >"$T/out" 2>&1)
is "$(find "$S/.paneward/sweep" -newer "$T/third")" '' \
	"another project's sweep is none"
sed -i.old 's/^\*/# */' "$T/crontab"
finds 0 'a comment does not sweep' 'warning sweep: .*no crontab'
echo "* * * * * cd $P-2 && $PROGRAM sweep" >"$T/crontab"
finds 0 "nor does another project's line" 'warning sweep: .*no crontab'
echo "* * * * * rm -rf $P/x; rm $P; echo clean sweep" >"$T/crontab"
finds 0 'nor another program' 'warning sweep: .*no crontab'
echo "* * * * * cd '$P'; '$PROGRAM' sweep" >"$T/crontab"
finds 0 'a line of his own does' 'ok sweep: .*is swept'
rm "$T/crontab"
units=$HOME/.config/systemd/user
mkdir -p "$units"
echo "WorkingDirectory=$P-2" >"$units/paneward-sweep-y.service"
finds 0 "another project's unit does not" 'warning sweep: .*no crontab'
echo "WorkingDirectory=$P" >"$units/paneward-sweep-x.service"
finds 0 'a unit does' 'ok sweep: .*is swept'

# What names bring along is shown, never obeyed.
bad=$T/$(printf 'a\033[31mb')
mkdir "$bad" && (cd "$bad" && "$PW" doctor) >"$T/out" 2>&1
is "$(LC_ALL=C tr -d '\040-\176\n' <"$T/out")" '' 'no control byte is printed'

# ---- a server that agents share ---------------------------------------------

fake codex 'echo "  --no-daemon"'
perl -e 'sleep 1000' app-server --listen unix:// --managed-daemon &
daemon=$!
wait_until 5 eval 'ps -o args= -p "$daemon" | grep -q "^perl .*managed"'
"$PW" start 9 --backend codex -- sh -c 'echo ready; exec cat' >"$T/said" 2>&1
wait_until 10 no has 9 agent.pid ''
"$PW" doctor >"$T/out" 2>&1
has_lines 'a server of Codex; a codex of old has no option against it' \
	"warning shared server: .*process $daemon " "no issue '9' runs without"
doctor
has_lines 'and an agent that may use it' \
	"warning shared server: .*issue '9' runs without --no-daemon"
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
doctor
has_lines 'a client was tried, is newer, hangs, fails, says nothing' \
	"ok clients: .*codex $tried; .* tried with $tried" \
	'warning clients: .*pi 999.0; .*newer one' \
	"warning clients: .*'opencode --version' is unknown: .*10 seconds" \
	"warning clients: .*'gemini --version' is unknown: it failed" \
	"warning clients: .*'claude --version' is unknown: it printed none"
check 'what is no client is not asked' no test -e "$T/asked"
rm "$T/bin/codex" "$T/bin/pi" "$T/bin/opencode" "$T/bin/gemini" "$T/bin/claude"

. "$ROOT/tests/system/clients.sh"
begin 3 claude
mkdir -p "$HOME/.claude/projects/-p"
says 3 prompt 'Begin.'
wait_until 10 no has 3 transcript.path ''
echo '{"type":"system","version":"999.0"}' >>"$(file 3)"
finds 0 'a running one that is newer' \
	"warning clients: the agent of issue '3' is claude 999.0"

is "$(perl -MJSON::PP -ne 'my $v = decode_json($_);
	print unless $v->{result} eq "ok" || $v->{do}' "$T/json")" '' \
	'it says what to do wherever something is wrong'
done_testing
