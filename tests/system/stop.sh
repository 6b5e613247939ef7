#!/bin/sh
# stop ends an agent, says who did, and leaves pane, work tree and signals.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
# client LOG COUNT: ends at the COUNT-th Ctrl+C, or is killed.
cat >"$T/client" <<'END'
use strict;
my ($log, $most) = @ARGV;
open my $out, '>>', $log or die;
$out->autoflush(1);
$SIG{INT} = sub { print $out "INT\n"; exit 0 if --$most == 0 };
$SIG{TERM} = sub { print $out "TERM\n" };
print "──────────\n❯ \n──────────\n  ? for shortcuts\n";
sleep 1000 while 1;
END
export PATH="$T/bin:$PATH"
tmux_start

# agent ISSUE COUNT
agent() {
	"$PW" start "$1" -- claude "$T/client" "$T/log-$1" "$2" >/dev/null
	wait_until 10 test -e "$T/log-$1"
}
by="by $(id -un).* at $(hostname)"
becomes() { "$PW" status "$1" --finished | grep -Eq "^$1 +$2 .*$3"; }

agent 1 2
agent 2 0
obeys 3
pane_run hand "exec claude $T/client $T/log-hand 1"
wait_until 10 test -e "$T/log-hand"
hand=$(pane_tell hand '#{pane_id}')
scenario 'agents are ended by the keys of their clients, or by signals' <<'END'
>>> "$PW" stop 1 "$hand" 3
1: stopped; 'paneward revive 1' brings it back
~ %\d+: stopped
3: stopped; 'paneward revive 3' brings it back
>>> cat "$T/log-1" "$T/log-hand"
INT
INT
INT
>>> "$PW" stop 2; sort "$T/log-2" | uniq -c | xargs
2: stopped; 'paneward revive 2' brings it back
~ [1-4] INT 1 TERM
END
for issue in 1 2 3; do
	check "its record says who stopped $issue" becomes "$issue" dead "stopped $by"
done
check 'and its pane stays' pane_placed project-issue-1
like "$(journal 1 run)" "stopped $by" 'and so does the journal'
is "$("$PW" status)" '' 'nothing of it needs a person'
scenario 'what cannot be stopped is told, and the others are' <<'END'
>>> obeys 4; valid 1 stop --json none 4; becomes 4 dead .
>>> covers done.target done.did done.state done.why
>>> cat "$T/err"; grep -o '.*"issue":"4","state":"dead"' "$T/out"
paneward: cannot stop 'none': no agent is known by the name 'none'
{"target":"4","did":"stopped","issue":"4","state":"dead"
>>> fails 1 "cannot stop '4': it has ended already" stop 4
>>> fails 2 'needs ISSUE' stop; fails 2 "did you mean 'stop'" kill 4
>>> echo "{\"worktree_setup\": \"until [ -e '$T/go' ]; do sleep 0.02; done\"}" \
... 	>.paneward.json; git_project; : >"$S/signal-complete-5"
>>> obeys 5 --new-worktree; begin_command s5 stop 5
>>> let_turn "$(cat "$T/s5.pid")"; : >"$T/go"; wait_until 60 command_ended s5
>>> cat "$T/s5.out" "$T/s5.err"
5: stopped; 'paneward revive 5' brings it back
END
done_testing
