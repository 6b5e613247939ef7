#!/bin/sh
# paneward start: the words of a command and a prompt arrive byte for byte, and
# nothing on the way takes them for anything else.
. "${0%/*}/lib.sh"

tmux_start
mkdir "$T/bin"
cat >"$T/bin/words" <<END
#!/bin/sh
printf '%s\0' "\$@" >'$T/words.new'
mv '$T/words.new' '$T/words'
END
chmod +x "$T/bin/words"
cp "$T/bin/words" "$T/bin/claude"
PATH=$T/bin:$PATH
hooks=--plugin-dir=$ROOT/templates/claude-plugin

issue=0
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
	"$PW" start "$issue" --no-watch --prompt "$2" >"$T/out" 2>&1 ||
		comment <"$T/out"
	arrives "$1" "$hooks" --session-id "$(record $issue run)" "$2"
	is "$(record $issue backend) $(record $issue agent.session)" \
		"claude $(record $issue run)" 'its session has the run id'
}

in_both() {
	as_command "a command's word: $1" "$2"
	as_prompt "a prompt: $1" "$2"
}

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
exits 0 'a prompt may be in a file' \
	"$PW" start 500 --no-watch --prompt-file "$T/prompt"
arrives 'and arrives as it is' "$hooks" --session-id "$(record 500 run)" 'Work on it;
please.
'

# ---- an option that its help names ------------------------------------------

# known DESCRIPTION WANTED... -- ARGUMENT...: codex starts with these words.
known() {
	issue=$((issue + 1))
	description=$1
	shift
	printf '' >"$T/want"
	while [ "$1" != -- ]; do
		printf '%s\0' "$1" >>"$T/want"
		shift
	done
	shift
	"$PW" start $issue --no-watch --backend codex --prompt 'do it' "$@" \
		>"$T/out" 2>&1 || comment <"$T/out"
	wait_until 5 test -e "$T/words"
	check "$description" cmp "$T/words" "$T/want"
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
known 'Codex is started without its shared server' --no-daemon 'do it' --
known 'with the words of a command as well' --no-daemon -m x 'do it' -- \
	-- codex -m x
known 'and never twice' -m x --no-daemon 'do it' -- \
	-- codex -m x --no-daemon
known 'one that does not know the option is not given it' 'do it' -- \
	-- "$T/old/codex"
known 'nor is another program' -m x 'do it' -- -- others -m x

# ---- refused prompts --------------------------------------------------------

refused() {
	description=$1
	reason=$2
	shift 2
	exits 2 "$description is refused" "$PW" start 600 --no-watch "$@"
	like "$(cat "$T/err")" "^paneward: .*$reason" 'with the reason'
	is "$(wc -l <"$T/err") $(cat "$T/out")" '1 ' 'in one line'
}

refused 'a prompt for a command that takes none' 'shell.*takes no prompt' \
	--prompt hello -- words
refused 'a prompt with a finished marker' 'finished marker' \
	--prompt 'Then print ###TASK_COMPLETE_600### please.'
refused 'one with the words swapped' 'finished marker' \
	--prompt '###ERROR_TASK_600###'
refused 'one with a bound marker' 'finished marker' \
	--prompt '###TASK_COMPLETE_600:01234567###'
refused 'one with a marker of the user' 'finished marker' \
	--marker 'ALL DONE' --prompt 'say ALL DONE'
refused 'one that looks like an option' "begins with '-'" --prompt -p
refused 'one that is too long' 'longer than' \
	--prompt "$(head -c 110000 /dev/zero | tr '\0' x)"
printf 'a\0b' >"$T/prompt"
refused 'one with a NUL byte' 'NUL' --prompt-file "$T/prompt"
refused 'one given twice' 'exclude each other' \
	--prompt a --prompt-file "$T/prompt"
exits 3 'a file that is not there is no prompt' \
	"$PW" start 600 --prompt-file "$T/nowhere"
like "$(cat "$T/err")" 'nowhere.*No such file' 'and named'
exits 0 "another issue's marker is no harm" "$PW" start 601 --no-watch \
	--prompt 'not ###TASK_COMPLETE_600###'
check 'nothing was started' no test -e "$S/.paneward/600.json"
is "$(tm list-sessions -F '#{session_name}' | grep -c 600)" 0 'nor opened'

done_testing
