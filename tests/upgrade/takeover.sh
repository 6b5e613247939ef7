#!/bin/sh
# takeover.sh VERSION FOLDER [RECORD] - one version of run.sh, built in FOLDER.
# shellcheck disable=SC1010,SC2086,SC2115,SC2154,SC2164 source=tests/system/lib.sh
. "${0%/*}/../system/lib.sh"

version=$1 old=$2 record_in=${3:-}
U=$T/usr
NEW=$PW
PW=$U/bin/paneward
O=$S/.paneward
since_2=$([ "$version" = 0.1.0 ] && echo false || echo true)

# installs PROGRAM DATA: puts the program in the place of the one there.
installs() {
	rm -rf "$U/share" && mkdir -p "$U/bin" "$U/share/paneward"
	cp "$1" "$U/bin/new" && mv "$U/bin/new" "$PW"
	for data in backends agents templates scripts; do
		cp -R "$2/$data" "$U/share/paneward"
	done
}

# processes WORD: all paneward's of this test that run such a command.
processes() {
	grep -ls -e "TEST_FOLDER=$T" /proc/[0-9]*/environ | cut -d / -f 3 |
	while read -r pid; do
		case $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") in
		*paneward*" $1"*) echo "$pid" ;;
		esac
	done
}

# kills WORD...: with kill -9.
kills() {
	for word; do
		processes "$word" | xargs -r kill -9 2>/dev/null
	done
}

# kills_all: watchers, sweeps, runners, and the commands of the hand-offs in $1.
kills_all() {
	kills watch sweep handoff-run start-queued
	for issue in $1; do
		xargs -r kill -9 <"$T/pid-$issue" 2>/dev/null
	done
}

count() { grep -cx "$2" "$T/$1" 2>/dev/null || :; }
# handed ISSUE...: how often the hand-off of each was begun and done.
handed() {
	for issue; do
		printf '%s:%s/%s ' "$issue" "$(count begun "$issue")" \
			"$(count done "$issue")"
	done
}
was_begun() { [ "$(count begun "$1")" -ge 1 ]; }
was_done() { [ "$(count done "$1")" -ge 1 ]; }

# states ISSUE...: state and hand-off in the records.
states() {
	for issue; do
		printf '%s:%s\n' "$issue" "$(fields "$issue" state \
			handoff.state | tr ' ' '/')"
	done | tr '\n' ' '
}

# fixture FROM TO: the files that are read again, for tests/system/older.sh: $T is
# @T@ in them, the machine was started again since, and some issues are enough.
fixture() {
	find "$1" -type f 2>/dev/null | sort | while read -r file; do
		case ${file##*/} in
		*-1[35] | *-2[2-7] | *-3? | 1[35].* | 2[2-7].* | 3?.*) continue ;;
		signal-* | *.json | *.agent | *.records | *.ndjson) ;;
		project | *.yaml | queued) ;;
		*) continue ;;
		esac
		to=$record_in/$version/$2${file#"$1"}
		mkdir -p "${to%/*}"
		sed "s,$T,@T@,g
			s/\"boot\":\"[^\"]*\"/\"boot\":\"$another_boot\"/g
			/\"subject\":\"\(1[35]\|2[2-7]\|3.\)\"/d" "$file" |
		case $file in
		*.ndjson) head -n 20 ;;
		*) cat ;;
		esac >"$to"
	done
}
another_boot=00000000-0000-4000-8000-000000000000

# says DESCRIPTION TEXT: what was seen, for the report.
says() { echo "# $version: $1: $2"; }

# ---- the old one works ------------------------------------------------------

