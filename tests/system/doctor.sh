#!/bin/sh
# paneward doctor: it says what works and what does not, and why, and changes
# nothing.
. "${0%/*}/lib.sh"

PROGRAM=$(cd "${PW%/*}" && pwd -P)/${PW##*/}
mkdir "$T/bin"

# fake NAME COMMAND: a program that is found before the real one.
fake() { echo "$2" | script "bin/$1"; }

# doctor [ARGUMENT...]: with the fakes.
doctor() {
	(PATH=$T/bin:$PATH && exec "$PW" doctor "$@") >"$T/out" 2>"$T/err"
}

# has_lines REGEX...: of its lines; with "no " before it none is so.  The check's
# name ends at a colon, before which there may be blanks.
has_lines() {
	for regex; do
		case $regex in
		'no '*) unlike "$(cat "$T/out" "$T/err")" "${regex#no }" ;;
		*) like "$(cat "$T/out")" "^$(echo "$regex" | sed 's/ / +/')" ;;
		esac
	done
}

# finds STATUS REGEX...
finds() {
	want=$1 got=0
	shift
	doctor || got=$?
	is "$got" "$want"
	has_lines "$@"
	(PATH=$T/bin:$PATH && exec "$PW" doctor --json) >>"$T/json" 2>&1 || :
}

fake crontab "cat '$T/crontab' 2>/dev/null"
system="ok system: Linux $(uname -r)"
[ "$(uname -s)" = Linux ] || system='warning system: .*is untested'
scenario 'it says what is there and what to do, and makes nothing' <<'END'
>>> finds 0 "ok paneward: $PROGRAM, version" "$system" "ok configuration: .*$P" \
... 	'ok tmux: tmux [0-9]' 'ok status directory: .*not there yet' \
... 	'ok tmux server: .*none at' 'ok locale: .*UTF-8' \
... 	"warning hooks: no agent's settings have" \
... 	'.*paneward start brings them for Claude Code, Kilo CLI, OpenCode, pi' \
... 	'warning sweep: .*no crontab' 'no ^problem' 'no pipes:'
>>> cat "$T/err"; ls; doctor --json; perl -MJSON::PP -ne 'my $v = decode_json($_);
... 	print "bad\n" unless $v->{check} && $v->{what} &&
... 	    $v->{result} =~ /^(ok|warning|problem)$/;
... 	print "$v->{result} $v->{do}\n" if $v->{check} eq "hooks"' "$T/out"
warning see 'paneward init --help'
>>> fails 2 '' doctor 42
END

scenario 'a known flaw of tmux needs no work, one that fails or is old does' <<'END'
>>> fake tmux 'case $1 in -V) echo tmux 3.3a ;; *) exit 1 ;; esac'
>>> finds 1 'ok tmux: .*flaw .* is worked around' 'no ^warning *tmux:' \
... 	'problem tmux server: the one at'
>>> fake tmux 'case $1 in -V) echo tmux 3.7c ;; *) echo "no server running" >&2
... 	exit 1 ;; esac'
>>> finds 0 'no flaw'
>>> fake tmux 'case $1 in -V) echo tmux next-3.8 ;; *) exit 1 ;; esac'
>>> finds 1 'no flaw|too old'; fake tmux 'echo tmux 2.9a; exit 0'
>>> finds 1 "problem tmux: .*'tmux 2.9a' is too old"; fake tmux 'exit 127'
>>> finds 1 'problem tmux: .*no tmux'; rm "$T/bin/tmux"
END

journal() { cksum <"$S/.paneward/journal.ndjson"; }
scenario 'a server, its panes, clients and pipes are told' <<'END'
>>> tmux_start; "$PW" start 7 --no-watch --session seven -- \
... 	sh -c 'echo ready; exec cat' >"$T/said" 2>&1
>>> wait_until 5 logged 7 ready
>>> finds 0 'ok tmux server: .*answers, 2 panes, 0 clients' \
... 	'ok pipes: .*1 of issues' "ok status directory: .*$S"
>>> client_attach one keeper; client_attach two seven
>>> wait_until 10 eval '[ "$(tm list-clients | wc -l)" -eq 2 ]'
>>> finds 0 'ok tmux server: .*answers, 2 panes, 2 clients'
>>> tm detach-client -s keeper; wait_until 5 test -e "$T/one.detached"
>>> finds 0 'ok tmux server: .*answers, 2 panes, 1 clients'
>>> tm detach-client -s seven; wait_until 5 test -e "$T/two.detached"
>>> tm pipe-pane -t "$(record 7 tmux.pane)" "cat >'$T/theirs'"
>>> wait_until 5 no test -e "$S/.paneward/7.pipe"
>>> finds 0 "warning pipes: .*issue '7' has another program's pipe"
>>> tm pipe-pane -t "$(record 7 tmux.pane)"
>>> finds 0 "warning pipes: .*issue '7' has no pipe"
>>> before=$(journal); server=$(pane_tell keeper '#{pid}'); freeze "$server"
>>> finds 1 'problem tmux server: .*does not answer'
>>> kill -CONT "$server"; is "$(journal)" "$before"
END

