#!/bin/sh
# paneward init tmux and paneward.tmux: tmux loads what they add, and loses
# nothing of the user's.
. "${0%/*}/lib.sh"

CONF=$HOME/.tmux.conf

# holds TEXT OPTION: how often?
holds() { tm show-options -gv "$2" | grep -oF -e "$1" | wc -l | tr -d ' '; }

bound() {
	tm list-keys -T prefix | awk -v key="$1" '
		{ for (i = 1; i <= NF; i++) if ($i == "prefix") break }
		$(i + 1) == key'
}

# init [OPTION...]: what it says is not compared.
init() { "$PW" init tmux "$@" >"$T/out"; }

printf 'set -g mouse on\nset -g status-right "me #S"' >"$CONF"
cp -p "$CONF" "$T/own"
scenario 'tmux loads it, twice: marks in all windows, a segment, two keys' <<'END'
>>> chmod 600 "$CONF"; fails 0 '^\+.*PANEWARD_QUEUE' init tmux --print
>>> grep bind-key "$T/out" || cmp "$T/own" "$CONF"
>>> fails 0 "tmux source-file '$CONF'" init tmux --key a --next-key N
>>> like "$(cat "$T/out")" 'watch --everywhere'
>>> fails 0 'nothing to change' init tmux --key a --next-key N; tmux_start
>>> tm source-file "$CONF" && tm source-file "$CONF"
>>> tm show-options -gv status-right; tm show-options -gv status-right-length
me #S #{PANEWARD_QUEUE}
80
>>> for format in window-status-format window-status-current-format; do
... 	is "$(holds @paneward_state $format)" 2
... done
>>> bound a; bound N
~ .*paneward top.*
~ .*paneward next --client.*
>>> pane_run shown 'exec cat'; client_attach client shown
>>> printf '\002a' >"$T/client.keys"
>>> wait_until 10 grep -q 'No agent is running' "$T/client.bytes"
>>> printf q >"$T/client.keys"
END

sidebars() { tm list-panes -t =shown: -F '#{@paneward_sidebar}' | grep -c 1; }
scenario 'one key opens the sidebar and closes it; the focus stays' <<'END'
>>> init --key a --next-key N --sidebar S; tm source-file "$CONF"
>>> printf '\002S' >"$T/client.keys"; wait_until 10 sidebars
>>> tm list-panes -t =shown: -F '#{pane_left} #{pane_width} #{pane_active}'
0 32 0
33 47 1
>>> printf '\002S' >"$T/client.keys"; wait_until 10 no sidebars; bound S
~ .*paneward top --sidebar.*
END

scenario 'without keys they go; what is removed was only ours' <<'END'
>>> init; grep bind-key "$CONF"
[1]
>>> init --remove; cmp "$T/own" "$CONF"; ls -l "$CONF" | cut -c 1-10
-rw-------
>>> rm "$CONF"; init && test -s "$CONF" && init --remove; no test -e "$CONF"
>>> : >"$CONF"; init; init --remove; cmp "$CONF" /dev/null
>>> rm "$CONF"; mkdir -p "$HOME/.config/tmux"
>>> echo 'set -g mouse on' >"$HOME/.config/tmux/tmux.conf"
>>> init; grep -q PANEWARD_QUEUE "$HOME/.config/tmux/tmux.conf"
>>> rm "$HOME/.config/tmux/tmux.conf"
END

echo 'set -g mouse on' >"$T/dotfile"
scenario 'a link, a key that cannot be bound, and other options are refused' <<'END'
>>> ln -s "$T/dotfile" "$CONF"; fails 2 'is a link' init tmux
>>> like "$(cat "$T/out")" 'PANEWARD_QUEUE'; rm "$CONF"
>>> fails 2 'no key that can be bound' init tmux --key "a' x"
>>> fails 2 '' init tmux --loop; fails 2 '' init claude --key a
>>> fails 2 '' init tmux --remove --key a; no test -e "$CONF"
END

mkdir "$T/plugin"
cp -R "$ROOT/paneward.tmux" "$ROOT/templates" "$T/plugin"
ln -s "$PW" "$T/plugin/paneward"
# As a new server has it.
afresh() {
	for option in status-right status-right-length window-status-format \
		window-status-current-format @paneward-key \
		@paneward-next-key @paneward-sidebar-key; do
		tm set-option -gu "$option"
	done
	tm unbind-key a
	tm unbind-key N
	tm unbind-key S
}
# As the manager runs it.
plugin() { tm run-shell "$T/plugin/paneward.tmux >/dev/null 2>&1"; }

scenario 'the plugin, twice: a segment, a key for the program beside it' <<'END'
>>> afresh; tm bind-key m display-message mine
>>> tm set-option -g @paneward-key a; tm set-option -g @paneward-next-key n
>>> tm set-option -g @paneward-sidebar-key S
>>> plugin && plugin; holds PANEWARD_QUEUE status-right; bound a; bound n
1
~ .*\$T/plugin/paneward top.*
~ .*next-window.*
>>> printf '\002S' >"$T/client.keys"; wait_until 10 sidebars
>>> printf '\002S' >"$T/client.keys"; wait_until 10 no sidebars
>>> wait_until 10 grep -q 'the key n is bound already' "$T/client.bytes"
>>> # Nor is a key of the user taken; the status line can stay.
>>> tm set-option -g @paneward-key m; plugin; bound m
~ .*mine.*
>>> afresh; tm set-option -g @paneward-status off
>>> plugin; holds PANEWARD_QUEUE status-right
0
END
done_testing
