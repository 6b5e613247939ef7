#!/bin/sh
# Two hosts and a server, by what docs/fleet.md says and no more: its commands are run
# as they stand there.  Only the server's address is another one, and leases are
# shorter; ssh and scp go to the other network namespace.
# shellcheck disable=SC1091
. "${0%/*}/lib.sh"

trap fleet_end EXIT
! net_begin || netns=true
needs_netns

# ---- its commands --------------------------------------------------------

# Each block of the page becomes a file: $T/1.sh, $T/2.sh, $T/3.json, ...
# part FILE LINE: a line of it, a comment of which is cut off.
part() { sed -n "$2s/ *#.*//;$2p" "$T/$1"; }

awk -v folder="$T" '
	/^```/ {
		inside = !inside
		if (inside)
			file = folder "/" ++n "." substr($0, 4)
		next
	}
	inside {
		gsub(/queue\.example/, "10.77.0.1")
		print >file
	}' "$ROOT/docs/fleet.md"
is "$(cd "$T" && echo [0-9].*)" '1.sh 2.sh 3.json 4.sh 5.sh 6.sh 7.sh' \
	'the page says how to set it up, to submit, to work and to look'

# ---- what a reader has ----------------------------------------------------------

script ssh <<END
while :; do
	case \$1 in
	-t | -n | -q | -T) shift ;;
	-o) shift 2 ;;
	*) break ;;
	esac
done
host=\$1
shift
home=$T/hosts/\$host
cd "\$home" || exit 255
exec nsenter --net="/run/netns/$nets-\$host" env -u TMUX HOME="\$home" \
	TMUX_TMPDIR="\$home/tmux" PATH="\$home/bin:$PATH" sh -c "\$*"
END

script scp <<END
for to; do :; done
host=\${to%%:*}
while [ \$# -gt 1 ]; do
	cp "\$1" "$T/hosts/\$host/\${to#*:}" || exit
	shift
done
END

script codex <<'END'
echo "I am the agent of $PANEWARD_ISSUE on $(cat "$HOME/name")."
echo "$*" | grep -q 'Please work on issue 42' && echo 'I was asked.'
until [ -e "$HOME/enough" ]; do
	sleep 0.1
done
paneward signal complete
exec sleep 1000
END

PATH=$T:$PATH

git init -q --bare -b main "$T/origin.git"
for host in desk laptop; do
	host_make "$host"
	echo "$host" >"$T/hosts/$host/name"
	git clone -q "$T/origin.git" "$T/hosts/$host/project" 2>/dev/null
done
git -C "$T/hosts/desk/project" -c user.name=test -c user.email=test@localhost \
	commit -q --allow-empty -m first
git -C "$T/hosts/desk/project" push -q origin main 2>/dev/null
git -C "$T/hosts/laptop/project" pull -q origin main 2>/dev/null
mkdir "$T/clone" && ln -s "$ROOT/scripts" "$T/clone" && cd "$T/clone" || exit

# Runs a file of commands at the server.
there() (
	PATH=${PW%/*}:$PATH
	inside hub sh -e "$1"
)

server_pid() {
	for pid in $(ip netns pids "$nets-hub"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != nats-server ] ||
			echo "$pid"
	done
}

listens() { grep -q 'Server is ready' "$T/server.log"; }

scenario 'the server runs, with its certificates' <<'END'
>>> there "$T/1.sh" >"$T/server.log" 2>&1 &
>>> wait_until 20 listens; there "$T/2.sh"
>>> for host in desk laptop; do
... 	sed "s/desk/$host/g; s/\"fleet\": {/& \"lease\": 10,/" "$T/3.json" \
... 		>"$T/hosts/$host/.config/paneward/config.json"
... 	on "$host" sh -c "$(part 4.sh 1)" >"$T/$host.doctor" 2>&1
... 	is "$(grep -c '^problem' "$T/$host.doctor")" 0
... 	like "$(cat "$T/$host.doctor")" "^ok .*this is host '$host'"
... 	on "$host" sh -c "exec $(part 4.sh 2)" >"$T/$host.agent" 2>&1 &
... done
END

shows() {
	on desk sh -c "$(part 7.sh 2)" 2>&1 | sed 's/  */ /g' >"$T/all"
	grep -Eq -e "$1" "$T/all"
}

ordered() {
	on desk sh -c "$(part 7.sh 1)" >"$T/backlog" 2>&1
	grep -Eq -e "$1" "$T/backlog"
}

# A new store of leases waits for the time of one.
scenario 'an issue is submitted, worked on elsewhere, and seen here' <<'END'
>>> on desk sh -e "$T/5.sh"
42: submitted
>>> on laptop sh -e "$T/6.sh" >"$T/work" 2>&1 &
>>> wait_until 120 ordered '^42 +working +laptop '
>>> wait_until 30 shows '^laptop 42 working '
>>> on desk script -qfc 'exec paneward top' "$T/top.bytes" \
... 	>/dev/null 2>&1 <"$(desk_keys desk)" &
>>> wait_until 20 grep -q laptop "$T/top.bytes"
>>> on desk script -qfc "exec $(part 7.sh 3)" "$T/attach.bytes" \
... 	>/dev/null 2>&1 <"$(desk_keys desk)" &
>>> wait_until 20 grep -q 'I am the agent of 42 on laptop' "$T/attach.bytes"
>>> wait_until 10 grep -q 'I was asked' "$T/attach.bytes"
END

# The hand-off leaves a pane alone that a person looks at.
detached() {
	on laptop tmux detach-client -t "$(on laptop tmux list-clients \
		-F '#{client_name}' | head -n 1)" 2>/dev/null
	[ "$(on laptop tmux list-clients)" = '' ]
}
away() { grep -q 'cannot connect' "$T/desk.agent"; }

handed() {
	on desk "$PW" history laptop:42 >"$T/history" 2>&1
	grep -q 'hand-off .*done' "$T/history"
}

scenario 'what was done while the server was dead is handed off once' <<'END'
>>> wait_until 10 detached
>>> was=$(server_pid); kill -KILL "$was"; : >"$T/hosts/laptop/enough"
>>> wait_until 20 away; tail -n 1 "$T/1.sh" >"$T/again.sh"; : >"$T/server.log"
>>> there "$T/again.sh" >"$T/server.log" 2>&1 &
>>> wait_until 20 listens; wait_until 60 ordered '^42 +done '
>>> wait_until 30 handed; is "$(grep -c 'hand-off .*done' "$T/history")" 1
END
done_testing
