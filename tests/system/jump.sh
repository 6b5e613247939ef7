#!/bin/sh
# paneward attach goes to the pane that it is told, with the right client, from
# wherever it is called.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/desktop.sh"

# person NAME SESSION [OPTION]: a terminal with a client.
person() {
	terminal "$1" "exec tmux -L default attach ${3-} -t =$2"
	wait_until 5 shows "$1" "$(pane_tell "$2" '#{pane_id}')"
}

# begin ISSUE SESSION: an agent that never ends.
begin() {
	"$PW" start "$1" --no-watch --session "$2" -- \
		sh -c 'exec tail -f /dev/null' >"$T/said" 2>&1 ||
		comment <"$T/said"
}

# The server is started in a pane of another one: what is no pane inherits its
# TMUX_PANE, which here is that of a pane in which a person is.
TMUX_PANE=%0 tm new-session -d -s home -x 100 -y 30 'exec sh'
pane_run other 'exec sh'
begin 1 agent
agent=$(record 1 tmux.pane)
tm new-window -d -t =home: 'exec tail -f /dev/null'

# ---- from a pane -------------------------------------------------------------

person one home
person two other
type_at one "'$PW' attach 1"
check 'the client moves to the session of the agent' \
	wait_until 10 shows one "$agent"
check 'the other client stays' shows two "$(pane_tell other '#{pane_id}')"
check 'the row is seen' wait_until 10 seen 1

# leaves NAME: the client of the terminal goes, until tmux lists it no more.
leaves() {
	tm detach-client -t "$(tty "$1")"
	wait_until 5 gone "$1"
}

gone() {
	tm list-clients -F '#{client_tty}' | no grep -qxF "$(tty "$1")"
}

# back NAME PANE
back() {
	tm switch-client -c "$(tty "$1")" -t "$2"
	wait_until 5 shows "$1" "$2"
}

back one %0
tm split-window -d -t "$agent" 'exec tail -f /dev/null'
tm select-pane -t "$agent.+" 2>/dev/null ||
	tm select-pane -t =agent:.1
tm resize-pane -Z -t =agent:
type_at one "'$PW' attach $agent"
check 'a pane behind a zoomed one is shown' wait_until 10 shows one "$agent"
is "$(tm display-message -p -t "$agent" '#{window_zoomed_flag}')" 0 \
	'and not zoomed away'

back one %0
back two %0
type_at two "'$PW' attach 1"
check 'of two clients of a session that moves where it was typed' \
	wait_until 10 shows two "$agent"
check 'and the other does not' shows one %0
tm select-window -t =home:1
type_at one 'true'
back two %0
type_at two "'$PW' attach 1"
check 'also the other way round' wait_until 10 shows two "$agent"

# ---- where it is no pane -----------------------------------------------------

# popup NAME WORD...: what paneward says in a popup over that client.
popup() {
	tty=$(tty "$1")
	shift
	tm display-popup -c "$tty" -E \
		"'$PW' $* 2>'$T/popup.err'; echo \$? >'$T/popup.status'"
}

back one %0
back two %0
if tm list-commands | grep -q '^display-popup'; then
	popup two attach 1
	is "$(cat "$T/popup.status")" 3 'a popup does not guess its client'
	like "$(cat "$T/popup.err")" 'several clients.*--client' \
		'and says how it is named'
	check 'no client has moved' shows one %0
	check 'neither the one with the popup' shows two %0
	popup two attach 1 --client "$(tty one)"
	is "$(cat "$T/popup.status")" 0 'a client that is named'
	check 'moves' wait_until 10 shows one "$agent"
	check 'alone' shows two %0
	back one %0
	leaves two
	popup one attach 1
	check 'the only client needs no name' wait_until 10 shows one "$agent"
	back one %0
	person three home
else
	skip 'popups' 'this tmux has none'
	person three home
fi

tm bind-key -n F5 run-shell -b "'$PW' attach 1 --client '#{client_tty}'"
on_desktop send-keys -t =three: F5
check 'a key moves the client at which it is typed' \
	wait_until 10 shows three "$agent"
check 'and no other' shows one %0
back three %0
leaves three
person reader home -r
tm run-shell "'$PW' attach 1 --client '$(tty reader)'"
check 'a client that only reads moves as well' \
	wait_until 10 shows reader "$agent"
leaves reader

# in_tmux COMMAND...: as something that left its pane, with all that is set.
in_tmux() {
	env TMUX="$(tm display-message -p '#{socket_path},#{pid},0')" "$@"
}

exits 3 'a client that is not there is refused' \
	in_tmux "$PW" attach 1 --client /dev/pts/none
like "$(cat "$T/err")" "has the terminal '/dev/pts/none'" 'and named'
exits 3 'so is a client where no tmux is' "$PW" attach 1 --client /dev/tty
like "$(cat "$T/err")" 'not in tmux' 'with a word'

# ---- outside tmux ------------------------------------------------------------

terminal shell 'exec sh'
type_at shell "'$PW' attach 1"
check 'outside tmux the terminal becomes a client' \
	wait_until 10 shows shell "$agent"
leaves shell
exits 3 'without a terminal it cannot' "$PW" attach 1
like "$(cat "$T/err")" 'standard input is no terminal' 'and says so'

# ---- another server ----------------------------------------------------------

