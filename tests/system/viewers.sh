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
	"$PW" start "$1" --no-watch --session "s$1" -- sleep 1000 >"$T/said"
	watch_begin "w$1" "$1"
	wait_until 5 watch_holds "w$1" "$1"
}

pane() { record "$1" tmux.pane; }

# fails ISSUE: the agent reports an error, and the notice is over.
fails() {
	exits 0 "$1 fails" "$PW" signal error --issue "$1" 'no disk'
	wait_until 20 marked "$1" "sent|seen|failed"
}

marked() { grep -Eqs "^[^ ]* ($2)\$" "$S/.paneward/$1.notice"; }

# notes ISSUE NUMBER DESCRIPTION: so many notices are sent when it fails.
notes() {
	fails "$1"
	is "$(grep -c "^$1 " "$T/notes")" "$2" "$3"
}

# looks NAME ISSUE: the client shows the agent, which begins.
looks() {
	begin "$2"
	tm switch-client -c "$(tty "$1")" -t "=s$2"
}

# list_seen ISSUE: after a look at all panes.
list_seen() {
	"$PW" status --all >"$T/said"
	"$PW" status "$1" --json | grep -q '"seen":true'
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

# ---- in use -------------------------------------------------------------------
begin 1
person one s1
notes 1 0 'a client that is used and shows the pane needs no notice'
check 'the row is seen' list_seen 1

# ---- behind a zoomed pane -----------------------------------------------------
begin 2
tm split-window -t "$(pane 2)" 'exec sleep 1000'
tm switch-client -c "$(tty one)" -t =s2
tm resize-pane -Z -t =s2:
notes 2 1 'a pane behind a zoomed one is not shown'
check 'nor seen' no list_seen 2

# ---- suspended ----------------------------------------------------------------
begin 3
tm switch-client -c "$(tty one)" -t =s3
tm suspend-client -t "$(tty one)"
if flagged one suspended; then
	notes 3 1 'a suspended client shows nothing'
	check 'and sees nothing' no list_seen 3
	tm switch-client -c "$(tty one)" -t =home
	check 'it can be sent to a pane' env TMUX="$(tm display-message -p \
		'#{socket_path},#{pid},0')" "$PW" attach 3 --client "$(tty one)"
	type_at one fg
	wait_until 10 no flagged one suspended
	soon 'which it shows as soon as it goes on' shows one "$(pane 3)"
	check 'then it is seen' list_seen 3
else
	# From 3.7 on such a client is not listed, and what is typed at its
	# terminal may hold up the server.
	skip 'a suspended client shows nothing' 'this tmux does not list it'
	on_desktop kill-session -t =one
	person one home
fi

# ---- without the focus --------------------------------------------------------
tm set-option -s focus-events on
focus() { on_desktop send-keys -t "=$1:" -l "$(printf '\033[%s' "$2")"; }
looks one 4
focus one O
if flags one | grep -q ,attached, &&
    wait_until 5 no flagged one focused; then
	notes 4 1 'a client without the focus is not looked at'
	check 'but it has shown the pane' list_seen 4
	focus one I
	wait_until 5 flagged one focused
	looks one 5
	notes 5 0 'with the focus it is looked at'
	tm set-option -s focus-events off
	focus one O
	looks one 6
	notes 6 0 'without the option the focus is not known'
else
	skip 'a client without the focus' 'this tmux does not tell it'
	tm set-option -s focus-events off
fi

# ---- not used for a long time -------------------------------------------------
# A tmux whose clients were last used years ago.
mkdir "$T/idle"
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
used=$PATH
PATH=$T/idle:$PATH
looks one 7
notes 7 1 'a client that is not used keeps no notice back'
soon 'but the row is seen, since a client has shown the pane' list_seen 7

configure '"notify_again": 1'
looks one 8
fails 8
wait_until 20 marked 8 seen
is "$(grep -c '^8 ' "$T/notes")" 1 'so the notice is not sent again'
is "$(grep -c . "$S/.paneward/8.seen")" 1 'and that is recorded'

# Two changes within the two seconds in which notices are joined.
configure
looks one 9
fails 9
exits 0 'it completes' "$PW" signal complete --issue 9
wait_until 10 recorded 9 complete
soon 'a list shows that it is on a screen' list_seen 9
soon 'the first notice is sent all the same' grep -q '^9 complete' "$T/notes"
PATH=$used

# ---- two clients of other sizes -----------------------------------------------
tm switch-client -c "$(tty one)" -t =home
person two home 50 12
begin 10
type_at two "'$PW' attach 10"
soon 'the small one jumps' shows two "$(pane 10)"
check 'alone' shows one "$home"
tm switch-client -c "$(tty two)" -t =home
type_at one "'$PW' attach 10"
soon 'the large one jumps' shows one "$(pane 10)"
check 'alone' shows two "$home"

# Else its window has the size of the client that was used last, and the other one
# shows a part of it.
pane_run top "exec '$PW' top"
tm set-window-option -t =top: window-size smallest
tm switch-client -c "$(tty one)" -t =top
tm switch-client -c "$(tty two)" -t =top
on_desktop send-keys -t =two: Home
screen() { on_desktop capture-pane -p -t "=$1:"; }
soon 'top fits into the smaller' eval 'screen two | grep -Eq "^ [▸> ] 10 "'
on_desktop send-keys -t =one: / 1 0 Enter
for name in one two; do
	soon "and is the same in $name" eval 'screen $name | grep -q "1 found"'
done
on_desktop send-keys -t =two: Enter
wait_until 10 shows two "$(pane 10)"

# ---- out of a popup, to another server ----------------------------------------
if tm list-commands | grep -q '^display-popup'; then
	tm switch-client -c "$(tty one)" -t =home
	wait_until 5 shows one "$home"
	tmux -L second -f /dev/null new-session -d -s far 'exec sleep 1000'
	TMUX="$(tmux -L second display-message -p '#{socket_path}'),0,0" \
		"$PW" start 11 --no-watch --session s11 -- sleep 1000 >"$T/said"
	tm display-popup -c "$(tty one)" -E \
		"'$PW' attach 11 --client '$(tty one)'" &
	soon 'a jump out of a popup goes to another server' \
		shows one "$(pane 11)" second
	check 'and no other client goes' shows two "$(pane 10)"
else
	skip 'a jump out of a popup' 'this tmux has none'
fi

on_desktop kill-server
done_testing
