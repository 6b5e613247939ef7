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

# ---- once --------------------------------------------------------------------
asks "$HOME" box
wait_until 10 all_like '^box 5 working'
like "$(cat "$T/all")" '^box 5 working[?]* [0-9]*[smh] shell ' "another host's agent has its row"
soon 'also as JSON' eval \
	'"$PW" status --all --json | grep -q "\"issue\":\"5\".*\"host\":\"box\""'
is "$("$PW" status)" '' 'but not in one project'
# What a look asked that had the answer.
asked_once() {
	: >"$T/ssh.log"
	all_like '^box 5 working'
}
wait_until 10 asked_once
is "$(cat "$T/ssh.log")" \
	'-T -o BatchMode=yes box paneward status --all --json --follow' \
	'hosts that ask each other ask once'

asks "$HOME" refuses babbles floods empty without hangs escapes box
# A busy machine may be late for one of them, as the one that hangs.
late() {
	all >"$T/rows"
	[ "$(grep -c 'it did not answer' "$T/rows")" -ne 1 ] ||
		no grep -q '^box 5 working' "$T/rows"
}
wait_until 10 no late
while IFS='|' read -r what row; do
	like "$(cat "$T/rows")" "$row" "a host that $what says so"
done <<'END'
refuses|^refuses refuses - .*Connection refused$
babbles|^babbles .* its answer is no queue: Welcome
floods|^floods .* it sends too much
says nothing|^empty .* ssh ended with exit status 0
has no paneward|^without .* paneward: not found
hangs|^hangs .* it did not answer
has controls in its texts|^escapes 9 asking 
END
is "$(LC_ALL=C tr -d '\n -~' <"$T/all" | wc -c | tr -d ' ')" 0 \
	'no control is printed'

asks "$HOME" -oProxyCommand=x
fails 2 "'hosts' is not a list of names of hosts" status --all
asks "$HOME" box
echo '{ "hosts": ["box"] }' >"$P/.paneward.json"
fails 2 "'hosts' stands only in the user's config.json" status --all
rm "$P/.paneward.json"

# ---- followed ----------------------------------------------------------------
begin_command live status --all --follow
wait_until 10 grep -q ' box  *5 .*working' "$T/live.out"
far "$PW" signal complete --issue 5
far "$PW" watch 5 --once >"$T/far.said"
soon 'a change there is a line here' \
	grep -q ' box  *5 .*complete' "$T/live.out"

: >"$T/down"
kill "$(cat "$T/far.pid")"
soon 'a connection that ends is told' \
	grep -q ' box  *box .*the net is down' "$T/live.out"
soon 'and its rows leave' grep -q '  5 .*left the list' "$T/live.out"
rm "$T/down"
complete() { [ "$(grep -c ' box  *5 .*complete' "$T/live.out")" -ge "$1" ]; }
wait_until 60 complete 2 && result 0 'it is made again'

far_pid=$(cat "$T/far.pid")
kill -s KILL "$(cat "$T/live.pid")"
soon 'if we are killed, so is what runs there' no kill -0 "$far_pid"

# ---- going there -------------------------------------------------------------
client_attach person keeper
tm new-window -t =keeper: -n shell 'exec sh'

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

soon 'next tells how to go there' eval \
	'"$PW" next --print | grep -Eq "^paneward attach box:[0-9]*%[0-9]+\$"'
# Where a host takes longer than a look waits, none needs the person.
type_here "until '$PW' next; do :; done"
soon 'next goes there' there
left
soon 'where it was seen' eval '"$PW" next --print; [ $? -eq 1 ]'
type_here "'$PW' attach box:5"
soon 'attach goes there' there
left

far "$PW" start 6 --no-watch --session six -- sleep 1000 >"$T/far.said"
pane_run top "exec '$PW' top"
soon 'top shows its agents' eval 'pane_text top | grep -q "box *6 *working"'
far "$PW" signal complete --issue 6
far "$PW" watch 6 --once >"$T/far.said"
soon 'and what they do' eval 'pane_text top | grep -q "box *6 *complete"'
tm send-keys -t =top: f
wait_until 10 pane_shows top 'it is on another host; Enter goes there'
soon 'and acts on none' eval 'pane_text top | grep -q "box *6 *complete"'
tm switch-client -t =top:
tm send-keys -t =top: Enter
soon 'but goes there' there six
tm send-keys -t =top: q
far tmux detach-client -s =six

done_testing
