#!/bin/sh
# paneward init tmux and paneward.tmux: tmux loads what they add, and loses
# nothing of the user's.
. "${0%/*}/lib.sh"

CONF=$HOME/.tmux.conf

loads() {
	tm source-file "$CONF" && tm source-file "$CONF"
}

# How often is the text in the option?
holds() {
	tm show-options -gv "$2" | grep -oF -e "$1" | wc -l | tr -d ' '
}

bound() {
	tm list-keys -T prefix | awk -v key="$1" '
		{ for (i = 1; i <= NF; i++) if ($i == "prefix") break }
		$(i + 1) == key'
}

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
check 'tmux loads it, twice' loads
is "$(tm show-options -gv status-right) $(
	tm show-options -gv status-right-length)" 'me #S #{PANEWARD_QUEUE} 80' \
	'the segment is behind what the user has, once, and has room'
is "$(holds @paneward_state window-status-format) $(
	holds @paneward_state window-status-current-format)" '2 2' \
	'all windows have marks'
like "$(bound a)" 'paneward top' 'a key opens the queue'
like "$(bound N)" 'paneward next --client' 'a key goes to the next'

pane_run shown 'exec cat'
client_attach client shown
printf '\002a' >"$T/client.keys"
soon 'which is typed' grep -q 'No agent is running' "$T/client.bytes"
printf q >"$T/client.keys"

exits 0 'without keys' "$PW" init tmux
unlike "$(cat "$CONF")" 'bind-key' 'they go'
exits 0 'it is removed' "$PW" init tmux --remove
check 'byte for byte' cmp "$T/own" "$CONF"
# shellcheck disable=SC2012
like "$(ls -l "$CONF")" '^-rw-------' 'with its mode'

rm "$CONF"
exits 0 'a file is made' "$PW" init tmux
exits 0 'and removed' "$PW" init tmux --remove
check 'it is gone' test ! -e "$CONF"
: >"$CONF"
"$PW" init tmux >"$T/out" && "$PW" init tmux --remove >"$T/out"
check 'an empty one stays' test -e "$CONF" -a ! -s "$CONF"

rm "$CONF"
mkdir -p "$HOME/.config/tmux"
echo 'set -g mouse on' >"$HOME/.config/tmux/tmux.conf"
exits 0 'the other place' "$PW" init tmux
like "$(cat "$HOME/.config/tmux/tmux.conf")" 'PANEWARD_QUEUE' 'is used'
rm "$HOME/.config/tmux/tmux.conf"

# ---- what is refused ---------------------------------------------------------

echo 'set -g mouse on' >"$T/dotfile"
ln -s "$T/dotfile" "$CONF"
fails 2 'is a link' init tmux
like "$(cat "$T/out")" 'PANEWARD_QUEUE' 'and the lines are printed'
rm "$CONF"
fails 2 'no key that can be bound' init tmux --key "a' x"
exits 2 'options of agents' "$PW" init tmux --loop
exits 2 'a key for an agent' "$PW" init claude --key a
exits 2 'a key to remove' "$PW" init tmux --remove --key a
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
afresh
tm set-option -g @paneward-key a
tm set-option -g @paneward-next-key n
tm bind-key m display-message mine
# As the manager runs it.
plugin() {
	tm run-shell "$T/plugin/paneward.tmux >/dev/null 2>&1"
}
check 'the plugin is loaded' plugin
check 'twice' plugin
is "$(holds PANEWARD_QUEUE status-right)" 1 'the segment is there once'
like "$(bound a)" "$T/plugin/paneward top" 'the key runs the program beside it'
like "$(bound n)" 'next-window' 'a key of tmux is not taken'
soon 'and that is said' grep -q 'the key n is bound already' "$T/client.bytes"
tm set-option -g @paneward-key m
plugin
like "$(bound m)" 'mine' 'nor is one of the user'

afresh
tm set-option -g @paneward-status off
plugin
is "$(holds PANEWARD_QUEUE status-right)" 0 'the status line can stay as it is'
done_testing
