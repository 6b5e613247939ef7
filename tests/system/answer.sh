#!/bin/sh
# Dialogs are answered in the pane, as long as they are the same.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
PATH=$T/bin:$PATH
export PATH
rule=────────────────────────────────────────

permission() {
	printf '%s\n' "$rule" ' Bash command' '' "   $1" '   what it is for' '' \
		' Do you want to proceed?' ' ❯ 1. Yes' \
		"   2. Yes, and don't ask again for #(touch $T/expanded) in /x" \
		'   3. No' '' ' Esc to cancel · Tab to amend'
}

# question MARKED [TEXT]: the choice that is marked, and the text in its field.
question() {
	for line in '1. This' '2. That' "3. ${2:-Type something.}"; do
		case $line in
		"$1."*) marked="$marked❯ $line
" ;;
		*)      marked="$marked  $line
" ;;
		esac
	done
	printf '%s\n' "$rule" ' ☐ Which' '' 'Which way is it?' '' \
		"$marked" 'Enter to select · ↑/↓ to navigate · Esc to cancel'
	marked=
}
marked=

# trust MARKED: a dialog without numbers, with that choice highlighted.
trust() {
	printf '%s\n' "$rule" ' Accessing workspace:' '' " $T" ''
	for line in 'No, exit' 'Yes, I trust this folder'; do
		case $line in
		"$1"*) echo " ❯ $line" ;;
		*)     echo "   $line" ;;
		esac
	done
	printf '%s\n' '' ' Enter to confirm · Esc to cancel'
}

permission 'make #{pid},}:x%H; ls' >"$T/permission"
permission 'make other' >"$T/other"
question 1 >"$T/question"
question 3 >"$T/field"
question 3 'as you # like, it is' >"$T/typed"
trust No >"$T/untrusted"
trust Yes >"$T/trusted"
trust Yes | sed "s|^ $T| /etc|" >"$T/elsewhere"
echo 'I go on.' >"$T/gone"
{ permission 'make twice' | sed 's/$/ /;s/^/   /'; echo '   make twice'
	permission 'make twice'; } >"$T/twice"

tmux_start
tm set-option -g default-command 'exec sh'

# shows FILE...: a new stand-in shows the first one.
number=0
shows() {
	number=$((number + 1))
	log=$T/log-$number
	pane_run "s$number" "exec claude $ROOT/tests/system/standin.pl $log $*"
	pane=$(pane_tell "s$number" '#{pane_id}')
	wait_until 5 grep -q "^shown $T/" "$log"
}

# typed: what the stand-in got.
typed() {
	grep -v '^shown' "$log" | tr '\n' ' '
}

typed_all() {
	[ "$(typed)" = "$1" ]
}

is_answered() {
	exits 0 "$1" "$PW" answer "$pane" "$2"
	like "$(cat "$T/out")" "^s$number:[a-z]+[.]0: answered '$3' to: " 'and said'
	wait_until 5 typed_all "$4 "
	is "$(typed)" "$4 " 'by that key'
}

# nothing DESCRIPTION REASON [OPTION...]: it is refused, and not typed.
nothing() {
	exits "${want_status:-1}" "$1" "$PW" answer "$pane" yes ${3:+"$3" "$4"}
	like "$(cat "$T/err")" "$2" 'with the reason'
	like "$(cat "$T/err")" "paneward ${way:-attach $pane}" 'and the way on'
	is "$(typed)" '' 'and nothing typed'
}

shows "$T/permission" "$T/gone"
exits 0 'a dialog is shown' "$PW" answer "$pane"
like "$(cat "$T/out")" 'it asks for permission: Bash command make #' 'what it asks'
like "$(cat "$T/out")" '^  1  Yes  \(yes\)$' 'its choices'
like "$(cat "$T/out")" '^  3  No  \(no\)$' 'with their meaning'
exits 0 'and as JSON' "$PW" answer --json "$pane"
like "$(cat "$T/out")" '"asks":"permission".*"number":3,"text":"No","means":"no"' \
	'with the same'
id=$(sed 's/.*"dialog":"\([^"]*\)".*/\1/' "$T/out")
nothing 'an answer to another dialog is refused' 'another dialog' --dialog x
exits 1 'an unknown choice is refused' "$PW" answer "$pane" 4
like "$(cat "$T/err")" 'it has no choice 4' 'with the reason'
exits 1 'and a text that it does not take' "$PW" answer "$pane" 'rm it'
is "$(typed)" '' 'and nothing is typed'
exits 0 'the dialog that was shown is answered' \
	"$PW" answer --dialog "$id" "$pane" yes