git config --global user.name test
git config --global user.email test@localhost
git_project
rm "$HOME/.config/paneward/config.json"
cp "$PW" "$T/was" 2>/dev/null
installs "$old/paneward" "$old"
script handoff <<END
issue=\$PANEWARD_ISSUE
echo \$\$ >'$T/pid-'\$issue
echo "\$issue" >>'$T/begun'
echo "\$issue \$PANEWARD_HANDOFF_ID" >>'$T/ids'
case \$issue in
3 | 43) [ -e '$T/go' ] || exit 75 ;;
8) exit 77 ;;
9) [ -e '$T/upgraded' ] || exit 1 ;;
4 | 5 | 44) until [ -e '$T/go' ]; do sleep 0.1; done ;;
esac
echo "\$issue" >>'$T/done'
END
# Every key of 0.1.0; those of later versions below.
cat >"$P/.paneward.json" <<END
{
  "\$schema": "x",
  "status_dir": ".worktrees/.status",
  "backend": "claude",
  "session_pattern": "(?:^|-)issue-(?<issue>[0-9]+)(?:-|\$)",
  "sockets": [],
  "capture_every": 20,
  "stalled_after": 7200,
  "log_cap": 1048576,
  "handoff": ["$T/handoff"],
  "handoff_timeout": 300,
  "handoff_attempts": 4,
  "worktree_root": ".worktrees",
  "build_dirs": ["build"],
  "notify": "cat >/dev/null; echo \$PANEWARD_ISSUE \$PANEWARD_STATE >>'$T/notified'",
  "notify_on": ["complete", "error", "limited", "dead", "gone"],
  "inbox": { "roles": { "karo": { "unread": ["karo"] } },
    "patterns": { "error_report": ["kaput"], "report_completed": ["fertig"] } },
  "loop": { "backend": "claude", "session_manager": "native",
    "prompt_file": "$T/prompt", "keyword": "FERTIG", "max_iterations": 4,
    "idle_timeout": 600, "max_time": 3600, "report": "report.json" }
}
END
echo prompt >"$T/prompt"
tmux_start
script busy <<END
exec tail -f /dev/null
END
script limited <<'END'
printf '● You'\''ve hit your session limit · resets 3:00am (UTC)\n\n'
printf '────────────────────────\n❯ \n────────────────────────\n'
exec tail -f /dev/null
END

# starts ISSUE [OPTION...] [-- COMMAND...]
starts() {
	"$PW" start "$@" >"$T/said" 2>&1 || comment <"$T/said"
}
for issue in 1 2 3 4 5 6 7 8 9 10 13; do
	starts "$issue" --no-watch -- "$T/busy"
done
starts 14 --no-watch -- sh -c 'exit 3'
starts 12 --no-watch --backend claude -- "$T/limited"
watch_begin all --all
wait_until 20 recorded 1 working
wait_until 20 recorded 12 limited
wait_until 20 recorded 14 dead
tm kill-session -t '=project-issue-10:'
for issue in 3 4 5 6 8 9; do
	"$PW" signal complete --issue "$issue"
done
"$PW" signal error 'it is broken' --issue 7
wait_until 20 was_done 6
wait_until 20 was_begun 4
wait_until 20 was_begun 5
wait_until 20 has 3 handoff.state pending
wait_until 20 has 9 handoff.failures 1
wait_until 20 has 8 handoff.state refused
wait_until 20 has 6 handoff.state done
wait_until 20 recorded 7 error
wait_until 20 recorded 10 gone
kills_all 4
wait_until 20 no watched 1
# Reported while nothing watched.
"$PW" signal complete 'all is well' --issue 2
tm respawn-pane -k -t '=project-issue-13:' "echo '###TASK_COMPLETE_13###'
	exec tail -f /dev/null" 2>/dev/null
starts 15 --no-watch -- sh -c "echo '###TASK_COMPLETE_15###'; exec tail -f /dev/null"
wait_until 20 logged 15 TASK_COMPLETE_15
# A watcher, or its runner, is killed when it renames or removes its Nth file, or
# when it syncs the Nth time.
traced() { grep -q 'killed by SIGKILL' "$T/trace" || command_ended traced; }
script strace-watch <<'END'
exec strace -f -o "$TEST_FOLDER/trace" -e trace="$1" \
	-e inject="$1:signal=KILL:when=$2" "$3" watch "$4"
