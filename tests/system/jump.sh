#!/bin/sh
# paneward attach goes to the pane that it is told, with the right client, from
# wherever it is called.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"
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

# leaves NAME: the client of the terminal goes, until tmux lists it no more.
leaves() {
	tm detach-client -t "$(tty "$1")"
	wait_until 5 gone "$1"
}

gone() { tm list-clients -F '#{client_tty}' | no grep -qxF "$(tty "$1")"; }

# back NAME PANE
back() {
	tm switch-client -c "$(tty "$1")" -t "$2"
	wait_until 5 shows "$1" "$2"
}

scenario 'a client goes to the agent from the pane where it is asked for' <<'END'
>>> person one home; person two other; type_at one "'$PW' attach 1"
>>> wait_until 10 shows one "$agent"
>>> shows two "$(pane_tell other '#{pane_id}')"
>>> wait_until 10 seen 1
>>> back one %0; tm split-window -d -t "$agent" 'exec tail -f /dev/null'
>>> tm select-pane -t "$agent.+" 2>/dev/null ||
... 	tm select-pane -t =agent:.1; tm resize-pane -Z -t =agent:
>>> type_at one "'$PW' attach $agent"; wait_until 10 shows one "$agent"
>>> is "$(tm display-message -p -t "$agent" '#{window_zoomed_flag}')" 0
>>> back one %0; back two %0; type_at two "'$PW' attach 1"
>>> wait_until 10 shows two "$agent"; shows one %0
>>> tm select-window -t =home:1; type_at one 'true'; back two %0
>>> type_at two "'$PW' attach 1"; wait_until 10 shows two "$agent"
END

# popup NAME WORD...: the status of paneward in a popup over that client.
popup() {
	tty=$(tty "$1")
	shift
	tm display-popup -c "$tty" -E \
		"'$PW' $* 2>'$T/popup.err'; echo \$? >'$T/popup.status'"
	cat "$T/popup.status"
}

back one %0
back two %0
if tm list-commands | grep -q '^display-popup'; then
	scenario 'a popup does not guess its client' <<'END'
>>> popup two attach 1; shows one %0; shows two %0
3
>>> grep -o 'several clients.*--client' "$T/popup.err"
~ several clients.*--client
>>> popup two attach 1 --client "$(tty one)"; wait_until 10 shows one "$agent"
0
>>> shows two %0; back one %0; leaves two
>>> popup one attach 1; wait_until 10 shows one "$agent"; back one %0
0
END
else
	skip 'popups' 'this tmux has none'
fi
person three home

# in_tmux COMMAND...: as something that left its pane, with all that is set.
in_tmux() {
	env TMUX="$(tm display-message -p '#{socket_path},#{pid},0')" "$@"
}

scenario 'a key moves the client at which it is typed' <<'END'
>>> tm bind-key -n F5 run-shell -b "'$PW' attach 1 --client '#{client_tty}'"
>>> on_desktop send-keys -t =three: F5; wait_until 10 shows three "$agent"
>>> shows one %0
>>> back three %0; leaves three; person reader home -r
>>> tm run-shell "'$PW' attach 1 --client '$(tty reader)'"
>>> wait_until 10 shows reader "$agent"; leaves reader
>>> gives 3 "has the terminal '/dev/pts/none'" in_tmux "$PW" attach 1 --client \
... 	/dev/pts/none
>>> fails 3 'not in tmux' attach 1 --client /dev/tty
END

scenario 'outside tmux the terminal becomes a client' <<'END'
>>> terminal shell 'exec sh'; type_at shell "'$PW' attach 1"
>>> wait_until 10 shows shell "$agent"
>>> leaves shell; fails 3 'standard input is no terminal' attach 1
END

on_second() { tmux -L second -f /dev/null "$@"; }

# tmux refuses to attach inside of one of its own panes.
came_back() { [ -e "$T/attached" ] && shows inner %0; }

scenario 'a client goes to the server of the agent' <<'END'
>>> on_second new-session -d -s far -x 80 -y 24 'exec tail -f /dev/null'
>>> TMUX="$(on_second display-message -p '#{socket_path}'),0,0" begin 2 distant
>>> distant=$(record 2 tmux.pane); type_at one "'$PW' attach 2"
>>> wait_until 10 shows one "$distant" second; wait_until 10 no shows one %0
>>> wait_until 10 seen 2
>>> on_second bind-key -n F5 run-shell -b "'$PW' attach 1 --client '#{client_tty}'"
>>> on_desktop send-keys -t =one: F5; wait_until 10 shows one "$agent"
>>> back one %0
>>> on_desktop new-session -d -s inner -x 100 -y 30 \
... 	'exec tmux -L default attach -t =home'
>>> wait_until 5 shows inner %0
>>> TMUX="$(on_desktop display-message -p '#{socket_path}'),0,0" begin 4 outer
>>> tm set-hook -g client-attached "run-shell 'touch $T/attached'"
>>> type_at inner "'$PW' attach 4"; wait_until 10 came_back
>>> tm set-hook -gu client-attached; leaves inner
END

