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

# ---- init -------------------------------------------------------------------
printf 'set -g mouse on\nset -g status-right "me #S"' >"$CONF"
chmod 600 "$CONF"
cp "$CONF" "$T/own"
fails 0 '^\+.*PANEWARD_QUEUE' init tmux --print
unlike "$(cat "$T/out")" 'bind-key' 'and no key'
check 'and nothing is written' cmp "$T/own" "$CONF"
fails 0 "tmux source-file '$CONF'" init tmux --key a --next-key N
like "$(cat "$T/out")" 'watch --everywhere' 'and what sets the values'
fails 0 'nothing to change' init tmux --key a --next-key N

tmux_start
scenario 'tmux loads it, twice: marks in all windows, a segment, two keys' <<'END'
>>> tm source-file "$CONF" && tm source-file "$CONF"
>>> tm show-options -gv status-right; tm show-options -gv status-right-length
me #S #{PANEWARD_QUEUE}
80
>>> holds @paneward_state window-status-format
2
>>> holds @paneward_state window-status-current-format
2
>>> bound a
~ .*paneward top.*
>>> bound N
~ .*paneward next --client.*
END
pane_run shown 'exec cat'
client_attach client shown
printf '\002a' >"$T/client.keys"
soon 'which is typed' grep -q 'No agent is running' "$T/client.bytes"
printf q >"$T/client.keys"

scenario 'without keys they go; what is removed was only ours' <<'END'
>>> init; grep bind-key "$CONF"
[1]
>>> init --remove; cmp "$T/own" "$CONF"; ls -l "$CONF" | cut -c 1-10
-rw-------
>>> rm "$CONF"; init && test -s "$CONF"
>>> init --remove; test -e "$CONF"
[1]
>>> : >"$CONF"; init; init --remove; wc -c <"$CONF"
~  *0
>>> rm "$CONF"; mkdir -p "$HOME/.config/tmux"
>>> echo 'set -g mouse on' >"$HOME/.config/tmux/tmux.conf"
>>> init; grep -c PANEWARD_QUEUE "$HOME/.config/tmux/tmux.conf"
1
>>> rm "$HOME/.config/tmux/tmux.conf"
END

# ---- what is refused ---------------------------------------------------------
echo 'set -g mouse on' >"$T/dotfile"
ln -s "$T/dotfile" "$CONF"
fails 2 'is a link' init tmux
like "$(cat "$T/out")" 'PANEWARD_QUEUE' 'and the lines are printed'
rm "$CONF"
fails 2 'no key that can be bound' init tmux --key "a' x"
fails 2 '' init tmux --loop
fails 2 '' init claude --key a
fails 2 '' init tmux --remove --key a
check 'nothing was written' test ! -e "$CONF"

# ---- the plugin --------------------------------------------------------------
mkdir "$T/plugin" "$T/plugin/templates"
cp "$ROOT/paneward.tmux" "$T/plugin"
cp "$ROOT/templates/tmux.conf" "$T/plugin/templates"
ln -s "$PW" "$T/plugin/paneward"
# As a new server has it.
afresh() {
	for option in status-right status-right-length window-status-format \
		window-status-current-format @paneward-key \
		@paneward-next-key; do
		tm set-option -gu "$option"
	done
	tm unbind-key a
	tm unbind-key N
}
# As the manager runs it.
plugin() { tm run-shell "$T/plugin/paneward.tmux >/dev/null 2>&1"; }

scenario 'the plugin, twice: a segment, a key for the program beside it' <<'END'
>>> afresh
>>> tm set-option -g @paneward-key a; tm set-option -g @paneward-next-key n
>>> tm bind-key m display-message mine
>>> plugin && plugin
>>> holds PANEWARD_QUEUE status-right; bound a; bound n
1
~ .*\$T/plugin/paneward top.*
~ .*next-window.*
END
soon 'a key that is taken is told' \
	grep -q 'the key n is bound already' "$T/client.bytes"
scenario 'nor is a key of the user taken; the status line can stay' <<'END'
>>> tm set-option -g @paneward-key m; plugin; bound m
~ .*mine.*
>>> afresh; tm set-option -g @paneward-status off
>>> plugin; holds PANEWARD_QUEUE status-right
0
END
done_testing