mkdir "$T/nocurl" "$T/other" "$T/tree"
for program in tmux sh git; do
	ln -s "$(command -v "$program")" "$T/nocurl/$program"
done
scenario 'a wrong configuration is a problem; the rest is checked' <<'END'
>>> echo '{ "nonsense": 1 }' >.paneward.json
>>> finds 1 'problem configuration: .*nonsense.*; paneward.json.5. has the keys' \
... 	'ok tmux server: .*answers'
>>> echo '{ "notify": ["osc", "webhook:https://u:s3cret@host/x"] }' >.paneward.json
>>> gives 0 '' env PATH="$T/nocurl" "$PW" doctor
>>> has_lines "warning notices: .*'webhook' .* no program 'curl'" \
... 	'ok notices: .*by osc, once a client is attached' 'no s3cret'
>>> rm .paneward.json; chmod 777 "$S"
>>> finds 1 "problem status directory: .*$S"; chmod 700 "$S"
>>> (cd "$T/other" && doctor --status-dir "$S")
[1]
>>> has_lines "problem status directory: .*belongs to the project '$P'"
>>> echo 'no record' >"$S/.paneward/9.json"
>>> finds 0 "warning status directory: .*issue '9' cannot be read"
>>> rm "$S/.paneward/9.json"; LC_ALL=C doctor
>>> has_lines 'warning locale: .*not UTF-8.*set LANG'
END

settings=$P/.claude/settings.json
# Some agents are known to read settings with comments.
scenario 'hooks are found in settings, once and with their program' <<'END'
>>> "$PW" init claude >"$T/said"; "$PW" init opencode >"$T/said"
>>> finds 0 "ok hooks: .*Claude Code: [0-9]+ in '$settings'" \
... 	'ok hooks: .*OpenCode: 1 in' 'no no agent has'
>>> "$PW" init claude --user >"$T/said"
>>> finds 0 'warning hooks: .*in the project and in your own settings'
>>> "$PW" init claude --user --remove >"$T/said"; cp "$settings" "$T/keep.json"
>>> perl -pi -e 's|"command": "\S+paneward|"command": "/no/where/paneward|' \
... 	"$settings"
>>> finds 1 "problem hooks: .*run '/no/where/paneward', which is not there"
>>> grep -c '/no/where' "$T/out"
1
>>> printf '{ nonsense' >"$settings"
>>> finds 0 'warning hooks: .*cannot tell which hooks'
>>> rm "$settings"; mkfifo "$settings"
>>> finds 0 "warning hooks: .*settings.json': it is not a regular file"
>>> rm "$settings"; perl -e 'print "{\"a\":\"", "x" x 1048576, "\"}"' >"$settings"
>>> finds 0 'warning hooks: .*is larger than 1048576 bytes'
>>> "$PW" init gemini >"$T/said"; cp "$T/keep.json" "$settings"
>>> sed -i '1s|^|// mine\n|' "$settings" .gemini/settings.json
>>> finds 0 "warning hooks: the hooks of Claude Code in '$P/.*line 1: a comment" \
... 	'no ok +hooks: Claude' 'ok hooks: .*Gemini CLI: [0-9]+ in'
>>> rm -r .gemini; mkdir "$T/bare"; cp -R .claude "$T/bare"
>>> cp "$T/keep.json" "$settings"; (cd "$T/bare" && doctor)
>>> has_lines 'no no agent has'; CLAUDE_CONFIG_DIR=config doctor
>>> has_lines "warning hooks: .*CLAUDE_CONFIG_DIR is 'config', which is no abs"
END

# In a work tree in which the hooks are not; Claude Code gets them for its session.
scenario 'an agent that runs without hooks is told' <<'END'
>>> fake claude 'exec cat'; fake codex 'exec cat'; "$PW" init codex >"$T/said"
>>> for backend in claude codex; do
... 	(PATH=$T/bin:$PATH && exec "$PW" start "$backend" --no-watch \
... 		--backend "$backend" --worktree "$T/tree") >"$T/said" 2>&1
... done
>>> finds 0 "warning hooks: .*issue 'codex' without hooks.*--user" \
... 	"no issue 'claude' without"
>>> mkdir "$T/tree/.codex"; cp .codex/hooks.json "$T/tree/.codex"
>>> finds 0 'no without hooks'
END

