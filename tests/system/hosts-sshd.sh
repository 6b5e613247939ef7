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

tmux_start
far_keeper
echo 'echo "the screen of $PANEWARD_ISSUE"; exec sleep 1000' | script agent
far "$PW" start 5 --no-watch --session five -- "$T/agent" >"$T/said" 2>&1
asks "$HOME" box babbles closed drops
# A busy machine may be late for one of them, as the one that drops.
no_other_late() {
	all_like '^box 5 working' && [ "$(grep -c 'did not answer' "$T/all")" -eq 1 ]
}
told() { grep -q " $1  *$2" "$T/live.out"; }
# sees SESSION: does the person see the agent, in the other tmux?
sees() { pane_shows "$1" 'the screen of 5' && pane_shows "$1" '[five]'; }
# The process that one of ours has there.
of_us() {
	for pid in $(pgrep -f 'status --all --json --follow'); do
		! grep -qs -e "HOME=$far_home" "/proc/$pid/environ" || return 0
	done
	return 1
}

scenario 'a host has the rows of its agents, or what is wrong with it' <<'END'
>>> begin_command live status --all --follow; wait_until 10 no_other_late
>>> sort "$T/all"
~ babbles .* its answer is no queue: Welcome.*
~ box 5 working[?]* \d+[smh] shell .*
~ closed .*Connection refused
~ drops .* it did not answer within two seconds
>>> LC_ALL=C tr -d '\n -~' <"$T/all"; wait_until 10 told box '5 .*working'
>>> far "$PW" signal complete --issue 5; far "$PW" watch 5 --once >"$T/said"
>>> wait_until 10 told box '5 .*complete'
>>> wait_until 30 told drops '.*it does not answer'
END

# Where a host takes longer than a look waits, no agent needs the person.
scenario 'a person goes there in a window of its own, or from outside tmux' <<'END'
>>> client_attach person keeper; tm new-window -t =keeper: -n shell 'exec sh'
>>> tm send-keys -t =keeper:shell "until '$PW' next; do :; done" Enter
>>> wait_until 60 sees keeper; pane_tell keeper '#{window_name}'
box
>>> far tmux detach-client -s =five
>>> wait_until 10 eval '[ "$(pane_tell keeper "#{window_name}")" = shell ]'
>>> pane_run outside "unset TMUX TMUX_PANE; exec '$PW' attach box:5"
>>> wait_until 10 sees outside; far tmux detach-client -s =five
>>> [ ! -d /proc/self ] || wait_until 10 of_us
>>> kill -s KILL "$(cat "$T/live.pid")"
>>> [ ! -d /proc/self ] || wait_until 20 no of_us
END
done_testing