END
midst='20 21 22 23 24 25 26 27 30 31 32 33 34 35 36 37'
for issue in $midst; do
	starts "$issue" --no-watch -- "$T/busy"
	"$PW" signal complete --issue "$issue"
	: >"$T/trace"
	calls='?rename,?renameat,?renameat2,?unlinkat'
	[ "$issue" -lt 30 ] || calls=fsync,fdatasync
	PW=$T/strace-watch
	begin_command traced "$calls" $((issue % 10 + 1)) "$U/bin/paneward" \
		"$issue"
	PW=$U/bin/paneward
	wait_until 20 traced
	kills_all ''
done
says 'killed at the Nth call' "$(states $midst)"
# A loop in its second round.
script looped <<END
echo "\$PANEWARD_ITERATION" >>'$T/rounds'
[ "\$PANEWARD_ITERATION" != 2 ] || [ -e '$T/go' ] || exec tail -f /dev/null
[ "\$PANEWARD_ITERATION" != 3 ] || echo FERTIG
END
begin_command loop loop run -n 5 -- "$T/looped"
wait_until 20 grep -qx 2 "$T/rounds"
kills 'loop run'
pgrep -f "$T/looped" | xargs -r kill -9
# Messages, one of them read.
"$PW" inbox write karo 'read already' >"$T/said" 2>&1
"$PW" inbox read karo >"$T/said" 2>&1
"$PW" inbox write karo 'one: two' >"$T/said" 2>&1
"$PW" inbox write karo 'three
four' >"$T/said" 2>&1
# What a client's hook reports of an agent at its prompt.
echo '{"session_id":"s-1","hook_event_name":"Stop","cwd":"'"$P"'",
	"last_assistant_message":"all of it"}' |
	env PANEWARD_ISSUE=12 PANEWARD_RUN="$(record 12 run)" \
	PANEWARD_STATUS_DIR="$S" "$PW" hook record >"$T/said" 2>&1
if $since_2; then
	mkdir "$T/queue" && cd "$T/queue" && git init -q -b main .
	git commit -q --allow-empty -m first
	printf '{ "handoff": ["%s"] }\n' "$T/handoff" >.paneward.json
	"$PW" start --at-once 1 61 62 63 --no-watch -- "$T/busy" \
		>"$T/said" 2>&1 || comment <"$T/said"
	says 'queue' "$("$PW" status | sed 's/  */ /g' | tr '\n' ';')"
	"$PW" next --print >"$T/said" 2>&1
	cd "$P"
fi
if $since_2; then
	# An agent that is told to go on when its usage limit ends.
	mkdir "$T/limit" && cd "$T/limit" && git init -q -b main .
	git commit -q --allow-empty -m first
	echo '{ "handoff": null, "on_limit": "resume" }' >.paneward.json
	echo "exec perl '$ROOT/tests/system/parked.pl' '$T/log-81' 600" |
		script claude
	starts 81 --no-watch --backend claude -- "$T/claude"
	begin_command limit watch 81
	S=$T/limit/.worktrees/.status wait_until 20 recorded 81 limited
	wait_until 20 grep -q '"parked"' .worktrees/.status/.paneward/81.json
	kills_all ''
	parked=$(S=$T/limit/.worktrees/.status fields 81 parked.until parked.next)
	cd "$P"
fi
# The default hand-off, killed with its runner at its Nth call of git.
mkdir "$T/trees" "$T/bin"
script bin/git <<END
n=\$(cat '$T/calls' 2>/dev/null || echo 99)
n=\$((n - 1))
echo \$n >'$T/calls'
# The runner first, then all between.
pid=\$\$ all=
while [ \$n -eq 0 ] && [ \$pid -gt 1 ]; do
	case \$(tr '\\0' ' ' <"/proc/\$pid/cmdline") in
	*' watch '*) break ;;
	esac
	all="\$pid \$all"
	pid=\$(sed -n 's/^PPid:[^0-9]*//p' "/proc/\$pid/status")
done
[ "\$all" = '' ] || kill -9 \$all
exec $(command -v git) "\$@"
END
cd "$T/trees" && git init -q -b main . && echo .worktrees >.gitignore &&
	git add -A && git commit -q -m first
