#!/bin/sh
# Messages between agents: what the command and the hook do to files that
# belong to people, and what they refuse.
. "${0%/*}/lib.sh"

I=$P/queue/inbox

inbox() { "$PW" inbox "$@"; }

# list TARGET: its entries without their ids and times.
list() {
	inbox list "$1" | sed -E 's/^[0-9a-f]{8} ([a-z]+) +[-0-9T:.]+Z /\1 /'
}

# inbox_of TARGET: its file from standard input.
inbox_of() {
	mkdir -p "$I"
	cat >"$I/$1.yaml"
	cp "$I/$1.yaml" "$T/$1.before"
}

untouched() { cmp "$I/$1.yaml" "$T/$1.before"; }

# hook AGENT MESSAGE
hook() {
	printf '{"last_assistant_message":"%s"}' "$2" >"$T/input"
	env __STOP_HOOK_AGENT_ID="$1" "$PW" hook inbox <"$T/input"
}

notices() { grep -c stophook_notification "$I/$1.yaml"; }

# summary: of the last line of JSON.
summary() {
	perl -MJSON::PP -ne '$last = $_;
		END { print decode_json($last)->{entry}{summary}, "\n" }'
}

# journaled TEXT: how often does a line of the journal have it?
journaled() { grep -c "$1" "$S/.paneward/journal.ndjson"; }

scenario 'messages are written, listed, marked and read' <<'END'
>>> inbox list
>>> inbox read nobody
paneward: inbox 'queue/inbox/nobody.yaml': there is no such inbox in '$T/project'; there is none yet, 'paneward inbox write' makes one
[1]
>>> inbox write boss 'the tests pass' news worker1
paneward: new inboxes in '$T/project'
>>> inbox write boss 'and lint'
>>> inbox list; list boss
boss 2 entries, 2 unread
unread worker1 news the tests pass
unread unknown wake_up and lint
>>> id=$(inbox list boss | sed -n '2s/ .*//p'); inbox ack boss "$id"; list boss
unread worker1 news the tests pass
read unknown wake_up and lint
>>> fails 1 "no unread entry '$id'" inbox ack boss "$id"
>>> inbox read boss; echo; inbox read boss; list boss
~ \w+ unread \S+ worker1 news the tests pass

read worker1 news the tests pass
read unknown wake_up and lint
>>> inbox write boss third; inbox ack boss; list boss | tail -n 1
read unknown wake_up third
>>> inbox list --json boss | head -n 1
~ \{"inbox":"boss","list":"reports","id":"\w+","unread":false,"entry":\{"subtask_id":"stophook_notification","worker":"worker1","status":"notification","reported_at":"\S+","summary":"the tests pass","type":"news","read":"true"\}\}
END

scenario 'no finished marker and no control byte is written or shown' <<'END'
>>> inbox write boss 'print ###TASK_COMPLETE_42### at the end' \
... 	"$(printf 'a\033[1mb')"
>>> tail -n 3 "$I/boss.yaml"; inbox read boss; inbox list --json boss >"$T/out"
    summary: "print ##\x23TASK_COMPLETE_42### at the end"
    type: "a\x1b[1mb"
    read: false
