#!/bin/sh
# The loop inside one agent session: `loop start`, `stop` and `status` as a user
# types them, and `hook loop` as the agent's client calls it.  What decides is
# tried by tests/cases/th-loop.t; here is what is around it.
. "${0%/*}/lib.sh"

state=.claude/th-loop.local.md
channel=temp/th-channel
hashes='###'
export TZ=UTC PANEWARD_NOW=1772366400   # 2026-03-01 12:00:00

loop() { "$PW" loop "$@"; }

# hook EVENT [KEY VALUE]: one call of the hook.
hook() {
	printf '{"hook_event_name":"%s"%s}' "$1" "${2:+,\"$2\":$3}" |
		"$PW" hook loop
}

# reason [ACTIVE]: of a block, and why the agent may stop.
reason() {
	hook Stop stop_hook_active "${1:-true}" | perl -MJSON::PP -e '
		local $/;
		my $v = decode_json(<STDIN> || exit);
		$v->{decision} eq "block" or die "no decision";
		binmode STDOUT, ":utf8";
		print $v->{reason}'
}

# value KEY: in the state.
value() { sed -n "s/^$1: *//p" "$state"; }

# write KEY: VALUE...: a state written by hand, with these lines added.
write() {
	mkdir -p .claude
	rm -rf "$state"
	printf '%s\n' --- 'status: active' 'max: 100' "$@" --- >"$state"
}

# post TEXT: it is all that is in the channel.
post() {
	mkdir -p "$channel"
	printf '## 12:00 user\n%b\n' "$1" >"$channel/2026-03-01.md"
}

scenario 'a loop begins, gives what is new in the channel, and ends' <<'END'
>>> loop status
paneward: loop status: there is no loop in '$T/project': '.claude/th-loop.local.md' is missing; this command is for a loop inside a session; Ctrl+C or SIGTERM ends a 'loop run'
[1]
>>> loop stop
paneward: loop stop: there is no loop in '$T/project': '.claude/th-loop.local.md' is missing; this command is for a loop inside a session; Ctrl+C or SIGTERM ends a 'loop run'
[1]
>>> reason; ls -A
paneward: hook loop: no-state: '.claude/th-loop.local.md': there is no such file
>>> loop start; echo $(stat -c %a "$state"; sort "$state")
the loop is that of an agent in '$T/project'
600 --- --- duration: 0 iteration: 0 max: 10 prompt: "" started: 1772366400 status: active
>>> loop start --max 3
paneward: loop start: a loop is active in '$T/project' already; end it with 'paneward loop stop'
[1]
>>> value max; reason
10
(No new messages since 2026-03-01 12:00:00)
>>> mkdir -p "$channel"; printf '## 12:00:01 user\nthe first\n' >"$T/first"
>>> cp "$T/first" "$channel/2026-03-01.md"; PANEWARD_NOW=1772366402; reason
## 12:00:01 user
the first
>>> printf '\n## 12:00:03 user\nthe second\n' >>"$channel/2026-03-01.md"
>>> PANEWARD_NOW=1772366404; reason
## 12:00:03 user
the second
>>> reason
(No new messages since 2026-03-01 12:00:04)
>>> loop status; loop status --json | tee "$T/out"; conforms loop
active  4 of 10 turns  the channel  $T/project/.claude/th-loop.local.md
{"status":"active","started":"2026-03-01T12:00:00.000Z","max":10,"iteration":4,"duration":0,"last_read_timestamp":"2026-03-01T12:00:04.000Z","prompt":"","file":"$T/project/.claude/th-loop.local.md"}
>>> covers loop.last_read_timestamp; loop stop; reason; loop stop
paneward: hook loop: inactive: the status is 'stopped'
END
scenario 'the next one is new; what else is in the file stays' <<'END'
>>> printf '# kept\nmine: 1\n' >"$T/own"; sed -i "2r $T/own" "$state"
>>> chmod 640 "$state"; echo 'and the text below' >>"$state"
>>> loop start -m 2 -d 60 -p 'say "a\b" #1'
the loop is that of an agent in '$T/project'
>>> echo $(stat -c %a $state; cat $state)
640 --- status: active # kept mine: 1 started: 1772366404 max: 2 iteration: 0 duration: 60 prompt: "say \"a\b\" #1" --- and the text below
>>> reason
say "a\b" #1
>>> reason
say "a\b" #1
>>> reason; value status
paneward: hook loop: max-iterations: 2 of 2 turns
stopped
>>> printf '\n## 12:00:05 user\n* Stop\n' >>"$channel/2026-03-01.md"
>>> loop start
paneward: loop start: '$T/project/temp/th-channel/2026-03-01.md' says 'stop', which ends the loop at the first turn; begin a new section below it
the loop is that of an agent in '$T/project'
>>> reason
paneward: hook loop: channel-stop: 'temp/th-channel/2026-03-01.md' says so
>>> rm -r "$channel"; write
>>> # A time zone that is a directory: localtime(3) fails and changes errno.
>>> TZ=:/ reason; loop stop
(No new messages since the loop began)
END
fails 2 "takes no argument, and 'stop' is one" loop start stop
fails 2 "loop stop: unknown option '--max'" loop stop --max 3
fails 2 "loop start: unknown option '--json'" loop start --json
fails 2 'max' loop start --max 0
fails 2 'max' loop start --max many
fails 2 'duration' loop start --duration -1
fails 2 'finished marker' \
	loop start --prompt "print ${hashes}TASK_COMPLETE_42$hashes"