on_second() {
	tmux -L second -f /dev/null "$@"
}
on_second new-session -d -s far -x 80 -y 24 'exec tail -f /dev/null'
TMUX="$(on_second display-message -p '#{socket_path}'),0,0" begin 2 distant
distant=$(record 2 tmux.pane)
type_at one "'$PW' attach 2"
check 'a client goes to the server of the agent' \
	wait_until 10 shows one "$distant" second
soon 'and has left its own' no shows one %0
check 'that row is seen, too' wait_until 10 seen 2
on_second bind-key -n F5 run-shell -b "'$PW' attach 1 --client '#{client_tty}'"
on_desktop send-keys -t =one: F5
check 'and back' wait_until 10 shows one "$agent"
back one %0

# tmux refuses to attach inside of one of its own panes.
on_desktop new-session -d -s inner -x 100 -y 30 \
	'exec tmux -L default attach -t =home'
wait_until 5 shows inner %0
TMUX="$(on_desktop display-message -p '#{socket_path}'),0,0" begin 4 outer
tm set-hook -g client-attached "run-shell 'touch $T/attached'"
came_back() {
	[ -e "$T/attached" ] && shows inner %0
}
type_at inner "'$PW' attach 4"
check 'a client that is refused there comes back' wait_until 10 came_back
tm set-hook -gu client-attached
leaves inner

# ---- what is not there -------------------------------------------------------

begin 3 third
pane=$(record 3 tmux.pane)
tm respawn-pane -k -t "$pane" 'exec tail -f /dev/null'
exits 3 'a pane that has another process is not that pane' "$PW" attach 3
like "$(cat "$T/err")" "cannot go to '3': its pane $pane is gone" 'it is said'
tm kill-session -t =third
exits 3 'nor is one that is closed' "$PW" attach 3
on_second kill-server
type_at one "'$PW' attach 2; echo status=\$?"
check 'before a client leaves, its aim is proved' \
	wait_until 10 pane_shows home status=3
check 'so it stays' shows one %0
exits 1 'an issue that is not known is the answer no' "$PW" attach 99
like "$(cat "$T/err")" "^paneward: cannot go to '99': no agent is known by" \
	'it is said'
exits 1 'so is a pane' "$PW" attach %999
exits 2 'one name is needed' "$PW" attach
exits 2 'and no more' "$PW" attach 1 2

# The same issue in two projects.
mkdir -p "$T/p2" "$T/p3"
(cd "$T/p2" && begin 7 p2 && cd "$T/p3" && begin 7 p3)
in_p() {
	tm list-panes -t "=$1:" -F '#{pid}#{pane_id}'
}
exits 1 'a name that two projects use names none' "$PW" attach 7
like "$(cat "$T/err")" \
	"'7' names several: .*$(in_p p2) .*/p2" 'both are said'
like "$(cat "$T/err")" "$(in_p p3) .*/p3" 'with the words for each'
type_at one "cd '$T/p3' && '$PW' attach 7; cd '$P'"
check 'in one of them it is that' \
	wait_until 10 shows one "$(pane_tell p3 '#{pane_id}')"
back one %0
type_at one "'$PW' attach '$(in_p p2)'"
check 'such a word goes to the other' \
	wait_until 10 shows one "$(pane_tell p2 '#{pane_id}')"
back one %0

# ---- names that are traps ----------------------------------------------------

# tmux expands a new name once: "##" is "#".
trap_name="\$(touch bad) ##(touch bad) \`touch bad\`; ##[fg=red]' \"x"
tm rename-session -t =agent "$trap_name"
like "$(tm list-sessions -F '#{session_name}')" '#\(touch bad' 'it is set'
type_at one "'$PW' attach 1"
check 'a session may have any name' wait_until 10 shows one "$agent"
leaves one
type_at shell "'$PW' attach 1"
check 'also outside tmux' wait_until 10 shows shell "$agent"
check 'no name is run' no test -e bad

# ---- another host ------------------------------------------------------------

mkdir "$T/bin"
cat >"$T/bin/ssh" <<END
#!/bin/sh
printf '%s|' "\$@" >'$T/ssh.new'
mv '$T/ssh.new' '$T/ssh'
until [ -e '$T/failed' ]; do sleep 0.05; done
exit 255
END
chmod +x "$T/bin/ssh"
terminal abroad "PATH='$T/bin':\$PATH exec '$PW' attach me@far-1.example:42"
check 'outside tmux ssh goes to another host' wait_until 10 test -e "$T/ssh"
is "$(cat "$T/ssh")" '-t|me@far-1.example|paneward|attach|42|' \
	'where paneward goes on'
rm "$T/ssh"
back shell %0
type_at shell "PATH='$T/bin':\$PATH; '$PW' attach 'far:4711%5'"
check 'in tmux it does so' wait_until 10 test -e "$T/ssh"
is "$(cat "$T/ssh")" '-t|far|paneward|attach|4711%5|' 'in words that are plain'
in_window() {
	tm list-clients -F '#{client_tty} #{window_name}' |
		grep -qxF "$(tty shell) far"
}
check 'in a window that the client shows' wait_until 10 in_window
touch "$T/failed"
check 'which stays if ssh fails' \
	wait_until 10 pane_shows home 'ssh far: exit status 255'
rm "$T/ssh"
for word in '-oProxyCommand=x:42' 'a b:42' 'far:4;x' 'far:$x' ':42' 'far:'; do
	exits 1 "'$word' is no host with an issue" \
		env PATH="$T/bin:$PATH" "$PW" attach -- "$word"
done
check 'for them ssh is not run' no test -e "$T/ssh"

on_desktop kill-server
done_testing
