# shellcheck shell=sh
# desktop.sh - included by the tests of tmux clients.  The terminals of persons
# are panes of a tmux server that stands for the desktop.

on_desktop() {
	tmux -L desktop -f /dev/null "$@"
}

# terminal NAME COMMAND [COLUMNS LINES]: a terminal that is not in tmux.
terminal() {
	on_desktop new-session -d -s "$1" -x "${3:-100}" -y "${4:-30}" \
		"unset TMUX TMUX_PANE; $2"
}

# tty NAME: that of the terminal.
tty() {
	on_desktop display-message -p -t "=$1:" '#{pane_tty}'
}

# type_at NAME LINE
type_at() {
	on_desktop send-keys -t "=$1:" -l "$2"
	on_desktop send-keys -t "=$1:" Enter
}

# shows NAME PANE [SERVER]: which pane does the terminal's client show?
shows() {
	tmux -L "${3:-default}" list-clients -F '#{client_tty} #{pane_id}' |
		grep -qxF "$(tty "$1") $2"
}

# seen ISSUE: has a person seen it?
seen() {
	"$PW" status "$1" --json | grep -q '"seen":true'
}
