#!/bin/sh
# Used wrongly, or where something is missing: one line that says what, the
# status that goes with it, and nothing done.
# A command may have two words.
# shellcheck disable=SC2086
. "${0%/*}/lib.sh"

# wrong STATUS REASON ARGUMENT...
wrong() {
	status=$1
	reason=$2
	shift 2
	exits "$status" "refused: paneward $(echo "$*" | tr '\n' ' ')" \
		"$PW" "$@"
	like "$(cat "$T/err")" "^paneward: .*$reason" 'with the reason'
	is "$(grep -vc 'new project' "$T/err") $(cat "$T/out")" '1 ' 'in one line'
}

# ---- words ------------------------------------------------------------------

exits 2 'without a command the commands are shown' "$PW"
like "$(cat "$T/err")" '^Usage: paneward COMMAND' 'on standard error'
is "$(cat "$T/out")" '' 'and nowhere else'
for word in --help -h help; do
	exits 0 "$word shows them too" "$PW" $word
	like "$(cat "$T/out")" '^  start ' 'on standard output'
	is "$(cat "$T/err")" '' 'and nowhere else'
done
for word in --version version; do
	exits 0 "it knows its $word" "$PW" $word
	like "$(cat "$T/out")" '^paneward [0-9]+\.[0-9]+' 'which is a number'
done
"$PW" loop run --help >"$T/wanted"
exits 0 'help goes before a command, too' "$PW" help loop run
check 'with the same words' cmp "$T/wanted" "$T/out"
exits 0 'and before the first word of several' "$PW" help loop
like "$(cat "$T/out")" '^  loop stop ' 'which are shown'
wrong 2 "unknown command 'stauts'; did you mean 'status'" help stauts
unlike "$("$PW" --help)" 'agent-run|log-writer' \
	'what only paneward itself runs is not shown'

exits 2 'without its second word the commands of that name are shown' "$PW" loop
like "$(cat "$T/err")" '^  loop stop ' 'on standard error'
unlike "$(cat "$T/err")" '^  watch ' 'and no other'
exits 0 'help shows them too' "$PW" loop --help
like "$(cat "$T/out")" '^  loop stop ' 'on standard output'
wrong 2 "unknown command 'loop stopp'; did you mean 'loop stop'" loop stopp
wrong 2 "unknown command 'loop begin'" loop begin

wrong 2 "unknown command 'nonsense'" nonsense
wrong 2 "unknown command 'wtach'; did you mean 'watch'" wtach
wrong 2 "unknown command 'stauts'; did you mean 'status'" stauts
wrong 2 "unknown command 'list'; did you mean 'status'" list
wrong 2 "unknown command 'new'; did you mean 'start'" new 42
wrong 2 "unknown command 'rm'; did you mean 'forget'" rm 42
exits 0 'ls is status' "$PW" ls --json
is "$("$PW" -V)" "$("$PW" --version)" '-V is --version'
wrong 2 "unknown command '--nonsense'" --nonsense
wrong 2 "unknown command ''" ''

for command in start watch status top log signal explain scan render completion \
	'loop run' 'loop start' 'loop stop' 'loop status'; do
	wrong 2 "$command: unknown option '--nonsense'" $command --nonsense
	wrong 2 "$command: unknown option '-Z'" $command -Z
	exits 0 "$command --help" "$PW" $command --help
	is "$(head -n 1 "$T/out") $(cat "$T/err")" 'Examples: ' \
		'begins with examples'
	like "$(cat "$T/out")" "^Usage: paneward $command " 'and has its usage'
done
for command in start watch status; do
	wrong 2 "$command: '../x' is not an issue" $command ../x
	wrong 2 "$command: option '--status-dir' needs an argument" \
		$command --status-dir
done
for command in start watch status signal explain sweep handoff wait doctor \
	render inbox 'loop run' reload; do
	wrong 2 "$command: option '--status-dir' needs a directory" \
		$command --status-dir ''
done
wrong 2 "option '--cwd' needs a directory" start 42 --cwd '' -- true
exits 2 'an empty one is not the current one' \
	"$PW" signal complete -i 44 --status-dir ''
is "$(ls -A)" '' 'in which nothing is made'
wrong 2 "did you mean '--interval'" watch --intervall 3 42
wrong 2 "may be any of.*'--session'.*'--steal-pipe'" watch --s 42

wrong 2 'watch: takes an issue' watch
wrong 2 "'' is not an issue" watch 42 ''
wrong 2 "'0' is not a whole number from 1 to 3600" watch 42 --interval 0
wrong 2 "'1x' is not a whole number.*(seconds, or with a unit: 90s, 10m, 2h)" \
	watch 42 --interval 1x
wrong 2 "'61m' is not a whole number from 1 to 3600" watch 42 --interval 61m
wrong 2 "'9999999999999999999999' is not" watch 42 \
	--interval 9999999999999999999999
wrong 2 "'nonsense' is not a state" watch 42 --exit-on error,nonsense
wrong 2 "'' is not a state" watch 42 --exit-on ''
wrong 2 '--session and --pane exclude each other' watch 42 \
	--session a --pane %1
wrong 2 'are for one issue' watch 42 43 --session a
wrong 2 "is not a pane's id" watch 42 --pane '%1;kill-server'
wrong 2 'cannot be a marker' watch 42 --marker ''
wrong 2 'cannot be a marker' watch 42 --marker "$(printf 'a\nb')"
wrong 3 "issue '42': nothing is known of it" watch 42

