#!/bin/sh
# paneward next goes to the agent that has needed a person longest, and then to
# the one behind it; paneward forget takes agents off the queue.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/desktop.sh"

scenario 'where no agent needs a person nothing is printed or written' <<'END'
>>> "$PW" next
paneward: no agent needs a person
[1]
>>> "$PW" next --print 2>&1 >"$T/out"
paneward: no agent needs a person
[1]
>>> cat "$T/out"; fails 2 '' next 42; test -e "$HOME/.local/state/paneward/next"
[1]
END

# ---- some agents -------------------------------------------------------------
tmux_start
pane_run home 'exec sh' -x 100 -y 30

# begin ISSUE COMMAND: an agent that runs the command, and never ends.
begin() {
	"$PW" start "$1" --no-watch --session "s$1" -- \
		sh -c "$2; exec tail -f /dev/null" >"$T/said" 2>&1 ||
		comment <"$T/said"
}

pane() { record "$1" tmux.pane; }

# judged ISSUE STATE
judged() {
	"$PW" watch "$1" --once >"$T/once" 2>&1
	recorded "$1" "$2"
}

asks() {
	begin "$1" true
	echo '{"hook_event_name":"Notification","session_id":"s",
		"notification_type":"permission_prompt","message":"May I?"}' |
		PANEWARD_ISSUE=$1 PANEWARD_STATUS_DIR=$S "$PW" hook record
	wait_until 10 judged "$1" asking
}

scenario 'the one that waits longest is printed, with the way there' <<'END'
>>> begin 1 true; begin 2 '"$PANEWARD" signal error "no more tea"'
>>> wait_until 10 judged 2 error; asks 3; asks 4
>>> fails 0 '^3 +asking +[0-9]+[sm] .*May I' next --print
>>> is "$(sed 1d "$T/out")" \
... 	"paneward attach $(record 3 tmux.server_pid)$(pane 3)"
>>> fails 0 '^3 ' next --print; no test -e "$HOME/.local/state/paneward/next"
>>> fails 3 '' next
END

# ---- going -------------------------------------------------------------------
terminal one 'exec tmux -L default attach -t =home'
home=$(pane_tell home '#{pane_id}')
wait_until 5 shows one "$home"
# Its clock stands still, so two presses are never too far apart.
still=$(date +%s)
tm bind-key -n F5 run-shell -b \
	"PANEWARD_NOW=$still '$PW' next --client '#{client_tty}' || true"
# press ISSUE: the key goes on to it.
press() {
	on_desktop send-keys -t =one: F5
	[ $# -eq 0 ] || wait_until 10 shows one "$(pane "$1")"
}

last=$HOME/.local/state/paneward/next
scenario 'a key goes to the one behind, and later to the first again' <<'END'
>>> for issue in 3 4 2 3 4; do press $issue; done; wait_until 10 seen 2
>>> is "$(cut -d ' ' -f 2,3 "$last")" "$(record 4 tmux.server_pid)$(pane 4) 0"
>>> sed "s/^[0-9]*/$((still - 11))000/" "$last" >"$T/last"; cp "$T/last" "$last"
>>> press 3
... tm switch-client -c "$(tm list-clients -F '#{client_tty}')" -t "$home"
>>> wait_until 5 shows one "$home"; press 3
END
scenario 'a mark that is damaged, or a link, does no harm' <<'END'
>>> for text in '' x '1 2' "$(date +%s)000 1%1 99999 9 " \
... 	"$(head -c 9000 /dev/zero | tr '\0' x)"; do
... 	printf '%s' "$text" >"$last"
... 	fails 0 '^3 ' next --print
... done
>>> rm "$last"; ln -s "$T/elsewhere" "$last"; press
>>> wait_until 5 test ! -L "$last"; no test -e "$T/elsewhere"
END

# ---- forgetting --------------------------------------------------------------
scenario 'an agent that asks can be forgotten, also by its pane' <<'END'
>>> "$PW" forget 3 "$(pane 4)"
3: hidden until its state changes; the key 'a' of 'paneward top' shows it
4: hidden until its state changes; the key 'a' of 'paneward top' shows it
>>> "$PW" status | cut -d ' ' -f 1 | xargs
1 2
>>> "$PW" next
paneward: no agent needs a person
[1]
>>> "$PW" status --finished | cut -d ' ' -f 1 | sort | xargs
1 2 3 4
>>> echo "$(record 3 state) $(changes 3 asking)"
asking 1
END
told() {
	on_desktop capture-pane -p -t =one: | grep -q 'no agent needs a person'
}
# The message stays, until a key is pressed.
scenario 'a client is told so; an unknown name keeps no other' <<'END'
>>> tm set-option -g display-time 0; press; wait_until 10 told
>>> fails 1 "no agent is known by the name '99'" forget 99 1
>>> "$PW" status | cut -d ' ' -f 1
2
>>> fails 2 '' forget; fails 2 '' forget --all
END
scenario 'what is complete is listed until seen; what lives stays' <<'END'
>>> begin 5 '"$PANEWARD" signal complete'; wait_until 10 judged 5 complete
>>> tm kill-pane -t "$(pane 4)"; begin 6 '"$PANEWARD" signal error x'
>>> wait_until 10 judged 6 error; "$PW" status | grep -o '^[56] ' | xargs
6 5
>>> "$PW" forget --finished >"$T/out"; "$PW" status | grep -o '^[56]'
6
END
scenario 'a row without a pane needs a person, too, but has no way' <<'END'
>>> "$PW" forget 6 >"$T/out"; begin 7 true; tm kill-session -t =s7:
>>> wait_until 10 judged 7 gone
>>> fails 1 "have no pane; 'paneward status --all'" next --print
END
on_desktop kill-server
done_testing
