#!/bin/sh
# The registry of the user's projects.
. "${0%/*}/lib.sh"

projects=$HOME/.local/state/paneward/projects

scenario 'the directory of a project is registered once, for the user alone' <<'END'
>>> "$PW" status; test -e "$projects"
[1]
>>> "$PW" signal complete --issue 42; cat "$projects"; stat -c %a "${projects%/*}"
paneward: new project '$T/project'
$T/project/.worktrees/.status
700
>>> mkdir -p "$T/old/.worktrees/.status/.paneward"; cd "$T/old"
>>> "$PW" status; cat "$projects"
$T/project/.worktrees/.status
$T/old/.worktrees/.status
>>> "$PW" status --status-dir "$S"; grep -c . "$projects"
2
>>> mkdir "$T/home2"; chmod 500 "$T/home2"; HOME=$T/home2 "$PW" status
>>> env -u HOME "$PW" status
END
done_testing
