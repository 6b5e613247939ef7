#!/bin/sh
# paneward reload: an agent restarts itself in its pane and goes on with the
# same conversation.
# shellcheck disable=SC2016,SC2034
. "${0%/*}/lib.sh"

mkdir "$T/bin" "$T/sessions" "$HOME/.config/paneward/backends"
PATH=$T/bin:$PATH
export PATH

# ---- an agent like Claude Code ----------------------------------------------

# What it is told it writes to $T/told; a prompt that begins with '!' is a
# command of its tools, whose output is in $T/tool.  It ends with the second
# Ctrl+C, and resumes what was once begun.
cat >"$T/bin/claude" <<END
#!/bin/sh
T='$T'
END
cat >>"$T/bin/claude" <<'END'
# The hooks of its session; session-hooks.sh looks at them.
case $1 in
--plugin-dir=*/templates/claude-plugin) shift ;;
esac
for word; do
	printf '%s|' "$word" | tr '\n' '~'
done >>"$T/starts"
echo >>"$T/starts"
printf '%s|%s\n' "${PANEWARD_ISSUE:-}" "${PANEWARD_RUN:-}" >>"$T/runs"
pwd >>"$T/places"
echo $$ >"$T/pid"
prompt= session=
while [ $# -gt 0 ]; do
	case $1 in
	--resume)
		session=$2
		if [ ! -e "$T/sessions/$session" ]; then
			echo "No conversation found with session ID: $session"
			exit 1
		fi
		shift ;;
	--session-id) session=$2; shift ;;
	--continue) session=$(cat "$T/last") ;;
	-*) ;;
	*) prompt=$1 ;;
	esac
	shift
done
[ "$session" != '' ] || session=$(cat /proc/sys/kernel/random/uuid)
: >"$T/sessions/$session"
echo "$session" >"$T/last"
export CLAUDE_CODE_SESSION_ID="$session"

pressed=0
interrupt() {
	pressed=$((pressed + 1))
	[ $pressed -lt 2 ] || { echo bye; exit 0; }
	echo 'Press Ctrl-C again to exit'
}
trap interrupt INT

title() {
	printf '\033]2;%s claude\033\\' "$1"
}

