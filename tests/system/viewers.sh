#!/bin/sh
# Clients of tmux that show an agent's pane and yet differ: suspended, without the
# focus, not used for a long time, of another size, with a popup over it.  Which of
# them makes a row seen, which keeps a notice from being sent, which one jumps?
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/desktop.sh"

# person NAME SESSION [COLUMNS LINES]
person() {
	terminal "$1" 'PS1= exec sh -i 2>&1' "${3:-100}" "${4:-30}"
	type_at "$1" "tmux -L default attach -t '=$2'"
	wait_until 10 shows "$1" "$(pane_tell "$2" '#{pane_id}')"
}

# The flags of the client.
flags() {
	tm list-clients -F '#{client_tty} ,#{client_flags},' |
		grep -F "$(tty "$1") "
}

flagged() { flags "$1" | grep -q ",$2,"; }

# begin ISSUE: an agent that is watched, in a session of its own.
begin() {
	"$PW" start "$1" --no-watch --session "s$1" -- sleep 1000 \
		>"$T/said" 2>&1
	watch_locks "w$1" "$1"
}

pane() { record "$1" tmux.pane; }
marked() { grep -Eqs "^[^ ]* ($2)\$" "$S/.paneward/$1.notice"; }

# notes ISSUE: so many notices are sent when it reports an error.
notes() {
	"$PW" signal error --issue "$1" 'no disk'
	wait_until 20 marked "$1" "sent|seen|failed"
	grep -c "^$1 " "$T/notes" || true
}

# switch NAME SESSION; looks NAME ISSUE: the client shows it, which begins.
switch() { tm switch-client -c "$(tty "$1")" -t "=$2"; }
looks() {
	begin "$2"
	switch "$1" "s$2"
}

# list_seen ISSUE: after a look at all panes.
list_seen() {
	"$PW" status --all >"$T/said"
	seen "$1"
}

# are_shown [NAME PANE]...
are_shown() {
	while [ $# -gt 0 ]; do
		wait_until 10 shows "$1" "$2"
		shift 2
	done
}

script note <<END
echo "\$PANEWARD_ISSUE \$PANEWARD_STATE" >>'$T/notes'
END
: >"$T/notes"
configure() {
	echo "{ \"handoff\": null, \"notify\": [[\"$T/note\"]]${1:+, $1} }" \
		>.paneward.json
}
configure
tmux_start
pane_run home 'exec sh'
home=$(pane_tell home '#{pane_id}')

scenario 'a client that is used needs no notice; a zoomed pane hides others' \
	<<'END'
>>> begin 1; person one s1; notes 1; list_seen 1
0
>>> begin 2; tm split-window -t "$(pane 2)" 'exec sleep 1000'
>>> switch one s2; tm resize-pane -Z -t =s2:; notes 2; list_seen 2
1
[1]
END

begin 3
switch one s3
tm suspend-client -t "$(tty one)"
if flagged one suspended; then
	scenario 'a suspended client shows nothing until it goes on' <<'END'
>>> notes 3; list_seen 3
1
[1]
>>> switch one home; TMUX=$(tm display-message -p '#{socket_path},#{pid},0') \
... 	"$PW" attach 3 --client "$(tty one)"; type_at one fg
>>> wait_until 10 no flagged one suspended; are_shown one "$(pane 3)"
>>> list_seen 3
END
else
	# From 3.7 on such a client is not listed, and what is typed at its
	# terminal may hold up the server.
	skip 'a suspended client shows nothing' 'this tmux does not list it'
	on_desktop kill-session -t =one
	person one home
fi

tm set-option -s focus-events on
focus() { on_desktop send-keys -t "=$1:" -l "$(printf '\033[%s' "$2")"; }
looks one 4
focus one O
if flags one | grep -q ,attached, &&
    wait_until 5 no flagged one focused; then
	scenario 'an unfocused client sees, and keeps no notice back' <<'END'
>>> notes 4; list_seen 4
1
>>> focus one I; wait_until 5 flagged one focused; looks one 5; notes 5
0
>>> tm set-option -s focus-events off; focus one O; looks one 6; notes 6
0
END
else
	skip 'a client without the focus' 'this tmux does not tell it'
	tm set-option -s focus-events off
fi

# A tmux whose clients were last used years ago.
script idle/tmux <<END
for word; do
	shift
	case \$word in *'#{client_activity}'*)
		word=\$(printf '%s\n' "\$word" |
			sed 's/#{client_activity}/1000000000/') ;;
	esac
	set -- "\$@" "\$word"
done
exec '$(command -v tmux)' "\$@"
END
# Two changes within the two seconds in which notices are joined.
scenario 'an unused client sees, and keeps no first notice back' <<'END'
>>> PATH=$T/idle:$PATH; looks one 7; notes 7; wait_until 10 list_seen 7
1
>>> configure '"notify_again": 1'; looks one 8; notes 8
... wait_until 20 marked 8 seen
1
>>> grep -c '^8 ' "$T/notes"; grep -c . "$S/.paneward/8.seen"
1
1
>>> configure; looks one 9; notes 9; "$PW" signal complete --issue 9
1
>>> wait_until 10 recorded 9 complete; wait_until 10 list_seen 9
>>> wait_until 10 grep -q '^9 complete' "$T/notes"; PATH=${PATH#*:}
END

# ---- two clients of other sizes -----------------------------------------------
screen() { on_desktop capture-pane -p -t "=$1:"; }
fits() { screen two | grep -Eq "^ [▸> ] 10 "; }
found() { screen "$1" | grep -q "1 found"; }
# Else top's window has the size of the client that was used last, and the other
# one shows a part of it.
scenario 'of two clients the one that is typed at jumps; top fits into both' \
	<<'END'
>>> switch one home; person two home 50 12; begin 10
... type_at two "'$PW' attach 10"
>>> are_shown two "$(pane 10)" one "$home"; switch two home
>>> type_at one "'$PW' attach 10"; are_shown one "$(pane 10)" two "$home"
>>> pane_run top "exec '$PW' top"
... tm set-window-option -t =top: window-size smallest
>>> switch one top; switch two top; on_desktop send-keys -t =two: Home
>>> wait_until 10 fits; on_desktop send-keys -t =one: / 1 0 Enter
>>> wait_until 10 found one; wait_until 10 found two
>>> on_desktop send-keys -t =two: Enter; are_shown two "$(pane 10)"
END

if tm list-commands | grep -q '^display-popup'; then
	scenario 'a jump out of a popup goes to another server' <<'END'
>>> switch one home; are_shown one "$home"
>>> tmux -L second -f /dev/null new-session -d -s far 'exec sleep 1000'
>>> TMUX="$(tmux -L second display-message -p '#{socket_path}'),0,0" \
... 	"$PW" start 11 --no-watch --session s11 -- sleep 1000 >"$T/said" 2>&1
>>> tm display-popup -c "$(tty one)" -E \
... 	"'$PW' attach 11 --client '$(tty one)'" &
>>> wait_until 10 shows one "$(pane 11)" second; are_shown two "$(pane 10)"
END
else
	skip 'a jump out of a popup' 'this tmux has none'
fi
on_desktop kill-server
done_testing
