#!/bin/sh
# Dialogs are answered in the pane, as long as they are the same.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
cp "$T/bin/claude" "$T/bin/opencode"
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

# boxes SMALL LARGE: a question whose boxes are marked so.
boxes() {
	printf '%s\n' "$rule" '←  ☐ Sizes  ✔ Submit  →' '' 'Which sizes?' '' \
		"❯ 1. [$1] Small" "  2. [$2] Large" \
		'  3. [ ] Type something' '     Submit' "$rule" \
		'  4. Chat about this' '' \
		'Enter to select · ↑/↓ to navigate · Esc to cancel'
}

permission 'make #{pid},}:x%H; ls' >"$T/permission"
permission 'make other' >"$T/other"
question 1 >"$T/question"
question 3 >"$T/field"
question 3 'as you # like, it is' >"$T/typed"
trust No >"$T/untrusted"
trust Yes >"$T/trusted"
trust Yes | sed "s|^ $T| /etc|" >"$T/elsewhere"
boxes ✔ ' ' >"$T/small"
boxes ' ' ' ' >"$T/none"
boxes ' ' ✔ >"$T/large"
printf '%s\n' "$rule" '←  ☒ Sizes  ✔ Submit  →' '' 'Review your answers' '' \
	' ● Which sizes?' '   → Large' '' 'Ready to submit your answers?' '' \
	'❯ 1. Submit answers' '  2. Cancel' >"$T/review"
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
	pane_run "s$number" "exec ${client:-claude} \
$ROOT/tests/system/standin.pl $log $*" \
		-x 120 -y 40
	pane=$(pane_tell "s$number" '#{pane_id}')
	wait_until 5 grep -q "^shown /" "$log"
}

# typed: what the stand-in got.
typed() { grep -v '^shown' "$log" | tr '\n' ' '; }
typed_all() { [ "$(typed)" = "$1" ]; }

# is_answered CHOICE TEXT KEYS
is_answered() {
	fails 0 "^s$number:[a-z]+[.]0: answered '$2' to: " answer "$pane" "$1"
	wait_until 5 typed_all "$3 "
}

# nothing REASON [OPTION...]: it is refused, with the way on, and not typed.
nothing() {
	fails "${want_status:-1}" "$1" answer "$pane" yes ${2:+"$2" "$3"}
	like "$(cat "$T/err")" "paneward ${way:-attach $pane}"
	is "$(typed)" ''
}

scenario 'an answer is a choice that the dialog has, typed once' <<'END'
>>> shows "$T/permission" "$T/gone"
>>> fails 0 'it asks for permission: Bash command make #' answer "$pane"
>>> like "$(cat "$T/out")" '^  1  Yes  \(yes\)$'
>>> like "$(cat "$T/out")" '^  3  No  \(no\)$'
>>> valid 0 answer --json "$pane"
>>> like "$(cat "$T/out")" '"asks":"permission".*3,"text":"No","means":"no"'
>>> id=$(sed 's/.*"dialog":"\([^"]*\)".*/\1/' "$T/out")
>>> nothing 'another dialog' --dialog x
>>> fails 1 'it has no choice 4' answer "$pane" 4
>>> fails 1 '' answer "$pane" 'rm it'; is "$(typed)" ''
>>> valid 0 answer --json --dialog "$id" "$pane" yes
>>> like "$(cat "$T/out")" '"did":"answered","choice":"Yes"}'
>>> covers answer.dialog answer.asks answer.what answer.text answer.choice
>>> covers answer.choices
>>> wait_until 5 grep -q '^1$' "$log"; is "$(typed)" '1 '
>>> test ! -e "$T/expanded"
>>> like "$(cat "$HOME/.local/state/paneward/panes/journal.ndjson")" \
... 	"\"source\":\"$HOME/.local/state/paneward/panes\".*\
... paneward.answer.*answered 'yes' to: it asks for permission: Bash.*; by "
>>> fails 1 'shows no dialog that is known' answer "$pane" yes
>>> shows "$ROOT/tests/corpus/cases/claude-2.1.330-permission/capture.txt"
>>> valid 0 answer --json "$pane"; valid 0 status --all --json
>>> covers answer.command row.question
>>> shows "$T/permission" "$T/gone"; is_answered no No 3
>>> shows "$T/permission" "$T/gone"
>>> is_answered 2 'Yes, and .*' 2
>>> shows "$T/question" "$T/gone"; is_answered that That 2
>>> shows "$T/question" "$T/field" "$T/typed" "$T/gone"
>>> is_answered 'as you # like, it is' \
... 	'as you # like, it is' \
... 	'3 \x1b[200~as you # like, it is\x1b[201~ \x0d'
>>> shows "$T/untrusted" "$T/trusted" "$T/gone"
>>> is_answered \
... 	yes 'Yes, I trust this folder' '\x1b[B \x0d'
>>> shows "$T/trusted" "$T/untrusted" "$T/gone"
>>> is_answered 1 'No, exit' '\x1b[A \x0d'
>>> shows "$T/untrusted" "$T/gone"
>>> is_answered no 'No, exit' '\x0d'
>>> shows "$T/untrusted" "$T/untrusted" "$T/gone"
>>> fails 3 'the highlight has not moved' answer "$pane" yes
>>> is "$(typed)" '\x1b[B '; shows "$T/untrusted" "$T/elsewhere" "$T/gone"
>>> fails 3 'the dialog has changed; the choice was not confirmed' answer "$pane" \
... 	yes
>>> is "$(typed)" '\x1b[B '; shows soon "$T/permission" "$T/gone"
>>> is_answered yes Yes 1
>>> shows "$T/permission" "$T/permission" "$T/gone"
>>> fails 3 'the dialog is still there' answer "$pane" yes; mkdir "$T/late"
END

