#!/bin/sh
# paneward status: a line per issue, from the status directory, and from tmux only
# for what nothing watches.
. "${0%/*}/lib.sh"

# A tmux that knows nothing, and tells that it was asked.
mkdir "$T/bin"
cat >"$T/bin/tmux" <<END
#!/bin/sh
echo asked >>'$T/asked'
exit 1
END
chmod +x "$T/bin/tmux"
asking() {
	PATH=$T/bin:$PATH "$PW" "$@"
}

exits 0 'where nothing is known there is nothing to say' asking status
is "$(cat "$T/out" "$T/err")" '' 'and nothing is said'
check 'no status directory is made' no test -e "$P/.worktrees"
exits 0 'as JSON neither' asking status --json
is "$(cat "$T/out" "$T/err")" '' 'is anything said'
exits 1 'an issue that is not known is the answer no' asking status 42
is "$(cat "$T/out")" '' 'without a line'
like "$(cat "$T/err")" "^paneward: nothing is known of issue '42' in '$S'\$" \
	'and with a word'
exits 2 'what is no issue is refused' asking status ../x
like "$(cat "$T/err")" "'../x' is not an issue" 'and named'

# ---- what became of some agents ---------------------------------------------

tmux_start
obedient agent
"$PW" start 9 --no-watch --session s9 -- "$T/agent" >"$T/said"
"$PW" start 10 --no-watch --session s10 -- sh -c \
	'printf "\033[31mno such session\033[0m\n\n"; exit 7' >"$T/said"
"$PW" watch 10 >"$T/said"
"$PW" start 100 --no-watch --session s100 -- sh -c \
	'"$PANEWARD" signal error "no more \"tea\""' >"$T/said"
"$PW" watch 100 >"$T/said"
"$PW" start a-1 --no-watch --session sa -- sh -c \
	'"$PANEWARD" signal complete' >"$T/said"
"$PW" watch a-1 >"$T/said"

exits 0 'all that is known is told' asking status
is "$(sed 's/  *[0-9]*s  */ | /; s/  */ /g; s/[0-9:]*$//' "$T/out")" \
'100 error | shell %3 signal-error-100 is there: no more "tea"
10 dead | shell %2 the agent ended with status 7, without a report: no such session
a-1 complete | shell %4 signal-complete-a-1 is there
9 working? | shell %1 the agent was started; not watched since ' \
	'a line per issue, worst first'
is "$(cat "$T/err")" '' 'without a message'

exits 0 'some issues may be asked for' asking status 100 9
is "$(cut -d ' ' -f 1 "$T/out" | tr '\n' ' ')" '100 9 ' \
	'they are told in the order of the question'
exits 1 'one of them not being known is the answer no' asking status 9 77 10
is "$(cut -d ' ' -f 1 "$T/out" | tr '\n' ' ')" '9 10 ' \
	'and the others are told'
is "$(wc -l <"$T/err")" 1 'the one is named'

exits 0 'the same as JSON' asking status --json
is "$(perl -MJSON::PP -ne 'my $s = decode_json($_);
	print join("/", map { $s->{$_} // "" } qw(issue state source message)),
	"\n"' "$T/out")" '100/error/signal/no more "tea"
10/dead/process/
a-1/complete/signal/
9/working/process/' 'an object per line'
is "$(perl -MJSON::PP -ne 'print decode_json($_)->{exit}{code} // "-", " "' \
	"$T/out")" '0 7 - - ' 'with all that the record has'
exits 0 'for tmux' asking status --tmux
is "$(cat "$T/out")" '1 working 1 complete 1 error 1 dead' 'a short line'
check 'tmux was asked for what nothing watches' test -e "$T/asked"
rm "$T/asked"
watch_begin w 9
wait_until 5 watched 9
for words in '' '9 10 100' --json --tmux; do
	# shellcheck disable=SC2086
	asking status $words >"$T/said" 2>&1
done
check 'and never for what is watched, or over' no test -e "$T/asked"
kill -KILL "$(cat "$T/w.pid")"
wait_until 5 no watched 9

before=$(cd "$S" && find . -type f | sort | xargs cksum)
exits 0 'from inside of an agent' env PANEWARD_STATUS_DIR="$S" sh -c \
	"cd / && '$PW' status"
is "$(wc -l <"$T/out")" 4 'the same is told'
is "$(cd "$S" && find . -type f | sort | xargs cksum)" "$before" \
	'nothing was changed by asking'

# A tmux that closes its output before it ends.
mkdir "$T/slow"
cat >"$T/slow/tmux" <<'END'
#!/bin/sh
PATH=${PATH#*:}
tmux "$@"
status=$?
exec >&- 2>&-
sleep 0.3
exit "$status"
END
chmod +x "$T/slow/tmux"
exits 0 'with --all tmux is asked' \
	env PATH="$T/slow:$PATH" "$PW" status --all --json
is "$(grep -c '"where":"s[0-9a]*:' "$T/out")" 4 \
	'and all that it says is read, whenever it ends'

# ---- records that are odd ---------------------------------------------------

printf '{"v":1,"issue":"200"' >"$S/.paneward/200.json"
ln -s 9.json "$S/.paneward/201.json"
mkfifo "$S/.paneward/202.json"
mkdir "$S/.paneward/203.json"
sed 's/"issue":"9"/"issue":"8"/' "$S/.paneward/9.json" \
	>"$S/.paneward/204.json"
head -c 3000000 /dev/zero | tr '\0' ' ' >"$S/.paneward/205.json"
: >"$S/.paneward/bad name.json"
exits 1 'records that cannot be read are the answer no' asking status
is "$(cut -d ' ' -f 1 "$T/out" | tr '\n' ' ')" '100 10 a-1 9 ' \
	'the others are told'
is "$(sed "s/.*issue '\([^']*\)'.*/\1/" "$T/err" | sort | tr '\n' ' ')" \
	'200 201 202 203 204 205 ' 'each of them is named'
rm -rf "$S"/.paneward/20?.json "$S/.paneward/bad name.json"

printf '{"v":9,"issue":"210","run":"%s","state":"%s","new":[1,{"a":null}],%s}' \
	00000000-0000-4000-8000-000000000000 working \
	'"since":"2020-01-01T00:00:00Z","why":"a\u001b[31mb\nc ###X###"' \
	>"$S/.paneward/210.json"
exits 0 'a record of a later paneward can be read' asking status 210
like "$(cat "$T/out")" '^210  *working[?]  *[0-9]*d  a' 'as far as it is known'
is "$(LC_ALL=C tr -d '[:print:]\n\200-\377' <"$T/out" | wc -c)" 0 \
	'nothing in it moves a terminal'
is "$(wc -l <"$T/out")" 1 'or goes over its line'
rm "$S/.paneward/210.json"

# ---- a thousand -------------------------------------------------------------

for issue in $(seq 1000 1999); do
	sed "s/\"issue\":\"9\"/\"issue\":\"$issue\"/" "$S/.paneward/9.json" \
		>"$S/.paneward/$issue.json"
done
exits 0 'a thousand issues are told' asking status
is "$(wc -l <"$T/out")" 1004 'each in a line'
exits 0 'also for tmux' asking status --tmux
is "$(cat "$T/out")" '1001 working 1 complete 1 error 1 dead' 'in one line'
exits 3 'when nobody can read it, it is said' sh -c "'$PW' status >/dev/full"
like "$(cat "$T/err")" '^paneward: cannot write to standard output' 'in a line'

done_testing
