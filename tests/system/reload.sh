#!/bin/sh
# paneward reload: an agent restarts itself in its pane and goes on with the
# same conversation.  Most restarts are begun together and looked at later.
. "${0%/*}/lib.sh"

mkdir "$T/bin" "$HOME/.config/paneward/backends"
PATH=$T/bin:$PATH
export PATH T

# Like Claude Code.  Its files begin with its session's name: what it was begun
# with, what it was told, its conversation.  A prompt that begins with '!' is a
# command of its tools, whose output is in NAME.tool.  It ends with the second
# Ctrl+C, and resumes what it once began.
script bin/claude <<'END'
me=$T/$(tmux display-message -p -t "$TMUX_PANE" '#{session_name}')
key=${PANEWARD_ISSUE:-}
[ "$key" != '' ] || key=_pane-$(echo "$TMUX" | cut -d , -f 2)-${TMUX_PANE#%}
case $1 in
--plugin-dir=*/templates/claude-plugin) shift ;;
esac
printf '%s|' "$PWD" "${PANEWARD_ISSUE:-}" "${PANEWARD_RUN:-}" "$@" |
	tr '\n' '~' >>"$me.starts"
echo >>"$me.starts"
echo $$ >"$me.process"
prompt= session=$(cat /proc/sys/kernel/random/uuid)
while [ $# -gt 0 ]; do
	case $1 in
	--resume)
		session=$2
		grep -qx -e "$session" "$me.session" || {
			echo "No conversation found with session ID: $session"
			exit 1
		}
		shift ;;
	--session-id) session=$2; shift ;;
	-*) ;;
	*) prompt=$1 ;;
	esac
	shift
done
echo "$session" >"$me.session"
export CLAUDE_CODE_SESSION_ID="$session"

interrupt() {
	pressed=$((pressed + 1))
	[ $pressed -lt 2 ] || { echo bye; exit 0; }
	echo 'Press Ctrl-C again to exit'
}
trap interrupt INT

title() { printf '\033]2;%s claude\033\\' "$1"; }

# Until a restart of it has seen that it works.
restarting() {
	i=$((i + 1))
	[ $i -lt 100 ] && grep -Eqs '"phase":"(starting|delivering)"' \
		"$T"/*/.worktrees/.status/.paneward/"$key".reload
}

turn() {
	title '⠂'
	printf '%s\n' "$1" >>"$me.told"
	case $1 in
	deaf*) trap '' INT ;;
	say*) echo "${1#say }" | tee -a "$me.talk" ;;
	!*) sh -c "${1#?}" >"$me.tool" 2>&1; echo "tool $?" ;;
	*) sleep 0.3 ;;
	esac
	i=0
	while [ -e "$me.busy" ] || restarting; do
		sleep 0.1
	done
}

echo "conversation $session"
cat "$me.talk" 2>/dev/null
[ "$prompt" = '' ] || turn "$prompt"
while :; do
	pressed=0
	title '✳'
	printf '> '
	until read -r line; do
		[ $pressed -gt 0 ] || exit 0
	done
	turn "$line"
done
END

# by_hand NAME SHELL [LINE]: a shell in a pane and a folder of its own, and what
# is begun at its prompt.
by_hand() {
	mkdir -p "$P/$1"
	pane_run "$1" "exec $2" -c "$P/$1"
	pane_type "$1" "${3:-claude begin-$1}"
}

told() { grep -Fqs -e "$2" "$T/$1.told"; }
titled() { [ "$(pane_tell "$1" '#{pane_title}')" = "$2" ]; }
idle() { titled "$1" '✳ claude'; }
in_front() { [ "$(pane_tell "$1" '#{pane_current_command}')" = "$2" ]; }

# worked NAME PROMPT: its agent has worked on that, and waits for a prompt.
worked() { told "$1" "$2" && idle "$1"; }
begun() { wait_until 10 worked "$1" "${2:-begin-$1}"; }

# start ISSUE PROMPT [OPTION...]
start() {
	issue=$1
	prompt=$2
	shift 2
	fails 0 '' start "$issue" --session "s$issue" --backend claude \
		--no-report --prompt "$prompt" "$@"
	pane=$(record "$issue" tmux.pane)
	begun "s$issue" "$prompt"
}

# leave_note FOLDER TEXT: a memo for the next one.
note=.claude/self-reborn/handoff.md
leave_note() {
	mkdir -p "$P/$1/${note%/*}" && printf '%s\n' "$2" >"$P/$1/$note"
}

# ask NAME [WORDS]: its agent restarts itself.
ask() { pane_type "$1" "!$PW reload ${2:-}"; }
starts() { [ "$(wc -l <"$T/$1.starts")" -eq "$2" ]; }
last() { tail -n 1 "$T/$1.starts"; }

# The name of a pane's restarts.
key() {
	pane_tell "$1" '#{?@paneward_issue,#{@paneward_issue},'\
'_pane-#{pid}-#{s/%//:pane_id}}'
}

# over NAME PHASE: what the last restart of a pane has come to.
over() { grep -qs "\"phase\":\"$2\"" "$S/.paneward/$(key "$1").reload"; }

# restarted NAME [STARTS]
restarted() {
	wait_until 10 starts "$1" "${2:-2}"
	wait_until 20 over "$1" 'done'
	wait_until 5 has "$(key "$1")" reload.phase ''
}

# lived ISSUE: it was never taken for dead.
lived() { [ "$(changes "$1" dead)$(changes "$1" gone)" = 00 ]; }

restarter() { sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$S/.paneward/$1.reload"; }
writer() { cut -d ' ' -f 2 "$S/.paneward/$1.pipe"; }

# says_why NAME REGEX: its last restart says so.
says_why() {
	like "$(sed -n 's/.*"why":"\([^"]*\)".*/\1/p' \
		"$S/.paneward/$(key "$1").reload")" "$2"
}