TS=$T/trees/.worktrees/.status
trees='71 72 73 74 75'
for issue in $trees; do
	git worktree add -q -b "work-$issue" ".worktrees/issue-$issue"
	echo "$issue" >".worktrees/issue-$issue/file"
	git -C ".worktrees/issue-$issue" add -A
	git -C ".worktrees/issue-$issue" commit -q -m "of $issue"
	starts "$issue" --no-watch --worktree ".worktrees/issue-$issue" -- \
		"$T/busy"
	"$PW" signal complete --issue "$issue"
	n=$((issue - 70))
	echo $(((n * n + 1) / 2)) >"$T/calls"
	PATH=$T/bin:$PATH
	begin_command tree watch "$issue"
	PATH=${PATH#*:}
	# Killed, or done before so many calls.
	wait_until 30 eval '[ "$(cat "$T/calls")" -le 0 ] ||
		grep -q "\"state\":\"done\"" "$TS/.paneward/$issue.json"' 2>/dev/null
	kills_all ''
done
says 'default hand-off killed' "$(S=$TS states $trees)"
cd "$P"
# What init has put into the settings of clients.
clients='claude codex gemini opencode pi'
mkdir "$T/settings" && cd "$T/settings" && git init -q .
for client in $clients; do
	"$PW" init "$client" >"$T/said" 2>&1 || comment <"$T/said"
done
cd "$P"
if [ "$record_in" != '' ]; then
	fixture "$S" status && fixture "$P/queue" queue
	fixture "$T/queue/.worktrees/.status" queued
	fixture "$P/.paneward.json" .paneward.json
fi
before=$(wc -l <"$O/journal.ndjson")
# How often each of them may be handed off at the end: one whose command was
# recorded as running, once more than now, the others once, or as often as now.
for issue in $midst; do
	most=$(count done "$issue")
	has "$issue" handoff.state running && most=$((most + 1))
	echo "$issue $((most > 0 ? most : 1))"
done >"$T/most"
cp "$T/notified" "$T/notified.old"
says 'left behind' "$(states 1 2 3 4 5 6 7 8 9 10 12 13 14 15)"
says 'handed before' "$(handed 2 3 4 5 6 8 9 15)"

# ---- the new one takes over -------------------------------------------------

installs "$NEW" "$ROOT"
: >"$T/upgraded"
"$PW" status >"$T/status" 2>"$T/err" || comment <"$T/err"
is "$(cat "$T/err")" '' 'status has nothing to say against the records'
is "$(wc -l <"$T/status")" 30 'status has a row for each issue'
comment <"$T/status"
is "$(states 1 6 7 8 10 12 14)" \
	'1:working/- 6:complete/done 7:error/- 8:complete/refused 10:gone/- 12:limited/- 14:dead/- ' \
	'states are as they were'
fails 0 '' status --json && no conforms status
fails 0 '' history --json
is "$(wc -l <"$T/out")" "$before" 'history has every line of the journal'
fails 0 '' doctor || comment <"$T/out"
grep -v '^ok\|^warning' "$T/out" | comment
fails 0 '' next --print
for issue in 1 2 7 12 14; do
	fails 0 '' explain "$issue"
done
fails 0 '' log 1
"$PW" sweep --dry-run >"$T/said" 2>&1; comment <"$T/said"
is "$(handed 2 4 15)" '2:0/0 4:1/0 15:0/0 ' 'a dry run hands nothing off'
# The command of 5 lives; its runner does not.
begin_command sweep1 sweep
wait_until 30 was_done 2
wait_until 30 was_done 15
: >"$T/go"
wait_until 60 command_ended sweep1
comment <"$T/sweep1.out"
comment <"$T/sweep1.err"
"$PW" sweep >"$T/said" 2>&1; comment <"$T/said"
is "$(handed 2 4 6 8 15)" '2:1/1 4:2/1 6:1/1 8:1/0 15:1/1 ' \
	'each completion is handed off once'
is "$(handed 5)" '5:2/2 ' 'a command that lost its runner is repeated'
is "$(grep -c '^5 ' "$T/ids") $(grep '^[45] ' "$T/ids" | sort -u | wc -l)" \
	'2 2' 'under the same id'
while read -r issue most; do
	times=$(count done "$issue")
	[ "$times" -ge 1 ] && [ "$times" -le "$most" ] ||
		echo "$issue: $times, not 1 to $most"
done <"$T/most" >"$T/wrong"
is "$(cat "$T/wrong")" '' \
	'killed at any moment no completion is lost, none repeated but a cut one'
says 'begun and done' "$(handed $midst)"
is "$(sort "$T/ids" | uniq | cut -d ' ' -f 1 | uniq -d)" '' \
	'no issue has two ids'
# By hand, and when it is due.
fails 0 'handed off' handoff 3
like "$(handed 3)" '^3:[0-9]/1 $' 'a hand-off that was put off is done by hand'
begin_command due watch 9
wait_until 90 was_done 9
watch_ended due 0 'one that failed is done when it is due'
watch_begin one 1
wait_until 20 watched 1
tm respawn-pane -k -t '=project-issue-1:' "$PW signal complete --issue 1" 
"$PW" signal complete --issue 1
watch_ended one 0 'an agent that lived through it is handed off'
like "$(handed 1 9)" '^1:1/1 9:[0-9]/1 $' 'each once'
says 'end' "$(states 1 2 3 4 5 6 7 8 9 10 12 13 14 15)"
says 'notices before' "$(sort "$T/notified.old" | uniq -c | tr -s ' \n' ' ')"
says 'notices after' "$(sort "$T/notified" | uniq -c | tr -s ' \n' ' ')"
fails 0 '' loop run --resume -n 5
is "$(tr '\n' ' ' <"$T/rounds")" '1 2 2 3 ' 'a loop begins its interrupted round again' ||
	comment <"$T/err"
fails 0 '' inbox list karo
is "$(grep -c unread "$T/out")" 2 'unread messages are unread'
comment <"$T/out"
if $since_2; then
	cd "$T/queue"
	"$PW" status >"$T/status" 2>&1; comment <"$T/status"
	is "$(grep -c queued "$T/status")" 2 'two wait in the queue'
	"$PW" signal complete --issue 61; "$PW" sweep >"$T/said" 2>&1
	S=$T/queue/.worktrees/.status wait_until 20 recorded 62 working
	"$PW" signal complete --issue 62
	# The start of 62 may not be over.
	swept() { "$PW" sweep && recorded 63 working; }
	S=$T/queue/.worktrees/.status wait_until 20 swept
	is "$(handed 61 62)" '61:1/1 62:1/1 ' 'the queue goes on'
	is "$(tm list-panes -a -F '#{pane_start_command}' | grep -c 63)" 1 \
		'with one agent each'
	cd "$P"
fi
if $since_2; then
	cd "$T/limit"
	ends=$(sed -n 's/^limit //p' "$T/log-81")
	PANEWARD_NOW=$((ends - 2)) "$PW" sweep >"$T/said" 2>&1
	is "$(S=$T/limit/.worktrees/.status fields 81 parked.until parked.next)" \
		"$parked" 'an agent waits for the same end of its limit'
	check 'and is not told before' no grep '^prompt' "$T/log-81"
	PANEWARD_NOW=$((ends + 10)) "$PW" sweep >"$T/said" 2>&1
	wait_until 20 grep -q '^prompt' "$T/log-81"
	PANEWARD_NOW=$((ends + 20)) "$PW" sweep >"$T/said" 2>&1
	is "$(grep -c '^prompt' "$T/log-81")" 1 'and is told to go on once'
	cd "$P"
fi
cd "$T/settings"
commands=$(grep -rho "$PW'* [^\"']*" .claude .codex .gemini | sort -u)
says 'commands of hooks' "$(echo "$commands" | sed "s,.*/paneward,," | tr '\n' ';')"
for client in $clients; do
	ran 0 '' "init $client brings what it has registered up to date" \
		"$PW" init "$client"
	unlike "$(cat "$T/err")" 'left as it is' 'and knows its own file'
	"$PW" init "$client" --remove >"$T/said" 2>&1
done
is "$(grep -rl paneward . | grep -v '^./.git/')" '' 'init --remove takes all of it'
cd "$T/trees"
"$PW" sweep >"$T/said" 2>&1; comment <"$T/said"
"$PW" sweep >"$T/said" 2>&1
is "$(S=$TS states $trees)" \
	"$(for issue in $trees; do printf '%s:complete/done ' "$issue"; done)" \
	'the default hand-off is done after each kill'
is "$(git worktree list | wc -l) $(git branch --list 'work-*' | wc -l)" '1 5' \
	'work trees are gone, branches are there'
cd "$P"

# ---- the old one takes it back ----------------------------------------------

rm "$T/go" "$T/rounds"
# left_by_new: a run in each state, by the new one.
for issue in 41 42 43 44 45 46; do
	starts "$issue" --no-watch -- "$T/busy"
done
starts 53 --no-watch --backend amp -- "$T/busy"
watch_begin new 41 43 44 45 46 53
wait_until 20 recorded 53 unknown
wait_until 20 recorded 41 working
for issue in 43 44 45; do
	"$PW" signal complete --issue "$issue"
done
"$PW" signal error 'it is broken' --issue 46
wait_until 20 was_done 45
wait_until 20 was_begun 44
wait_until 20 has 43 handoff.state pending
wait_until 20 has 45 handoff.state done
wait_until 20 recorded 46 error
kills_all 44
"$PW" signal complete --issue 42
starts 51 --no-watch --no-handoff -- "$T/busy"
starts 52 --no-watch --exit-is-report -- sh -c "until [ -e '$T/go' ]; do sleep 0.1; done"
"$PW" signal complete --issue 51
says 'left by the new one' "$(states 51 52 53)"
begin_command loop loop run -n 5 -- "$T/looped"
wait_until 20 grep -qx 2 "$T/rounds"
kills 'loop run'
pgrep -f "$T/looped" | xargs -r kill -9
if $since_2; then
	cd "$T/queue"
	"$PW" start --at-once 1 64 65 --no-watch -- "$T/busy" >"$T/said" 2>&1
	cd "$P"
fi
lines=$(wc -l <"$O/journal.ndjson")
installs "$old/paneward" "$old"
fails 0 '' status
is "$(cat "$T/err")" '' 'back: status reads the records'
is "$(states 1 2 41 43 44 45 46)" \
	'1:complete/done 2:complete/done 41:working/- 43:complete/pending 44:complete/running 45:complete/done 46:error/- ' \
	'back: states'
begin_command back sweep
wait_until 20 was_done 42
: >"$T/go"
wait_until 60 command_ended back
comment <"$T/back.out"
comment <"$T/back.err"
"$PW" sweep >"$T/said" 2>&1
fails 0 'handed off' handoff 43
"$PW" signal complete --issue 41
fails 0 '' watch 41
like "$(handed 1 2 41 42 43 44 45)" \
	'^1:1/1 2:1/1 41:1/1 42:1/1 43:[0-9]/1 44:2/1 45:1/1 $' \
	'back: each completion is handed off once'
says 'back: options' "$(states 51 52 53) $(handed 51 52)"
says 'back at the end' "$(states 1 2 41 42 43 44 45 46)"
if $since_2; then
	fails 0 '' history --json
	is "$(wc -l <"$T/out")" "$(wc -l <"$O/journal.ndjson")" \
		'back: history has every line'
	cd "$T/queue"
	"$PW" status >"$T/status" 2>&1; comment <"$T/status"
	"$PW" signal complete --issue 63
	again() { "$PW" sweep; recorded 64 working; }
	S=$T/queue/.worktrees/.status wait_until 20 again
	is "$(handed 63)" '63:1/1 ' 'back: the queue goes on'
	cd "$P"
fi
fails 0 '' loop run --resume -n 5
is "$(tr '\n' ' ' <"$T/rounds")" '1 2 2 3 ' 'back: the loop goes on'
fails 0 '' inbox list karo
is "$(grep -c unread "$T/out")" 2 'back: messages'
"$PW" doctor >"$T/said" 2>&1; says 'back: doctor' "$?"
grep -v '^ok\|^warning' "$T/said" | comment
done_testing
