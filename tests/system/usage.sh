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
	fails "$status" "^paneward: .*$reason" "$@"
	is "$(grep -vc 'new project' "$T/err") $(cat "$T/out")" '1 ' 'in one line'
}

scenario 'a wrong use is refused in one line, and help begins with examples' <<'END'
>>> fails 2 '^Usage: paneward COMMAND'; is "$(cat "$T/out")" ''
>>> for word in --help -h help; do
... 	fails 0 '^  start ' $word
... 	is "$(cat "$T/err")" ''
... done
>>> for word in --version version; do
... 	fails 0 '^paneward [0-9]+\.[0-9]+' $word
... done
>>> "$PW" loop run --help >"$T/help"; fails 0 '' help loop run
>>> cmp "$T/help" "$T/out" && fails 0 '^  loop stop ' help loop
>>> wrong 2 "unknown command 'stauts'; did you mean 'status'" help stauts
>>> unlike "$("$PW" --help)" 'agent-run|log-writer'
>>> fails 2 '^  loop stop ' loop; unlike "$(cat "$T/err")" '^  watch '
>>> fails 0 '^  loop stop ' loop --help
>>> wrong 2 "unknown command 'loop stopp'; did you mean 'loop stop'" loop stopp
>>> wrong 2 "unknown command 'loop begin'" loop begin
>>> wrong 2 "unknown command 'nonsense'" nonsense
>>> wrong 2 "unknown command 'wtach'; did you mean 'watch'" wtach
>>> wrong 2 "unknown command 'stauts'; did you mean 'status'" stauts
>>> wrong 2 "unknown command 'list'; did you mean 'status'" list
>>> wrong 2 "unknown command 'new'; did you mean 'start'" new 42
>>> wrong 2 "unknown command 'rm'; did you mean 'forget'" rm 42
>>> fails 0 '' ls --json; is "$("$PW" -V)" "$("$PW" --version)"
>>> wrong 2 "unknown command '--nonsense'" --nonsense
>>> wrong 2 "unknown command ''" ''
>>> for command in start watch status top log signal explain scan render completion \
... 	'loop run' 'loop start' 'loop stop' 'loop status'; do
... 	wrong 2 "$command: unknown option '--nonsense'" $command --nonsense
... 	wrong 2 "$command: unknown option '-Z'" $command -Z
... 	fails 0 '' $command --help
... 	is "$(head -n 1 "$T/out") $(cat "$T/err")" 'Examples: '
... 	like "$(cat "$T/out")" "^Usage: paneward $command "
... done
>>> for command in start watch status; do
... 	wrong 2 "$command: '../x' is not an issue" $command ../x
... 	wrong 2 "$command: option '--status-dir' needs an argument" \
... 		$command --status-dir
... done
>>> for command in start watch status signal explain sweep handoff wait doctor \
... 	render inbox 'loop run' reload; do
... 	wrong 2 "$command: option '--status-dir' needs a directory" \
... 		$command --status-dir ''
... done
>>> wrong 2 "option '--cwd' needs a directory" start 42 --cwd '' -- true
>>> fails 2 '' signal complete -i 44 --status-dir ''; is "$(ls -A)" ''
>>> wrong 2 "did you mean '--interval'" watch --intervall 3 42
>>> wrong 2 "may be any of.*'--session'.*'--steal-pipe'" watch --s 42
>>> wrong 2 'watch: takes an issue' watch
>>> wrong 2 "'' is not an issue" watch 42 ''
>>> wrong 2 "'0' is not a whole number from 1 to 3600" watch 42 --interval 0
>>> wrong 2 "'1x' is not a whole number.*(seconds, or with a unit: 90s, 10m, 2h)" \
... 	watch 42 --interval 1x
>>> wrong 2 "'61m' is not a whole number from 1 to 3600" watch 42 --interval 61m
>>> wrong 2 "'9999999999999999999999' is not" watch 42 \
... 	--interval 9999999999999999999999
>>> wrong 2 "'nonsense' is not a state" watch 42 --exit-on error,nonsense
>>> wrong 2 "'' is not a state" watch 42 --exit-on ''
>>> wrong 2 '--session and --pane exclude each other' watch 42 \
... 	--session a --pane %1
>>> wrong 2 'are for one issue' watch 42 43 --session a
>>> wrong 2 "is not a pane's id" watch 42 --pane '%1;kill-server'
>>> wrong 2 'cannot be a marker' watch 42 --marker ''
>>> wrong 2 'cannot be a marker' watch 42 --marker "$(printf 'a\nb')"
>>> wrong 3 "issue '42': it has no record" watch 42
>>> wrong 2 'needs complete|error' signal
>>> wrong 2 "'finished' is neither" signal finished --issue 42
>>> wrong 2 'PANEWARD_ISSUE is not set' signal complete
>>> wrong 2 "'../x' is not an issue" signal complete --issue ../x
>>> wrong 2 "and 'words' is one more" signal complete --issue 42 many words
>>> gives 2 '' env PANEWARD_ISSUE=../x "$PW" signal complete
>>> no test -e "$S/signal-complete-42"
END

