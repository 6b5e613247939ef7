#!/bin/sh
# --json prints what the schema says; other scripts try more commands.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
export PATH="$T/bin:$PATH"
tmux_start
for name in hand other; do
	pane_run $name "exec claude $ROOT/tests/system/prompt.pl $T/log 0.4"
	wait_until 10 pane_shows $name '? for shortcuts'
done
for issue in 1 2 3 4 5; do obeys "$issue" --no-watch; done
"$PW" signal error --issue 3 'it broke' && "$PW" signal complete --issue 4
tell a2 'exit 3' && wait_until 10 grep -q exit "$S/.paneward/2.agent"
tell a5 'kill -9 $$' && wait_until 10 grep -q signal "$S/.paneward/5.agent"
scenario 'each object is as the schema says' <<'END'
>>> valid 0 sweep --json --check-errors
>>> begin_command all status --all --json --follow
>>> wait_until 10 grep -q '^$' "$T/all.out"
>>> valid 0 watch 4 --json; valid 10 watch 2 5 --json
>>> valid 1 wait 3 4 --json
>>> valid 0 status --all -j; valid 0 status -j --finished; wc -l <"$T/out"
5
>>> tm kill-session -t hand; wait_until 10 grep -q '"gone":true' "$T/all.out"
>>> cp "$T/all.out" "$T/out"; conforms status; kill "$(cat "$T/all.pid")"
>>> begin_command each watch --everywhere --json
>>> wait_until 10 grep -q '"name":"other:' "$T/each.out"
>>> cp "$T/each.out" "$T/out"; conforms watch; kill "$(cat "$T/each.pid")"
>>> valid 0 next --print --json; grep -c '"issue":"3".*"target":".*%' "$T/out"
1
>>> tm kill-session -t s1; valid 10 watch 1 --json
>>> valid 0 explain 3 --json; valid 0 history --json
>>> valid 0 explain --json --backend-file "$ROOT/backends/claude.json" \
... 	"$(pane_tell other '#{pane_id}')"
>>> "$PW" doctor --json >"$T/out"; conforms doctor
>>> valid 0 scan --json --issue 1 "$S/output-1.log"
>>> echo '\###TASK_ERROR_1###@it broke' | tr '\\@' '\r\n' >"$T/error"
>>> valid 0 scan --json --issue 1 "$T/error"
>>> valid 1 notify --test -j bell; PANEWARD_NOTIFY=true; export PANEWARD_NOTIFY
>>> valid 0 notify --test -j
>>> valid 1 loop run -j -n 1 -- true; valid 1 loop run -j -n 1 -- sh -c 'kill $$'
>>> mkdir .claude; "$PW" loop start -p on >"$T/said"; valid 0 loop status --json
>>> "$PW" inbox write boss 'is done' 2>"$T/said"; valid 0 inbox list --json boss
END

# Nor is it a matter of --json what a name that is not known gives: 1.
scenario 'a failure is no object' <<'END'
>>> for words in 'status 9' 'answer 9' 'diff 9' 'explain 9' 'merge 9' 'send 9 x' \
... 	'stop 9' 'history 9' 'inbox read x'; do
... 	fails 1 . $words --json; test ! -s "$T/out" || echo "$words"
... done
>>> for words in 'log 9' 'attach 9' 'forget 9' 'handoff 9' 'loop stop -a x'; do
... 	fails 1 . $words
... done
>>> fails 3 'watch .*9' watch 9 --json; test ! -s "$T/out"
>>> fails 124 . wait 9 --json --timeout 0; test ! -s "$T/out"
END

# Every member is tried, here or by a script that "covers" it.  An answer is for
# agents/each-send.sh; a host of a fleet with another version is none of this tree.
scenario 'the schema has no member that is never printed' <<'END'
>>> sed -n 's/^[>.]*.* covers \([a-z._ ]*\)\(;.*\)*$/\1/p' "$ROOT"/tests/*/*.sh |
... 	tr ' ' '\n' | sed 's/.*/^&$\n^&[.[]/' >"$T/covered"
>>> schema | grep -v -f "$T/covered"
names.version
send.answer
END
done_testing
