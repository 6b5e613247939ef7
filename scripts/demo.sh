#!/bin/sh
# What paneward is for, once, on a tmux server of its own: two agents work,
# each says in its own way that it is done, and both are noticed.
# Nothing of yours is touched, and nothing stays.

if [ "${DEMO_FOLDER:-}" = '' ]; then
	# In /tmp, since the name of a socket must be short.
	DEMO_FOLDER=$(mktemp -d /tmp/paneward-demo.XXXXXX) || exit 1
	cd "${0%/*}/.." || exit 1
	exec env -i PATH="$PWD:$PATH" TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 \
		SHELL=/bin/sh HOME="$DEMO_FOLDER" TMUX_TMPDIR="$DEMO_FOLDER" \
		DEMO_FOLDER="$DEMO_FOLDER" NO_COLOR="${NO_COLOR:-}" \
		sh "$PWD/scripts/demo.sh"
fi

clean_up() {
	status=$?
	trap - EXIT
	tmux kill-server 2>/dev/null
	cd / || exit 1
	# The agents' last words may still be written down.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rm -rf "$DEMO_FOLDER" 2>/dev/null && break
		sleep 0.1
	done
	exit "$status"
}

trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

bold=
plain=
if [ -t 1 ] && [ "$NO_COLOR" = '' ]; then
	bold=$(printf '\033[1m')
	plain=$(printf '\033[0m')
fi

tell() {
	printf '\n%s\n' "$*"
}

# show LINE: a command line as it is typed, then what comes of it.
show() {
	printf '\n    %s$ %s%s\n' "$bold" "$1" "$plain"
	sh -c "$1" >said 2>&1
	status=$?
	sed 's/^/    /' said
	return "$status"
}

broken() {
	tell "The demo went wrong: $*"
	exit 1
}

mkdir "$DEMO_FOLDER/project" && cd "$DEMO_FOLDER/project" || exit 1

# ---- what it is played with -------------------------------------------------

# This agent was told to leave a signal.
cat >tidy.sh <<'END'
echo "I am tidying up."
sleep 2
echo "All tidy."
"$PANEWARD" signal complete
exec sleep 60
END

# This one has only its output.
cat >mend.sh <<'END'
echo "I am mending a bug."
sleep 4
echo "The bug is gone, and a test says so."
echo "###TASK_COMPLETE_$PANEWARD_ISSUE###"
exec sleep 60
END

# A server without anybody's configuration.
tmux -f /dev/null new-session -d -s desk 'exec tail -f /dev/null' ||
	broken 'tmux does not start'

# ---- the play ---------------------------------------------------------------

tell "Two agents are at work on two issues, each in a tmux session of its own.
They are shell scripts here: the first will leave a signal file when it is
done, the second will only print the line that was agreed upon."

show 'paneward start demo-1 --no-handoff -- sh tidy.sh' ||
	broken 'the first agent was not started'
show 'paneward start demo-2 --no-handoff -- sh mend.sh' ||
	broken 'the second agent was not started'
show 'tmux list-sessions -F "#{session_name}"'

tell 'Each has a watcher beside it that sleeps until something happens.'
show 'paneward status'

tell 'This waits until both are done, which takes a few seconds:'
show 'paneward watch demo-1 demo-2' || broken "watch ended with status $?"

tell 'Neither agent has ended; what counts is what they reported.'
show 'paneward status'
[ "$(grep -c complete said)" -eq 2 ] || broken 'both should be complete'

tell 'How was that known of the second one? Everybody who could tell is asked:'
show 'paneward explain demo-2' || broken "explain ended with status $?"

tell "That was all. 'paneward --help' and 'man man/paneward.1' tell the rest."