~ \w+ unread \S+ unknown a\\x1b\[1mb print ##\\x23TASK_COMPLETE_42### at the end
>>> grep '###TASK' "$I/boss.yaml" "$T/out" || summary <"$T/out"
print ###TASK_COMPLETE_42### at the end
END

scenario 'a message has a request, a subtask, or several readers' <<'END'
>>> inbox write boss --json; list boss | tail -n 1
unread unknown wake_up --json
>>> inbox write asked 'is done' report worker1 r-7 s12
>>> tr '\n' ' ' <"$I/asked.yaml"; echo
~ reports:   - request_id: "r-7"     subtask_id: "s12"     worker: "worker1"     status: notification     reported_at: "\S+"     summary: "is done"     type: "report"     read: false 
>>> inbox write asked 'is done' report worker1 '' ''
>>> grep -c 'stophook_notification\|request_id' "$I/asked.yaml"
2
>>> fails 2 'write takes TARGET' inbox write asked a b c d e f
>>> inbox write --targets 'left, right' --stop order boss r-8
>>> list left; list right; grep -h request "$I/left.yaml" "$I/right.yaml"
unread boss order --stop
unread boss order --stop
  - request_id: "r-8"
  - request_id: "r-8"
>>> fails 2 "'../x' cannot be the name" inbox write --targets=left,../x more
>>> fails 2 "'' cannot be the name" inbox write --targets left, more
>>> fails 2 "names 'left' twice" inbox write --targets left,left more
>>> printf 'reports: text\n' | inbox_of right
>>> inbox write --targets right,left more; untouched right; list left
paneward: inbox 'queue/inbox/right.yaml': 'reports' is not a list
unread boss order --stop
unread unknown wake_up more
>>> fails 2 'targets is for write' inbox --targets left list
>>> fails 2 'no TARGET with --targets' inbox write --targets left
>>> rm "$I/asked.yaml" "$I/left.yaml" "$I/right.yaml"
>>> inbox write --sync boss synced
END

inbox_of own <<'END'
# kept by hand

other: {b: 1, a: 'x'}   # first of all
reports:
    # the oldest
    -   subtask_id: 's1'    # quoted
        summary: >-
          folded
          text
        read:   false       # not yet
    - {subtask_id: s2, read: false}
tail:
  - "last"
# the end
END
chmod 640 "$I/own.yaml"
printf 'base: &b\n  read: false\nreports:\n  - <<: *b\n    a: 1\n  - *b\n' |
	inbox_of alias
scenario 'a file written by hand stays as it is, but for what is asked' <<'END'
>>> inbox write own 'hello' t f
>>> diff "$T/own.before" "$I/own.yaml" | cut -c 1-18 | tr '\n' ' '; echo
11a12,18 >     - subtask_id >       worker: "f >       status: no >       reported_a >       summary: " >       type: "t" >       read: fals 
>>> cp "$I/own.yaml" "$T/own.added"; inbox ack own
>>> diff "$T/own.added" "$I/own.yaml" | grep '>'; ls -l "$I/own.yaml" | cut -c -10
>         read:   true       # not yet
>     - {subtask_id: s2, read: true}
>       read: true
-rw-r-----
>>> inbox list; inbox ack alias; untouched alias
alias 2 entries, 0 unread
boss 6 entries, 2 unread
own 4 entries, 0 unread
>>> find "$I" -name '.*'
END

mkdir "$T/linked"
ln -s "$T" "$T/linked/queue"
marker='###TASK_COMPLETE_42###'
scenario 'what is no inbox, no target or no message is refused' <<'END'
>>> fails 2 'cannot be the name' inbox write ../../x y
>>> no test -e ../x.yaml && no test -e x.yaml
>>> fails 2 'cannot be the name' inbox write .x y
>>> fails 2 'cannot be the name' inbox write '' y
>>> fails 2 'takes write, list' inbox send boss x
>>> fails 2 'is no id' inbox ack boss 12
>>> fails 1 "nobody.yaml': there is no such inbox; .*boss" inbox read nobody
>>> printf 'reports: {a: 1}\n' | inbox_of map
>>> fails 1 "'reports' is not a list" inbox write map x; untouched map
>>> printf 'reports:\n  - "open\n' | inbox_of open
>>> fails 1 'line 3' inbox write open x; untouched open
>>> fails 1 'line 3' inbox read open; printf -- '- a\n' | inbox_of list
>>> fails 1 'not a mapping' inbox write list x; untouched list
>>> printf 'reports: []\nreports: []\nlast: 1\n' | inbox_of twice
>>> fails 1 "line 2: .*'reports' stands twice" inbox write twice x
>>> inbox ack twice 01234567 || untouched twice
paneward: inbox 'queue/inbox/twice.yaml': line 2: the key 'reports' stands twice
>>> printf '"%s": 1\n"%s": 2\n' "$marker" "$marker" | inbox_of "$marker"
>>> inbox list 2>&1 | grep TASK; rm "$I/$marker.yaml"
paneward: inbox 'queue/inbox/### TASK_COMPLETE_42###.yaml': line 2: the key '### TASK_COMPLETE_42#' stands twice
>>> fails 1 'open.yaml' inbox list --json
>>> rm "$I/map.yaml" "$I/open.yaml" "$I/list.yaml" "$I/twice.yaml"
>>> ln -s boss.yaml "$I/link.yaml"; mkdir "$I/folder.yaml"
>>> fails 1 'it is a link' inbox write link x; rm "$I/link.yaml"
>>> fails 1 'not a regular file' inbox write folder x; rmdir "$I/folder.yaml"
>>> __STOP_HOOK_SCRIPT_DIR=$T/linked fails 3 'or a link' inbox write boss x
END

{
	printf 'reports:\n'
	for i in $(seq 50); do
		printf -- '- subtask_id: stophook_notification\n'
		printf '  summary: "n%s"\n  read: false\n' "$i"
		[ "$i" != 7 ] || printf -- '- subtask_id: own\n'
	done
} | inbox_of full
scenario 'fifty notices stay, and the journal has the others' <<'END'
>>> inbox write full n51
>>> echo $(notices full) $(grep -e 'n1"' -e own "$I/full.yaml")
50 - subtask_id: own worker: "unknown"
>>> journaled 'warning","subject":"queue/inbox/full.yaml".*n1'
1
>>> mv "$S" "$S.away"; ln -s "$T" "$S"; inbox write full n52; notices full
paneward: inbox full: cannot use the status directory '$T/project/.worktrees/.status': it is a link; the oldest notices stay
51
>>> rm "$S"; mv "$S.away" "$S"; chmod 770 "$S"; inbox write full n53; notices full
paneward: inbox full: status directory '$T/project/.worktrees/.status': the group could write to it; its mode is 700 now
50
>>> inbox write --journal full n54; journaled n54
0
[1]
>>> printf 'reports: {a: 1}\n' | inbox_of map
>>> fails 1 'not a list' inbox write --journal map 'no room' t f
>>> journaled "subject\":\"queue/inbox/map.yaml\".*'reports' is not a list.*no room"
1
>>> fails 1 'not a list' inbox write map 'nor this'
>>> journaled 'nor this'; rm "$I/map.yaml"
0
END

inbox_of ashigaru1 <<'END'
tasks:
  - {subtask_id: t1, status: assigned, description: "say ###TASK_COMPLETE_42###"}
END
scenario 'an agent with work goes on, once, and is told which' <<'END'
>>> hook ashigaru1 'nothing yet'
{"decision":"block","reason":"未処理が1件ある。queue/inbox/ashigaru1.yamlを読み、処理されたし。\n- t1: say ### TASK_COMPLETE_42###"}
>>> printf '{"stop_hook_active":true}' |
... 	__STOP_HOOK_AGENT_ID=ashigaru1 "$PW" hook inbox
>>> echo 'tasks: [{subtask_id: s1, status: assigned, description: "go\\nand on"},
... 	{subtask_id: s2, status: assigned, description: go},
... 	{subtask_id: s3, status: assigned},
... 	{status: assigned, description: alone}]' | inbox_of ashigaru1
>>> hook ashigaru1 'nothing yet'
{"decision":"block","reason":"未処理が4件ある。queue/inbox/ashigaru1.yamlを読み、処理されたし。\n- s1: go\n- s2: go\n- s3\n- alone"}
END

