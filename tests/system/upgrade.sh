#!/bin/sh
# The program is replaced while it runs, as by an upgrade: a watcher, one
# everywhere and a top go on as the new one, and what agents report meanwhile is
# handed off once.
. "${0%/*}/lib.sh"

# Two versions.  PATH has a link, as of Homebrew, so that a new one counts at once.
was=$("$PW" --version)
is=$(echo "$was" | tr 0-9 9)
for place in old new; do
	mkdir "$T/$place"
	ln -s "$ROOT/backends" "$ROOT/scripts" "$ROOT/templates" \
		"$ROOT/agents" "$T/$place"
	cp "$PW" "$PW-top" "$T/$place"
done
perl -pi -e "BEGIN { (\$was, \$is) = map { s/.* //r } '$was', '$is' }
	s/\\Q\$was\\E\\0/\$is\\0/g" "$T/new/paneward" "$T/new/paneward-top"
mkdir "$T/bin"
PATH=$T/bin:$PATH

# links FILE: the link leads there; by rename, as all that installs does.
links() { ln -s "$1" "$T/next" && mv -f "$T/next" "$T/bin/paneward"; }

# renewed NAME [TEXT]: its watch has said that, and is the same process.
renewed() {
	kill -0 "$(cat "$T/$1.pid")" &&
		grep -q "${2:-going on as $is, which replaced}" "$T/$1.err"
}

# runs PID FILE
runs() { [ "$(readlink "/proc/$1/exe")" = "$2" ]; }

script hand <<END
echo "\$PANEWARD_ISSUE" >>'$T/handed'
END

tmux_start
PW=$T/bin/paneward
links "$T/old/paneward"

# ---- a watcher, and one of all -----------------------------------------------
scenario 'watchers become the new program, and lose nothing' <<'END'
>>> obeys 1; obeys 2 --no-watch; obeys 3 --no-watch
>>> watch_begin all --all --interval 1 --handoff "$T/hand"
>>> wait_until 5 watched 2; wait_until 5 watched 3; watch_begin w 3 --interval 1
>>> links "$T/new/paneward"
>>> wait_until 5 renewed all; tell a2 '"$PANEWARD" signal complete'
>>> tell a3 'echo "###TASK_COMPLETE_3###"'
>>> wait_until 10 has 2 handoff.state done; wait_until 10 has 3 handoff.state done
>>> is "$(sort "$T/handed" | xargs)" '2 3'; runs "$(cat "$T/all.pid")" "$T/new/paneward"
>>> journal 2 warning | grep -c "its watcher goes on as $is, which replaced"
1
>>> watch_ended w 0; is "$(changes 2 complete) $(changes 3 complete)" '1 1'
>>> grep -c "going on" "$T/all.err"
1
>>> rm -f "$T/handed"; kill "$(cat "$T/all.pid")"; watch_ended all 143
END

# ---- what does not run --------------------------------------------------------
echo text >"$T/text" && chmod +x "$T/text"
script ends <<END
exit 1
END
script hangs <<END
exec sleep 1000
END
script speaks <<END
echo hello
END
scenario 'what cannot be run, hangs or is another program is refused once' <<'END'
>>> links "$T/old/paneward"; obeys 4 --no-watch
>>> watch_locks w 4 --interval 1 --handoff "$T/hand"
>>> links "$T/ends"; wait_until 5 renewed w 'its --version gives exit status 1'
>>> links "$T/speaks"; wait_until 5 renewed w "gives another program's answer"
>>> links "$T/text"; wait_until 5 renewed w 'gives exit status 127'
>>> links "$T/hangs"; wait_until 15 renewed w 'gives no answer in 10 s'
>>> let_turn "$(cat "$T/w.pid")"; grep -c 'cannot go on as the new' "$T/w.err"
4
>>> runs "$(cat "$T/w.pid")" "$T/old/paneward"; links "$T/new/paneward"
>>> wait_until 5 renewed w
>>> tell a4 'echo "###TASK_COMPLETE_4###"'; watch_ended w 0
>>> cat "$T/handed"
4
END

# ---- by rename, and removed ----------------------------------------------------
scenario 'without the program all goes on, and the next one is found' <<'END'
>>> cp -R "$T/old" "$T/place"; PW=$T/place/paneward; rm "$T/bin/paneward" "$T/handed"
>>> obeys 5 --no-watch; watch_locks w 5 --interval 1 --handoff "$T/hand"
>>> rm "$T/place/paneward"
>>> wait_until 10 renewed w "'$T/place/paneward' was removed: going on as"
>>> tell a5 'echo "###TASK_COMPLETE_5###"'; wait_until 5 recorded 5 complete
>>> cp "$T/new/paneward" "$T/next"; mv "$T/next" "$T/place/paneward"
>>> watch_ended w 0; cat "$T/handed"
5
>>> PW=$T/bin/paneward; links "$T/old/paneward"
END

# ---- top ------------------------------------------------------------------------
top_pid() { pgrep -P "$(pane_tell top '#{pane_pid}')" paneward-top; }
top_is() { runs "$(top_pid)" "$1/paneward-top"; }
shows() { pane_shows top "$1"; }
scenario 'top goes on as the new one, once nothing is typed' <<'END'
>>> pane_run top "'$PW' top; exec sleep 1000"; wait_until 5 shows ' 5  '
>>> tm send-keys -t =top: /2; wait_until 5 no shows ' 5  '; links "$T/new/paneward"
>>> let_turn "$(top_pid)"
>>> top_is "$T/old"; tm send-keys -t =top: Escape; wait_until 5 top_is "$T/new"
>>> wait_until 5 shows ' 5  '; tm send-keys -t =top: q
>>> wait_until 5 eval '[ "$(pane_tell top "#{pane_current_command}")" = sleep ]'
END

done_testing