# reload NAME [OPTION...]: a person restarts its agent.
reload() {
	of=$1
	shift
	fails 0 '' reload "$@" --pane "$(pane_tell "$of" '#{pane_id}')"
}

# Its prompt must be typed.  It takes a while to begin, and loses an Enter that
# comes before it has.
cat >"$HOME/.config/paneward/backends/typist.json" <<'END'
{ "command": "typist", "resume": ["-s", "<<session>>"],
  "title": { "busy": ["^B"], "ready": ["^R"] } }
END
cat >"$T/bin/typist" <<'END'
#!/usr/bin/perl
use IO::Handle;
my $T = $ENV{T};
sub say_to { open my $f, '>>', "$T/$_[0]" or die; print $f "$_[1]\n" }
say_to('typist.starts', join '|', @ARGV);
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
		select undef, undef, undef, 0.5;
		print "\e]2;R\e\\> ";
	}
	sysread STDIN, $bytes, 4096 or exit 1;
	$bytes = '' if -e "$T/typist.deaf";
}
END
# A person looks back in this one as soon as it was typed to.
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
mkdir -p "$T/kept/bin" "$T/kept/shell" "$S"
cp "$(command -v dash)" "$T/kept/shell/claude"
sed "1s|.*|#!$T/kept/shell/claude|" "$T/bin/claude" >"$T/kept/bin/claude"
chmod 700 "$S"
chmod +x "$T/bin/"* "$T/kept/bin/claude"

# ---- agents in panes of one's own --------------------------------------------

tmux_start
shells=
for shell in 'dash -i' 'bash --norc' 'zsh -f' mksh 'fish --no-config' \
	'tcsh -f'; do
	name=${shell%% *}
	if command -v "$name" >/dev/null; then
		shells="$shells $name"
		by_hand "$name" "$shell"
	else
		skip "an agent begun in $name" 'it is not here'
	fi
done
by_hand flags 'bash --norc' \
	'claude --model m1 --no-such --add-dir a b --verbose begin-flags'
by_hand typed 'bash --norc' typist
by_hand unseen 'bash --norc' unseen
by_hand stubborn 'bash --norc' 'claude deaf-stubborn'
by_hand aside 'bash --norc'
by_hand kept "env PATH='$T/kept/bin:$PATH' bash --norc"
pane_run own 'exec claude begin-own'
own=$(pane_tell own '#{pane_id}')

