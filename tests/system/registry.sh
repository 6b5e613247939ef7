#!/bin/sh
# The registry of the user's projects.
. "${0%/*}/lib.sh"

projects=$HOME/.local/state/paneward/projects

exits 0 'a command in a project without anything' "$PW" status
check 'registers nothing' no test -e "$projects"
exits 0 'the command that makes the status directory' \
	"$PW" signal complete --issue 42
is "$(cat "$projects")" "$S" 'registers it'
is "$(stat -c %a "${projects%/*}" 2>/dev/null || stat -f %Lp "${projects%/*}")" \
	700 'in a folder of the user alone'

mkdir -p "$T/old/.worktrees/.status/.paneward" && cd "$T/old" || exit 1
exits 0 'a command that only reads' "$PW" status
is "$(cat "$projects")" "$S
$T/old/.worktrees/.status" 'registers a directory that was there before'
exits 0 'one that only looks at another project' "$PW" status --status-dir "$S"
is "$(wc -l <"$projects")" 2 'finds it registered'

mkdir "$T/home2" && chmod 500 "$T/home2"
exits 0 'a home that cannot be written to' env HOME="$T/home2" "$PW" status
is "$(cat "$T/err")" '' 'is no reason for a word'
exits 0 'neither is none' env -u HOME "$PW" status
is "$(cat "$T/err")" '' 'at all'
done_testing