scenario 'boxes are marked as they are wanted, and sent' <<'END'
>>> shows "$T/small" "$T/large" "$T/small" "$T/large" "$T/small"
>>> fails 1 "it has no box '3'" answer "$pane" 1,3; is "$(typed)" ''
>>> fails 3 'have not changed as they should' answer "$pane" 2,1
>>> is "$(typed)" '2 1 2 1 '
>>> shows "$T/small" "$T/none" "$T/large" "$T/review" "$T/gone"
>>> is_answered 2, 2, '1 2 \x09 1'
>>> shows "$T/small" "$T/gone"; is_answered 1, 1, '\x09'
END

# Their choices stand in a row, and only a color shows the highlight.
row=$ROOT/tests/corpus/dialogs/opencode-1.18.33
client=opencode
scenario 'a highlight that only its color shows moves along a row' <<'END'
>>> shows $row-once.txt $row-always.txt $row-reject.txt "$T/gone"
>>> is_answered no Reject '\x1b[C \x1b[C \x0d'
>>> shows $row-always.txt $row-once.txt "$T/gone"
>>> is_answered yes 'Allow once' '\x1b[D \x0d'
>>> shows $row-once.txt $row-reject.txt "$T/gone"
>>> fails 3 'the highlight has not moved' answer "$pane" 2
>>> is "$(typed)" '\x1b[C '
END
client=

# A tmux that sees the screen change as it types.
cat >"$T/late/tmux" <<END
#!/bin/sh
"$(command -v tmux)" "\$@" >"$T/said" || exit
cat "$T/said"
! grep -qx typed "$T/said" || echo late
END

scenario 'a dialog that changes gets no answer' <<'END'
>>> chmod +x "$T/late/tmux"; shows "$T/permission" "$T/gone"
>>> gives 3 'the screen changed as it was typed' env PATH="$T/late:$PATH" \
... 	"$PW" answer "$pane" yes
>>> like "$(tail -n 1 "$HOME/.local/state/paneward/panes/journal.ndjson")" \
... 	"answered, but as the screen changed, 'yes' to: "
>>> shows "$T/twice" "$T/gone"
>>> nothing 'above on the screen'
>>> shows "$T/permission" "$T/gone"; want_status=3; tm copy-mode -t "$pane"
>>> nothing 'copy mode'
>>> tm send-keys -t "$pane" -X cancel; tm select-pane -d -t "$pane"
>>> nothing 'input is turned off'
>>> tm select-pane -e -t "$pane"
>>> tm split-window -d -t "$pane" 'exec tail -f /dev/null'
>>> tm set-option -w -t "$pane" synchronize-panes on
>>> nothing 'synchronize-panes'
>>> tm set-option -w -t "$pane" synchronize-panes off
>>> tm respawn-pane -k -t "$pane" "cat $T/permission; exec tail -f /dev/null"
>>> wait_until 5 pane_shows "s$number" 'Do you want'
>>> want_status=1; way='status --all'
>>> nothing 'no agent is known|no known agent'
>>> fails 2 '' answer "$pane" a b
>>> fails 1 "status --all' lists them" answer 999 yes
>>> "$PW" start 7 --no-watch -- tail -f /dev/null >"$T/said" 2>&1
>>> tm kill-pane -t "$(record 7 tmux.pane)"
>>> wait_until 5 no kill -0 "$(record 7 tmux.pane_pid)"
>>> fails 1 "its pane %[0-9]* is gone; see 'paneward explain 7'" answer 7 yes
END
done_testing
