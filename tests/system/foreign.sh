#!/bin/sh
# A project's file that belongs to another user decides nothing: a configuration,
# a .git or a status directory on the way up, a configuration that any user can
# write to.  In /tmp it would run his commands as ours.
. "${0%/*}/lib.sh"

[ "$(id -u)" -eq 0 ] || skip_all 'only root can make files of another user'

pub=$T/pub
mkdir -m 1777 "$pub"
mkdir "$pub/mine"
cd "$pub/mine" || exit 1

# refuses PATH [WHY [COMMAND...]]: in one line.
refuses() {
	path=$1
	reason=${2:-it belongs to user 65534, neither to you nor to root}
	shift $(($# < 2 ? $# : 2))
	is "$("$PW" "${@:-status}" 2>&1; echo $?)" \
		"paneward: cannot use '$path': $reason
2"
}

# refused PATH: by commands of every kind; a hook ends with 0, and says why.
refused() {
	for command in status 'signal complete --issue 5' sweep 'watch --once 5' \
		'start 5 --no-watch -- true' 'inbox list' 'init claude --print'; do
		# shellcheck disable=SC2086
		refuses "$1" '' $command
	done
	echo '{"hook_event_name":"Stop"}' | PANEWARD_ISSUE=5 \
		"$PW" hook record 2>"$T/err"
	is "$?$(ls)" 0
	like "$(cat "$T/err")" "cannot use '$1'"
}

theirs() { chown -h 65534 "$1"; }

# In a folder that all users can write to a status directory makes no project.
scenario 'what another user put above the project is refused' <<'END'
>>> file=$pub/.paneward.json
>>> echo "{ \"handoff\": [\"/bin/sh\", \"-c\", \"id >'$T/ran'\"] }" >"$file"
>>> theirs "$file"; refused "$file"; rm "$file"
>>> ln -s "$HOME/.config/paneward/config.json" "$file"; theirs "$file"
>>> refused "$file"; rm "$file"
>>> mkdir -p "$pub/.worktrees/.status"; theirs "$pub/.worktrees/.status"
>>> "$PW" status; chmod 755 "$pub"; refused "$pub/.worktrees/.status"
>>> theirs "$pub/.worktrees"; chown 0 "$pub/.worktrees/.status"
>>> refused "$pub/.worktrees"; rm -r "$pub/.worktrees"; chmod 1777 "$pub"
>>> git init -q "$pub"; theirs "$pub/.git"; refused "$pub/.git"; rm -r "$pub/.git"
>>> git init -q --bare "$T/repo"; theirs "$T/repo"
>>> echo "gitdir: $T/repo" >"$pub/.git"; refused "$T/repo"
>>> chown 0 "$T/repo"; theirs "$pub/.git"; refused "$pub/.git"; rm "$pub/.git"
END

user=$HOME/.config/paneward
open='any user can write to it'
scenario 'so is a configuration of his, or that all users can write to' <<'END'
>>> echo '{ "handoff": null }' >.paneward.json; chmod 664 .paneward.json
>>> "$PW" status
>>> for file in "$pub/mine/.paneward.json" "$user/config.json" "$user"; do
... 	theirs "$file"; refuses "$file"; chown 0 "$file"
... 	chmod o+w "$file"; refuses "$file" "$open"; chmod o-w "$file"
... done
>>> rm .paneward.json; test -e "$T/ran"
[1]
END

# as_them COMMAND...: as the other user.
as_them() { setpriv --reuid 65534 --clear-groups "$@"; }

git init -q "$pub"
echo '{ "handoff": null }' >"$pub/.paneward.json"
chmod 711 "$T" "$T/home"
theirs "$pub/mine"
if as_them test -x "$PW" 2>/dev/null; then
	scenario "another user takes root's repository" <<'END'
>>> as_them env HOME=/nonexistent "$PW" status --status-dir "$pub/mine/.status"
END
else
	skip "another user takes root's repository" 'he cannot run the program'
fi
done_testing
