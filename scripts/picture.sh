#!/bin/sh
# Draws docs/top.svg: what `paneward top` prints for six agents of three
# projects.  They are stand-ins: programs of the agents' names that show a
# recorded screen.  Also prints what `paneward status --all` says of them.
#
# It takes some minutes, since the picture shows how long each agent has been in
# its state; PAUSE=1 is quicker.  All of it happens in a mount and process
# namespace of Linux: the home of the picture is there alone, and nothing is
# left of it.

if [ "${PAUSE_BETWEEN:-}" = '' ]; then
	cd "${0%/*}/.." || exit 1
	# The checkout may lie below /home.
	exec env -i PATH="/mnt:$PATH" LC_ALL=C.UTF-8 TERM=xterm-256color \
		SHELL=/bin/sh HOME=/home/you TMUX_TMPDIR=/home/you \
		PAUSE_BETWEEN="${PAUSE:-40}" unshare --user --map-root-user \
		--mount --pid --fork --mount-proc --kill-child sh -ec '
			mount --bind "$1" /mnt
			mount -t tmpfs home /home
			mkdir /home/you
			exec sh /mnt/scripts/picture.sh' sh "$PWD"
fi

set -e
cd "$HOME"

# stand_in FOLDER PROGRAM RECORDING: writes a script in which that program shows
# that screen; $agent is its path.
stand_in() {
	agent=$HOME/bin/$2-in-$1
	mkdir -p "$1" bin
	[ -e "bin/$2" ] || cp "$(command -v sleep)" "bin/$2"
	cat >"$agent" <<-END
		printf '\033[2J\033[H'
		cat /mnt/tests/recordings/$3.capture.txt
		exec $HOME/bin/$2 100000
	END
}

# by_hand SESSION FOLDER PROGRAM RECORDING: an agent that paneward did not start.
by_hand() {
	stand_in "$2" "$3" "$4"
	tmux new-session -d -x 120 -y 45 -s "$1" -n "$3" -c "$HOME/$2" \
		"sh $agent"
}

# issue ISSUE FOLDER PROGRAM RECORDING
issue() {
	stand_in "$2" "$3" "$4"
	(cd "$2" && paneward start "$1" --backend "$3" -- sh "$agent") >said 2>&1
}

all_there() {
	tmux capture-pane -p -t =top: >screen
	grep -q '1 asking  1 error  1 complete  1 limited  2 working' screen
}

pause() {
	sleep "$PAUSE_BETWEEN"
}

tmux -f /dev/null new-session -d -s desk 'exec tail -f /dev/null'
for project in app site docs; do
	git init -q "$project"
done

issue 57 site codex codex-s-busy.busy
issue 42 app opencode opencode-s-busy.busy
by_hand notes docs pi pi-s-busy.busy
by_hand web site gemini gemini-s-busy.busy
pause
by_hand review docs claude claude-h-err429
(cd app && paneward signal error --issue 42 'the test database is down')
pause
pause
by_hand api app claude claude-s-permission.permission
pause
(cd site && paneward signal complete --issue 57)
pause

tmux new-session -d -s top -x 100 -y 16 'exec paneward top'
until all_there; do
	sleep 0.2
done
tmux capture-pane -p -e -t =top: |
	perl /mnt/scripts/picture.pl 'paneward top' >top.svg
cp top.svg /mnt/docs/top.svg
paneward status --all