# The same issue in two projects.
in_p() { tm list-panes -t "=$1:" -F '#{pid}#{pane_id}'; }

scenario 'what is not there, or there twice, is refused' <<'END'
>>> begin 3 third; pane=$(record 3 tmux.pane)
>>> tm respawn-pane -k -t "$pane" 'exec tail -f /dev/null'
>>> fails 3 "cannot go to '3': its pane $pane is gone" attach 3
>>> tm kill-session -t =third; fails 3 '' attach 3
>>> on_second kill-server; type_at one "'$PW' attach 2; echo status=\$?"
>>> wait_until 10 pane_shows home status=3; shows one %0
>>> fails 1 "^paneward: cannot go to '99': no agent is known by" attach 99
>>> fails 1 '' attach %999; fails 2 '' attach; fails 2 '' attach 1 2
>>> mkdir -p "$T/p2" "$T/p3"
>>> (cd "$T/p2" && begin 7 p2 && cd "$T/p3" && begin 7 p3)
>>> fails 1 "'7' names several: .*$(in_p p2) .*/p2" attach 7
>>> like "$(cat "$T/err")" "$(in_p p3) .*/p3"
>>> type_at one "cd '$T/p3' && '$PW' attach 7; cd '$P'"
>>> wait_until 10 shows one "$(pane_tell p3 '#{pane_id}')"
>>> back one %0; type_at one "'$PW' attach '$(in_p p2)'"
>>> wait_until 10 shows one "$(pane_tell p2 '#{pane_id}')"; back one %0
END

# tmux expands a new name once: "##" is "#".
trap_name="\$(touch bad) ##(touch bad) \`touch bad\`; ##[fg=red]' \"x"

scenario 'a session may have any name' <<'END'
>>> tm rename-session -t =agent "$trap_name"
>>> like "$(tm list-sessions -F '#{session_name}')" '#\(touch bad'
>>> type_at one "'$PW' attach 1"; wait_until 10 shows one "$agent"
>>> leaves one; type_at shell "'$PW' attach 1"
>>> wait_until 10 shows shell "$agent"; no test -e bad
END

mkdir "$T/bin"
cat >"$T/bin/ssh" <<END
#!/bin/sh
printf '%s|' "\$@" >'$T/ssh.new'
mv '$T/ssh.new' '$T/ssh'
until [ -e '$T/failed' ]; do sleep 0.05; done
exit 255
END

in_window() {
	tm list-clients -F '#{client_tty} #{window_name}' |
		grep -qxF "$(tty shell) far"
}

scenario 'ssh goes to another host' <<'END'
>>> chmod +x "$T/bin/ssh"
>>> terminal abroad "PATH='$T/bin':\$PATH exec '$PW' attach me@far-1.example:42"
>>> wait_until 10 test -e "$T/ssh"
>>> is "$(cat "$T/ssh")" '-t|me@far-1.example|paneward|attach|42|'
>>> rm "$T/ssh"; back shell %0
>>> type_at shell "PATH='$T/bin':\$PATH; '$PW' attach 'far:4711%5'"
>>> wait_until 10 test -e "$T/ssh"
>>> is "$(cat "$T/ssh")" '-t|far|paneward|attach|4711%5|'
>>> wait_until 10 in_window; touch "$T/failed"
>>> wait_until 10 pane_shows home 'ssh far: exit status 255'; rm "$T/ssh"
>>> for word in '-oProxyCommand=x:42' 'a b:42' 'far:4;x' 'far:$x' ':42' 'far:'; do
... 	gives 1 '' env PATH="$T/bin:$PATH" "$PW" attach -- "$word"
... done
>>> no test -e "$T/ssh"
END

sleep 1000 &
session 0 $! s-1 idle '' '"kind":"bg","jobId":"4f3a91c2"'
ln "$T/bin/ssh" "$T/bin/claude"
scenario 'a session without a pane is shown by its client' <<'END'
>>> rm "$T/failed"; back shell %0
>>> type_at shell "'$PW' attach claude:bg.4f3a91c2"
>>> wait_until 10 test -e "$T/ssh"; is "$(cat "$T/ssh")" 'attach|4f3a91c2|'
>>> "$PW" status --all --json | grep -c '"where":"claude:bg.*"seen":true'
1
>>> wait_until 10 no shows shell %0; touch "$T/failed"
>>> wait_until 10 pane_shows home 'claude 4f3a91c2: exit status 255'
>>> rm "$T/ssh"; terminal alone \
... 	"PATH='$T/bin':\$PATH exec '$PW' attach claude:bg.4f3a91c2"
>>> wait_until 10 test -e "$T/ssh"; is "$(cat "$T/ssh")" 'attach|4f3a91c2|'
>>> fails 1 'no client has that session' attach claude:bg.none
>>> on_desktop kill-server
END
done_testing