scenario 'a signal is a file of the user alone' <<'END'
>>> fails 0 '' signal complete --issue 42 'a text'
>>> is "$(cat "$S/signal-complete-42")" 'a text'
>>> is "$(stat -c '%a %h' "$S/signal-complete-42")" '600 1'
>>> run=01234567-89ab-4cde-8f01-23456789abcd
>>> gives 0 '' env PANEWARD_ISSUE=43 PANEWARD_RUN=$run \
... 	PANEWARD_STATUS_DIR="$T/dir" "$PW" signal error 'why not'
>>> is "$(cat "$T/dir/signal-error-43")" "run=$run
... why not"
>>> gives 0 '' env PANEWARD_ISSUE=43 PANEWARD_RUN=$run "$PW" signal error \
... 	--issue 44 'why not'
>>> is "$(cat "$S/signal-error-44")" 'why not'
>>> gives 0 '' env PANEWARD_ISSUE=45 PANEWARD_RUN=../../x "$PW" signal complete
>>> is "$(cat "$S/signal-complete-45")" ''
>>> is "$(find "$S" "$T/dir" -name '*.tmp')" ''; fails 0 '' explain 42
>>> for command in status explain; do
... 	wrong 1 "issue '999' is unknown in '$S'" $command 999
... done
END

scenario 'without tmux nothing is started, and what lies there counts' <<'END'
>>> mkdir "$T/empty"
>>> for command in sh cat env; do
... 	ln -s "$(command -v $command)" "$T/empty/$command"
... done
>>> gives 3 '' env PATH="$T/empty" "$PW" start 50 -- cat
>>> is "$(cat "$T/err")" \
... 	"paneward: cannot start issue '50': cannot run tmux: no \
... such program in PATH"
>>> no test -e "$S/.paneward/50.json"
>>> gives 3 '^paneward: .*cannot run tmux: no such program' env \
... 	PATH="$T/empty" "$PW" watch 50
>>> is "$(wc -l <"$T/err")" 1; gives 0 '' env PATH="$T/empty" "$PW" status
>>> gives 3 "^paneward: cannot start issue '51': " env \
... 	TMUX_TMPDIR="$T/nowhere/below" "$PW" start 51 -- cat
>>> is "$(wc -l <"$T/err")" 1; no test -e "$S/.paneward/51.json"
>>> gives 3 '' env TMUX_TMPDIR="$T/nowhere/below" "$PW" watch 51
>>> is "$(cat "$T/err")" \
... 	"paneward: cannot watch issue '51': it has no record, \
... signal, log or pane"
END

unknown() {
	for command in attach log forget diff explain status history handoff \
		'handoff --dry-run' answer; do
		fails 1 '' $command 77
		is "$(wc -l <"$T/err")" 1 'which is said in one line'
	done
}

# A tmux that is too old.
unknown 'of a project'
mkdir "$T/fresh"
cd "$T/fresh" || exit
unknown 'where nothing ever was'
is "$(ls -A)" '' 'and nothing is made'
cd "$P" || exit
script empty/tmux <<'END'
echo "tmux: unknown option -- S" >&2
exit 1
END
# A server of 2.8 refuses what starts it, and ends.
script old/tmux <<'END'
case $* in *-V) echo tmux 2.8; exit ;; esac
echo "no server running on there" >&2
exit 1
END

# Neither HOME nor anything else, as from cron.
bare() { env -i ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} "$PW" "$@"; }

scenario 'little is needed to signal and to ask' <<'END'
>>> gives 3 "^paneward: cannot start issue '52': tmux .*unknown option" env \
... 	PATH="$T/empty" "$PW" start 52 -- cat
>>> is "$(wc -l <"$T/err")" 1; no test -e "$S/.paneward/52.json"
>>> gives 3 "^paneward: .* is version 2.8; paneward needs 3.0 or later" env \
... 	PATH="$T/old:$PATH" "$PW" start 53 -- cat
>>> gives 0 '' bare status; gives 0 '' bare signal complete --issue 60
>>> gives 0 '' bare watch 60; is "$(cat "$T/err")" ''
>>> printf '{"v":1,"issue":"61","run' >"$S/.paneward/61.json"
>>> fails 1 "record of issue '61' .*: it is damaged; .*remove it\$" status 61
>>> rm "$S/.paneward/61.json"
>>> mkdir "$T/removed" && cd "$T/removed" && rmdir "$T/removed"
>>> fails 3 '' status; is "$(wc -l <"$T/err")" 1
END
done_testing
