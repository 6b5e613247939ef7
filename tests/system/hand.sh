#!/bin/sh
# Agents that a person started by hand, in any pane: `watch --everywhere` gives
# each a run of its own, with notices, whatever is killed meanwhile.
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
env | grep '^PANEWARD_' >'$T/env'
pwd >>'$T/env'
echo "\$PANEWARD_NAME \$PANEWARD_STATE \$PANEWARD_MESSAGE" >>'$T/notes'
END
: >"$T/notes"
cat >"$HOME/.config/paneward/config.json" <<END
{ "handoff": null, "notify": [["$T/note"]] }
END

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

works() {
	shows "$1" "❯ Go on.

✻ Brewing… (5s · esc to interrupt)

$rule
❯ 
$rule"
}

waits() {
	shows "$1" "● That is all.

$rule
❯ 
$rule"
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

# key NAME: what the records call the pane of its session.
key() {
	pane_tell "$1" '#{pane_id}-#{pid}' | tr -d %
}

# hook NAME EVENT [MORE]: of the agent in the pane of that session.
hook() {
	printf '{"hook_event_name":"%s","session_id":"%s"%s}' "$2" "$1" \
		"${3:-}" | env TMUX="$(pane_tell "$1" \
		'#{socket_path},#{pid},0')" TMUX_PANE="$(pane_tell "$1" \
		'#{pane_id}')" "$PW" hook record
}

# noted LINE [TIMES]
noted() {
	[ "$(grep -Fcx -e "$1" "$T/notes")" -eq "${2:-1}" ]
}

# follows NAME: does the watcher w have the agent?
follows() {
	watch_holds w "$(key "$1")" && test -s "$panes/$(key "$1").json"
}

printed() {
	grep -Fqx -e "$1" "$T/w.out"
}

watch_kill() {
	kill -KILL "$(cat "$T/w.pid")"
	wait_until 5 command_ended w
}

# ---- each agent ----------------------------------------------------------------

git init -q -b trunk "$P"
tmux_start
watch_begin w --everywhere
wait_until 10 test -d "$panes"
for name in one two three; do
	waits $name
	by_hand $name
done
by_hand slow
for name in one two three slow; do
	wait_until 10 follows $name
done
one=$(key one)
check 'an agent in any pane is found' recorded "$one" waiting
is "$(record "$one" name) $(record "$one" backend) $(record "$one" worktree) \
$(record "$one" branch)" "one:work.0 claude $P trunk" \
	'its record says who and where it is'
is "$(record "$one" agent.pid)" "$(pgrep -f "claude $T/agent.pl $T one")" \
	'and which process'
is "$(cat "$T/notes")" '' 'that it stands at its first prompt is no news'
is "$(pane_tell one '#{@paneward_run}#{pane_pipe}')" 0 \
	'nothing is set in its pane, and no pipe is opened'

works one
soon 'what its screen shows is followed' recorded "$one" working
check 'and printed with its name' printed 'project/one:work.0 working: it is busy'
asks one 'mkdir x'
soon 'a dialog is told of, with what is asked' noted 'one:work.0 asking mkdir x'
pane=$(pane_tell one '#{pane_id}')
is "$(grep -E '^PANEWARD_(ISSUE|PANE|STATUS_DIR)=|^/' "$T/env")" \
	"PANEWARD_STATUS_DIR=$panes
PANEWARD_ISSUE=$pane
PANEWARD_PANE=$pane
$P" 'the command learns how to get there'
asks one 'rm -r x'
soon 'the next one too' noted 'one:work.0 asking rm -r x'
waits one
soon 'and the end of the turn' noted 'one:work.0 waiting it waits for a prompt'

# Hooks are faster than its screen.
two=$(key two)
works two
hook two UserPromptSubmit
soon 'a hook of an agent is followed' recorded "$two" working
asks two ls
hook two PermissionRequest ',"tool_name":"Bash","tool_input":{"command":"ls"}'
soon 'what it asks is told' noted 'two:work.0 asking Bash: ls'
hook two Stop ',"last_assistant_message":"That is all."'
waits two
soon 'and what it said last' noted 'two:work.0 waiting That is all.'

# Some clients need a while until they show their first prompt.
slow=$(key slow)
old() {
	[ "$(ps -o etimes= -p "$(record "$slow" agent.pid)")" -gt 11 ]
}
wait_until 20 old
check 'of one that shows nothing yet, only its life is known' \
	eval 'recorded "$slow" working && [ "$(changes "$slow" working)" = 1 ]'
waits slow
wait_until 10 recorded "$slow" waiting
works slow
wait_until 10 recorded "$slow" working
is "$(grep -c '^slow' "$T/notes")" 0 'its first prompt is no news, either'
waits slow
soon 'but the end of its first turn is' \
	noted 'slow:work.0 waiting it waits for a prompt'

# What was on its screen before a turn does not end it, while tmux has not told
# yet what is there now.
server=$(pane_tell two '#{pid}')
hook two UserPromptSubmit
kill -STOP "$server"
works two
soon 'a turn begins' recorded "$two" working
before=$(changes "$two" waiting)
# A screen may overrule an event from two seconds behind it on; nothing tells that
# it does not.
sleep 2.5
is "$(changes "$two" waiting)" "$before" 'and goes on'
kill -CONT "$server"
hook two Stop ',"last_assistant_message":"That is more."'
waits two
soon 'until it ends' noted 'two:work.0 waiting That is more.'

# ---- killed again and again ------------------------------------------------------

round=0
while [ "$round" -lt 10 ]; do
	round=$((round + 1))
	[ $((round % 2)) -eq 0 ] || watch_kill
	asks one "job $round"
	works three
	[ $((round % 2)) -eq 0 ] && wait_until 10 recorded "$one" asking &&
		watch_kill
	watch_begin w --everywhere
	wait_until 10 noted "one:work.0 asking job $round"
	wait_until 10 recorded "$(key three)" working
	[ $((round % 3)) -ne 0 ] || watch_kill
	waits three
	[ $((round % 3)) -ne 0 ] || watch_begin w --everywhere
	wait_until 10 noted "three:work.0 waiting it waits for a prompt" "$round"
done
let_pass
is "$(sort "$T/notes" | uniq -d)" 'three:work.0 waiting it waits for a prompt' \
	'whenever the watcher is killed, no notice is doubled'
is "$(grep -c '^one:work.0 asking job' "$T/notes") $(grep -c '^three:' \
	"$T/notes")" '10 10' 'and none is lost'

client_attach reader three
asks three 'rm y'
three=$(key three)
soon 'while a person looks at the pane nothing is told' \
	test -s "$panes/$three.seen"
is "$(grep -c 'rm y' "$T/notes")" 0 'of it'
works three
wait_until 10 recorded "$three" working
tm detach-client -s =three
wait_until 10 test -e "$T/reader.detached"

# ---- their ends ------------------------------------------------------------------

waits three
wait_until 10 recorded "$three" waiting
run=$(record "$three" run)
tm send-keys -t =three: C-c
soon 'an agent that a person ends leaves nothing' \
	no test -e "$panes/$three.json"
like "$(journal "$three" run | tail -n 1)" "\"run\":\"$run\",\"detail\":\"its \
agent was ended\"" 'but its journal'
works three
pane_type three "claude $T/agent.pl $T three"
soon 'the next one in the pane has a run of its own' recorded "$three" working
check 'which is another one' no test "$(record "$three" run)" = "$run"
kill -KILL "$(record "$three" agent.pid)"
dead='three:work.0 dead the agent ended, its status is unknown, without a report'
soon 'one that ends at work is dead, and told of' noted "$dead"
pane_type three "claude $T/agent.pl $T three"
soon 'and is followed by the next one' recorded "$three" working
is "$(grep -c "^three:work.0 dead" "$T/notes")" 1 'which tells it once'

# Its notice cannot be sent: no sweep does that later.
failed() {
	grep -q ' failed$' "$panes/$three.notice"
}
: >"$T/broken"
kill -KILL "$(record "$three" agent.pid)"
wait_until 10 recorded "$three" dead
wait_until 10 failed
pane_type three "claude $T/agent.pl $T three"
soon 'until its notice is sent, another agent may have its pane' \
	recorded "$three" working
kill -KILL "$(record "$three" agent.pid)"
wait_until 10 recorded "$three" dead
wait_until 10 failed
watch_kill
rm "$T/broken"
watch_begin w --everywhere
soon 'the next watcher sends it' noted "$dead" 2
pane_type three "claude $T/agent.pl $T three"
soon 'and follows the next one' recorded "$three" working

# ---- an issue takes the pane -----------------------------------------------------

run=$(record "$two" run)
watch_begin taken 7 --pane "$(pane_tell two '#{pane_id}')"
soon 'an issue that takes a pane has its run' no test -e "$panes/$two.json"
S=$P/.worktrees/.status
is "$(record 7 run) $(record 7 state) $(record 7 agent.session)" \
	"$run waiting two" 'which goes on where it was'
hook two UserPromptSubmit
soon 'with its hooks' recorded 7 working
is "$(grep -c '^7' "$T/notes")" 0 'what was told is not told again'
kill "$(cat "$T/taken.pid")"
S=$T/user

# ---- its server -------------------------------------------------------------------

works one
wait_until 10 recorded "$one" working
tm kill-server
soon 'with its server an agent at work is gone' \
	noted 'one:work.0 gone its pane is no longer there, and there is no report'
check 'which stays on record' recorded "$one" gone
tmux_start
tm new-session -d -s 'a b' -x 80 -y 24 -c / "exec claude '$T/agent.pl' '$T' one"
soon 'another server is found' eval 'grep -q "^a b:.*work" "$T/w.out"'
# A server that ends may answer no more for a moment.
is "$(grep -v ', but its process [0-9]* lives' "$T/w.err")" "paneward: the tmux server at '$TMUX_TMPDIR/tmux-$(
	id -u)/default' has ended, and all its panes with it" 'nothing else is said'
# A notice that is due is looked at, too.
all_sent() {
	! grep -q '"notice"' "$panes"/*.json
}
wait_until 10 all_sent
exits 124 'one look does the same' "$PW" watch --everywhere --once
kill "$(cat "$T/w.pid")"
wait_until 5 test -e "$T/w.status"

# ---- a sweep gives the pane to an issue -------------------------------------------

hook 'a b' UserPromptSubmit
tm set-option -p -t '=a b:' @paneward_issue 8
S=$P/.worktrees/.status
"$PW" sweep --dry-run >"$T/out" 2>&1
check 'a dry run hands no events over' no test -e "$S/.paneward/8.records"
"$PW" sweep >"$T/out" 2>&1
check 'but a sweep does' test -e "$S/.paneward/8.records"
done_testing
