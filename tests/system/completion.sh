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
			s/^  -., \(--[a-z0-9-]*\).*/\1/p
			s/^      \(--[a-z0-9-]*\).*/\1/p
		}' | tr '\n' ' ' | sed 's/ $//'
}

for shell in bash zsh fish; do
	exits 0 "there is a script for $shell" "$PW" completion "$shell"
	cp "$T/out" "$T/$shell"
	is "$(commands | while read -r command; do
		grep -q -e "[ :']${command}[ :)']" "$T/$shell" || echo "$command"
	done)" '' "every command is in the one for $shell"
	if command -v "$shell" >/dev/null; then
		check "$shell can read it" "$shell" -n "$T/$shell"
	else
		skip "$shell can read it" "$shell is not here"
	fi
done

fails 2 "'csh' is none of bash|zsh|fish" completion csh
fails 2 '' completion
fails 2 '' completion bash zsh

command -v bash >/dev/null ||
	{ skip 'bash completes' 'bash is not here' && done_testing; }

# offers: standard input is words and, behind "=", what bash offers for the last
# of them, which is being typed: in this order or, if they are sorted, in any.
offers() {
	tr ';' '\n' | bash --norc -c '
		. "$0"
		while read -r row <&3; do
			want=${row##*=} want=${want# } COMPREPLY=()
			eval "COMP_WORDS=(paneward ${row%=*})"
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_paneward
			got=${COMPREPLY[*]}
			[ "$got" = "$want" ] || [ "$want" = "$(echo "$got" |
				tr " " "\n" | sort | paste -sd " ")" ] ||
				echo "$row, not: $got"
		done 3<&0 </dev/null' "$T/bash"
}

commands | while read -r command; do
	echo "$command --hel = --help; $command -- = $(options "$command")"
done >"$T/rows"
check 'there are commands' test "$(wc -l <"$T/rows")" -gt 25
hooked=$(cd "$ROOT/backends" && grep -l '"hooks": {' ./*.json |
	sed 's|[.]/||; s/[.]json//' | paste -sd ' ')
# Issues and panes come from the program.
tmux_start
"$PW" start 42 --no-watch -- tail -f /dev/null >"$T/said"
"$PW" start api-7 --no-watch -- tail -f /dev/null >"$T/said"
PATH=${PW%/*}:$PATH
cat >>"$T/rows" <<END
compl = completion; vers = version; hel = help; help vers =
help compl = completion; completion z = zsh; completion '' = bash zsh fish
loo = loop; loop '' = run start stop status; loop sta = start status
inbox '' = write list read ack
init '' = $hooked tmux --from --backends --backend; nonsense '' =
loop run --session-manager '' = native tmux zellij auto; explain --save '' =
status '' = 42 api-7; forget a = api-7; diff a = api-7; scan --issue a = api-7
watch 9 --pane 4 =; start 4 =; answer y = yes; notify de = desktop
start --backend cl = claude cline; loop run -b pi = pi
wait --until d = dead; watch --exit-on as = asking
render '' = $(cd "$ROOT/agents" && echo ./*.md | sed 's/[.]md//g; s|[.]/||g')
END
is "$(offers <"$T/rows")" '' 'each command offers what its help tells of'
is "$(cd / && echo "attach 4 = 42; status '' =; attach b = box:" |
	PANEWARD_HOSTS=box offers)" '' 'issues of other projects, and hosts'
check 'zsh gets them the same way' grep -q \
	':NAME:{compadd -- $(paneward completion backends 2>/dev/null)}' "$T/zsh"
check 'and fish' grep -q -e "-l until .*-f -a '(paneward completion states" \
	"$T/fish"
check 'and places' grep -q \
	"__paneward_command attach' -f -a '(paneward completion places" "$T/fish"

pane_run tab "exec bash --norc --noprofile"
pane_type tab "PATH=${PW%/*}:\$PATH; PS1='ready>'; . $T/bash; clear"
# Not the line that was typed.
wait_until 5 eval "pane_text tab | grep -q '^ready>'"
tm send-keys -t =tab: 'paneward compl' Tab 'fi' Tab
soon 'the tab key completes in a terminal' \
	pane_shows tab 'ready>paneward completion fish'

done_testing
