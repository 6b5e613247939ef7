#!/bin/sh
# top with the agents of another host: their history, and going there.
. "${0%/*}/lib.sh"

fleet_begin alpha beta

# A stand-in for ssh, which writes down where it was to go.
mkdir -p "$T/hosts/alpha/bin"
cat >"$T/hosts/alpha/bin/ssh" <<END
#!/bin/sh
echo "\$*" >>"$T/ssh"
echo 'this is beta'
exec sleep 1000
END

# shows PATTERN: the window of top does.
shows() {
	on alpha tmux -L default capture-pane -p -t =desk:top >"$T/screen"
	grep -Eq -e "$1" "$T/screen"
}

keys() { on alpha tmux -L default send-keys -t =desk:top "$@"; }

scenario 'top shows what other hosts have, and goes there' <<'END'
>>> chmod +x "$T/hosts/alpha/bin/ssh"
>>> for host in alpha beta; do
... 	on "$host" "$FLEET" agent >"$T/$host.agent" 2>&1 &
... done
>>> desk_open alpha
>>> on beta tmux -L default -f /dev/null new-session -d -s keeper \
... 	'exec tail -f /dev/null'
>>> on beta "$PW" start 7 --no-watch -- sleep 1000 >"$T/said" 2>&1
>>> on beta "$PW" signal complete --issue 7
>>> on beta "$PW" watch 7 --once >"$T/said" 2>&1
>>> on alpha tmux -L default new-window -t =desk: -n top "exec $PW top --all"
>>> listed='^ ▸ beta +7 +complete|^ ▸ 7 +complete.* beta '
>>> wait_until 60 shows "$listed"
>>> for command in log explain diff; do
... 	keys "${command%"${command#?}"}"
... 	wait_until 10 shows "$command .*it is on another host; Enter goes there"
... done
>>> keys h; wait_until 10 shows 'beta:project/7 +complete'
>>> keys q; wait_until 10 shows "$listed"
>>> keys Enter; wait_until 10 test -s "$T/ssh"
>>> like "$(cat "$T/ssh")" '^-t beta paneward attach ([0-9]*%[0-9]+|7)$'
>>> like "$(on alpha tmux -L default list-windows -F '#{window_name}')" 'beta'
END
done_testing
