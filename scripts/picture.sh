#!/bin/sh
# Draws docs/demo.svg: a person at a terminal with six agents of three projects.
# One of them asks; `next` goes there, a key answers, `next` goes to the one that
# failed, and in the list the last one's work is handed off.  The agents are
# stand-ins: programs of the agents' names that show recorded screens.
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

recordings=/mnt/tests/recordings

# stand_in FOLDER PROGRAM RECORDING [KEYED]: writes $agent, in which that program
# shows that screen, and after a key the other one.  Standard input is what its
# client writes down of its session, at NOW.
stand_in() {
	agent=$HOME/bin/$1/$2
	mkdir -p "$1" "bin/$1"
	[ -e "bin/$2" ] || cp "$(readlink -f /bin/sh)" "bin/$2"
	cat >"$agent.lines"
	cat >"$agent" <<-END
		#!$HOME/bin/$2
		id=0123abcd-1111-4222-8333-444444444444
		for last; do :; done
		case \$0 in
		*/claude) lines=.claude/projects/p/\$id.jsonl ;;
		*/codex) lines=.codex/sessions/2026/1/1/rollout-1-\$id.jsonl ;;
		*/gemini) lines=.gemini/tmp/p/chats/session-1-\${last%%-*}.jsonl ;;
		*/pi) lines=\${last#"$HOME/"} ;;
		*) lines=none/none ;;
		esac
		mkdir -p "$HOME/\${lines%/*}" "$HOME/.claude/sessions"
		sed "s/NOW/\$(date -u +%FT%T.%3NZ)/" "\$0.lines" >"$HOME/\$lines"
		exec 3<"$HOME/\$lines"
		stty -icanon -echo
		is=${4:+waiting}
		for screen in $3 ${4:-$3} ${4:-$3}; do
			[ ! -s "\$0.lines" ] ||
				echo "{\"pid\":\$\$,\"sessionId\":\"\$id\",
				\"status\":\"\${is:-busy}\",
				\"waitingFor\":\"permission prompt\",
				\"updatedAt\":\$(date +%s%3N)}" \
				>"$HOME/.claude/sessions/\$\$.json"
			is=busy
			printf '\033[2J\033[H%s' \
				"\$(sed 1d "$recordings/\$screen.capture.txt")"
			dd bs=1 count=1 2>/dev/null >&2
		done
	END
	chmod +x "$agent"
}

# by_hand SESSION FOLDER PROGRAM RECORDING [KEYED]: an agent that paneward did not
# start.
by_hand() {
	stand_in "$2" "$3" "$4" "${5:-}"
	tmux new-session -d -x 120 -y 27 -s "$1" -n "$3" -c "$HOME/$2" \
		"exec $agent"
}

# issue ISSUE FOLDER PROGRAM RECORDING
issue() {
	stand_in "$2" "$3" "$4"
	(cd "$2" && paneward start "$1" --backend "$3" -- "$agent") >said 2>&1
}

pause() {
	sleep "$PAUSE_BETWEEN"
}

# ---- the camera ---------------------------------------------------------------

screen() {
	tmux -L stage capture-pane -N -p -e -t =stage:
}

# Films what differs from the screen before, ten times a second, into $film/N,
# with $title above it, until $film/end is there.
camera() {
	n=1000
	until [ -e "$film/end" ]; do
		{ cat "$film/title"; screen; } >"$film/now"
		if ! cmp -s "$film/now" "$film/$n"; then
			n=$((n + 1))
			mv "$film/now" "$film/$n"
		fi
		sleep 0.1
	done
}

# scene BEGIN END FILE: a screen of the film, as picture.pl takes it.
scene() {
	printf '\f %s ' "$(awk "BEGIN { print $2 - $1 }")"
	cat "$3"
}

# shows TEXT SECONDS: waits until it is on the screen, then lets the reader see it.
shows() {
	until screen | grep -q "$1"; do
		sleep 0.1
	done
	sleep "$2"
}

# types TITLE KEY...
types() {
	echo "$1" >"$film/title"
	shift
	tmux -L stage send-keys -t =stage: "$@"
}

# ---- the agents ----------------------------------------------------------------

tmux -f /dev/null new-session -d -s desk 'exec tail -f /dev/null'
paneward init tmux --key a --next-key N >said
tmux source-file .tmux.conf
for project in app site docs; do
	git init -q "$project"
done

issue 57 site codex codex-s-busy.busy <<'END'
{"timestamp":"NOW","type":"event_msg","payload":{"type":"task_started"}}
{"timestamp":"NOW","type":"response_item","payload":{"type":"function_call","call_id":"1","name":"shell","arguments":"{\"command\":\"npm test -- login\"}"}}
END
issue 42 app opencode opencode-s-busy.busy </dev/null
issue 63 docs pi pi-s-busy.busy <<'END'
{"type":"message","timestamp":"NOW","message":{"role":"user","content":[{"type":"text","text":"Draft the notes of 2.4"}]}}
{"type":"message","timestamp":"NOW","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"read","arguments":{"path":"CHANGES.md"}}]}}
END
issue 64 site gemini gemini-s-busy.busy <<'END'
{"id":"1","timestamp":"NOW","type":"user","content":[{"text":"Dark links are too dark to read"}]}
END
pause
by_hand review docs claude claude-h-err429 </dev/null
(cd app && paneward signal error --issue 42 'the test database is down')
pause
pause

# ---- the film -------------------------------------------------------------------

film=$HOME/film
mkdir "$film"
echo 'paneward' >"$film/title"
tmux new-session -d -s top -x 120 -y 27 'exec paneward top'
tmux -L stage -f /dev/null new-session -d -s stage -x 120 -y 28 \
	'env -u TMUX tmux attach -t =top'
tmux -L stage set -g status off
shows '1 limited' 1
camera &
sleep 1.5
by_hand api app claude claude-s-permission.permission claude-s-busy.busy <<'END'
{"type":"user","timestamp":"NOW","message":{"role":"user","content":"Build it anew, and find out why it is slow"}}
END
shows '1 asking' 2
types 'prefix N: go to the agent that needs you' C-b N
shows 'Do you want to proceed' 2
types '1: yes, run it' 1
shows Brewing 1.5
types 'prefix N: the next one' C-b N
sleep 2
types 'prefix a: the list' C-b a
sleep 1
(cd site && paneward signal complete --issue 57)
shows 'handed off' 3
touch "$film/end"
wait

begin=
for screen in "$film"/1*; do
	now=$(stat -c %.3Y "$screen")
	[ "$begin" = '' ] || scene "$begin" "$now" "$last"
	begin=$now
	last=$screen
done >film.txt
scene "$begin" "$(stat -c %.3Y "$film/end")" "$last" >>film.txt
perl /mnt/scripts/picture.pl 'paneward: an agent asks, next goes there, a key
answers, next goes to the agent that failed, the list has it handed off' \
	<film.txt >/mnt/docs/demo.svg
