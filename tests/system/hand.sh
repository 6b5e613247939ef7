#!/bin/sh
# Agents that a person started by hand, in any pane: `watch --everywhere` gives
# each a run of its own, with notices.  hand-killed.sh has the rest of it.
. "${0%/*}/lib.sh"

panes=$HOME/.local/state/paneward/panes
# The helpers of lib.sh read the records there.
mkdir "$T/user" "$T/bin"
ln -s "$panes" "$T/user/.paneward"
S=$T/user
cp "$(perl -e 'print $^X')" "$T/bin/claude"
export PATH="$T/bin:$PATH"

script note <<END
[ ! -e '$T/broken' ] || exit 1
{ env | grep '^PANEWARD_'; pwd; } >"$T/env.\${PANEWARD_NAME%%:*}"
echo "\$PANEWARD_NAME \$PANEWARD_STATE \$PANEWARD_MESSAGE" >>'$T/notes'
END

: >"$T/notes"
echo "{ \"handoff\": null, \"notify\": [[\"$T/note\"]] }" \
	>"$HOME/.config/paneward/config.json"

# An agent draws $T/NAME.screen once more after each change.
cat >"$T/agent.pl" <<'END'
my ($folder, $name, $drawn) = @ARGV;
$| = 1;
for (;; select undef, undef, undef, 0.1) {
	my $key = (stat "$folder/$name.screen")[1] or next;
	next if $key eq ($drawn // '');
	open my $file, '<', "$folder/$name.screen" or next;
	print "\e[H", (map { s/\n/\e[K\r\n/r } <$file>), "\e[J";
	$drawn = $key;
}
END

rule=────────────────────────────────────────
asks() {
	shows "$1" "$rule
 Bash command
   what it is for
╌╌╌╌╌╌╌╌╌╌
 $2
╌╌╌╌╌╌╌╌╌╌
 Do you want to proceed?
 ❯ 1. Yes
   2. No

 Esc to cancel · Tab to amend"
}

prompt="$rule
❯ 
$rule"
works() {
	shows "$1" "❯ Go on.

✻ Brewing… (5s · esc to interrupt)

$prompt"
}

waits() {
	shows "$1" "● That is all.

$prompt"
}

# shows NAME TEXT: the agent draws it.
shows() {
	printf '%s\n' "$2" >"$T/$1.drawing"
	mv "$T/$1.drawing" "$T/$1.screen"
}

# by_hand NAME: a shell of a person, who types the agent's command.
by_hand() {
	tm new-session -d -s "$1" -n work -x 80 -y 24 -c "$P" 'exec sh -i'
	wait_until 5 pane_placed "$1"
	pane_type "$1" "claude $T/agent.pl $T $1"
}

# key NAME: of its records.
key() { pane_tell "$1" '#{pane_id}-#{pid}' | tr -d %; }

# hook NAME EVENT [MORE]: of the agent in the pane of that session.
hook() {
	printf '{"hook_event_name":"%s","session_id":"%s"%s}' "$2" "$1" \
		"${3:-}" | env TMUX="$(pane_tell "$1" \
		'#{socket_path},#{pid},0')" TMUX_PANE="$(pane_tell "$1" \
		'#{pane_id}')" "$PW" hook record
}

# noted LINE [TIMES]
noted() { [ "$(grep -Fcx -e "$1" "$T/notes")" -eq "${2:-1}" ]; }

# follows NAME: does the watcher w have the agent?
follows() { watch_holds w "$(key "$1")" && test -s "$panes/$(key "$1").json"; }
printed() { grep -Fqx -e "$1" "$T/w.out"; }

watch_kill() {
	kill -KILL "$(cat "$T/w.pid")"
	wait_until 5 command_ended w
}

# begin NAME...: agents of these names, which the watcher w follows; slow shows
# nothing yet.
begin() {
	git init -q -b trunk "$P"
	tmux_start
	watch_begin w --everywhere
	wait_until 10 test -d "$panes"
	for name; do
		[ "$name" = slow ] || waits "$name"
		by_hand "$name"
		wait_until 10 follows "$name"
	done
	one=$(key one)
}

[ "${0##*/}" = hand.sh ] || return 0
begin one two slow
two=$(key two) slow=$(key slow)
old() { [ "$(ps -o etimes= -p "$(record "$slow" agent.pid)")" -gt 11 ]; }

# Hooks are faster than a screen; some clients need a while until they show their
# first prompt.
scenario 'an agent in any pane is followed, by its screen and its hooks' <<'END'
>>> recorded "$one" waiting && fields "$one" name backend worktree branch
one:work.0 claude $T/project trunk
>>> is "$(record "$one" agent.pid)" "$(pgrep -f "claude $T/agent.pl $T one")"
>>> is "$(cat "$T/notes")" ''
>>> is "$(pane_tell one '#{@paneward_run}#{pane_pipe}')" 0
>>> works one; works two; hook two UserPromptSubmit
>>> wait_until 10 recorded "$one" working; wait_until 10 recorded "$two" working
>>> printed 'project/one:work.0 working: busy'
>>> hook two PermissionRequest ',"tool_name":"Bash","tool_input":{"command":"ls"}'
>>> asks one 'mkdir x'; asks two ls
>>> wait_until 10 noted 'one:work.0 asking mkdir x'
>>> wait_until 10 noted 'two:work.0 asking Bash: ls'
>>> pane=$(pane_tell one '#{pane_id}'); is "$(grep -E \
... 	'^PANEWARD_(ISSUE|PANE|STATUS_DIR)=|^/' "$T/env.one")" \
... 	"PANEWARD_STATUS_DIR=$panes
... PANEWARD_ISSUE=$pane
... PANEWARD_PANE=$pane
... $P"
>>> asks one 'rm -r x'; hook two Stop ',"last_assistant_message":"That is all."'
>>> waits two; wait_until 10 noted 'one:work.0 asking rm -r x'
>>> wait_until 10 noted 'two:work.0 waiting That is all.'; waits one
>>> wait_until 10 noted 'one:work.0 waiting at its prompt'
>>> wait_until 20 old; recorded "$slow" working && changes "$slow" working
1
>>> waits slow; wait_until 10 recorded "$slow" waiting
>>> works slow; wait_until 10 recorded "$slow" working
>>> is "$(grep -c '^slow' "$T/notes")" 0; waits slow
>>> wait_until 10 noted 'slow:work.0 waiting at its prompt'
END

# What was on its screen before a turn does not end it, while tmux stands still; a
# screen may overrule an event from two seconds behind it on, and nothing tells
# that it does not.
scenario 'a turn is not ended by the screen before it' <<'END'
>>> server=$(pane_tell two '#{pid}'); hook two UserPromptSubmit
>>> kill -STOP "$server"; works two; wait_until 10 recorded "$two" working
>>> before=$(changes "$two" waiting); sleep 2.5
>>> is "$(changes "$two" waiting)" "$before"; kill -CONT "$server"
>>> hook two Stop ',"last_assistant_message":"That is more."'; waits two
>>> wait_until 10 noted 'two:work.0 waiting That is more.'
END

scenario 'an issue that takes a pane has its run' <<'END'
>>> run=$(record "$two" run)
>>> watch_begin taken 7 --pane "$(pane_tell two '#{pane_id}')"
>>> wait_until 10 no test -e "$panes/$two.json"; S=$P/.worktrees/.status
>>> is "$(record 7 run) $(record 7 state) $(record 7 agent.session)" \
... 	"$run waiting two"
>>> hook two UserPromptSubmit; wait_until 10 recorded 7 working
>>> is "$(grep -c '^7' "$T/notes")" 0; kill "$(cat "$T/taken.pid")"; S=$T/user
END

all_sent() { ! grep -q '"notice"' "$panes"/*.json; }

scenario 'agents are gone with their server' <<'END'
>>> works one; wait_until 10 recorded "$one" working; tm kill-server
>>> wait_until 10 noted \
... 	'one:work.0 gone its pane is no longer there, and there is no report'
>>> recorded "$one" gone
>>> tmux_start
>>> tm new-session -d -s 'a b' -x 80 -y 24 -c / "exec claude '$T/agent.pl' '$T' one"
>>> wait_until 10 eval 'grep -q "^a b:.*work" "$T/w.out"'
>>> grep -v ', but its process [0-9]* lives' "$T/w.err" | sed 's/-[0-9]*//'
paneward: the tmux server at '$T/tmux/tmux/default' has ended, and all its panes with it
>>> wait_until 10 all_sent; fails 124 '' watch --everywhere --once
>>> kill "$(cat "$T/w.pid")"; wait_until 5 test -e "$T/w.status"
END

scenario 'a sweep gives the events of a pane to its issue' <<'END'
>>> hook 'a b' UserPromptSubmit; tm set-option -p -t '=a b:' @paneward_issue 8
>>> S=$P/.worktrees/.status; "$PW" sweep --dry-run >"$T/out" 2>&1
>>> no test -e "$S/.paneward/8.records"
>>> "$PW" sweep >"$T/out" 2>&1; test -e "$S/.paneward/8.records"
END
done_testing