wait_until 5 grep -q '^1$' "$log"
is "$(typed)" '1 ' 'by the key of yes'
check 'nothing of it was expanded' test ! -e "$T/expanded"
like "$(cat "$HOME/.local/state/paneward/panes/journal.ndjson")" \
	"\"source\":\"$HOME/.local/state/paneward/panes\".*\
paneward.answer.*answered 'yes' to: it asks for permission: Bash.*; by " \
	'it is journaled'
want_status=1 exits 1 'afterwards there is none' "$PW" answer "$pane" yes
like "$(cat "$T/err")" 'shows no dialog that is known' 'and said'

shows "$T/permission" "$T/gone"
is_answered 'no is answered' no No 3
shows "$T/permission" "$T/gone"
is_answered 'a choice is answered by its number' 2 'Yes, and .*' 2
shows "$T/question" "$T/gone"
is_answered 'and by its text' that That 2
shows "$T/question" "$T/field" "$T/typed" "$T/gone"
is_answered 'a text goes where one is taken' 'as you # like, it is' \
	'as you # like, it is' \
	'3 \x1b[200~as you # like, it is\x1b[201~ \x0d'

shows "$T/untrusted" "$T/trusted" "$T/gone"
is_answered 'a choice without a number is confirmed once it is highlighted' \
	yes 'Yes, I trust this folder' '\x1b[B \x0d'
shows "$T/trusted" "$T/untrusted" "$T/gone"
is_answered 'also one above' 1 'No, exit' '\x1b[A \x0d'
shows "$T/untrusted" "$T/gone"
is_answered 'and the one that is highlighted' no 'No, exit' '\x0d'
shows "$T/untrusted" "$T/untrusted" "$T/gone"
exits 3 'not if the highlight stays where it is' "$PW" answer "$pane" yes
like "$(cat "$T/err")" 'the highlight has not moved' 'with the reason'
is "$(typed)" '\x1b[B ' 'and nothing is confirmed'
shows "$T/untrusted" "$T/elsewhere" "$T/gone"
exits 3 'nor in a dialog that came meanwhile' "$PW" answer "$pane" yes
like "$(cat "$T/err")" 'the dialog has changed; the choice was not confirmed' \
	'with the reason'
is "$(typed)" '\x1b[B ' 'and nothing is confirmed'

shows soon "$T/permission" "$T/gone"
is_answered 'what a client drops in the first moments comes later' yes Yes 1

shows "$T/permission" "$T/permission" "$T/gone"
exits 3 'a dialog that stays is told' "$PW" answer "$pane" yes
like "$(cat "$T/err")" 'the dialog is still there' 'with the reason'

# A tmux that sees the screen change as it types.
mkdir "$T/late"
cat >"$T/late/tmux" <<END
#!/bin/sh
"$(command -v tmux)" "\$@" >"$T/said" || exit
cat "$T/said"
! grep -qx typed "$T/said" || echo late
END
chmod +x "$T/late/tmux"
shows "$T/permission" "$T/gone"
exits 3 'a screen that changes as the key is typed is told' \
	env PATH="$T/late:$PATH" "$PW" answer "$pane" yes
like "$(cat "$T/err")" 'the screen changed as it was typed' 'with the reason'
like "$(tail -n 1 "$HOME/.local/state/paneward/panes/journal.ndjson")" \
	"answered, but as the screen changed, 'yes' to: " 'and journaled'

shows "$T/twice" "$T/gone"
nothing 'lines that the screen has twice are not told apart' 'on the screen above'
shows "$T/permission" "$T/gone"
want_status=3
tm copy-mode -t "$pane"
nothing 'in copy mode nothing is typed' 'copy mode'
tm send-keys -t "$pane" -X cancel
tm select-pane -d -t "$pane"
nothing 'nor with the input off' 'input is turned off'
tm select-pane -e -t "$pane"
tm split-window -d -t "$pane" 'exec tail -f /dev/null'
tm set-option -w -t "$pane" synchronize-panes on
nothing 'nor into synchronized panes' 'synchronize-panes'
tm set-option -w -t "$pane" synchronize-panes off
tm respawn-pane -k -t "$pane" "cat $T/permission; exec tail -f /dev/null"
wait_until 5 pane_shows "s$number" 'Do you want'
want_status=1
way='status --all'
nothing 'nor where no agent is in front' 'no agent is known|no known agent'
exits 2 'two answers are one too many' "$PW" answer "$pane" a b
exits 1 'an agent that is not known is told' "$PW" answer 999 yes
like "$(cat "$T/err")" "status --all' lists them" 'with what lists them'
"$PW" start 7 --no-watch -- tail -f /dev/null >"$T/said"
tm kill-pane -t "$(record 7 tmux.pane)"
wait_until 5 no kill -0 "$(record 7 tmux.pane_pid)"
exits 3 'an agent whose pane is gone is told' "$PW" answer 7 yes
like "$(cat "$T/err")" "its pane %[0-9]* is gone; see 'paneward explain 7'" \
	'with what says why'
done_testing