# hold FILE: another process holds its lock until $T/let-go exists.
hold() {
	rm -f "$T/held" "$T/let-go"
	perl -MFcntl=:flock -e '
		open my $l, ">>", $ARGV[0] or die;
		flock $l, LOCK_EX;
		open my $held, ">", $ARGV[1];
		select undef, undef, undef, 0.02 until -e $ARGV[2]' \
		"$1" "$T/held" "$T/let-go" &
	holder=$!
	wait_until 5 test -e "$T/held"
}

# unlocked FILE: no process holds its lock.
unlocked() {
	perl -MFcntl=:flock -e 'open my $l, ">>", $ARGV[0] or die;
		exit !flock $l, LOCK_EX | LOCK_NB' "$1"
}

mkfifo "$T/pipe"
scenario 'an agent does not wait for a lock; the notice comes later' <<'END'
>>> hold "$I/roju_reports.yaml.lock"
>>> cat "$T/pipe" >"$T/piped" & reader=$!
>>> hook ashigaru5 'task completed' >"$T/pipe" 2>&1 7>&1
>>> wait "$reader"; kill -0 "$holder"; cat "$T/piped"
>>> no test -e "$I/roju_reports.yaml"
>>> : >"$T/let-go"; wait_until 5 grep -qs ashigaru5、 "$I/roju_reports.yaml"
>>> notices roju_reports; wait "$holder"
1
END

