#!/bin/sh
# paneward.tmux - paneward as a plugin of tmux (TPM runs it at the start); see
# paneward-init(1), "The plugin for tmux".
#
#	set -g @paneward-key a          opens the queue
#	set -g @paneward-next-key N     goes to the agent that needs you longest
#	set -g @paneward-sidebar-key S  opens and closes the queue at the left
#	set -g @paneward-status off     leaves the status line as it is
#	set -g @plugin 'OWNER/paneward'

here=$(cd "${0%/*}" && pwd -P) || exit 1

option() {
	tmux show-option -gqv "$1"
}

# Its output goes nowhere, so a message is the only way to say something.  At the
# start of tmux no client is there yet to show it.  tmux expands a message.
say() {
	text="paneward: $(printf '%s' "$1" | tr -d '#' | sed 's/%/%%/g')"
	(
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			[ "$(tmux list-clients)" = '' ] || break
			sleep 1
		done
		tmux display-message "$text"
	) >/dev/null 2>&1 &
}

find_program() {
	# The PATH of a tmux server is that of its start.
	for program in "$here/paneward" "$(command -v paneward)" \
		"$HOME/.local/bin/paneward" /usr/local/bin/paneward \
		/opt/homebrew/bin/paneward \
		/home/linuxbrew/.linuxbrew/bin/paneward; do
		[ -f "$program" ] && [ -x "$program" ] && return
	done
	say "no program; build it: make -C '$here'"
	return 1
}

# The words of tmux and of a shell stand around the path.
plain() {
	case $program in
	*[!A-Za-z0-9/._+-]*)
		say "the path '$program' is too special for a key"
		return 1 ;;
	esac
}

# is_free KEY: is nothing bound to the key, or what we bound?
is_free() {
	bound=$(tmux list-keys -T prefix | awk -v key="$1" '
		{
			for (i = 1; i < NF && $i != "prefix"; i++)
				continue
			name = $(i + 1)
			if (name != key && name != "\\" key)
				next
			print
		}')
	case $bound in
	'' | *"/paneward top"* | *"/paneward next"*) ;;
	*)
		say "the key $1 is bound already, and is not taken"
		return 1 ;;
	esac
}

bind_top() {
	case $(tmux display-message -p '#{version}') in
	3.[01] | 3.[01][a-z]*)
		tmux bind-key "$1" new-window -n paneward "$program top" ;;
	*)
		tmux bind-key "$1" run-shell -C "display-popup -E -w 90% -h 80% \
\"$program top --client #{client_tty}\"" ;;
	esac
}

bind_next() {
	tmux bind-key "$1" run-shell -b \
		"$program next --client #{client_tty} || true"
}

# What the shell gets is ids of panes.
bind_sidebar() {
	# shellcheck disable=SC2016
	tmux bind-key "$1" if-shell -F '#{P:#{@paneward_sidebar}}' \
		"run-shell -b 'for pane in \
#{P:#{?@paneward_sidebar,#{pane_id} ,}}; do tmux kill-pane -t \"\$pane\"; done'" \
		"split-window -hbfd -l 32 '$program top --sidebar' ; \
set-option -p -t '{top-left}' @paneward_sidebar 1"
}

# bind_option NAME FUNCTION: binds the key that the option names.
bind_option() {
	key=$(option "$1")
	[ "$key" != '' ] && is_free "$key" && plain && "$2" "$key"
}

find_program || exit 0
[ "$(option @paneward-status)" = off ] ||
	tmux source-file "$here/templates/tmux.conf"
bind_option @paneward-key bind_top
bind_option @paneward-next-key bind_next
bind_option @paneward-sidebar-key bind_sidebar
exit 0