# One that is found by its process, in a list that runs.
begun kept
begin_command live status --all --json --follow
# The agent's process and its begin in the list.
row() {
	grep '"where":"kept:' "$T/live.out" | tail -n 1 | perl -MJSON::PP -ne \
		'$_ = decode_json($_); print "$_->{agent}{pid} $_->{started}"'
}
wait_until 10 grep -q '"where":"kept:' "$T/live.out"
before=$(row)
ask kept

for name in $shells flags own; do
	begun "$name"
	leave_note "$name" "after $name"
	cp "$T/$name.session" "$T/$name.first"
	ask "$name"
done
wait_until 10 titled typed R
leave_note typed 'line one
line $(two)'
reload typed why --session-id ses_7
leave_note unseen 'not sent'
wait_until 10 pane_shows unseen '>'
reload unseen --session-id ses_8
begun stubborn deaf-stubborn
reload stubborn --session-id "$(cat "$T/stubborn.session")"

kept_row() { [ "$(row)" = "$(cat "$T/kept.process") ${before#* }" ]; }
scenario 'a restarted agent keeps its row, since it began' <<'END'
>>> restarted kept; wait_until 10 kept_row; kill "$(cat "$T/live.pid")"
>>> no grep '"gone":true' "$T/live.out"
END
# of_shell NAME: the words of its agent; then it ends.
of_shell() {
	restarted "$1"
	text=$(last "$1")
	echo "${text%%You*}${text##*yourself:}" |
		sed "s/$(cat "$T/$1.first")/ID/"
	kill -9 "$(cat "$T/$1.process")"
	wait_until 5 in_front "$1" "$1"
	pane_type "$1" 'echo still-"here"'
	wait_until 5 pane_shows "$1" still-here
	tm kill-session -t "=$1:"
}
for name in $shells; do
	is "$(of_shell "$name")" "$P/$name|||--resume|ID|~~after $name|" "in \
$name it is resumed in its directory, with its memo, without an issue"
done
scenario 'a pane of its own stays, and so do options' <<'END'
>>> restarted own; is "$(pane_tell own '#{pane_id}')" "$own"
>>> tm show-options -pv -t "$own" remain-on-exit
>>> restarted flags; wait_until 5 idle flags; ask flags; restarted flags 3
>>> cut -d '|' -f 4-9 "$T/flags.starts" | sed 1d | sort -u
--model|m1|--add-dir|a|b|--verbose
END
scenario 'an agent that takes no prompt gets it typed, once' <<'END'
>>> wait_until 20 over typed 'done'
>>> tail -n 1 "$T/typist.starts"; cat "$T/typist.told"
-s|ses_7
You have been restarted in this pane, as you asked (why); this is the same conversation. Go on by what you left for yourself:  line one line $(two)
>>> wait_until 5 titled typed R
END

begun aside
agent=$(cat "$T/aside.process")
: >"$T/aside.busy"
pane_type aside work
wait_until 5 eval 'told aside work && ! idle aside'
reload aside --session-id "$(cat "$T/aside.session")"
tm send-keys -t =aside: C-z
wait_until 5 pane_shows aside Stopped
pane_type aside "printf '\\033]2;✳ claude\\033\\134'; cat"
wait_until 5 idle aside

# It takes longer than an agent that is put aside would have.
touch "$T/typist.deaf"
leave_note typed 'not heard'
reload typed --session-id ses_7