cat >"$T/words.json" <<'END'
{ "inbox": {
	"roles": { "lead": { "unread": ["reports", "mail"] } },
	"notify_to": "reports",
	"texts": {
		"report_completed": "<<agent>> is done, see <<notify_to>>",
		"reason": "<<count>> for <<agent>> in <<files>>:",
		"between": " and ",
		"more": "and <<count>> more"
	}
} }
END
scenario 'a notice goes where it is configured, in words of one'\''s own' <<'END'
>>> cp "$T/words.json" .paneward.json
>>> hook worker 'task completed'; hook worker 'abort'
>>> wait_until 5 grep -qs 'worker is done, see reports' "$I/reports.yaml"
>>> wait_until 5 grep -qs '"worker、エラー' "$I/reports.yaml"
>>> hook lead 'task completed' >/dev/null; notices reports
2
>>> for summary in a b c d; do
... 	echo "- {summary: $summary, read: false}"
... done | sed '1s/^/reports:\n/' | inbox_of mail
>>> hook lead 'hm'
{"decision":"block","reason":"6 for lead in queue/inbox/reports.yaml and queue/inbox/mail.yaml:\n- stophook_notification: worker is done, see reports\n- stophook_notification: worker、エラーで停止検出。確認されたし。\n- a\n- b\n- c\nand 1 more"}
>>> rm .paneward.json "$I/reports.yaml" "$I/mail.yaml"
END

scenario 'a notice that cannot be written is journaled' <<'END'
>>> hold "$I/roju_reports.yaml.lock"; hook ashigaru5 'task completed'
>>> mv "$I/roju_reports.yaml" "$T/roju.before"
>>> printf 'reports: {a: 1}\n' | inbox_of roju_reports; : >"$T/let-go"
>>> wait_until 5 grep -qs "is not a list.*ashigaru5、" \
... 	"$S/.paneward/journal.ndjson"
>>> untouched roju_reports
>>> wait_until 5 unlocked "$I/roju_reports.yaml.lock"
>>> hook ashigaru6 'task completed'; journaled 'is not a list.*ashigaru6、'
... valid 0 history --json; covers history.data.entry
paneward: hook inbox: 'queue/inbox/roju_reports.yaml': 'reports' is not a list
1
>>> wait "$holder"
END