wrong 2 "takes 'complete' or 'error'" signal
wrong 2 "'finished' is neither" signal finished --issue 42
wrong 2 'PANEWARD_ISSUE is not set' signal complete
wrong 2 "'../x' is not an issue" signal complete --issue ../x
wrong 2 "takes 'complete' or 'error'" signal complete --issue 42 many words
exits 2 'a wrong issue in the environment is refused as well' \
	env PANEWARD_ISSUE=../x "$PW" signal complete
check 'nothing of all that was done' no test -e "$S/signal-complete-42"

# ---- the signal -------------------------------------------------------------

exits 0 'a signal is left' "$PW" signal complete --issue 42 'a text'
is "$(cat "$T/out" "$T/err")" '' 'in silence'
is "$(cat "$S/signal-complete-42")" 'a text' 'with its text'
is "$(stat -c '%a %h' "$S/signal-complete-42")" '600 1' 'for the user alone'
run=01234567-89ab-4cde-8f01-23456789abcd
exits 0 'in an agent' env PANEWARD_ISSUE=43 PANEWARD_RUN=$run \
	PANEWARD_STATUS_DIR="$T/dir" "$PW" signal error 'why not'
is "$(cat "$T/dir/signal-error-43")" "run=$run
why not" 'it names the run'
exits 0 'about another issue' env PANEWARD_ISSUE=43 PANEWARD_RUN=$run \
	"$PW" signal error --issue 44 'why not'
is "$(cat "$S/signal-error-44")" 'why not' 'it does not'
exits 0 'a run that is none' env PANEWARD_ISSUE=45 PANEWARD_RUN=../../x \
	"$PW" signal complete
is "$(cat "$S/signal-complete-45")" '' 'is not named'
is "$(find "$S" "$T/dir" -name '*.tmp')" '' 'nothing else is left behind'
exits 0 'a signal is enough for explain' "$PW" explain 42
for command in status explain; do
	wrong 1 "nothing is known of issue '999' in '$S'" $command 999
done

# ---- what is missing --------------------------------------------------------

mkdir "$T/empty"
for command in sh cat env; do
	ln -s "$(command -v $command)" "$T/empty/$command"
done
exits 3 'without tmux nothing is started' \
	env PATH="$T/empty" "$PW" start 50 -- cat
is "$(cat "$T/err")" "paneward: cannot start issue '50': cannot run tmux: no \
such program in PATH" 'and that is said'
check 'nothing is left' no test -e "$S/.paneward/50.json"
exits 3 'nor is a pane found' env PATH="$T/empty" "$PW" watch 50
like "$(cat "$T/err")" '^paneward: .*cannot run tmux: no such program' \
	'and that is said'
is "$(wc -l <"$T/err")" 1 'in one line'
exits 0 'what lies there counts without it' \
	env PATH="$T/empty" "$PW" status

exits 3 'without a folder for its socket there is no tmux' \
	env TMUX_TMPDIR="$T/nowhere/below" "$PW" start 51 -- cat
like "$(cat "$T/err")" "^paneward: cannot start issue '51': " 'and that is said'
is "$(wc -l <"$T/err")" 1 'in one line'
check 'nothing is left' no test -e "$S/.paneward/51.json"
exits 3 'nor anything to watch' \
	env TMUX_TMPDIR="$T/nowhere/below" "$PW" watch 51
is "$(cat "$T/err")" "paneward: cannot watch issue '51': nothing is known of \
it, no record, signal, log or pane" 'which is all there is to say'

# ---- what is not there ------------------------------------------------------

unknown() {
	for command in attach log forget diff explain status history handoff \
		'handoff --dry-run' answer; do
		exits 1 "$command: an unknown issue $1 is the answer no" \
			"$PW" $command 77
		is "$(wc -l <"$T/err")" 1 'which is said in one line'
	done
}

unknown 'of a project'
mkdir "$T/fresh"
cd "$T/fresh" || exit
unknown 'where nothing ever was'
is "$(ls -A)" '' 'and nothing is made'
cd "$P" || exit

# A tmux that is too old.
cat >"$T/empty/tmux" <<'END'
#!/bin/sh
echo "tmux: unknown option -- S" >&2
exit 1
END
chmod +x "$T/empty/tmux"
exits 3 'a tmux that fails' env PATH="$T/empty" "$PW" start 52 -- cat
like "$(cat "$T/err")" \
	"^paneward: cannot start issue '52': tmux .*unknown option" 'is quoted'
is "$(wc -l <"$T/err")" 1 'in one line'
check 'nothing is left' no test -e "$S/.paneward/52.json"

# Neither HOME nor anything else, as from cron.
bare() {
	env -i ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} "$PW" "$@"
}
exits 0 'it needs no environment' bare status
exits 0 'not even a PATH' bare signal complete --issue 60
exits 0 'to signal, and to find it' bare watch 60
is "$(cat "$T/err")" '' 'without a word'

printf '{"v":1,"issue":"61","run' >"$S/.paneward/61.json"
exits 1 'a damaged record' "$PW" status 61
like "$(cat "$T/err")" "record of issue '61' .*: it is damaged; .*remove it\$" \
	'is called that'
rm "$S/.paneward/61.json"

mkdir "$T/removed" && cd "$T/removed" && rmdir "$T/removed"
exits 3 'in a directory that was removed there is no project' "$PW" status
is "$(wc -l <"$T/err")" 1 'which is said in one line'

done_testing
