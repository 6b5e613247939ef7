#!/bin/sh
# The program is replaced while watchers and a top run: they become the new one,
# and what agents report meanwhile is handed off once.
. "${0%/*}/lib.sh"

# PATH has a link, as of Homebrew: what it leads to need not rest first.
mkdir "$T/bin"
for place in old new; do
	mkdir "$T/$place"
	ln -s "$ROOT/agents" "$ROOT/backends" "$ROOT/scripts" "$T/$place"
	cp "$PW" "$PW-top" "$T/$place"
done
upgraded "$T/new/paneward" "$T/new/paneward-top"
PATH=$T/bin:$PATH PW=$T/bin/paneward

links() { ln -s "$1" "$T/next" && mv -f "$T/next" "$T/bin/paneward"; }
renewed() { grep -q "${2:-going on as $is, which replaced}" "$T/$1.err"; }
runs() { [ "$(readlink "/proc/$1/exe")" = "$2" ]; }
top_pid() { pgrep -P "$(pane_tell top '#{pane_pid}')" paneward-top; }
top_is() { runs "$(top_pid)" "$1/paneward-top"; }

echo "echo \$PANEWARD_ISSUE >>'$T/done'" | script hand
tmux_start
links "$T/old/paneward"
for issue in 1 2 3 4; do obeys $issue --no-watch; done
scenario 'watchers become the new program, and lose nothing' <<'END'
>>> watch_begin all --all --interval 1 --handoff "$T/hand"; wait_until 5 watched 2
>>> watch_begin w 2 --interval 1 --handoff "$T/hand"
>>> wait_until 5 test -s "$T/w.out"; links "$T/new/paneward"
>>> wait_until 5 renewed all; tell a1 '"$PANEWARD" signal complete'
>>> tell a2 'echo "###TASK_COMPLETE_2###"'; watch_ended w 0
>>> wait_until 10 has 1 handoff.state done; sort "$T/done"
1
2
>>> runs "$(cat "$T/all.pid")" "$T/new/paneward"; changes 1 complete
1
>>> journal 3 warning | grep -c "its watcher goes on as $is, which replaced"
1
>>> kill "$(cat "$T/all.pid")"; watch_ended all 143; links "$T/old/paneward"
>>> "$PW" init claude --print | grep -q "\"$T/bin/paneward hook record\""
END
for line in 'exit 1' 'echo hi' 'exec sleep 1000'; do
	echo "$line" | script "bad${line%% *}"
done
scenario 'what does not answer is refused once; without a file all goes on' <<'END'
>>> watch_locks w 3 --interval 1
>>> links "$T/badexit"; wait_until 5 renewed w 'but its --version fails'
>>> links "$T/badecho"; wait_until 5 renewed w "its --version is no paneward's"
>>> links "$T/badexec"; wait_until 15 renewed w 'its --version does not answer'
>>> rm "$T/bin/paneward"; wait_until 10 renewed w "paneward' is gone, so no hand-off can"
>>> grep -c 'is new, but' "$T/w.err"; runs "$(cat "$T/w.pid")" "$T/old/paneward"
3
>>> links "$T/new/paneward"; wait_until 5 renewed w
>>> tell a3 'echo "###TASK_COMPLETE_3###"'; watch_ended w 0
>>> links "$T/old/paneward"
END
shows() { pane_shows top "$1"; }
scenario 'top becomes the new one, once nothing is typed' <<'END'
>>> pane_run top "'$PW' top; exec sleep 1000"; wait_until 5 shows ' 4  '
>>> tm send-keys -t =top: /2; wait_until 5 no shows ' 4  '; links "$T/new/paneward"
>>> let_turn "$(top_pid)"; top_is "$T/old"; tm send-keys -t =top: Escape
>>> wait_until 5 top_is "$T/new"; wait_until 5 shows ' 4  '; tm send-keys -t =top: q
>>> wait_until 5 no top_pid
END
done_testing