fails 2 'control character' loop start --prompt "$(printf 'a\033[1mb')"
fails 2 'not the name of an agent' loop start --agent ../x
scenario 'a name that is a path is refused; nothing changed' <<'END'
>>> TH_LOOP_AGENT=a/b loop status 2>&1 | cut -d : -f -3; ls -A; value status
paneward: loop status: TH_LOOP_AGENT 'a/b' is not the name of an agent
.claude
temp
stopped
END

git_project
git worktree add -q .worktrees/issue-7-x -b issue-7-x
mkdir -p .worktrees/issue-7-x/deep/er other
rm -r .claude
scenario 'the loop is where the hook looks, and is told so' <<'END'
>>> cd .worktrees/issue-7-x/deep/er && loop start -p deep; reason
the loop is that of an agent in '$T/project/.worktrees/issue-7-x/deep/er'
deep
>>> loop stop; value status; cd "$P"; find . -name .claude
stopped
./.worktrees/issue-7-x/deep/er/.claude
>>> (cd .worktrees/issue-7-x && loop start)
the loop is that of an agent in '$T/project/.worktrees/issue-7-x'
>>> CLAUDE_PROJECT_DIR=$P/other loop start -p there; ls "other/$state"
the loop is that of an agent in '$T/project/other'
other/.claude/th-loop.local.md
>>> CLAUDE_PROJECT_DIR=$P/other reason
there
>>> loop start --agent eris -p 'I am it'; ls .claude; TH_LOOP_AGENT=eris reason
the loop is that of an agent in '$T/project'
th-loop-eris.local.md
I am it
>>> reason
paneward: hook loop: no-state: '.claude/th-loop.local.md': there is no such file
END

mkdir elsewhere
# What is done to a good state, and what is wrong with it then.
while IFS='|' read -r change words; do
	rm -rf .claude && write 'prompt: "a8b"' && cp "$state" "$T/good"
	eval "$change"
	[ ! -f "$state" ] || cp "$state" "$T/before"
	is "$(reason 2>"$T/err")" '' "$words: the agent stops"
	like "$(cat "$T/err")" "malformed: .*$words" '... with the reason'
	for verb in start stop status; do
		fails 1 "$words" loop $verb
	done
	[ ! -f "$state" ] || check '... it stays' cmp "$state" "$T/before"
done <<'END'
echo 'status: active' >"$state"|first line
head -n 3 "$T/good" >"$state"|is missing
write 'prompt: "x'|not closed
tr 8 '\0' <"$T/good" >"$state"|NUL
perl -e 'print "x" x 70000' >>"$state"|more than 64 KiB
chmod 666 "$state"|any user can write
mv "$state" real.md; ln -s "$P/real.md" "$state"|is a link
rm "$state"; mkfifo "$state"|not a regular file
rm "$state"; mkdir "$state"|not a regular file
rm -r .claude; ln -s elsewhere .claude|no folder, or a link
END
is "$(grep -c 'status: active' real.md)$(ls elsewhere)" 1 'no link is followed'
rm .claude