reload_journaled() { journal 42 run | grep -q 'the agent was restarted'; }
scenario 'an agent is restarted when its turn ends; all else goes on' <<'END'
>>> start 42 hello; run=$(record 42 run); wait_until 5 watched 42
>>> wait_until 5 no has 42 agent.pid ''; watcher=$(watcher 42)
>>> agent_42=$(record 42 agent.pid); last s42 | sed "s/$run/RUN/g"
$T/project|42|RUN|--session-id|RUN|hello|
>>> leave_note . 'Next: write the $(tests) of "login".
... It is in '\''src'\''.'; : >"$T/s42.busy"; ask s42 "'new \"hooks\"'"
>>> wait_until 5 grep -q '^end your turn now' "$T/s42.tool"
>>> like "$(cat "$T/s42.tool")" "^the agent in pane $pane \(claude, session \
... $run\) is restarted as soon as"
>>> wait_until 10 has 42 reload.phase waiting
>>> fails 1 'under way already' reload --pane "$pane"; starts s42 1
>>> rm "$T/s42.busy"; restarted s42; last s42 | sed "s/$run/RUN/g"
$T/project|42|RUN|--resume|RUN|You have been restarted in this pane, as you asked (new "hooks"); this is the same conversation. Go on by what you left for yourself:~~Next: write the $(tests) of "login".~It is in 'src'.|
>>> says_why s42 'works on its prompt'
>>> find .claude -name '*.md' | sed 's/-2[0-9TZ]*/-TIME/'
.claude/self-reborn/handoff-TIME.md
>>> wait_until 5 no has 42 agent.pid "$agent_42"
>>> is "$(fields 42 run tmux.pane) $(watcher 42)" "$run $pane $watcher"
>>> is "$(pane_tell s42 '#{pane_id} #{pane_pipe} #{pane_pid}')" \
... 	"$pane 1 $(record 42 tmux.pane_pid)"
>>> wait_until 10 logged 42 Press; wait_until 10 reload_journaled
>>> wait_until 5 idle s42; ask s42; restarted s42 3
>>> wait_until 10 told s42 'Go on where you left off.'
>>> last s42 | cut -d '|' -f 4-5 | sed "s/$run/RUN/"
--resume|RUN
>>> wait_until 5 idle s42
... pane_type s42 '!"$PANEWARD" signal complete'
... wait_until 10 recorded 42 complete; lived 42
END
scenario 'a restarted agent keeps its words, and may die' <<'END'
>>> fails 0 '' start 43 --session s43 --no-handoff -- claude --fast
>>> wait_until 5 watched 43; wait_until 10 idle s43
... session=$(cat "$T/s43.session")
>>> reload s43 --session-id "$session"; restarted s43
>>> like "$(last s43)" "\|--fast\|--resume\|$session\|You have been"
>>> kill -9 "$(cut -d ' ' -f 2 "$S/.paneward/43.agent")"
>>> wait_until 10 recorded 43 dead; fields 43 exit.signal
9
END

# A restart that stands still holds the lock.
dead_by_sweep() { "$PW" sweep && recorded 44 dead; }
scenario 'a sweep never takes a restarting agent for dead' <<'END'
>>> start 46 deaf-46 --no-watch; writer=$(writer 46)
>>> echo '{ "log_cap": 70000 }' >.paneward.json; reload s46; rm .paneward.json
>>> wait_until 5 over s46 stopping; restarter=$(restarter 46)
... freeze "$restarter"
>>> kill -9 "$writer"; wait_until 5 no kill -0 "$writer" 2>/dev/null
>>> kill -CONT "$restarter"
>>> start 44 deaf --no-watch; start 47 begin-47 --no-watch
... tm pipe-pane -t "$pane"
>>> wait_until 5 no test -e "$S/.paneward/47.pipe"; reload s47; "$PW" sweep
>>> is "$(record 44 agent.pid)" "$(cat "$T/s44.process")"; reload s44
>>> wait_until 10 pane_shows s44 '^C'; restarter=$(restarter 44)
>>> freeze "$restarter"; "$PW" sweep; valid 0 status 44 --json
>>> covers row.reload; fields 44 state reload.phase
working stopping
>>> fails 0 '^verdict: working.*being restarted' explain 44
>>> kill -9 "$(cat "$T/s44.process")"; "$PW" sweep; kill -CONT "$restarter"
>>> wait_until 20 over s44 'done'
... wait_until 10 no kill -0 "$restarter" 2>/dev/null
>>> "$PW" sweep; lived 44; fields 44 reload.phase
-
>>> is "$(fields 44 agent.pid tmux.pane_pid)" \
... 	"$(cat "$T/s44.process") $(pane_tell s44 '#{pane_pid}')"
>>> pane_tell s44 '#{pane_pipe}'; kill -9 "$(cat "$T/s44.process")"
1
>>> wait_until 10 dead_by_sweep
END
pipe_is_back() {
	[ "$(pane_tell s46 '#{pane_pipe}')" = 1 ] &&
		[ "$(writer 46)" != "$writer" ]
}
scenario 'a pipe that was lost meanwhile is made again' <<'END'
>>> wait_until 20 over s46 'done'; wait_until 10 pipe_is_back
>>> like "$(tr '\0' ' ' <"/proc/$(writer 46)/cmdline")" 'log-writer 46 .* 70000'
>>> fails 0 '' start 45 --session s45 --no-watch --backend claude -- \
... 	sh -c 'claude begin-line; true'
>>> begun s45 begin-line; fails 3 'started by the shell' reload --session-id x \
... 	--pane "$(record 45 tmux.pane)"
>>> wait_until 20 over s47 'done'; pane_tell s47 '#{pane_pipe}'
0
END

