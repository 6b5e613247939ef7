#!/bin/sh
# paneward status: a line per issue, from the status directory, and from tmux only
# for what nothing watches.
. "${0%/*}/lib.sh"

# A tmux that knows nothing, and tells that it was asked.
script bin/tmux <<END
echo asked >>'$T/asked'
exit 1
END

asking() { PATH=$T/bin:$PATH "$PW" "$@"; }

scenario 'where nothing is known nothing is said or made' <<'END'
>>> gives 0 '' asking status
>>> is "$(cat "$T/out" "$T/err")" ''; no test -e "$P/.worktrees"
>>> gives 0 '' asking status --json; is "$(cat "$T/out" "$T/err")" ''
>>> gives 1 '' asking status 42; is "$(cat "$T/out")" ''
>>> like "$(cat "$T/err")" "^paneward: issue '42' is unknown in '$S'\$"
>>> gives 2 "'../x' is not an issue" asking status ../x
END

scenario 'all that is known is told, in a line, as JSON or for tmux' <<'END'
>>> tmux_start; obedient agent
>>> "$PW" start 9 --no-watch --session s9 -- "$T/agent" >"$T/said" 2>&1
>>> "$PW" start 10 --no-watch --session s10 -- sh -c \
... 	'printf "\033[31mno such session\033[0m\n\n"; exit 7' >"$T/said" 2>&1
>>> "$PW" watch 10 >"$T/said" 2>&1
[10]
>>> "$PW" start 100 --no-watch --session s100 -- sh -c \
... 	'"$PANEWARD" signal error "no more \"tea\""' >"$T/said" 2>&1
>>> "$PW" watch 100 >"$T/said" 2>&1
[1]
>>> "$PW" start a-1 --no-watch --session sa -- sh -c \
... 	'"$PANEWARD" signal complete' >"$T/said" 2>&1
>>> "$PW" watch a-1 >"$T/said" 2>&1; gives 0 '' asking status
>>> sed 's/  *[0-9]*s  */ | /; s/  */ /g; s/since [0-9:]*$/since/' "$T/out"
100 error | shell %3 no more "tea"
10 dead | shell %2 no such session
a-1 complete | shell %4 signal-complete-a-1 is there
9 working? | shell %1 the agent was started; not watched since
>>> is "$(cat "$T/err")" ''; gives 0 '' asking status 100 9
>>> is "$(cut -d ' ' -f 1 "$T/out" | tr '\n' ' ')" '100 9 '
>>> gives 1 '' asking status 9 77 10
>>> is "$(cut -d ' ' -f 1 "$T/out" | tr '\n' ' ')" '9 10 '
>>> is "$(wc -l <"$T/err")" 1; gives 0 '' asking status --json
>>> is "$(perl -MJSON::PP -ne 'my $s = decode_json($_);
... 	print join("/", map { $s->{$_} // "" } qw(issue state source message)),
... 	"\n"' "$T/out")" '100/error/signal/no more "tea"
... 10/dead/process/no such session
... a-1/complete/signal/
... 9/working/process/'
>>> perl -MJSON::PP -ne 'print decode_json($_)->{exit}{code} // "-", " "' "$T/out"
0 7 - - 
>>> gives 0 '' asking status --tmux
>>> is "$(cat "$T/out")" '1 working 1 complete 1 error 1 dead'
>>> test -e "$T/asked"
>>> rm "$T/asked"; watch_begin w 9; wait_until 5 watched 9
>>> for words in '' '9 10 100' --json --tmux; do
... 	asking status $words >"$T/said" 2>&1
... done
>>> no test -e "$T/asked"
>>> kill -KILL "$(cat "$T/w.pid")"; wait_until 5 no watched 9
>>> before=$(cd "$S" && find . -type f | sort | xargs cksum)
>>> gives 0 '' env PANEWARD_STATUS_DIR="$S" sh -c "cd / && '$PW' status"
>>> is "$(wc -l <"$T/out")" 4
>>> is "$(cd "$S" && find . -type f | sort | xargs cksum)" "$before"
END

# A tmux that closes its output before it ends.
script slow/tmux <<'END'
PATH=${PATH#*:}
tmux "$@"
status=$?
exec >&- 2>&-
sleep 0.3
exit "$status"
END

scenario 'with --all tmux is asked, and all that it says is read' <<'END'
>>> gives 0 '' env PATH="$T/slow:$PATH" "$PW" status --all --json
>>> is "$(grep -c '"where":"s[0-9a]*:' "$T/out")" 4
END

scenario 'records that cannot be read are the answer no' <<'END'
>>> printf '{"v":1,"issue":"200"' >"$S/.paneward/200.json"
>>> ln -s 9.json "$S/.paneward/201.json"; mkfifo "$S/.paneward/202.json"
>>> mkdir "$S/.paneward/203.json"
>>> sed 's/"issue":"9"/"issue":"8"/' "$S/.paneward/9.json" \
... 	>"$S/.paneward/204.json"
>>> head -c 3000000 /dev/zero | tr '\0' ' ' >"$S/.paneward/205.json"
>>> : >"$S/.paneward/bad name.json"; gives 1 '' asking status
>>> is "$(cut -d ' ' -f 1 "$T/out" | tr '\n' ' ')" '100 10 a-1 9 '
>>> is "$(sed "s/.*issue '\([^']*\)'.*/\1/" "$T/err" | sort | tr '\n' ' ')" \
... 	'200 201 202 203 204 205 '
>>> rm -rf "$S"/.paneward/20?.json "$S/.paneward/bad name.json"
>>> printf '{"v":1,"issue":"210","run":"%s","state":"%s","new":[1,{"a":null}],%s}' \
... 	00000000-0000-4000-8000-000000000000 working \
... 	'"since":"2020-01-01T00:00:00Z","why":"a\u001b[31mb\nc ###X###"' \
... 	>"$S/.paneward/210.json"
>>> gives 0 '^210  *working[?]  *[0-9]*d  a' asking status 210
>>> is "$(LC_ALL=C tr -d '[:print:]\n\200-\377' <"$T/out" | wc -c)" 0
>>> is "$(wc -l <"$T/out")" 1; rm "$S/.paneward/210.json"
END

scenario 'a thousand issues are told' <<'END'
>>> for issue in $(seq 1000 1999); do
... 	sed "s/\"issue\":\"9\"/\"issue\":\"$issue\"/" "$S/.paneward/9.json" \
... 		>"$S/.paneward/$issue.json"
... done
>>> gives 0 '' asking status; is "$(wc -l <"$T/out")" 1004
>>> gives 0 '' asking status --tmux
>>> is "$(cat "$T/out")" '1001 working 1 complete 1 error 1 dead'
>>> gives 3 '^paneward: cannot write to standard output' sh -c \
... 	"'$PW' status >/dev/full"
END
done_testing
