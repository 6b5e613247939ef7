#!/bin/sh
# paneward start: the words of a command and a prompt arrive byte for byte, and
# nothing on the way takes them for anything else.
. "${0%/*}/lib.sh"

tmux_start
script bin/words <<END
printf '%s\0' "\$@" >'$T/words.new'
mv '$T/words.new' '$T/words'
END

# Did these words arrive?
arrives() {
	description=$1
	shift
	wait_until 5 test -e "$T/words"
	printf '%s\0' "$@" >"$T/want"
	check "$description" cmp "$T/words" "$T/want"
	rm -f "$T/words"
}

as_command() {
	issue=$((issue + 1))
	description=$1
	shift
	"$PW" start "$issue" --no-watch -- words "$@" >"$T/out" 2>&1 ||
		comment <"$T/out"
	arrives "$description" "$@"
}

as_prompt() {
	issue=$((issue + 1))
	"$PW" start "$issue" --no-watch --no-report --prompt "$2" \
		>"$T/out" 2>&1 || comment <"$T/out"
	arrives "$1" "$hooks" --session-id "$(record $issue run)" "$2"
	is "$(record $issue backend) $(record $issue agent.session)" \
		"claude $(record $issue run)" 'its session has the run id'
}

in_both() {
	as_command "a command's word: $1" "$2"
	as_prompt "a prompt: $1" "$2"
}

cp "$T/bin/words" "$T/bin/claude"
PATH=$T/bin:$PATH
hooks=--plugin-dir=$ROOT/templates/claude-plugin
issue=0
in_both 'blanks' ' a  b '
in_both 'a semicolon at the end' 'one;'
in_both 'an escaped one' 'one\;'
in_both 'nothing but a semicolon' ';'
in_both 'quotes' "it's \"quoted\" \`touch x\`"
in_both 'what a shell would run' "\$(touch '$T/x') \$HOME & | > $T/x"
in_both 'what tmux would run' "#(touch '$T/x') #{pane_id} #[fg=red] ##"
in_both 'what tmux would take for a date' '%H:%M %% %'
in_both 'lines' 'first
second

'
in_both 'UTF-8' 'grüße, 漢字, 🙂'
in_both 'backslashes' "\\n \\\\ \\033[1m \\"
in_both 'control bytes' "$(printf 'a\033[31m\007b\tc\rd')"
in_both 'bytes that are no UTF-8' "$(printf 'a\377\300b')"
in_both 'braces and placeholders' '{{run}} <<run>> <<prompt>> {a,b} ~ *'
as_command 'an empty word' ''
as_command 'many words' -x -- --help '' ';' '-' "$PW" 'a=b'
as_command 'a long word' "$(head -c 100000 /dev/zero | tr '\0' x)"
as_prompt 'a long prompt' "$(head -c 100000 /dev/zero | tr '\0' x)"
check 'nothing of this was run' no test -e "$T/x"

issue=500
printf 'Work on it;\nplease.\n' >"$T/prompt"
fails 0 '' start 500 --no-watch --no-report --prompt-file "$T/prompt"
arrives 'a prompt in a file arrives as it is' "$hooks" \
	--session-id "$(record 500 run)" 'Work on it;
please.
'

# known WANTED... -- ARGUMENT...: codex starts with these words.
known() {
	issue=$((issue + 1))
	printf '' >"$T/want"
	while [ "$1" != -- ]; do
		printf '%s\0' "$1" >>"$T/want"
		shift
	done
	shift
	"$PW" start "$issue" --no-watch --no-report --backend codex \
		--prompt 'do it' "$@" >"$T/out" 2>&1 || comment <"$T/out"
	wait_until 5 test -e "$T/words"
	cmp "$T/words" "$T/want"
	rm -f "$T/words"
}

mkdir "$T/old"
cp "$T/bin/words" "$T/bin/others"
for place in bin old; do
	{
		echo '#!/bin/sh'
		echo "case \$1 in --help) echo '  $place --no-daemon-$place';"
		[ $place = old ] || echo "echo '  --no-daemon';"
		echo 'exit ;; esac'
		sed 1d "$T/bin/words"
	} >"$T/$place/codex"
	chmod +x "$T/$place/codex"
done
scenario 'Codex is started without its shared server, if it knows how' <<'END'
>>> known --no-daemon 'do it' --
>>> known --no-daemon -m x 'do it' -- -- codex -m x
>>> known -m x --no-daemon 'do it' -- -- codex -m x --no-daemon
>>> known 'do it' -- -- "$T/old/codex"; known -m x 'do it' -- -- others -m x
END

# gets REPORT PROMPT [OPTION...]: the prompt arrives with that behind it.
gets() {
	report=$1
	prompt=$2
	shift 2
	issue=$((issue + 1))
	fails 0 '' start "$issue" --no-watch --backend codex --prompt "$prompt" \
		"$@" -- others
	wait_until 5 test -e "$T/words"
	printf '%s\0' "$prompt$report" | cmp - "$T/words"
	rm -f "$T/words"
}

report="

$("$PW" render report -i $((issue + 1)))
"
scenario 'a prompt tells how to report, unless the agent knows' <<'END'
>>> gets "$report" 'Do it.'; gets '' ''; gets '' '/review 42'
>>> gets '' 'Do it.' --no-report; gets '' 'Do it.' --exit-is-report
>>> gets '' 'Do it.' --marker 'ALL DONE'
>>> gets '' "$("$PW" render plan -i $((issue + 1)))"
>>> mkdir -p "$HOME/.config/paneward/agents"
>>> echo 'Say ###TASK_COMPLETE_<<issue_number>>###' \
... 	>"$HOME/.config/paneward/agents/report.md"
>>> fails 2 "cannot add '.*/report.md': .*finished marker" start 599 \
... 	--backend codex --prompt x
END

# refused REASON OPTION...: in one line.
refused() {
	reason=$1
	shift
	fails 2 "^paneward: .*$reason" start 600 --no-watch "$@"
	is "$(wc -l <"$T/err") $(cat "$T/out")" '1 '
}

printf 'a\0b' >"$T/prompt"
scenario 'a prompt that an agent would not get is refused' <<'END'
>>> refused 'shell.*takes no prompt' --prompt hello -- words
>>> refused 'finished marker' --prompt 'print ###TASK_COMPLETE_600### please.'
>>> refused 'finished marker' --prompt '###ERROR_TASK_600###'
>>> refused 'finished marker' --prompt '###TASK_COMPLETE_600:01234567###'
>>> refused 'finished marker' --marker 'ALL DONE' --prompt 'say ALL DONE'
>>> refused "begins with '-'" --prompt -p
>>> refused 'longer than' --prompt "$(head -c 110000 /dev/zero | tr '\0' x)"
>>> refused 'NUL' --prompt-file "$T/prompt"
>>> refused 'exclude each other' --prompt a --prompt-file "$T/prompt"
>>> fails 3 'nowhere.*No such file' start 600 --prompt-file "$T/nowhere"
>>> fails 0 '' start 601 --no-watch --prompt 'not ###TASK_COMPLETE_600###'
>>> no test -e "$S/.paneward/600.json"
>>> tm list-sessions -F '#{session_name}' | grep 600
[1]
END
done_testing