# Do pane and record know each other, and the agent?
adopted() {
	watch_holds "w$1" "$1" &&
		[ "$(pane_tell "issue-$1" '#{@paneward_issue}')" = "$1" ] &&
		no has "$1" tmux.pane '' && no has "$1" agent.pid ''
}

old='###TASK_''COMPLETE_8###'
by_hand issue-7 'bash --norc'
by_hand issue-8 'bash --norc'
begun issue-7
begun issue-8
said_old() { told issue-8 "$old" && idle issue-8; }
scenario 'an adopted agent knows its run, and is not taken for dead' <<'END'
>>> pane_type issue-8 "say $old"; wait_until 5 said_old
>>> watch_begin w7 7; watch_begin w8 8 --new; wait_until 5 adopted 7
>>> wait_until 5 adopted 8; run=$(record 7 run); agent_7=$(record 7 agent.pid)
>>> ask issue-7; ask issue-8; restarted issue-7
>>> like "$(last issue-7)" "^$P/issue-7\|7\|$run\|--resume"
>>> wait_until 5 no has 7 agent.pid "$agent_7"; lived 7
>>> kill -9 "$(record 7 agent.pid)"; watch_ended w7 10
END
scenario 'a marker of an earlier run that is redrawn does not count' <<'END'
>>> restarted issue-8; wait_until 10 logged 8 "$old"; let_pass
>>> is "$(changes 8 complete)" 0; wait_until 5 idle issue-8
>>> freeze "$(watcher 8)"; ask issue-8; wait_until 10 starts issue-8 3
>>> wait_until 20 over issue-8 'done'; wait_until 10 idle issue-8
>>> kill -CONT "$(watcher 8)"; let_pass; is "$(changes 8 complete)" 0
>>> pane_type issue-8 "say $old"; watch_ended w8 0
END

scenario 'a deaf agent is ended by signals, or reported as failed' <<'END'
>>> like "$(cat "$S/.paneward/$(key stubborn).reload.log")" 'signal 15'
>>> restarted stubborn; wait_until 40 over unseen failed
>>> says_why unseen 'cannot type to the agent: pane'
... wait_until 40 over typed failed
>>> says_why typed "has not accepted its prompt.*'$P/typed/$note'"
>>> cat "unseen/$note" "typed/$note"
not sent
not heard
>>> kill -0 "$agent" && pane_tell aside '#{pane_current_command}'
cat
>>> tm send-keys -t =aside: C-d; rm "$T/aside.busy"; pane_type aside fg
END
rm "$T/typist.deaf"
touch "$T/typist.ends"
leave_note typed "touch $T/typed"
reload typed --session-id ses_7

odd="$T/it's \"a\" \$(project)"
mkdir "$odd" && cd "$odd" || exit 1
P=$odd S=$odd/.worktrees/.status
pane_run odd 'exec bash --norc'
pane_type odd 'claude begin-odd'
begun odd
pane=$(pane_tell odd '#{pane_id}')
id=$(cat "$T/odd.session")

# refused STATUS WHY OPTION...
refused() {
	want=$1 reason=$2
	shift 2
	fails "$want" "^paneward: .*$reason" reload --pane "$pane" "$@"
}

