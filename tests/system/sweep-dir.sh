#!/bin/sh
# sweep and a status directory that is missing, refused, full, read-only or
# another one than before: nothing is handed off that cannot be recorded, and
# what could not be done the next sweep does.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'

script handoff <<END
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID" >>'$T/handed'
END
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >"$P/.paneward.json"
: >"$T/handed"

# handed ISSUE: how often, and with how many ids.
handed() {
	grep "^$1 " "$T/handed" >"$T/its"
	echo "$(grep -c . "$T/its")/$(sort -u "$T/its" | wc -l)"
}

pane_run issue-1 "echo '###TASK_COMPLETE_1###'; $busy"
wait_until 5 pane_shows issue-1 TASK_COMPLETE
scenario 'a missing one is made by a sweep that has something to do' <<'END'
>>> tm rename-session -t =issue-1 other; "$PW" sweep; ls -A
.paneward.json
>>> tm rename-session -t =other issue-1; "$PW" sweep --dry-run >"$T/out"; ls -A
.paneward.json
>>> "$PW" sweep >"$T/out" 2>&1; stat -c '%a %n' .worktrees/.status/.paneward
700 .worktrees/.status/.paneward
>>> stat -c %a "$S"; cat "$S/.gitignore"; handed 1
700
*
1/1
END

# ---- refused ----------------------------------------------------------------

"$PW" signal complete --issue 2
echo precious >"$T/precious"
scenario 'what only has the name of a lock is not written to, or waited for' \
	<<'END'
>>> ln -f "$T/precious" "$S/.paneward/2.lock"; "$PW" sweep
~ paneward: cannot lock issue '2' in.*
[3]
>>> "$PW" watch --once 2 2>"$T/err"
[3]
>>> cat "$T/precious"; rm "$S/.paneward/2.lock"; mkfifo "$S/.paneward/2.lock"
precious
>>> timeout 60 "$PW" sweep --dry-run >"$T/out"
>>> timeout 60 "$PW" sweep 2>"$T/err"
[3]
>>> rm "$S/.paneward/2.lock"; handed 2
0/0
END
mkdir "$T/elsewhere"
scenario "another project's is refused, and which is told" <<'END'
>>> cd "$T/elsewhere"; "$PW" sweep --status-dir "$S"
~ paneward: .*'\$T/project/.worktrees/.status' belongs to the project '\$T/project'.*
[3]
>>> "$PW" sweep --dry-run --status-dir "$S" 2>"$T/err"
[3]
>>> cd "$P"; handed 2
0/0
END
scenario 'one that its group can write to is narrowed by a sweep' <<'END'
>>> chmod 770 "$S"; "$PW" sweep --dry-run >"$T/out" 2>&1; stat -c %a "$S"
770
>>> "$PW" sweep 2>&1 >"$T/out"; stat -c %a "$S"; handed 2
~ paneward: .*its mode is 700 now.*
700
1/1
END

# ---- a record that cannot be read -------------------------------------------

pane_run issue-3 "$busy"
scenario 'half a record is written anew, an unreadable one is left alone' \
	<<'END'
>>> "$PW" sweep; head -c 100 "$S/.paneward/3.json" >"$T/torn"
>>> cp "$T/torn" "$S/.paneward/3.json"; "$PW" sweep; fields 3 state
~ paneward: cannot read the status record of issue '3'.*
working
>>> mv "$S/.paneward/3.json" "$T/kept"; ln -s "$T/kept" "$S/.paneward/3.json"
>>> "$PW" signal complete --issue 3; "$PW" sweep
~ paneward: .*record of issue '3'.*skipping it.*
[3]
>>> handed 3; rm "$S/.paneward/3.json"; mv "$T/kept" "$S/.paneward/3.json"
0/0
>>> "$PW" sweep >"$T/out"; handed 3
1/1
END

# ---- gone, and made again ---------------------------------------------------

obedient a4
scenario 'a run is the same in a new directory, since its pane knows it' <<'END'
>>> "$PW" start 4 --no-watch --session s4 -- "$T/a4" >"$T/said" 2>&1
>>> "$PW" sweep; run=$(record 4 run); rm -rf "$S"; tm kill-session -t =issue-1:
>>> "$PW" sweep; has 4 run "$run" && fields 4 state; fields 3 state
paneward: new project '$T/project'
working
working
>>> tell a4 'echo "###TASK_COMPLETE_4###"'
>>> wait_until 5 pane_shows s4 TASK_COMPLETE
>>> rm -rf "$S"; mkdir -m 700 "$S"; "$PW" sweep >"$T/out" 2>&1; handed 4
1/1
>>> has 4 run "$run" && "$PW" sweep; handed 4
1/1
END

# ---- full, and read-only ----------------------------------------------------

if [ "$(id -u)" -ne 0 ]; then
	skip 'a full disk' 'only root can mount a small one'
	done_testing
fi
tm kill-session -t =issue-3:
tm kill-session -t =s4:
rm -rf "$S"
mkdir "$S"
if ! mount -t tmpfs -o size=256k,mode=700 tmpfs "$S" 2>/dev/null; then
	skip 'a full disk' 'no tmpfs can be mounted here'
	done_testing
fi
trap 'umount -l "$S"' EXIT

scenario 'on a full disk nothing is handed off, later all is, once' <<'END'
>>> "$PW" signal complete --issue 10; "$PW" signal complete --issue 11
paneward: new project '$T/project'
>>> cat /dev/zero >"$S/ballast" 2>"$T/said"
[1]
>>> "$PW" sweep 2>&1 >"$T/out" | grep -v journal
~ paneward: cannot record the state of issue '1[01]'.*
~ paneward: cannot record the state of issue '1[01]'.*
>>> ls "$S"; find "$S" -name '*.tmp'
ballast
signal-complete-10
signal-complete-11
>>> rm "$S/ballast"; "$PW" sweep >"$T/out"; grep -c 'handed off' "$T/out"
2
>>> handed 10; handed 11; changes 10 complete; find "$S" -name 'signal-*'
1/1
1/1
1
END
pane_run issue-14 "$busy"
scenario 'on a disk that cannot be written to, a dry run says what would be' \
	<<'END'
>>> "$PW" sweep; "$PW" signal complete --issue 14; mount -o remount,ro "$S"
>>> "$PW" sweep
~ paneward: .*issue '14'.*Read-only.*
[3]
>>> handed 14; "$PW" sweep --dry-run | tail -n 1
0/0
14 would be handed off
>>> mount -o remount,rw "$S"; "$PW" sweep >"$T/out"; handed 14
1/1
>>> mount -o remount,ro "$S"; "$PW" sweep; mount -o remount,rw "$S"
END

done_testing