units=$HOME/.config/systemd/user
mkdir -p "$units" "$T/third"
# swept_by LINE: is that, in the crontab, a sweep of the project?
swept_by() {
	echo "* * * * * $1" >"$T/crontab"
	doctor
	grep -Eoe '(no crontab|is swept)' "$T/out"
}

scenario 'the sweep of this project is found, and its last time' <<'END'
>>> finds 0 "warning sweep: .*no sweep has run yet; run 'paneward sweep'"
>>> "$PW" sweep --print-cron >"$T/crontab"
>>> finds 0 'ok sweep: .*is swept' 'warning sweep: .*no sweep has run yet; wait'
>>> "$PW" sweep --dry-run >"$T/said"; no test -e "$S/.paneward/sweep"
>>> "$PW" sweep; finds 0 'ok sweep: .*last one ran at 20'
>>> touch -d '2 hours ago' "$S/.paneward/sweep"
>>> finds 0 \
... 	'warning sweep: .*last one ran at .*due every minute; see the log of cron'
>>> "$PW" sweep; finds 0 'ok sweep: .*last one ran at'
>>> touch "$T/third"; (cd "$T/third" && "$PW" sweep --status-dir "$S" 2>&1) \
... 	>"$T/out"; find "$S/.paneward/sweep" -newer "$T/third"
>>> sed -i 's/^\*/# */' "$T/crontab"; finds 0 'warning sweep: .*no crontab'
>>> swept_by "cd $P-2 && $PROGRAM sweep"
no crontab
>>> swept_by "rm -rf $P/x; rm $P; echo clean sweep"
no crontab
>>> swept_by "cd '$P'; '$PROGRAM' sweep"; rm "$T/crontab"
is swept
>>> echo "WorkingDirectory=$P-2" >"$units/paneward-sweep-y.service"
>>> finds 0 'warning sweep: .*no crontab'
>>> echo "WorkingDirectory=$P" >"$units/paneward-sweep-x.service"
>>> finds 0 'ok sweep: .*is swept'
END

bad=$T/$(printf 'a\033[31mb')
# A Codex of old has no option against it.
scenario 'a server that agents share is told, and no control byte printed' <<'END'
>>> mkdir "$bad" && (cd "$bad" && "$PW" doctor) >"$T/out" 2>&1
>>> LC_ALL=C tr -d '\040-\176\n' <"$T/out"; fake codex 'echo "  --no-daemon"'
>>> perl -e 'sleep 1000' app-server --listen unix:// --managed-daemon &
>>> daemon=$!; wait_until 5 eval \
... 	'ps -o args= -p "$daemon" | grep -q "^perl .*managed"'
>>> "$PW" start 9 --backend codex -- sh -c 'echo ready; exec cat' >"$T/said" 2>&1
>>> wait_until 10 no has 9 agent.pid ''; "$PW" doctor >"$T/out" 2>&1
>>> has_lines "warning shared server: .*process $daemon " \
... 	"no issue '9' runs without"
>>> doctor; has_lines "warning shared server: .*issue '9' runs without --no-daemon"
>>> kill "$daemon"
END

# The rules of a client were tried with the last of these.
tried=$(sed -n 's/.*"tried": \[.*"\(.*\)"\].*/\1/p' "$ROOT/backends/codex.json")
. "$ROOT/tests/system/clients.sh"
scenario 'a client was tried, is newer, hangs, fails or says nothing' <<'END'
>>> fake codex "echo 'codex-cli $tried'"; fake pi 'echo 999.0'
>>> fake opencode 'exec sleep 1000'; fake gemini 'echo sorry; exit 1'
>>> fake claude 'echo "Claude Code"'; fake shell "touch '$T/asked'"; \
... 	fake droid 'echo 1.2'; doctor
>>> has_lines "ok clients: .*codex $tried; .* tried with $tried" \
... 	'ok clients: .*droid 1.2; its rules were not tried' \
... 	'warning clients: .*pi 999.0; .*newer one' \
... 	"warning clients: .*'opencode --version' is unknown: .*10 seconds" \
... 	"warning clients: .*'gemini --version' is unknown: it failed" \
... 	"warning clients: .*'claude --version' is unknown: it printed none"
>>> no test -e "$T/asked"; cd "$T/bin"; rm codex pi opencode gemini claude droid; cd "$P"
>>> begin 3 claude; mkdir -p "$HOME/.claude/projects/-p"; says 3 prompt 'Begin.'
>>> wait_until 10 no has 3 transcript.path ''
>>> echo '{"type":"system","version":"999.0"}' >>"$(file 3)"
>>> finds 0 "warning clients: the agent of issue '3' is claude 999.0"
>>> # It says what to do wherever something is wrong.
>>> perl -MJSON::PP -ne 'my $v = decode_json($_);
... 	print unless $v->{result} eq "ok" || $v->{do}' "$T/json"
END
done_testing
