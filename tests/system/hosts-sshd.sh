#!/bin/sh
# Agents of other hosts over a real ssh: an sshd of the test's own, for a user
# with another home and other tmux servers, and hosts that are no such thing.
. "${0%/*}/lib.sh"

PATH=$PATH:/usr/sbin:/sbin
sshd=$(command -v sshd) || skip_all 'no sshd is installed'
ssh=$(command -v ssh) || skip_all 'no ssh is installed'
[ "$(id -u)" -ne 0 ] || [ -d /run/sshd ] || [ -d /var/empty ] ||
	skip_all 'as root, sshd needs /run/sshd, which its service makes'

. "$ROOT/tests/system/farhost.sh"
echo '{ "handoff": null }' >"$far_home/.config/paneward/config.json"

# ---- the hosts ---------------------------------------------------------------
# What a key may do there.
script far.sh <<END
unset TMUX TMUX_PANE
HOME='$far_home' TMUX_TMPDIR='$T/far-tmux' LC_ALL=C.UTF-8
PATH='${PW%/*}:$PATH'
export HOME TMUX_TMPDIR LC_ALL PATH
cd "\$HOME" && exec sh -c "\$SSH_ORIGINAL_COMMAND"
END
script babble.sh <<'END'
printf 'Welcome to \033[31mbabbles\007\n'
exec sleep 1000
END
for key in host far babble; do
	ssh-keygen -q -t ed25519 -N '' -f "$T/key-$key"
	echo "command=\"$T/$key.sh\" $(cat "$T/key-$key.pub")"
done | sed 1d >"$T/authorized"

# Three ports: one that answers no more connections than it has, one that is
# taken, so that no other process listens at it, and one for sshd.
perl -MIO::Socket::INET -e '
	my @s = map { IO::Socket::INET->new(Proto => "tcp", @$_,
	    LocalAddr => "127.0.0.1") or die } [Listen => 1], [], [];
	my ($full, @others) = map { $_->sockport } @s;
	splice @s, 2;
	my @held = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1",
	    PeerPort => $full, Blocking => 0) } 1 .. 4;
	$| = 1;
	print "$full @others\n";
	sleep 1000' >"$T/ports" &
wait_until 5 test -s "$T/ports"
read -r full closed port <"$T/ports"

cat >"$T/sshd_config" <<END
ListenAddress 127.0.0.1:$port
HostKey $T/key-host
PidFile none
AuthorizedKeysFile $T/authorized
StrictModes no
PasswordAuthentication no
END
echo "[127.0.0.1]:$port $(cat "$T/key-host.pub")" >"$T/known"
cat >"$T/ssh_config" <<END
Host *
HostName 127.0.0.1
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile $T/known
StrictHostKeyChecking yes
Host box babbles
Port $port
ControlMaster auto
ControlPersist yes
ControlPath $T/%n
Host closed
Port $closed
Host drops
Port $full
Host box
IdentityFile $T/key-far
Host babbles
IdentityFile $T/key-babble
END
echo "exec '$ssh' -F '$T/ssh_config' \"\$@\"" | script bin/ssh
"$sshd" -D -e -f "$T/sshd_config" >"$T/sshd.log" 2>&1 &
server=$!
lets_in() {
	ssh -o BatchMode=yes box true 2>"$T/ssh.err" ||
		! kill -0 "$server" 2>/dev/null
}
wait_until 60 lets_in
# One connection serves all that follow, so that a busy machine, too, answers
# within the two seconds.
ssh -o BatchMode=yes -fN babbles
kill -0 "$server" 2>/dev/null ||
	skip_all "sshd cannot run here: $(tail -n 1 "$T/sshd.log")"

# ---- once --------------------------------------------------------------------
tmux_start
far_keeper
echo 'echo "the screen of $PANEWARD_ISSUE"; exec sleep 1000' | script agent
far "$PW" start 5 --no-watch --session five -- "$T/agent" >"$T/said"
asks "$HOME" box babbles closed drops

begin_command live status --all --follow
# A busy machine may be late for one of them, as the one that drops.
no_other_late() {
	all_like '^box 5 working' && [ "$(grep -c 'did not answer' "$T/all")" -eq 1 ]
}
wait_until 10 no_other_late
while IFS='|' read -r what row; do
	like "$(cat "$T/all")" "$row" "a row for a host that $what"
done <<'END'
has an agent|^box 5 working[?]* [0-9]*[smh] shell 
answers something else|^babbles .* its answer is no queue: Welcome
is down|^closed .*Connection refused$
does not answer|^drops .* it did not answer within two seconds$
END
is "$(wc -l <"$T/all" | tr -d ' ')" 4 'each of them has one'
is "$(LC_ALL=C tr -d '\n -~' <"$T/all" | wc -c | tr -d ' ')" 0 \
	'no control is printed'

# ---- followed ----------------------------------------------------------------
told() { grep -q " $1  *$2" "$T/live.out"; }
wait_until 10 told box '5 .*working'
far "$PW" signal complete --issue 5
far "$PW" watch 5 --once >"$T/said"
soon 'a change there is a line here' told box '5 .*complete'
wait_until 30 told drops '.*it does not answer' &&
	result 0 'who waits is told of a host that does not answer, too'

# ---- going there -------------------------------------------------------------
client_attach person keeper
tm new-window -t =keeper: -n shell 'exec sh'
type_here() { tm send-keys -t =keeper:shell "$1" Enter; }
# sees SESSION: does the person see the agent, in the other tmux?
sees() { pane_shows "$1" 'the screen of 5' && pane_shows "$1" '[five]'; }
leaves() { far tmux detach-client -s =five; }
there() { far tmux list-clients -F '#{session_name}' | grep -qx five; }
back() { [ "$(pane_tell keeper '#{window_name}')" = shell ] && no there; }

# Where a host takes longer than a look waits, none needs the person.
type_here "until '$PW' next; do :; done"
wait_until 60 sees keeper && result 0 'next shows it, in a window of its own'
is "$(pane_tell keeper '#{window_name}')" box 'with the name of the host'
leaves
soon 'and back' back
type_here "'$PW' attach box:5"
soon 'attach goes there, too' sees keeper
leaves
wait_until 10 back
pane_run outside "unset TMUX TMUX_PANE; exec '$PW' attach box:5"
soon 'also outside tmux' sees outside
leaves

far "$PW" start 6 --no-watch --session six -- "$T/agent" >"$T/said"
pane_run top "exec '$PW' top"
soon 'top shows its agents' eval 'pane_text top | grep -q "box *6 *working"'
soon 'and what is wrong with the others' \
	pane_shows top 'its answer is no queue'

# ---- the end -----------------------------------------------------------------
# The process that one of ours has there.
of_us() {
	for pid in $(pgrep -f 'status --all --json --follow'); do
		! grep -qs -e "HOME=$far_home" "/proc/$pid/environ" || return 0
	done
	return 1
}
if [ -d /proc/self ]; then
	tm kill-session -t =top
	soon 'our process there' of_us
	kill -s KILL "$(cat "$T/live.pid")"
	wait_until 20 no of_us &&
		result 0 'ends with ours, even if that is killed'
fi
done_testing