pane_run shell-only 'exec bash --norc'
wait_until 5 in_front shell-only bash
echo text >"$T/text" && ln -s "$T/text" link.md
echo old >old.md && touch -d '1 hour ago' old.md
head -c 200000 /dev/zero | tr '\0' x >long.md
scenario 'what is refused leaves the agent alone' <<'END'
>>> refused 2 'is not the id of a session' --session-id '--continue'
>>> refused 2 "and 'two' is one more" one two
>>> refused 1 'there is no pane %99' --pane %99
>>> refused 2 'is not the id of a pane' --pane odd
>>> refused 3 "memo '.*': it is not there" --handoff none.md --session-id "$id"
>>> refused 3 'it is a link' --memo link.md --session-id "$id"
>>> refused 1 'is stale' --handoff old.md --session-id "$id"
>>> refused 3 'longer than 100 KiB' --handoff long.md --session-id "$id"
>>> refused 1 'no agent is in front of pane' \
... 	--pane "$(pane_tell shell-only '#{pane_id}')"
>>> refused 3 "which kind of agent is 'tail'" \
... 	--pane "$(pane_tell keeper '#{pane_id}')"
>>> tm set-option -w -t "$pane" synchronize-panes on
>>> refused 3 'all panes at once' --session-id "$id"
>>> tm set-option -w -t "$pane" synchronize-panes off
>>> mkdir "$T/empty"; ln -s "$(command -v tmux)" "$T/empty/tmux"
>>> gives 3 "'claude' is not in PATH" env PATH="$T/empty" \
... 	"$PW" reload --pane "$pane" --session-id "$id"
>>> fails 3 'not inside tmux' reload
END
scenario 'a session may be known by the end of a long history' <<'END'
>>> leave_note . yesterday; touch -d '1 day ago' "$note"
>>> echo "$id" >.claude/self-reborn/session_id
>>> perl -e 'for my $i (1 .. 40000) {
... 	print qq({"timestamp":"-","session_id":"s$i","event":"session_$_"}\n)
... 	    for "start", "end" }
... 	print qq({"session_id":"$_","event":"session_start"}\n) for @ARGV' \
... 	"$id" another >.claude/self-reborn/session_history.jsonl
>>> refused 1 'name it with --session-id'
>>> rm .claude/self-reborn/session_id .claude/self-reborn/session_history.jsonl
>>> pane_run second 'exec bash --norc'; pane_type second 'claude begin-second'
>>> begun second; refused 1 'name it with --session-id'
>>> tm kill-session -t =second:; starts odd 1 && idle odd
END
scenario 'a stale memo is left; a path with quotes does no harm' <<'END'
>>> reload odd --session-id "$id"
>>> like "$(cat "$T/err")" 'stale, and not delivered'; restarted odd
>>> like "$(last odd)" "\|--resume\|$id\|.*Go on where you left off"
... cat "$note"
yesterday
>>> rm "$note"; leave_note . memo; wait_until 5 idle odd; ask odd "'it'\\''s'"
>>> restarted odd 3; find .claude -name 'handoff-2*Z.md' | wc -l
1
>>> last odd | sed "s/$id/ID/"
$T/it's "a" $(project)|||--resume|ID|You have been restarted in this pane, as you asked (it's); this is the same conversation. Go on by what you left for yourself:~~memo|
>>> # Without its session it fails, and types nothing.
>>> wait_until 5 idle odd; leave_note . "rm -rf nothing; touch $T/typed"
>>> reload odd --session-id 00000000-0000-4000-8000-000000000000
>>> wait_until 10 over odd failed; says_why odd 'is its session still there'
>>> pane_type odd 'echo "$?" shell-"here"'
... wait_until 5 pane_shows odd '1 shell-here'
>>> test -e "$note" && unlike "$(pane_text odd)" 'rm -rf'
END

P=$T/project S=$T/project/.worktrees/.status
scenario 'no shell gets the words; one put aside is restarted in front' <<'END'
>>> wait_until 20 over typed failed; pane_type typed 'echo shell-"here"'
>>> wait_until 5 pane_shows typed shell-here; unlike "$(pane_text typed)" touch
>>> no test -e "$T/typed"
>>> restarted aside; like "$(last aside)" '\|--resume\|'
>>> find "$S/.paneward" -name '_pane*launch' -o -name '_pane*agent' -o \
... 	-name '_pane*command'
END
done_testing
