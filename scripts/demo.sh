#!/bin/sh
# Shows paneward's main job once, on a tmux server of its own: two agents work
# and report in two ways that they are done.  Your tmux is not touched, and all
# files are removed.

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
	# A watcher may still be writing.
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

# show LINE: prints a command line as it is typed, runs it, prints its output.
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

# ---- the agents -------------------------------------------------------------

# This agent leaves a signal.
cat >tidy.sh <<'END'
echo "I am tidying up."
sleep 2
echo "All tidy."
"$PANEWARD" signal complete
exec sleep 60
END

# This agent prints a marker.
cat >mend.sh <<'END'
echo "I am mending a bug."
sleep 4
echo "The bug is gone, and a test says so."
echo "###TASK_COMPLETE_$PANEWARD_ISSUE###"
exec sleep 60
END

# A server without the user's configuration.
tmux -f /dev/null new-session -d -s desk 'exec tail -f /dev/null' ||
	broken 'tmux does not start'

# ---- the demo ---------------------------------------------------------------

tell "Two agents are at work on two issues, each in a tmux session of its own.
They are shell scripts here: when it is done, the first one leaves a signal
file, and the second one prints a marker."

show 'paneward start demo-1 --no-handoff -- sh tidy.sh' ||
	broken 'the first agent was not started'
show 'paneward start demo-2 --no-handoff -- sh mend.sh' ||
	broken 'the second agent was not started'
show 'tmux list-sessions -F "#{session_name}"'

tell 'Each has a watcher that sleeps until something happens.'
show 'paneward status'

tell 'This waits until both are done, which takes a few seconds:'
show 'paneward watch demo-1 demo-2' || broken "watch ended with status $?"

tell 'Neither agent has exited; what counts is their report.'
show 'paneward status'
[ "$(grep -c complete said)" -eq 2 ] || broken 'both should be complete'

tell 'How is that known of the second one? This asks every detector:'
show 'paneward explain demo-2' || broken "explain ended with status $?"

tell "That was all. Yours are shown by './paneward top': each agent that runs in
your tmux, live, also those that paneward did not start. Enter goes to its pane.
Go on with './paneward --help' and 'man man/paneward.1'."