scenario 'no marker and no control character reaches the agent' <<'END'
>>> write; post "${hashes}TASK_COMPLETE_4$hashes #${hashes}ERROR_TASK_7$hashes"
>>> reason
## 12:00 user
### TASK_COMPLETE_4### #### ERROR_TASK_7###
>>> write "prompt: \"${hashes}TASK_COMPLETE_a${hashes}\""; reason | head -n 1
### TASK_COMPLETE_a###
>>> write; post 'a\033[1mb\r\n\001\tc\0377d'; reason >"$T/reason"
>>> grep -c "^$(printf '\t')c" "$T/reason"
1
>>> LC_ALL=C tr -d '\011\012\040-\176\200-\377' <"$T/reason" | wc -c
0
>>> write; { echo '## 12:00 user'; yes 'all work and no play' |
... 	head -c 3000000; echo the end; } >"$channel/2026-03-01.md"
>>> reason >"$T/reason"
>>> test "$(wc -c <"$T/reason")" -lt 70000; grep end "$T/reason"
allthe end
>>> rm -r temp; write 'prompt: "   "'; reason
(No new messages since the loop began)
END
scenario 'a channel that is not safe is not handed on; any stop is one' <<'END'
>>> write; post 'from a stranger'; chmod 666 "$channel/2026-03-01.md"; reason
paneward: hook loop: 'temp/th-channel/2026-03-01.md': any user can write to it; chmod it to 644; its messages are not handed on
(No new messages since the loop began)
>>> post stop; chmod 666 "$channel/2026-03-01.md"; write; reason
paneward: hook loop: 'temp/th-channel/2026-03-01.md': any user can write to it; chmod it to 644; its messages are not handed on; channel-stop: 'temp/th-channel/2026-03-01.md' says so
>>> rm "$channel/2026-03-01.md"; mkfifo "$channel/2026-03-01.md"; write; reason
paneward: hook loop: 'temp/th-channel/2026-03-01.md': it is not a regular file
(No new messages since the loop began)
>>> rm "$channel/2026-03-01.md"; echo secret >"$T/secret"; write
>>> ln -s "$T/secret" "$channel/2026-03-01.md"; reason
paneward: hook loop: 'temp/th-channel/2026-03-01.md': it is a link
(No new messages since the loop began)
>>> rm -r "$channel"; mkdir "$T/linked"; echo stop >"$T/linked/2026-03-01.md"
>>> ln -s "$T/linked" "$channel"; write; reason; rm -r temp
paneward: hook loop: cannot read 'temp/th-channel': it is no folder, or a link
(No new messages since the loop began)
END