scenario 'who holds the journal does not hold the agent' <<'END'
>>> sed 's/^- subtask_id: own$//' "$T/full.before" >"$I/roju_reports.yaml"
>>> hold "$S/.paneward/journal.ndjson"
>>> hook ashigaru7 'task completed' >"$T/out" 2>&1 & hooked=$!
>>> wait_until 5 grep -q ashigaru7、 "$I/roju_reports.yaml"
>>> : >"$T/let-go"; wait "$hooked"; notices roju_reports; cat "$T/out"
51
paneward: hook inbox: cannot write to the journal in '$T/project/.worktrees/.status': another process holds its lock; the oldest notices stay
>>> wait "$holder"; mv "$T/roju.before" "$I/roju_reports.yaml"
END

cat >.paneward.json <<'END'
{
	"inbox": {
		"roles": {
			"chief": "approve",
			"scribe": { "unread": ["boss"], "assigned": ["desk"] }
		},
		"patterns": { "report_completed": ["^all (is )?done$"] }
	}
}
END
scenario 'roles and patterns of one'\''s own take the place of others' <<'END'
>>> inbox ack boss; inbox write boss 'for the scribe'
>>> printf 'tasks: [{status: assigned, title: dust}]\n' | inbox_of desk
>>> hook scribe ''; hook ashigaru1 ''
{"decision":"block","reason":"未処理が2件ある。queue/inbox/boss.yaml、queue/inbox/desk.yamlを読み、処理されたし。\n- stophook_notification: for the scribe\n- dust"}
>>> for said in 'well\nAll is done' 'task completed' 'abort'; do
... 	hook scribe "$said" >/dev/null; notices roju_reports
... done
2
2
3
>>> hook chief 'all done'; notices roju_reports
3
END

