#!/bin/sh
# Agents of other hosts. ssh is a script that runs the command here, with another
# home and other tmux servers.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/farhost.sh"

mkdir "$T/app"
# A host that asks us in turn must not make both ask for ever.
asks "$far_home" box

script bin/ssh <<END
echo "\$*" >>'$T/ssh.log'
terminal=
while :; do
	case \$1 in
	-o) shift 2 ;;
	-t) terminal=yes; shift ;;
	-*) shift ;;
	*) break ;;
	esac
done
host=\$1
shift
[ -e '$T/down' ] && { echo 'ssh: the net is down' >&2; exit 255; }
case \$host in
refuses)
	printf 'ssh: connect to host refuses: Connection refused\\r\\n' >&2
	exit 255 ;;
hangs) exec sleep 1000 ;;
babbles) printf 'Welcome \\033[31mto\\a babbles\\n'; exec sleep 1000 ;;
floods) yes x | tr -d '\\n' | head -c 100000000; exit ;;
empty) exit 0 ;;
without) echo 'sh: 1: paneward: not found' >&2; exit 127 ;;
escapes)
	printf '%s\\n\\n' '{"key":"k","issue":"9","run":"","state":"asking","why":"a\\u001b]0;x\\u0007b","project":"/p/\\u009b31m"}'
	exec sleep 1000 ;;
esac
cd '$far_home' || exit
[ "\$terminal" != '' ] || echo \$\$ >'$T/far.pid'
unset TMUX TMUX_PANE
HOME='$far_home' TMUX_TMPDIR='$T/far-tmux' PATH='${PW%/*}':\$PATH
export HOME TMUX_TMPDIR PATH
exec "\$@"
END

tmux_start
far_keeper
far "$PW" start 5 --no-watch --session five -- sleep 1000 >"$T/far.said"

# asked_once: what the last look asked that had the answer.
asked_once() {
	: >"$T/ssh.log"
	all_like '^box 5 working'
}

# A busy machine may be late for one of them, as the one that hangs.
no_other_late() {
	all >"$T/rows"
	[ "$(grep -c 'it did not answer' "$T/rows")" -eq 1 ] &&
		grep -q '^box 5 working' "$T/rows"
}

scenario 'a host is asked once for its agents, and only for all of them' <<'END'
>>> asks "$HOME" box; wait_until 10 asked_once; cat "$T/ssh.log" "$T/all"
-T -o BatchMode=yes box paneward status --all --json --follow
~ box 5 working[?]* \d+[smh] shell .*
>>> wait_until 10 eval \
... 	'"$PW" status --all --json | grep -q "\"issue\":\"5\".*\"host\":\"box\""'
>>> valid 0 status --all --json; covers names.host
>>> "$PW" status
>>> asks "$HOME" refuses babbles floods empty without hangs escapes box
>>> wait_until 10 no_other_late; sort "$T/rows"
~ babbles .* its answer is no queue: Welcome.*
~ box 5 working.*
~ empty .* ssh ended with exit status 0.*
~ escapes 9 asking .*
~ floods .* it sends too much.*
~ hangs .* it did not answer.*
~ refuses refuses - .*Connection refused
~ without .* paneward: not found.*
>>> valid 0 status --all --json; covers names.problem
>>> LC_ALL=C tr -d '\n -~' <"$T/all"; asks "$HOME" -oProxyCommand=x
>>> fails 2 "'hosts' is not a list of names of hosts" status --all
>>> asks "$HOME" box; echo '{ "hosts": ["box"] }' >"$P/.paneward.json"
>>> fails 2 "'hosts' stands only in the user's config.json" status --all
>>> rm "$P/.paneward.json"
END

# told TEXT [TIMES]: does a line of the follower tell that?
told() { [ "$(grep -c " box  *$1" "$T/live.out")" -ge "${2:-1}" ]; }
completes() {
	far "$PW" signal complete --issue "$1"
	far "$PW" watch "$1" --once >"$T/said"
}

scenario 'a host is followed, again after its connection ended' <<'END'
>>> begin_command live status --all --follow; wait_until 10 told '5 .*working'
>>> completes 5; wait_until 10 told '5 .*complete'
>>> : >"$T/down"; kill "$(cat "$T/far.pid")"
>>> wait_until 10 told 'box .*the net is down'
>>> wait_until 10 grep -q '  5 .*left the list' "$T/live.out"
>>> rm "$T/down"; wait_until 60 told '5 .*complete' 2
>>> far_pid=$(cat "$T/far.pid"); kill -s KILL "$(cat "$T/live.pid")"
>>> wait_until 10 no kill -0 "$far_pid"
END

# type_here TEXT: at a shell in a window that the person sees.
type_here() {
	tm send-keys -t =keeper:shell -l "$1"
	tm send-keys -t =keeper:shell Enter
}
there() { far tmux list-clients -F '#{session_name}' | grep -qx "${1:-five}"; }
left() {
	far tmux detach-client -s =five
	wait_until 10 no there
	tm select-window -t =keeper:shell
}
top_shows() { pane_text top | grep -q "box *6 *$1"; }

# Where a host takes longer than a look waits, no agent needs the person.
scenario 'next, attach and top go there; top does nothing to its agents' <<'END'
>>> client_attach person keeper; tm new-window -t =keeper: -n shell 'exec sh'
>>> wait_until 10 eval \
... 	'"$PW" next --print | grep -Eq "^paneward attach box:[0-9]*%[0-9]+\$"'
>>> type_here "until '$PW' next; do :; done"; wait_until 10 there; left
>>> wait_until 10 eval '"$PW" next --print; [ $? -eq 1 ]'
>>> type_here "'$PW' attach box:5"; wait_until 10 there; left
>>> far "$PW" start 6 --no-watch --session six -- sleep 1000 >"$T/said" 2>&1
>>> pane_run top "exec '$PW' top"; wait_until 10 top_shows working; completes 6
>>> wait_until 10 top_shows complete; tm send-keys -t =top: f
>>> wait_until 10 pane_shows top 'it is on another host; Enter goes there'
>>> wait_until 10 top_shows complete; tm switch-client -t =top:
>>> tm send-keys -t =top: Enter; wait_until 10 there six
>>> tm send-keys -t =top: q; far tmux detach-client -s =six
END
done_testing
