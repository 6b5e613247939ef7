#!/bin/sh
# What another user has put where a project is looked for decides nothing: a
# configuration, a .git or a status directory on the way up, a configuration
# that any user can write to.  In /tmp it would run his commands as ours.
. "${0%/*}/lib.sh"

[ "$(id -u)" -eq 0 ] || skip_all 'only root can make files of another user'

pub=$T/pub
mkdir -m 1777 "$pub"
mkdir "$pub/mine"
cd "$pub/mine" || exit 1

# refuses PATH WHY COMMAND...: in one line.
refuses() {
	path=$1
	reason=$2
	shift 2
	is "$("$PW" "$@" 2>&1; echo $?)" "paneward: cannot use '$path': $reason
2" "$*: ${path##*/}: $reason"
}

# refused PATH WHY DESCRIPTION: by commands of every kind.
refused() {
	for command in status 'signal complete --issue 5' sweep 'watch --once 5' \
		'start 5 --no-watch -- true' 'inbox list' 'init claude --print'; do
		# shellcheck disable=SC2086
		refuses "$1" "$2" $command
	done
	echo '{"hook_event_name":"Stop"}' | PANEWARD_ISSUE=5 \
		"$PW" hook record >"$T/out" 2>"$T/err"
	is "$?$(cat "$T/out"; ls)" 0 "$3: a hook ends with 0, and makes nothing"
	like "$(cat "$T/err")" "cannot use '$1'" '... and says why'
}

theirs='it belongs to user 65534, neither to you nor to root'

echo '{ "handoff": ["/bin/sh", "-c", "id >'"$T"'/ran"] }' \
	>"$pub/.paneward.json"
chown 65534 "$pub/.paneward.json"
refused "$pub/.paneward.json" "$theirs" 'a configuration above'
rm "$pub/.paneward.json"

ln -s "$HOME/.config/paneward/config.json" "$pub/.paneward.json"
chown -h 65534 "$pub/.paneward.json"
refused "$pub/.paneward.json" "$theirs" 'a link to a configuration of our own'
rm "$pub/.paneward.json"

# In a folder that everybody can write to it makes no project.
mkdir -p "$pub/.worktrees/.status"
chown 65534 "$pub/.worktrees/.status"
exits 0 'a status directory in a public folder is none of ours' "$PW" status
chmod 755 "$pub"
refused "$pub/.worktrees/.status" "$theirs" 'a status directory above'
chown 65534 "$pub/.worktrees"
chown 0 "$pub/.worktrees/.status"
refused "$pub/.worktrees" "$theirs" 'the folder of one'
rm -r "$pub/.worktrees"
chmod 1777 "$pub"

git init -q "$pub"
chown 65534 "$pub/.git"
refused "$pub/.git" "$theirs" 'a repository above'
rm -r "$pub/.git"
git init -q --bare "$T/repo"
chown 65534 "$T/repo"
echo "gitdir: $T/repo" >"$pub/.git"
refused "$T/repo" "$theirs" 'a repository that our .git leads to'
chown 0 "$T/repo"
chown 65534 "$pub/.git"
refused "$pub/.git" "$theirs" 'a .git that leads to our repository'
rm -r "$pub/.git"

echo '{ "handoff": null }' >.paneward.json
chown 65534 .paneward.json
refuses "$pub/mine/.paneward.json" "$theirs" status
chown 0 .paneward.json
chmod 666 .paneward.json
refuses "$pub/mine/.paneward.json" 'any user can write to it' status
chmod 664 .paneward.json
exits 0 'one that the group can write to is not' "$PW" status
rm .paneward.json

user=$HOME/.config/paneward
for file in "$user/config.json" "$user"; do
	chown 65534 "$file"
	refuses "$file" "$theirs" status
	chown 0 "$file"
	chmod o+w "$file"
	refuses "$file" 'any user can write to it' status
	chmod o-w "$file"
done

# Root's are good for all users.
git init -q "$pub"
echo '{ "handoff": null }' >"$pub/.paneward.json"
chmod 711 "$T" "$T/home"
chown 65534 "$pub/mine"
if setpriv --reuid 65534 --clear-groups test -x "$PW" 2>/dev/null; then
	exits 0 "another user takes root's repository" setpriv --reuid 65534 \
		--clear-groups env HOME=/nonexistent \
		"$PW" status --status-dir "$pub/mine/.status"
	is "$(cat "$T/err")" '' '... without a word'
else
	skip "another user takes root's repository" 'he cannot run the program'
fi
check 'nothing of theirs was run' test ! -e "$T/ran"
done_testing
