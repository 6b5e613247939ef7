#!/bin/sh
# paneward completion: the scripts are whole, and the tab key gets from them
# what the tables of commands and options say.
# A command may have two words.
# shellcheck disable=SC2086
. "${0%/*}/lib.sh"

# One on each line; some have two words.
commands() {
	"$PW" --help | sed -n 's/^  \([a-z][a-z]*\( [a-z][a-z]*\)\{0,1\}\) .*/\1/p'
}

# The options that a command's help tells of, on one line.
options() {
	"$PW" $1 --help | sed -n '
		/^Options:/,$ {
			s/^  -., \(--[a-z-]*\).*/\1/p
			s/^      \(--[a-z-]*\).*/\1/p
		}' | tr '\n' ' ' | sed 's/ $//'
}

for shell in bash zsh fish; do
	exits 0 "there is a script for $shell" "$PW" completion "$shell"
	cp "$T/out" "$T/$shell"
	commands | while read -r command; do
		grep -q -e "[ :']${command}[ :)']" "$T/$shell" || echo "$command"
	done >"$T/missing"
	is "$(cat "$T/missing")" '' "every command is in the one for $shell"
	if command -v "$shell" >/dev/null; then
		check "$shell can read it" "$shell" -n "$T/$shell"
	else
		skip "$shell can read it" "$shell is not here"
	fi
done

fails 2 "'csh' is none of bash|zsh|fish" completion csh
exits 2 'so is none at all' "$PW" completion
exits 2 'or more than one' "$PW" completion bash zsh

if ! command -v bash >/dev/null; then
	skip 'bash completes' 'bash is not here'
	done_testing
fi

# What bash offers for the words, the last of which is being typed.
offers() {
	bash --norc -c '
		. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_paneward
		echo ${COMPREPLY[*]}' "$T/bash" paneward "$@"
}

is "$(offers compl)" completion 'a command is completed'
is "$(offers vers) $(offers hel)" 'version help' 'and what tells of all'
commands >"$T/commands"
while read -r command; do
	is "$(offers $command --hel)" --help "$command offers its options"
	is "$(offers $command --)" "$(options "$command")" \
		"$command offers all that its help tells of"
done <"$T/commands"
is "$(offers loo)" loop 'the first of two words is completed'
is "$(offers loop '')" 'run start stop status' 'the second is offered'
is "$(offers loop sta)" 'start status' 'and completed'
is "$(offers completion '')" 'bash zsh fish' 'a choice is offered'
is "$(offers completion z)" zsh 'and completed'
is "$(offers help compl) $(offers help vers)" 'completion ' 'and behind help'
is "$(offers inbox '')" 'write list read ack' 'verbs that take more words, too'
is "$(offers init '' | tr ' ' '\n' | tail -n 2 | tr '\n' ' ')" 'tmux --from ' \
	'or an option behind a choice'
is "$(offers loop run --session-manager '')" 'native tmux zellij auto' \
	'and for an option'
is "$(offers explain --save '')" '' \
	'the argument of an option is left to the names of files'
is "$(offers nonsense '')" '' 'an unknown command has no words'

# Issues and panes come from the program.
tmux_start
"$PW" start 42 --no-watch -- tail -f /dev/null >"$T/said"
"$PW" start api-7 --no-watch -- tail -f /dev/null >"$T/said"
PATH=${PW%/*}:$PATH
is "$(offers status '' | tr ' ' '\n' | sort | tr '\n' ' ')" '42 api-7 ' \
	'issues are offered'
is "$(offers forget a)" api-7 'and completed'
is "$(offers answer y)" yes 'an answer, too'
is "$(offers diff a)" api-7 'an issue whose work is shown'
is "$(offers scan --issue a)" api-7 'or is named by an option'
is "$(offers start --backend cl) $(offers loop run -b pi)" 'claude pi' \
	'the names of backends are offered'
is "$(offers wait --until d) $(offers watch --exit-on as)" 'dead asking' 'states'
is "$(offers notify de)" desktop 'ways of a notice'
is "$(offers render '')" "$(cd "$ROOT/agents" && printf '%s\n' *.md | sed 's/[.]md$//' |
	tr '\n' ' ' | sed 's/ $//')" 'templates'
is "$(offers watch 9 --pane 4)" '' 'and for a pane no issue'
exits 0 'zsh gets them the same way' grep -qF \
	':NAME:{compadd -- $(paneward completion backends 2>/dev/null)}' "$T/zsh"
exits 0 'and fish' grep -q -e \
	"-l until .*-f -a '(paneward completion states" "$T/fish"
is "$(cd / && offers attach 4)" 42 'also those of other projects'
is "$(cd / && offers status '')" '' 'where a command takes them'
is "$(offers start 4)" '' 'an issue that is to be started is new'
is "$(PANEWARD_HOSTS=box offers attach b)" 'box:' 'and hosts, to go there'
exits 0 'fish gets them the same way' grep -q \
	"__paneward_command attach' -f -a '(paneward completion places" "$T/fish"

# As a terminal sees it: the tab key in a real shell.
pane_run tab "exec bash --norc --noprofile"
pane_type tab "PATH=${PW%/*}:\$PATH; PS1='ready>'; . $T/bash; clear"
# Not the line that was typed.
wait_until 5 eval "pane_text tab | grep -q '^ready>'"
tm send-keys -t =tab: -l 'paneward compl'
tm send-keys -t =tab: Tab
tm send-keys -t =tab: -l 'fi'
tm send-keys -t =tab: Tab
soon 'the tab key completes in a terminal' \
	pane_shows tab 'ready>paneward completion fish'

done_testing