scenario 'a wrong configuration is refused' <<'END'
>>> printf '{ "inbox": {"role": {}} }\n' >.paneward.json
>>> fails 2 "'$P/.paneward.json' line 1: unknown key 'inbox.role'" inbox list
>>> rm .paneward.json
>>> PANEWARD_INBOX='{"x": 1}' fails 2 "PANEWARD_INBOX: unknown key" inbox list
>>> export PANEWARD_INBOX='{"roles": {"scribe": {"unread": "boss"}}}'
>>> hook scribe 'all done'
paneward: hook inbox: PANEWARD_INBOX: 'inbox.roles.scribe.unread' is not a list of inboxes
>>> PANEWARD_INBOX='{"roles": {"scribe": {"unread": ["boss"]}}}'
>>> hook scribe 'all done' | cut -c 1-19; unset PANEWARD_INBOX
{"decision":"block"
>>> mkdir "$HOME/.config/paneward/backends"
>>> echo '{' >"$HOME/.config/paneward/backends/mine.json"
>>> hook ashigaru2 'task completed'
paneward: hook inbox: '$T/home/.config/paneward/backends/mine.json' line 2: it ends too early
>>> grep -c 'worker: "ashigaru2"' "$I/roju_reports.yaml"
1
>>> echo '{' >"$HOME/.config/paneward/backends/claude.json"
>>> hook ashigaru2 'task completed'
paneward: hook inbox: '$T/home/.config/paneward/backends/claude.json' line 2: it ends too early
>>> rm -r "$HOME/.config/paneward/backends"
END

tmux_start
pane_run agent 'exec cat'
tm set-option -p -t '=agent:' @agent_id ashigaru1
pane=$(pane_tell agent '#{pane_id}')
as() { printf '{}' | env "$@" "$PW" hook inbox; }
named_by_tmux() { as TMUX_PANE="$pane" | grep -q '"decision":"block"'; }
soon "tmux's @agent_id is the agent" named_by_tmux
scenario 'neither an empty variable nor a pane without the option is one' <<'END'
>>> as TMUX_PANE="$pane" __STOP_HOOK_AGENT_ID=''
>>> tm set-option -p -u -t '=agent:' @agent_id; as TMUX_PANE="$pane"
>>> as TMUX_PANE=%999 2>/dev/null
END

"$PW" start 7 --no-watch --marker ALL-DONE -- cat >/dev/null
export PANEWARD_ISSUE=7 PANEWARD_STATUS_DIR="$S"
scenario 'the marker of the agent'\''s own run is not shown' <<'END'
>>> inbox write boss 'print ALL-DONE at the end'
>>> inbox read boss; inbox list --json boss >"$T/out"
~ \w+ unread \S+ unknown wake_up for the scribe
~ \w+ unread \S+ unknown wake_up print \\x41LL-DONE at the end
>>> grep ALL-DONE "$T/out" || summary <"$T/out"
print ALL-DONE at the end
>>> printf 'tasks: [{status: assigned, title: print ALL-DONE}]\n' |
... 	inbox_of ashigaru1
>>> hook ashigaru1 ''
{"decision":"block","reason":"未処理が1件ある。queue/inbox/ashigaru1.yamlを読み、処理されたし。\n- print A LL-DONE"}
END

# The scripts of docs/coming-from.md, as they stand there.
mkdir -p "$P/scripts" "$T/else"
sed -n 's/^   //; /^cat >scripts/,/^END/p' "$ROOT/docs/coming-from.md" |
	(cd "$P" && sh)
rm -r "$I"
PATH=${PW%/*}:$PATH
export CLAUDE_PROJECT_DIR="$P" __STOP_HOOK_AGENT_ID=ashigaru1
cd "$T/else" || exit
scenario 'the project'\''s scripts, and the hook, find it from elsewhere' <<'END'
>>> sh "$P/scripts/inbox_write.sh" roju_reports hello report worker1
paneward: new inboxes in '$T/project'
>>> grep hello "$I/roju_reports.yaml"
    summary: "hello"
>>> echo 'tasks: [{subtask_id: s1, status: assigned, description: go}]' |
... 	inbox_of ashigaru1
>>> for CLAUDE_PROJECT_DIR in "$P" "$T/else"; do
... 	echo '{}' | sh "$P/scripts/stop_hook_inbox.sh"
... done
{"decision":"block","reason":"未処理が1件ある。queue/inbox/ashigaru1.yamlを読み、処理されたし。\n- s1: go"}
{"decision":"block","reason":"未処理が1件ある。queue/inbox/ashigaru1.yamlを読み、処理されたし。\n- s1: go"}
>>> CLAUDE_PROJECT_DIR=$P hook ashigaru1 'task completed'
{"decision":"block","reason":"未処理が1件ある。queue/inbox/ashigaru1.yamlを読み、処理されたし。\n- s1: go"}
>>> notices roju_reports; ls -A "$T/else"
2
>>> unset CLAUDE_PROJECT_DIR __STOP_HOOK_AGENT_ID
>>> inbox write boss hello
paneward: new inboxes in '$T/else'
>>> inbox write boss hello
END

# no_project FOLDER: all users can write to it, or it is a home.
no_project() {
	cd "$1" && inbox write boss hello
	hook ashigaru1 'task completed'
	__STOP_HOOK_SCRIPT_DIR=$P inbox write boss hello && inbox list
	no test -e queue
}

mkdir -m 1777 "$T/public"
scenario 'no inbox is made in a folder that is no project by itself' <<'END'
>>> no_project "$HOME"
paneward: '$T/home' is no project by itself: it is your home; go to the project's folder, or make '.paneward.json' here
paneward: hook inbox: '$T/home' is no project by itself: it is your home; go to the project's folder, or make '.paneward.json' here
>>> no_project "$T/public"
paneward: '$T/public' is no project by itself: any user can write to it; go to the project's folder, or make '.paneward.json' here
paneward: hook inbox: '$T/public' is no project by itself: any user can write to it; go to the project's folder, or make '.paneward.json' here
>>> unset PANEWARD_ISSUE PANEWARD_STATUS_DIR; for n in $(seq 51); do
... 	__STOP_HOOK_SCRIPT_DIR=$P inbox write many "$n"
... done
paneward: inbox many: there is no journal in '$T/public/.worktrees/.status'; the oldest notices stay
>>> ls -A "$T/public"
END
done_testing