# restarting: is a restart of this agent about to see whether it works?
restarting() {
	dir=${PANEWARD_STATUS_DIR:-$PWD/.worktrees/.status}
	until [ -d "$dir" ] || [ "$dir" = /.worktrees/.status ]; do
		dir=${dir%/*/.worktrees/.status}/.worktrees/.status
	done
	grep -Eqs '"phase":"(starting|delivering)"' \
		"$dir/.paneward/"${PANEWARD_ISSUE:-_pane*}.reload
}

turn() {
	case $1 in
	deaf*) trap '' INT ;;
	esac
	title '⠂'
	printf '%s\n' "$1" >>"$T/told"
	case $1 in
	say*) echo "${1#say }"; echo "${1#say }" >>"$T/talk.$session" ;;
	!*) sh -c "${1#?}" >"$T/tool" 2>&1; echo "tool $?" ;;
	*) sleep 0.3 ;;
	esac
	i=0
	while [ -e "$T/busy" ] || { [ $i -lt 100 ] && restarting; }; do
		sleep 0.1
		i=$((i + 1))
	done
	pressed=0
	title '✳'
	printf '> '
}

echo "conversation $session"
[ ! -e "$T/talk.$session" ] || cat "$T/talk.$session"
if [ "$prompt" != '' ] && [ ! -e "$T/ignores" ]; then
	turn "$prompt"
else
	title '✳'
	printf '> '
fi
while :; do
	if read -r line; then
		turn "$line"
	elif [ $pressed -eq 0 ]; then
		exit 0
	fi
done
END
chmod +x "$T/bin/claude"
: >"$T/starts" && : >"$T/told"

starts() {
	[ "$(wc -l <"$T/starts")" -eq "$1" ]
}

told() {
	grep -Fqs -e "$1" "$T/told"
}

# over KEY PHASE: what the last restart of an issue or pane has come to.
over() {
	grep -qs "\"phase\":\"$2\"" "$S/.paneward/$1.reload"
}

# restarter KEY: the process of its last restart.
restarter() {
	sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$S/.paneward/$1.reload"
}

# pipe_is SESSION 1|0: does tmux write its pane's output to a pipe?
pipe_is() {
	[ "$(pane_tell "$1" '#{pane_pipe}')" = "$2" ]
}

why() {
	sed -n 's/.*"why":"\([^"]*\)".*/\1/p' "$S/.paneward/$1.reload"
}

# The key of a pane without an issue.
key() {
	pane_tell "$1" '_pane-#{pid}-#{s/%//:pane_id}'
}

# Does it wait for a prompt?
idle() {
	[ "$(pane_tell "$1" '#{pane_title}')" = '✳ claude' ]
}

note=.claude/self-reborn/handoff.md
leave_note() {
	mkdir -p .claude/self-reborn && printf '%s\n' "$1" >"$note"
}

tmux_start

# ---- one that does not take what it is told ----------------------------------

# That is seen after a minute, so it is begun here, in a project and with an
# agent of its own, and looked at in the end.
mkdir -p "$T/mute/bin" "$T/mute/sessions" "$T/mute/project/.claude/self-reborn"
sed "s|^T=.*|T='$T/mute'|" "$T/bin/claude" >"$T/mute/bin/claude"
chmod +x "$T/mute/bin/claude"
pane_run mute "PATH='$T/mute/bin:$PATH' exec dash -i" -c "$T/mute/project"
pane_type mute 'claude begin-mute'
wait_until 10 eval 'grep -qs begin-mute "$T/mute/told" && idle mute'
touch "$T/mute/ignores"
mute=$(cat "$T/mute/pid")
echo 'remember this' >"$T/mute/project/$note"
exits 0 'the restart of one that will not take what it is told' sh -c \
	'cd "$1" && PATH=$2:$PATH "$3" reload --pane "$4" --session-id "$5"' - \
	"$T/mute/project" "$T/mute/bin" "$PW" "$(pane_tell mute '#{pane_id}')" \
	"$(cat "$T/mute/last")"
wait_until 10 eval '[ "$(cat "$T/mute/pid")" != "$mute" ]'

# ---- an agent that start began, with a live watcher -------------------------

exits 0 'an agent is started' "$PW" start 42 --backend claude --prompt hello
run=$(record 42 run)
wait_until 10 eval 'told hello && idle project-issue-42'
wait_until 5 watched 42
wait_until 5 eval '[ "$(record 42 agent.pid)" != "" ]'
watcher=$(watcher 42)
agent=$(record 42 agent.pid)
pane=$(record 42 tmux.pane)
is "$(head -n 1 "$T/starts")" "--session-id|$run|hello|" 'with its session'
leave_note 'Next: write the $(tests) of "login".
It is in '\''src'\''.'
: >"$T/busy"
pane_type project-issue-42 "!\"\$PANEWARD\" reload 'new \"hooks\"'"
wait_until 5 grep -q 'restarted as soon as' "$T/tool"
like "$(cat "$T/tool")" "^the agent in pane $pane \(claude, session $run\)" \
	'it is told what will happen'
like "$(cat "$T/tool")" '^end your turn now' 'and that its turn has to end'
wait_until 5 eval '[ "$(record 42 reload.phase)" = waiting ]'
is "$(record 42 reload.phase)" waiting 'the record says reload meanwhile'
exits 1 'another one is refused meanwhile' "$PW" reload --pane "$pane"
like "$(cat "$T/err")" 'under way already' 'for that reason'
starts 1
result $? 'nothing is stopped before the turn has ended'
rm "$T/busy"
wait_until 10 over 42 'done'
is "$(sed -n 2p "$T/starts")" "--resume|$run|You have been restarted in this \
pane, as you asked (new \"hooks\"); this is the same conversation. Go on by \
what you left for yourself:~~Next: write the \$(tests) of \"login\".~It is in \
'src'.|" 'it was resumed, with what it had left for itself, as it was'
is "$(sed -n 2p "$T/runs")" "42|$run" 'issue and run are the same'
like "$(why 42)" 'works on its prompt' 'it has taken that'
is "$(find .claude -name '*.md' | wc -l) $(find .claude -name \
	'handoff-2*Z.md' | wc -l)" '1 1' 'the memo is renamed'
wait_until 5 eval '[ "$(record 42 agent.pid)" != "$agent" ]'
wait_until 5 eval '[ "$(record 42 reload.phase)" = "" ]'
is "$(record 42 run) $(record 42 tmux.pane)" "$run $pane" \
	'run and pane go on'
is "$(pane_tell project-issue-42 '#{pane_id} #{pane_pipe} #{pane_pid}')" \
	"$pane 1 $(record 42 tmux.pane_pid)" 'so does the pipe'
soon 'and the log' logged 42 Press
is "$(watcher 42)" "$watcher" 'the watcher is the same'
is "$(changes 42 dead) $(changes 42 gone)" '0 0' \
	'which has said neither dead nor gone'
journal_tells() {
	journal 42 run | grep -q 'reload: the agent was restarted'
}
soon 'the journal tells of it' journal_tells

pane_type project-issue-42 "!\"\$PANEWARD\" reload"
wait_until 10 starts 3
wait_until 10 eval "over 42 'done' && told 'Go on where you left off.'"
is "$(sed -n 3p "$T/starts" | cut -d '|' -f 1,2)" "--resume|$run" \
	'it restarts itself once more, without a memo'
wait_until 5 eval '[ "$(record 42 reload.phase)" = "" ]'
pane_type project-issue-42 '!"$PANEWARD" signal complete'
wait_until 10 recorded 42 complete
is "$(changes 42 dead) $(changes 42 gone)" '0 0' \
	'and reports, to a watcher that was never misled'

# ---- it still can end -------------------------------------------------------

exits 0 'another one' "$PW" start 43 --no-handoff -- claude --fast
wait_until 5 watched 43
wait_until 5 eval 'grep -q -e "^--fast|$" "$T/starts" && idle project-issue-43'
n=$(wc -l <"$T/starts")
exits 0 'a person restarts it' "$PW" reload --session-id "$run" \
	--pane "$(record 43 tmux.pane)"
wait_until 10 starts $((n + 1))
like "$(tail -n 1 "$T/starts")" "^--fast\|--resume\|$run\|You have been" \
	'with the words of its own command'
wait_until 10 over 43 'done'
wait_until 5 eval '[ "$(record 43 reload.phase)" = "" ]'
kill -9 "$(cut -d ' ' -f 2 "$S/.paneward/43.agent")"
wait_until 10 recorded 43 dead
is "$(record 43 exit.signal)" 9 'one that was restarted is dead when it ends'

# ---- without a watcher, for a sweep ------------------------------------------

exits 0 'one that nobody watches' "$PW" start 44 --no-watch --backend claude \
	--prompt deaf
pane=$(record 44 tmux.pane)
wait_until 10 eval 'told deaf && idle project-issue-44'
"$PW" sweep
is "$(record 44 agent.pid)" "$(cat "$T/pid")" 'a sweep finds its agent'
exits 0 'is restarted' "$PW" reload --pane "$pane"
# Its Ctrl+C comes when that is recorded; then it stands still.
wait_until 10 pane_shows project-issue-44 '^C'
restarter=$(restarter 44)
freeze "$restarter"
"$PW" sweep
is "$(record 44 state) $(record 44 reload.phase)" 'working stopping' \
	'a sweep knows of that'
like "$("$PW" explain 44)" '^verdict: working.*being restarted' \
	'and so does explain'
kill -9 "$(cat "$T/pid")"
"$PW" sweep
kill -CONT "$restarter"
wait_until 20 over 44 'done'
# Until the restart has ended it holds the lock.
wait_until 10 no kill -0 "$restarter"
"$PW" sweep
is "$(changes 44 dead) $(changes 44 gone) $(record 44 reload.phase)" '0 0 ' \
	'it was never taken for dead'
is "$(record 44 agent.pid)" "$(cat "$T/pid")" 'its agent is another one'
is "$(record 44 tmux.pane_pid)" "$(pane_tell project-issue-44 '#{pane_pid}')" \
	'and so is the process of its pane'
is "$(pane_tell project-issue-44 '#{pane_pipe}')" 1 'the pipe is still there'
kill -9 "$(cat "$T/pid")"
wait_until 5 eval '[ "$(pane_tell project-issue-44 "#{pane_dead}")" = 1 ]'
swept() {
	"$PW" sweep
	recorded "$1" "$2"
}
soon 'until it is dead' swept 44 dead

# ---- its pipe ----------------------------------------------------------------

exits 0 'one whose log has no watcher' "$PW" start 46 --no-watch \
	--backend claude --prompt deaf-46
pane=$(record 46 tmux.pane)
wait_until 10 eval 'told deaf-46 && idle project-issue-46'
echo '{ "log_cap": 70000 }' >.paneward.json
exits 0 'is restarted' "$PW" reload --pane "$pane"
rm .paneward.json
wait_until 5 over 46 stopping
restarter=$(restarter 46)
freeze "$restarter"
writer=$(cut -d ' ' -f 2 "$S/.paneward/46.pipe")
kill -9 "$writer"
wait_until 5 no kill -0 "$writer"
kill -CONT "$restarter"
wait_until 20 over 46 'done'
soon 'a pipe that it lost meanwhile is there again' pipe_is project-issue-46 1
wait_until 5 eval '[ "$(cut -d " " -f 2 "$S/.paneward/46.pipe")" != "$writer" ]'
like "$(tr '\0' ' ' <"/proc/$(cut -d ' ' -f 2 "$S/.paneward/46.pipe")/cmdline")" \
	'log-writer 46 .* 70000 ' 'with the size that the configuration gives'
tm kill-session -t =project-issue-46:

exits 0 'one whose pipe was closed' "$PW" start 47 --no-watch \
	--backend claude --prompt begin-47
pane=$(record 47 tmux.pane)
wait_until 10 eval 'told begin-47 && idle project-issue-47'
tm pipe-pane -t "$pane"
wait_until 5 no test -e "$S/.paneward/47.pipe"
exits 0 'is restarted' "$PW" reload --pane "$pane"
wait_until 20 over 47 'done'
is "$(pane_tell project-issue-47 '#{pane_pipe}')" 0 'and has none then'
tm kill-session -t =project-issue-47:

exits 0 'an agent in a shell line' "$PW" start 45 --no-watch --backend claude \
	-- sh -c 'claude begin-line; true'
wait_until 10 eval 'told begin-line && idle project-issue-45'
exits 3 'cannot be given the words that resume it' "$PW" reload \
	--session-id x --pane "$(record 45 tmux.pane)"
like "$(cat "$T/err")" 'started by the shell' 'for that reason'
tm kill-session -t =project-issue-45:

# ---- an agent in a pane of one's own -----------------------------------------

# by_hand SESSION SHELL...: a shell in a pane, and an agent begun at its prompt.
by_hand() {
	session=$1
	shift
	pane_run "$session" "exec $*"
	pane_type "$session" "claude begin-$session"
	wait_until 10 eval "told begin-$session && idle $session"
}

for shell in 'dash -i' 'bash --norc' 'zsh -f' mksh 'fish --no-config' \
	'tcsh -f'; do
	name=${shell%% *}
	command -v "$name" >/dev/null || {
		skip "an agent begun in $name" 'it is not here'
		continue
	}
	by_hand "hand-$name" "$shell"
	session=$(cat "$T/last")
	n=$(wc -l <"$T/starts")
	leave_note "after $name"
	pane_type "hand-$name" "!$PW reload"
	wait_until 10 starts $((n + 1))
	wait_until 10 over "$(key "hand-$name")" 'done'
	is "$(tail -n 1 "$T/starts" | cut -d '|' -f 1-2)" \
		"--resume|$session" "in $name it is resumed"
	like "$(tail -n 1 "$T/starts")" "~~after $name\|" 'with its memo'
	is "$(tail -n 1 "$T/places")" "$P" 'in its directory'
	is "$(tail -n 1 "$T/runs")" '|' 'without an issue'
	kill -9 "$(cat "$T/pid")"
	wait_until 5 eval '! kill -0 "$(cat "$T/pid")"'
	pane_type "hand-$name" 'echo still-"here"'
	wait_until 5 pane_shows "hand-$name" still-here
	tm kill-session -t "=hand-$name:"
done
is "$(find "$S/.paneward" -name '_pane*launch' -o -name '_pane*agent' -o \
	-name '_pane*command')" '' 'nothing is left over'

pane_run flags 'exec bash --norc'
pane_type flags \
	'claude --model m1 --no-such --add-dir a b --verbose begin-flags'
wait_until 10 eval 'told begin-flags && idle flags'
n=$(wc -l <"$T/starts")
for i in 1 2; do
	pane_type flags "!$PW reload"
	wait_until 10 starts $((n + i))
	wait_until 10 over "$(key flags)" 'done'
	like "$(tail -n 1 "$T/starts")" \
		'^--model\|m1\|--add-dir\|a\|b\|--verbose\|--resume\|' \
		"the options of its command line are kept, time $i"
done
tm kill-session -t =flags:

# One that is found by its process, in a list that runs.
mkdir -p "$T/kept/bin" "$T/kept/shell"
cp "$(command -v dash)" "$T/kept/shell/claude"
sed "1s|.*|#!$T/kept/shell/claude|" "$T/bin/claude" >"$T/kept/bin/claude"
chmod +x "$T/kept/bin/claude"
pane_run kept "PATH='$T/kept/bin:$PATH' exec bash --norc"
pane_type kept 'claude begin-kept'
wait_until 10 eval 'told begin-kept && idle kept'
begin_command live status --all --json --follow
# The process of the agent, and its begin, as the list has them by now.
row() {
	grep '"where":"kept:' "$T/live.out" | tail -n 1 | perl -MJSON::PP -ne \
		'my $r = decode_json($_); print "$r->{agent}{pid} $r->{started}"'
}
row_is() {
	[ "$(row)" = "$1" ]
}
wait_until 10 grep -q '"where":"kept:' "$T/live.out"
before=$(row)
n=$(wc -l <"$T/starts")
pane_type kept "!$PW reload"
wait_until 10 starts $((n + 1))
wait_until 10 over "$(key kept)" 'done'
soon 'a restarted agent keeps its row, since it began' \
	row_is "$(cat "$T/pid") ${before#* }"
is "$(grep -c '"gone":true' "$T/live.out")" 0 'which never left'
kill "$(cat "$T/live.pid")"
tm kill-session -t =kept:

# ---- with a watcher that adopted it ------------------------------------------

# Do pane and record know each other?
adopted() {
	[ "$(pane_tell "issue-$1" '#{@paneward_issue}')" = "$1" ] &&
		[ "$(record "$1" tmux.pane)" != '' ]
}

by_hand issue-7 bash --norc
watch_begin seven 7
wait_until 5 eval 'watch_holds seven 7 && adopted 7'
wait_until 5 eval '[ "$(record 7 agent.pid)" != "" ]'
run=$(record 7 run)
agent=$(record 7 agent.pid)
n=$(wc -l <"$T/starts")
pane_type issue-7 "!$PW reload"
wait_until 10 starts $((n + 1))
wait_until 10 over 7 'done'
wait_until 5 eval '[ "$(record 7 reload.phase)" = "" ]'
is "$(tail -n 1 "$T/runs")" "7|$run" 'an adopted one knows its run from now on'
wait_until 5 eval '[ "$(record 7 agent.pid)" != "$agent" ]'
is "$(changes 7 dead) $(changes 7 gone)" '0 0' 'and is not taken for dead'
kill -9 "$(record 7 agent.pid)"
watch_ended seven 10 'until it is'

# ---- what it draws of its old conversation -----------------------------------

by_hand issue-8 bash --norc
old='###TASK_''COMPLETE_8###'
pane_type issue-8 "say $old"
# Not only typed.
said() {
	pane_text "$1" | grep -qxF -e "$2"
}
wait_until 5 eval 'said issue-8 "$old" && idle issue-8'
watch_begin eight 8 --new
wait_until 5 eval 'watch_holds eight 8 && adopted 8'
n=$(wc -l <"$T/starts")
pane_type issue-8 "!$PW reload"
wait_until 10 starts $((n + 1))
wait_until 10 over 8 'done'
wait_until 5 eval '[ "$(record 8 reload.phase)" = "" ]'
soon 'a marker of an earlier run is drawn again' logged 8 "$old"
let_pass
is "$(changes 8 complete)" 0 'and is no completion'
n=$(wc -l <"$T/starts")
freeze "$(watcher 8)"
pane_type issue-8 "!$PW reload"
wait_until 10 starts $((n + 1))
wait_until 10 over 8 'done'
wait_until 10 eval 'idle issue-8'
kill -CONT "$(watcher 8)"
let_pass
is "$(changes 8 complete)" 0 'nor for a watcher that stood still'
pane_type issue-8 "say $old"
watch_ended eight 0 'one that is news, is'

# ---- the prompt must be typed ------------------------------------------------

# It takes a while to begin, and loses an Enter that comes before it has.
cat >"$HOME/.config/paneward/backends/typist.json" <<'END'
{ "command": "typist", "resume": ["-s", "<<session>>"],
  "title": { "busy": ["^B"], "ready": ["^R"] } }
END
cat >"$T/bin/typist" <<END
#!/usr/bin/perl
my \$T = '$T';
END
cat >>"$T/bin/typist" <<'END'
use strict;
use IO::Handle;
my @words = @ARGV;
sub say_to { open my $f, '>>', "$T/$_[0]" or die; print $f "$_[1]\n" }
say_to('typist.starts', join '|', @words);
my $pid = $$;
$SIG{INT} = sub { exit 0 };
STDOUT->autoflush;
system 'stty -icanon -echo';
print "\e]2;S\e\\", "\e[?2004h";
exit 7 if -e "$T/typist.ends";
select undef, undef, undef, 0.6;
my ($text, $bytes) = ('', '');
sysread STDIN, $bytes, 4096 if select(my $in = "\1", undef, undef, 0);
$bytes =~ s/\r|\n//g;
print "\e]2;R\e\\> ";
while (1) {
	$text .= $bytes;
	$text =~ s/\e\[20[01]~//g;
	while ($text =~ s/^([^\r\n]*)[\r\n]//) {
		print "\e]2;B\e\\";
		say_to('typist.told', $1);
		system "sh -c '" . substr($1, 1) . "' >$T/tool 2>&1"
		    if substr($1, 0, 1) eq '!';
		select undef, undef, undef, 0.5;
		print "\e]2;R\e\\> ";
	}
	sysread STDIN, $bytes, 4096 or exit 1;
	$bytes = '' if -e "$T/typist.deaf";
}
END
chmod +x "$T/bin/typist"
pane_run typed 'exec bash --norc'
pane_type typed typist
wait_until 10 eval '[ "$(pane_tell typed "#{pane_title}")" = R ]'
leave_note 'line one
line $(two)'
exits 0 'an agent that takes no prompt on its command line' "$PW" reload why \
	--pane "$(pane_tell typed '#{pane_id}')" --session-id ses_7
wait_until 20 over "$(key typed)" 'done'
is "$(tail -n 1 "$T/typist.starts")" '-s|ses_7' 'is resumed'
is "$(cat "$T/typist.told")" "You have been restarted in this pane, as you \
asked (why); this is the same conversation. Go on by what you left for \
yourself:  line one line \$(two)" 'and gets it typed when it is ready, once'
wait_until 5 eval '[ "$(pane_tell typed "#{pane_title}")" = R ]'
touch "$T/typist.deaf"
leave_note 'not heard'
exits 0 'one that takes nothing of what is typed' "$PW" reload \
	--pane "$(pane_tell typed '#{pane_id}')" --session-id ses_7
wait_until 40 over "$(key typed)" failed
like "$(why "$(key typed)")" "has not accepted its prompt.*'$P/$note'" \
	'has failed, with the reason and what to do'
is "$(cat "$note")" 'not heard' 'and its memo is still there'
rm "$T/typist.deaf"
touch "$T/typist.ends"
leave_note 'touch '"$T/typed"
exits 0 'one that ends at once' "$PW" reload \
	--pane "$(pane_tell typed '#{pane_id}')" --session-id ses_7
wait_until 20 over "$(key typed)" failed
pane_type typed 'echo shell-"here"'
wait_until 5 pane_shows typed shell-here
unlike "$(pane_text typed)" 'touch' 'gets nothing, nor does the shell'
rm "$note"
tm kill-session -t =typed:

# Neither a hook nor a sign tells what it does; a person looks back as soon as
# it was typed to.
echo '{ "command": "unseen", "resume": ["-s", "<<session>>"] }' \
	>"$HOME/.config/paneward/backends/unseen.json"
cat >"$T/bin/unseen" <<'END'
#!/usr/bin/perl
$| = 1;
$SIG{INT} = sub { exit 0 };
system 'stty -icanon -echo';
print "> ";
while (sysread STDIN, my $bytes, 4096) {
	print $bytes;
	system "tmux copy-mode -t $ENV{TMUX_PANE}" if @ARGV;
}
END
chmod +x "$T/bin/unseen"
pane_run unseen 'exec bash --norc'
pane_type unseen unseen
wait_until 10 pane_shows unseen '>'
leave_note 'not sent'
exits 0 'one that shows nothing, and cannot be sent what was typed' \
	"$PW" reload --pane "$(pane_tell unseen '#{pane_id}')" \
	--session-id ses_8
wait_until 40 over "$(key unseen)" failed
like "$(why "$(key unseen)")" 'cannot type to the agent: pane' 'has failed'
is "$(cat "$note")" 'not sent' 'and its memo is still there'
rm "$note"
tm kill-session -t =unseen:

# ---- the agent is the pane's own process -------------------------------------

pane_run own 'exec claude begin-own'
wait_until 10 eval 'told begin-own && idle own'
n=$(wc -l <"$T/starts")
pane=$(pane_tell own '#{pane_id}')
pane_type own "!$PW reload"
wait_until 10 starts $((n + 1))
wait_until 10 over "$(key own)" 'done'
is "$(pane_tell own '#{pane_id}')" "$pane" 'the pane stays'
is "$(tm show-options -pv -t "$pane" remain-on-exit)" '' \
	'and is closed with its process later, as before'
wait_until 5 idle own
tm kill-session -t =own:

# ---- a project with quotes in its path ---------------------------------------

odd="$T/it's \"a\" \$(project)"
mkdir "$odd" && cd "$odd" || exit 1
by_hand odd bash --norc
leave_note odd
n=$(wc -l <"$T/starts")
pane_type odd "!$PW reload 'it'\\''s'"
wait_until 10 starts $((n + 1))
wait_until 5 told '(it'
S=$odd/.worktrees/.status wait_until 10 over "$(key odd)" 'done'
is "$(tail -n 1 "$T/places")" "$odd" 'a path with quotes does no harm'
is "$(find .claude -name 'handoff-2*Z.md' | wc -l)" 1 'nor to its memo'
tm kill-session -t =odd:
cd "$P" || exit 1

# ---- what is refused, with the agent left alone ------------------------------

by_hand calm bash --norc
calm=$(pane_tell calm '#{pane_id}')
id=$(cat "$T/last")
n=$(wc -l <"$T/starts")

# refused STATUS WHY DESCRIPTION OPTION...
refused() {
	want=$1 reason=$2 words=$3
	shift 3
	exits "$want" "refused: $words" "$PW" reload --pane "$calm" "$@"
	like "$(cat "$T/err")" "^paneward: .*$reason" 'for that reason'
}

refused 2 'is not the id of a session' 'a session id that is none' \
	--session-id '--continue'
refused 2 "takes one reason" 'two reasons' one two
refused 3 'there is no pane %99' 'a pane that is not there' --pane %99
refused 2 "is not the id of a pane" 'what is no pane' --pane calm
refused 3 "memo '.*': it is not there" 'a memo that is missing' \
	--handoff nothing.md --session-id "$id"
mkdir "$T/empty"
ln -s "$(command -v tmux)" "$T/empty/tmux"
exits 3 'refused: a client that is not in PATH' env PATH="$T/empty" \
	"$PW" reload --pane "$calm" --session-id "$id"
like "$(cat "$T/err")" "'claude' is not in PATH" 'for that reason'
echo "text" >"$T/text" && ln -s "$T/text" link.md
refused 3 'it is a link' 'a memo that is a link' --memo link.md \
	--session-id "$id"
echo old >old.md && touch -d '1 hour ago' old.md
refused 1 'is stale' 'a stale one that is named' --handoff old.md \
	--session-id "$id"
head -c 200000 /dev/zero | tr '\0' x >long.md
refused 3 'longer than 100 KiB' 'a long one' --handoff long.md \
	--session-id "$id"
tm set-option -w -t "$calm" synchronize-panes on
refused 3 'all panes at once' 'where all panes are typed into' \
	--session-id "$id"
tm set-option -w -t "$calm" synchronize-panes off
# in_front SESSION PROGRAM
in_front() {
	[ "$(pane_tell "$1" '#{pane_current_command}')" = "$2" ]
}
pane_run shell-only 'exec bash --norc'
wait_until 5 in_front shell-only bash
refused 3 "none in front of pane" 'a shell without an agent' \
	--pane "$(pane_tell shell-only '#{pane_id}')"
pane_run other-program 'exec tail -f /dev/null'
wait_until 5 in_front other-program tail
refused 3 "which kind of agent is 'tail'" 'another program' \
	--pane "$(pane_tell other-program '#{pane_id}')"
# The end of a long history counts, if nothing else names the session.
mkdir -p .claude/self-reborn
echo "$id" >.claude/self-reborn/session_id
perl -e 'for my $i (1 .. 40000) {
	print qq({"timestamp":"-","session_id":"s$i","event":"session_$_"}\n)
	    for "start", "end" }
	print qq({"session_id":"$_","event":"session_start"}\n) for @ARGV' \
	"$id" another >.claude/self-reborn/session_history.jsonl
refused 1 'name it with --session-id' \
	'where another session has begun in a long history'
rm .claude/self-reborn/session_id .claude/self-reborn/session_history.jsonl
by_hand second bash --norc
refused 1 'name it with --session-id' 'one of two agents in a project'
tm kill-session -t =second:
exits 3 'refused: outside of tmux' "$PW" reload
like "$(cat "$T/err")" 'not inside tmux' 'for that reason'
starts $((n + 1))
result $? 'no agent was started by any of these'
check 'and none was stopped' idle calm

# A stale one that was not named is left out, with a word.
mkdir -p .claude/self-reborn && echo yesterday >"$note" &&
	touch -d '1 day ago' "$note"
exits 0 'a stale memo that was left over' "$PW" reload \
	--pane "$calm" --session-id "$id"
like "$(cat "$T/err")" 'stale, and not delivered' 'is told'
wait_until 10 over "$(key calm)" 'done'
like "$(tail -n 1 "$T/starts")" "^--resume\|$id\|.*Go on where you left off" \
	'and not delivered'
check 'nor renamed' test -e "$note"
rm "$note"

# ---- what goes wrong on the way ----------------------------------------------

wait_until 5 idle calm
leave_note 'rm -rf nothing; touch '"$T/typed"
exits 0 'a session that does not exist' "$PW" reload --pane "$calm" \
	--session-id 00000000-0000-4000-8000-000000000000
wait_until 10 over "$(key calm)" failed
like "$(why "$(key calm)")" 'is its session still there' \
	'ends in a clear state'
pane_type calm 'echo "$?" shell-"here"'
wait_until 5 pane_shows calm '1 shell-here'
check 'with the memo still there' test -e "$note"
unlike "$(pane_text calm)" 'rm -rf' 'and nothing of it typed into the shell'
check 'nor run' no test -e "$T/typed"
tm kill-session -t =calm:

by_hand stubborn bash --norc
pane_type stubborn deaf-stubborn
wait_until 5 eval 'told deaf-stubborn && idle stubborn'
stubborn=$(pane_tell stubborn '#{pane_id}')
id=$(cat "$T/last")
exits 0 'an agent that hears nothing' "$PW" reload --pane "$stubborn" \
	--session-id "$id"
wait_until 30 over "$(key stubborn)" 'done'
like "$(cat "$S/.paneward/$(key stubborn).reload.log")" 'signal 15' \
	'is ended by signals'

# Who has put it aside may be in the middle of something else.
pane_run aside 'exec bash --norc'
pane_type aside 'claude begin-aside'
wait_until 10 eval 'told begin-aside && idle aside'
id=$(cat "$T/last")
agent=$(cat "$T/pid")
: >"$T/busy"
pane_type aside work
wait_until 5 eval 'told work && ! idle aside'
exits 0 'an agent that is put aside meanwhile' "$PW" reload \
	--pane "$(pane_tell aside '#{pane_id}')" --session-id "$id"
tm send-keys -t =aside: C-z
wait_until 5 pane_shows aside Stopped
pane_type aside "printf '\\033]2;✳ claude\\033\\134'; cat"
wait_until 5 idle aside
sleep 8                         # within six it would have been ended
check 'is left alone' kill -0 "$agent"
is "$(pane_tell aside '#{pane_current_command}')" cat 'and so is the shell'
tm send-keys -t =aside: C-d
rm "$T/busy"
pane_type aside fg
wait_until 10 over "$(key aside)" 'done'
like "$(tail -n 1 "$T/starts")" "^--resume\|$id\|" \
	'and restarted when it is in front again'

mute_over() {
	S=$T/mute/project/.worktrees/.status over "$(key mute)" "$1"
}
wait_until 90 mute_over failed
like "$(S=$T/mute/project/.worktrees/.status why "$(key mute)")" \
	"has not accepted its prompt.*'$T/mute/project/$note'" \
	'the one that has not taken what it was told has failed'
is "$(cat "$T/mute/project/$note")" 'remember this' \
	'and its memo is still there'
check 'the agent, too' kill -0 "$(cat "$T/mute/pid")"

done_testing
