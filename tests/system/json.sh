#!/bin/sh
# --json prints what the schema says; other scripts try more commands.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
export PATH="$T/bin:$PATH"
tmux_start
pane_run hand "exec claude $ROOT/tests/system/prompt.pl $T/log 0.4"
wait_until 10 pane_shows hand '? for shortcuts'
for issue in 1 2 3 4; do obeys "$issue" --no-watch; done
"$PW" signal error --issue 3 'it broke' && "$PW" signal complete --issue 4
tell a2 'exit 3' && wait_until 10 grep -q exit "$S/.paneward/2.agent"
scenario 'each object is as the schema says' <<'END'
>>> valid 0 sweep --json --check-errors
>>> begin_command all status --all --json --follow
>>> wait_until 10 grep -q '^$' "$T/all.out"
>>> valid 0 watch 4 --json; valid 1 wait 3 4 --json
>>> valid 0 status --all -j; valid 0 status -j --finished; wc -l <"$T/out"
4
>>> tm kill-session -t hand; wait_until 10 grep -q '"gone":true' "$T/all.out"
>>> cp "$T/all.out" "$T/out"; conforms status
>>> valid 0 next --print --json; grep -c '"issue":"3".*"target":".*%' "$T/out"
1
>>> valid 0 explain 1 --json; valid 0 history --json
>>> "$PW" doctor --json >"$T/out"; conforms doctor
>>> valid 0 scan --json --issue 1 "$S/output-1.log"
>>> valid 1 notify --test -j bell; valid 1 loop run -j -n 1 -- true
END
done_testing