# cap ITERATION ACTIVE [COUNT]: is the client's cap told at this turn?
cap() {
	write "iteration: $1" 'prompt: "go on"'
	[ $# -lt 3 ] || export CLAUDE_CODE_STOP_HOOK_BLOCK_CAP="$3"
	printf ' %s' "$(reason "$2" | grep -c 'unless a tool is used')"
	unset CLAUDE_CODE_STOP_HOOK_BLOCK_CAP
}

scenario 'the cap of the client is told at the seventh block in a row' <<'END'
>>> cap 5 true; cap 6 true; cap 7 true; cap 7 false; cap 40 true 0
 0 1 1 0 0
>>> cap 17 true 20; cap 18 true 20; cap 7 true many
 0 1 1
>>> hook PreToolUse
paneward: hook loop: other-event: 'PreToolUse' is no stop
END

export PW T
printf '{"hook_event_name":"Stop"}' >"$T/input"
# at_once COUNT COMMAND: so many shells run it.
at_once() { seq "$1" | xargs -P "$1" -I_ sh -c "$2"; }

# killed SECONDS: is the state whole after a hook was killed then?
killed() {
	count=$(value iteration)
	"$PW" hook loop <"$T/input" >/dev/null 2>&1 &
	sleep "$1"
	kill -KILL $! 2>/dev/null
	wait $! 2>/dev/null
	[ "$(grep -c '^---$' "$state"):$(value prompt)" = '2:"x"' ] &&
		[ "$(value iteration)" -ge "$count" ]
}

# One that stands still with the lock makes others let the agent stop; a start
# then exits with 3.
scenario 'at the same time each turn is counted once, one start begins' <<'END'
>>> write 'iteration: 0' 'prompt: "x"'; for _ in 1 2 3 4 5 6; do
... 	at_once 4 '"$PW" hook loop <"$T/input" >>"$T/answers" 2>>"$T/lost"'
... done
>>> is "$(value iteration)" "$(grep -c block "$T/answers")"
>>> late=$(grep -c 'unreadable: .*lock' "$T/lost")
... is "$(grep -c . "$T/lost") $(($(value iteration) + late))" "$late 24"
>>> for _ in 1 2 3 4 5 6 7 8; do
... 	rm "$state"
... 	at_once 6 '"$PW" loop start >"$T/said" 2>&1; echo $?'
... done | tr 3 1 | sort | uniq -c | xargs
8 0 40 1
>>> find .claude -name '*.tmp'
>>> # Hooks that are killed leave a whole state.
>>> write 'iteration: 24' 'prompt: "x"'
>>> for i in 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0; do
... 	killed "0.00$i" || echo "$i"
... done
END
hold_lock() {
	exec perl -MFcntl=:flock -e 'open my $state, "<", shift;
		flock $state, LOCK_EX; open my $held, ">", shift; sleep 1000' \
		"$state" "$T/held"
}
scenario 'no loop goes on whose state cannot be written or locked' <<'END'
>>> : >".claude/.th-loop.local.md.tmp"; reason; ls -A .claude
x

(The client keeps a turn going for 8 blocks of a hook in a row and then ends it, unless a tool is used in between. Use one in this turn.)th-loop.local.md
>>> mkdir .claude/.th-loop.local.md.tmp; before=$(value iteration); reason
paneward: hook loop: cannot write '.claude/th-loop.local.md': File exists
>>> test "$(value iteration)" = "$before"; loop stop
paneward: loop stop: cannot write '.claude/th-loop.local.md' in '$T/project': File exists
[3]
>>> rmdir .claude/.th-loop.local.md.tmp; hold_lock &
>>> wait_until 5 test -e "$T/held"; reason; kill $!
paneward: hook loop: unreadable: '.claude/th-loop.local.md': another process has held its lock for half a second
END
unset PANEWARD_NOW
mine=11111111-1111-4111-8111-111111111111
other=22222222-2222-4222-8222-222222222222
# of ISSUE RUN COMMAND...: in the environment of that run.
of() {
	of_issue=$1 of_run=$2
	shift 2
	PANEWARD_ISSUE=$of_issue PANEWARD_STATUS_DIR=$S PANEWARD_RUN=$of_run "$@"
}

message="\"Done.\\n${hashes}TASK_COMPLETE_42${hashes}\""
write 'prompt: "go on"'
scenario 'the report of its own run ends the loop' <<'END'
>>> of 42 "$mine" reason
go on
>>> of 42 "$mine" "$PW" signal error 'not yet'; of 42 "$mine" reason
go on
>>> of 42 "$other" "$PW" signal complete; of 42 "$mine" reason
go on
>>> of 42 "$mine" "$PW" signal complete; of 42 "$mine" reason
paneward: hook loop: run-complete: issue 42 is complete: signal
>>> value status; ls "$S"; rm "$S"/signal-*; write 'prompt: "go on"'
stopped
signal-complete-42
signal-error-42
>>> of 42 "$mine" hook Stop last_assistant_message "$message"
paneward: hook loop: run-complete: issue 42 is complete: its message
>>> write 'prompt: "go on"'
>>> of 42 "$mine" hook SubagentStop last_assistant_message "$message"
{"decision":"block","reason":"go on"}
END

tmux_start
tmux=$(tm display-message -p '#{socket_path},#{pid},0')
"$PW" start 43 -- sh -c '"$PANEWARD" signal complete; exec cat' >"$T/said"
"$PW" start 44 --no-watch --marker ALL-DONE -- cat >"$T/said" 2>&1
wait_until 10 recorded 43 complete
wait_until 5 test ! -e "$S/signal-complete-43"
goal='prompt: "go on until ALL-DONE"'
write "$goal"
scenario 'the record of its run ends it; the pane tells which that is' <<'END'
>>> of 43 "$mine" reason
go on until ALL-DONE
>>> of 43 "$(record 43 run)" reason
paneward: hook loop: run-complete: issue 43 is complete: signal
>>> write "$goal"; TMUX=$tmux TMUX_PANE=$(record 43 tmux.pane) reason
paneward: hook loop: run-complete: issue 43 is complete: signal
>>> write "$goal"; TMUX=$T/nowhere,1,0 TMUX_PANE=%1 reason
go on until ALL-DONE
>>> # A marker of its own is not told whole, nor one that no record knows.
>>> of 44 '' reason
go on until A LL-DONE
>>> server=${tmux%,*}; freeze "${server##*,}"
>>> TMUX=$tmux TMUX_PANE=$(record 44 tmux.pane) reason
~ paneward: hook loop: the tmux server at '.T/tmux/tmux-[0-9]+/default' did not answer within 5 s; the agent is not kept going
>>> kill -CONT "${server##*,}"
>>> echo '{"torn' >"$S/.paneward/44.json"; of 44 '' reason
paneward: hook loop: cannot read the status record of issue '44': it is torn; the agent is not kept going
END
done_testing
