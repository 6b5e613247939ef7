#!/bin/sh
# Messages between agents: what the command and the hook do to files that
# belong to people, and what they refuse.
. "${0%/*}/lib.sh"

I=$P/queue/inbox

# fails STATUS TEXT DESCRIPTION COMMAND...: and says so.
fails() {
	want=$1
	text=$2
	description=$3
	shift 3
	exits "$want" "$description" "$@"
	like "$(cat "$T/err")" "$text" '... with the reason'
}

# inbox_of TARGET: its file from standard input.
inbox_of() {
	mkdir -p "$I"
	cat >"$I/$1.yaml"
	cp "$I/$1.yaml" "$T/$1.before"
}

untouched() {
	check "... and '$1' is as it was" cmp "$I/$1.yaml" "$T/$1.before"
}

# hook AGENT MESSAGE: what it answers is in $T/out.
hook() {
	printf '{"last_assistant_message":"%s"}' "$2" >"$T/input"
	env __STOP_HOOK_AGENT_ID="$1" "$PW" hook inbox <"$T/input" \
		>"$T/out" 2>"$T/err"
}

unread() {
	"$PW" inbox list "$1" | grep -c '^[0-9a-f]* unread'
}

notices() {
	grep -c stophook_notification "$I/$1.yaml"
}

# ---- writing, listing, reading ----------------------------------------------

exits 0 'a list without any inbox' "$PW" inbox list
is "$(cat "$T/out")" '' '... is empty'
fails 1 "nobody.yaml': there is no such inbox in '$P'; there is none yet" \
	'one that is not there' "$PW" inbox read nobody
exits 0 'a message' "$PW" inbox write boss 'the tests pass' news worker1
exits 0 'another one' "$PW" inbox write boss 'and lint'
exits 0 'the inboxes are listed' "$PW" inbox list
is "$(cat "$T/out")" 'boss 2 entries, 2 unread' '... with what is in them'
exits 0 'an inbox is listed' "$PW" inbox list boss
like "$(cat "$T/out")" ' unread .*Z worker1 news the tests pass$' '... the first'
like "$(cat "$T/out")" ' unread .*Z unknown wake_up and lint$' '... the second'
id=$(sed -n '2s/ .*//p' "$T/out")
exits 0 'one is marked' "$PW" inbox ack boss "$id"
is "$(unread boss)" 1 '... and only that one'
fails 1 "no unread entry '$id'" 'it cannot be marked twice' \
	"$PW" inbox ack boss "$id"
exits 0 'the rest is read' "$PW" inbox read boss
is "$(wc -l <"$T/out" | tr -d ' ')" 1 '... it is one line'
is "$(unread boss)" 0 '... and marked by that'
exits 0 'there is no more' "$PW" inbox read boss
is "$(cat "$T/out")" '' '... to be read'
"$PW" inbox write boss third >/dev/null
exits 0 'all are marked' "$PW" inbox ack boss
is "$(unread boss)" 0 '... without being shown'
exits 0 'JSON' "$PW" inbox list --json boss
like "$(cat "$T/out")" '^\{"inbox":"boss","list":"reports",.*"entry":\{' \
	'... has an object per entry'
like "$(cat "$T/out")" '"id":"[0-9a-f]{8}","unread":false,' '... with its state'

hashes='###'
"$PW" inbox write boss "print ${hashes}TASK_COMPLETE_42${hashes} at the end" \
	"$(printf 'a\033[1mb')" >/dev/null
unlike "$(cat "$I/boss.yaml")" "${hashes}TASK" 'no finished marker in the file'
exits 0 'it is read' "$PW" inbox read boss
unlike "$(cat "$T/out")" "${hashes}TASK" '... without one in the pane'
unlike "$(cat "$T/out")" "$(printf '\033')" '... and without control bytes'
exits 0 'as JSON' "$PW" inbox list --json boss
unlike "$(cat "$T/out")" "${hashes}TASK" '... neither'
check '... though it says so' perl -MJSON::PP -ne '
	$last = $_; END { exit(decode_json($last)->{entry}{summary} ne
	    "print " . "#" x 3 . "TASK_COMPLETE_42" . "#" x 3 . " at the end") }' \
	"$T/out"

exits 0 'what looks like an option is content' "$PW" inbox write boss --json
like "$("$PW" inbox list boss)" ' --json$' '... as it stands'
exits 0 'a message of a request, about a subtask' \
	"$PW" inbox write asked 'is done' report worker1 r-7 s12
is "$(sed 's/reported_at: .*/reported_at:/' "$I/asked.yaml")" 'reports:
  - request_id: "r-7"
    subtask_id: "s12"
    worker: "worker1"
    status: notification
    reported_at:
    summary: "is done"
    type: "report"
    read: false' '... has both'
exits 0 'with neither' "$PW" inbox write asked 'is done' report worker1 '' ''
is "$(grep -c 'stophook_notification\|request_id' "$I/asked.yaml")" 2 \
	'... it is a notice'
fails 2 'write takes TARGET' 'a seventh word' \
	"$PW" inbox write asked a b c d e f

exits 0 'one for several' "$PW" inbox write --targets 'left, right' \
	--stop order boss r-8
like "$("$PW" inbox list left)" ' boss order --stop$' '... the one has it'
like "$("$PW" inbox list right)" ' boss order --stop$' '... and the other'
like "$(cat "$I/right.yaml")" 'request_id: "r-8"' '... with its request'
fails 2 "'../x' cannot be the name" 'one of whose names is wrong' \
	"$PW" inbox write --targets=left,../x more
fails 2 "'' cannot be the name" 'or empty' \
	"$PW" inbox write --targets left, more
fails 2 "names 'left' twice" 'or there twice' \
	"$PW" inbox write --targets left,left more
is "$(grep -c summary "$I/left.yaml")" 1 '... is written to none'
printf 'reports: text\n' | inbox_of right
fails 1 "right.yaml.*'reports' is not a list" 'one that cannot be written' \
	"$PW" inbox write --targets right,left more
untouched right
is "$(wc -l <"$T/err" | tr -d ' ')" 1 '... is the only one that is reported'
like "$(tail -n 3 "$I/left.yaml")" 'summary: "more"' '... the others have it'
fails 2 'targets is for write' 'what is not written' \
	"$PW" inbox --targets left list
fails 2 'no TARGET with --targets' 'no content' \
	"$PW" inbox write --targets left
rm "$I/asked.yaml" "$I/left.yaml" "$I/right.yaml"

exits 0 'with a sync to the disk' "$PW" inbox write --sync boss synced

# What is marked as read has been shown, whatever its members are called.
inbox_of words <<'END'
reports:
- {subtask_id: s1, title: t1, description: d1, summary: m1, read: false}
- {subtask_id: s2, title: t2, description: d2, summary: "", read: false}
- {subtask_id: s3, title: t3, description: [], read: false}
- {subtask_id: s4, title: " ", read: false}
- {note: "only here", read: false}
END
exits 0 'entries without a summary are read' "$PW" inbox read words
is "$(sed 's/.*unread - - - //' "$T/out" | tr '\n' ' ')" \
	'm1 d2 t3 s4 {"note":"only here","read":"false"} ' \
	'... by what else they are about'

# ---- a file written by hand --------------------------------------------------

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
exits 0 'a message into it' "$PW" inbox write own 'hello' t f
is "$(diff "$T/own.before" "$I/own.yaml" | grep -c '^<')" 0 \
	'... changes none of its lines'
is "$(diff "$T/own.before" "$I/own.yaml" | grep -c '^>')" 7 '... adds seven'
like "$(sed -n '12p' "$I/own.yaml")" '^    - subtask_id: stophook' \
	'... where the list ends, as it is indented'
cp "$I/own.yaml" "$T/own.added"
exits 0 'it is marked' "$PW" inbox ack own
is "$(diff "$T/own.added" "$I/own.yaml" | grep '^>' | sort)" \
	"$(printf '%s\n' '>         read:   true       # not yet' \
	'>       read: true' '>     - {subtask_id: s2, read: true}' | sort)" \
	'... with three words changed'
is "$(stat -c %a "$I/own.yaml" 2>/dev/null || stat -f %Lp "$I/own.yaml")" 640 \
	'its mode is kept'

printf 'reports:\r\n- a: 1\r\n' >"$I/dos.yaml"
exits 0 'a file with CR LF' "$PW" inbox write dos x
is "$(grep -vc "$(printf '\r')\$" "$I/dos.yaml")" 0 '... keeps its line ends'
is "$(find "$I" -name '.*' | wc -l | tr -d ' ')" 0 'nothing is left beside'

# A text that a line feed would end, and one that says in what it is encoded.
printf 'reports:\n- summary: |\n    last line' | inbox_of block
exits 0 'a block text at the end without a line feed' \
	"$PW" inbox write block x
is "$(diff "$T/block.before" "$I/block.yaml" | grep -c '^>')" 8 \
	'... gets one, and the message'
printf '\357\273\277tasks: []\n' | inbox_of mark
exits 0 'a byte order mark' "$PW" inbox write mark x
is "$("$PW" inbox list | grep mark)" 'mark 1 entries, 1 unread' \
	'... is in nobody'\''s way'

printf 'base: &b\n  read: false\nreports:\n  - <<: *b\n    a: 1\n  - *b\n' |
	inbox_of alias
is "$("$PW" inbox list | grep alias)" 'alias 2 entries, 0 unread' \
	'what comes by an alias is not followed'
exits 0 '... so that nothing is to be marked' "$PW" inbox ack alias
untouched alias

# ---- refusals ---------------------------------------------------------------

fails 2 'cannot be the name' 'a path is no target' "$PW" inbox write ../../x y
check '... and no file is written' test ! -e "$P/x.yaml" -a ! -e "$T/x.yaml"
fails 2 'cannot be the name' 'nor is a hidden file' "$PW" inbox write .x y
fails 2 'cannot be the name' 'nor nothing' "$PW" inbox write '' y
fails 2 'the content is empty' 'a message needs a content' \
	"$PW" inbox write boss ''
fails 2 'write takes' '... also as an argument' "$PW" inbox write boss
fails 2 'takes write, list' 'an unknown word' "$PW" inbox send boss x
fails 2 'is no id' 'a wrong id' "$PW" inbox ack boss 12
fails 1 "nobody.yaml': there is no such inbox; there are .*boss" \
	'an inbox that is not there' "$PW" inbox read nobody

printf 'reports: {a: 1}\n' | inbox_of map
fails 1 "'reports' is not a list" 'reports that are a mapping' \
	"$PW" inbox write map x
untouched map
printf 'reports:\n  - "open\n' | inbox_of open
fails 1 'line 3' 'what is no YAML' "$PW" inbox write open x
untouched open
fails 1 'line 3' '... is not read either' "$PW" inbox read open
printf -- '- a\n' | inbox_of list
fails 1 'not a mapping' 'a list without a name' "$PW" inbox write list x
untouched list
printf 'reports: []\nreports: []\nlast: 1\n' | inbox_of twice
fails 1 "line 2: .*'reports' stands twice" 'a key that stands twice' \
	"$PW" inbox write twice x
untouched twice
fails 1 "'reports' stands twice" '... nor marked' \
	"$PW" inbox ack twice 01234567
is "$(wc -l <"$T/err" | tr -d ' ')" 1 '... which is said once'
marker=${hashes}TASK_COMPLETE_42$hashes
printf '"%s": 1\n"%s": 2\n' "$marker" "$marker" | inbox_of "$marker"
fails 1 'TASK_COMPLETE_42.*TASK_COMPLETE_42' \
	'all inboxes, some of which are refused' "$PW" inbox list
unlike "$(cat "$T/out" "$T/err")" "${hashes}TASK" \
	'... without a finished marker'
rm "$I/$marker.yaml"
exits 1 'the same as JSON' "$PW" inbox list --json
rm "$I/map.yaml" "$I/open.yaml" "$I/list.yaml" "$I/twice.yaml"
exits 0 'without those' "$PW" inbox list
ln -s boss.yaml "$I/link.yaml"
fails 1 'it is a link' 'a link is not followed' "$PW" inbox write link x
mkdir "$I/folder.yaml"
fails 1 'not a regular file' 'a folder is no inbox' "$PW" inbox write folder x
rmdir "$I/folder.yaml"
rm "$I/link.yaml"
mkdir "$T/linked"
ln -s "$T" "$T/linked/queue"
fails 3 'or a link' 'a folder that is a link' \
	env __STOP_HOOK_SCRIPT_DIR="$T/linked" "$PW" inbox write boss x

# ---- the cap of fifty -------------------------------------------------------

{
	printf 'reports:\n'
	for i in $(seq 50); do
		printf -- '- subtask_id: stophook_notification\n'
		printf '  summary: "n%s"\n  read: false\n' "$i"
		[ "$i" != 7 ] || printf -- '- subtask_id: own\n'
	done
} | inbox_of full
exits 0 'the 51st notice' "$PW" inbox write full n51
is "$(notices full)" 50 '... leaves fifty'
is "$(grep -c 'n1"' "$I/full.yaml")" 0 '... without the oldest'
like "$(cat "$S/.paneward/journal.ndjson")" \
	'"type":"paneward.warning","subject":"queue/inbox/full.yaml".*n1' \
	'... which is journaled'
is "$(grep -c 'id: own' "$I/full.yaml")" 1 '... and what is no notice stays'
mv "$S" "$S.away"
ln -s "$T" "$S"
exits 0 'without a journal' "$PW" inbox write full n52
like "$(cat "$T/err")" 'status directory' '... which is said'
is "$(notices full)" 51 '... the oldest stays'
rm "$S"
mv "$S.away" "$S"
chmod 770 "$S"
exits 0 'with one again' "$PW" inbox write full n53
is "$(notices full)" 50 '... the oldest go'
like "$(cat "$T/err")" "'$S': the group could write to it" \
	'... that its folder was narrowed is said'

exits 0 'what can be written' "$PW" inbox write --journal full n54
unlike "$(cat "$S/.paneward/journal.ndjson")" 'n54' '... is not journaled'
printf 'reports: {a: 1}\n' | inbox_of map
exits 1 'what cannot' "$PW" inbox write --journal map 'no room' t f
like "$(cat "$S/.paneward/journal.ndjson")" "\
\"subject\":\"queue/inbox/map.yaml\".*'reports' is not a list.*no room" \
	'... is, if that is asked for'
exits 1 'but not' "$PW" inbox write map 'nor this'
unlike "$(cat "$S/.paneward/journal.ndjson")" 'nor this' '... otherwise'
rm "$I/map.yaml"

# ---- the hook ---------------------------------------------------------------

inbox_of ashigaru1 <<'END'
tasks:
  - {subtask_id: t1, status: assigned, description: "say ###TASK_COMPLETE_42###"}
END
hook ashigaru1 'nothing yet'
like "$(cat "$T/out")" '"decision":"block"' 'an agent with work goes on'
unlike "$(cat "$T/out")" "${hashes}TASK" '... and is shown no finished marker'
printf '{"stop_hook_active":true}' |
	__STOP_HOOK_AGENT_ID=ashigaru1 "$PW" hook inbox >"$T/out"
is "$(cat "$T/out")" '' '... but only once'

inbox_of ashigaru1 <<'END'
tasks:
  - {subtask_id: s1, status: assigned, description: "go\nand so on"}
  - {subtask_id: s2, status: assigned, description: go}
  - {subtask_id: s3, status: assigned}
  - {status: assigned, description: alone}
END
hook ashigaru1 'nothing yet'
like "$(cat "$T/out")" '\\n- s1: go\\n- s2: go\\n- s3\\n- alone"' \
	'... and which work it is'

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

# The agent does not wait, the notice comes later.
hold "$I/roju_reports.yaml.lock"
mkfifo "$T/pipe"
cat "$T/pipe" >"$T/piped" &
reader=$!
printf '{"last_assistant_message":"task completed"}' |
	__STOP_HOOK_AGENT_ID=ashigaru5 "$PW" hook inbox >"$T/pipe" 2>&1 7>&1
wait "$reader"
check 'the agent does not wait for a lock' kill -0 "$holder"
is "$(cat "$T/piped")" '' '... hears nothing of it'
check '... and there is no notice yet' test ! -e "$I/roju_reports.yaml"
: >"$T/let-go"
wait_until 5 grep -qs ashigaru5、 "$I/roju_reports.yaml"
is "$(notices roju_reports)" 1 'it comes when the lock is free'

# In words of one's own.
cat >"$P/.paneward.json" <<'END'
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
hook worker 'task completed'
wait_until 5 grep -qs 'worker is done, see reports' "$I/reports.yaml"
result 0 'a notice goes where it is configured, in those words'
hook worker 'abort'
wait_until 5 grep -qs '"worker、エラー' "$I/reports.yaml"
result 0 '... the others are as they were'
hook lead 'task completed'
is "$(notices reports)" 2 '... but not to its reader'
inbox_of mail <<'END'
reports:
  - {summary: a, read: false}
  - {summary: b, read: false}
  - {summary: c, read: false}
  - {summary: d, read: false}
END
hook lead 'hm'
like "$(cat "$T/out")" \
	'"6 for lead in queue/inbox/reports.yaml and queue/inbox/mail.yaml:\\n- ' \
	'... so is what its reader is told'
like "$(cat "$T/out")" '- c\\nand 1 more"' '... to its end'
rm "$P/.paneward.json" "$I/reports.yaml" "$I/mail.yaml"

# What cannot be written later either is not lost.
wait "$holder"
hold "$I/roju_reports.yaml.lock"
hook ashigaru5 'task completed'
is "$(cat "$T/out" "$T/err")" '' 'a notice for later'
mv "$I/roju_reports.yaml" "$T/roju.before"
printf 'reports: {a: 1}\n' | inbox_of roju_reports
: >"$T/let-go"
check '... that cannot be written then is journaled' \
	wait_until 5 grep -qs "is not a list.*ashigaru5、" \
	"$S/.paneward/journal.ndjson"
untouched roju_reports
wait_until 5 unlocked "$I/roju_reports.yaml.lock"
hook ashigaru6 'task completed'
like "$(cat "$T/err")" 'is not a list' 'one that cannot be written now'
like "$(cat "$S/.paneward/journal.ndjson")" 'is not a list.*ashigaru6、' \
	'... is journaled as well'

# Another process holds the lock of the journal.
sed 's/^- subtask_id: own$//' "$T/full.before" >"$I/roju_reports.yaml"
wait "$holder"
hold "$S/.paneward/journal.ndjson"
hook ashigaru7 'task completed' &
hooked=$!
check 'who holds the journal does not hold the agent' \
	wait_until 5 grep -q ashigaru7、 "$I/roju_reports.yaml"
: >"$T/let-go"
wait "$hooked"
is "$(notices roju_reports)" 51 '... the oldest notice stays'
like "$(cat "$T/err")" 'another process holds its lock; the oldest' \
	'... which is said'
wait "$holder"
mv "$T/roju.before" "$I/roju_reports.yaml"

# ---- roles and patterns of one's own ----------------------------------------

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
"$PW" inbox ack boss
"$PW" inbox write boss 'for the scribe' >/dev/null
printf 'tasks: [{status: assigned, title: dust}]\n' | inbox_of desk
hook scribe ''
like "$(cat "$T/out")" '2件.*boss.yaml.*desk.yaml.*for the scribe.*dust' \
	'a role of one'\''s own reads its inboxes'
hook ashigaru1 ''
is "$(cat "$T/out")" '' 'and the others are no roles any more'
hook scribe 'well\nAll is done'
is "$(notices roju_reports)" 2 'a pattern of one'\''s own is found'
hook scribe 'task completed'
is "$(notices roju_reports)" 2 'and takes the place of the others'
hook scribe 'abort'
is "$(notices roju_reports)" 3 'but not of those of the other kind'
hook chief 'all done'
is "$(notices roju_reports)" 3 'who approves at once tells nobody'

# wrong TEXT VALUE: a configuration that is refused.
wrong() {
	printf '{ "inbox": %s }\n' "$2" >.paneward.json
	fails 2 "'$P/.paneward.json' line 1: $1" "refused: $2" \
		"$PW" inbox list
}
wrong "'inbox' is not an object" '[]'
wrong "unknown key 'inbox.role'" '{"role": {}}'
wrong "'inbox.roles.a' is neither" '{"roles": {"a": true}}'
wrong "unknown key 'inbox.roles.a.reads'" '{"roles": {"a": {"reads": []}}}'
wrong "'inbox.roles.a.unread' is not a list" \
	'{"roles": {"a": {"unread": ["../x"]}}}'
wrong "unknown key 'inbox.patterns.done'" '{"patterns": {"done": []}}'
wrong "'inbox.patterns.error_report': .* offset" \
	'{"patterns": {"error_report": ["fine", "a(b"]}}'
rm .paneward.json
fails 2 "PANEWARD_INBOX: unknown key 'inbox.x'" 'as a variable, too' \
	env PANEWARD_INBOX='{"x": 1}' "$PW" inbox list
export PANEWARD_INBOX='{"roles": {"scribe": {"unread": "boss"}}}'
hook scribe 'all done'
is "$(cat "$T/out")" '' 'the hook does nothing with that'
like "$(cat "$T/err")" "hook inbox: PANEWARD_INBOX" '... and says so'
PANEWARD_INBOX='{"roles": {"scribe": {"unread": ["boss"]}}}'
hook scribe 'all done'
like "$(cat "$T/out")" '"decision":"block"' 'a good variable counts'
unset PANEWARD_INBOX

# ---- what it says -----------------------------------------------------------

mkdir "$HOME/.config/paneward/backends"
echo '{' >"$HOME/.config/paneward/backends/mine.json"
hook ashigaru2 'task completed'
is "$(grep -c 'worker: "ashigaru2"' "$I/roju_reports.yaml")" 1 \
	"a message is understood beside a user's broken backend"
like "$(cat "$T/err")" "'.*/mine.json' line" '... which is reported'
echo '{' >"$HOME/.config/paneward/backends/claude.json"
hook ashigaru2 'task completed'
is "$(grep -o "claude.json' line" "$T/err")" "claude.json' line" \
	'one for Claude Code is reported once'
rm -r "$HOME/.config/paneward/backends"

# ---- who the agent is -------------------------------------------------------

tmux_start
pane_run agent 'exec cat'
tm set-option -p -t '=agent:' @agent_id ashigaru1
pane=$(pane_tell agent '#{pane_id}')
named_by_tmux() {
	printf '{}' | TMUX_PANE=$pane "$PW" hook inbox |
		grep -q '"decision":"block"'
}
soon "tmux's @agent_id is the agent" named_by_tmux
printf '{}' | TMUX_PANE=$pane __STOP_HOOK_AGENT_ID='' "$PW" hook inbox \
	>"$T/out" 2>"$T/err"
is "$(cat "$T/out")" '' 'an empty variable is no agent'
tm set-option -p -u -t '=agent:' @agent_id
printf '{}' | TMUX_PANE=$pane "$PW" hook inbox >"$T/out" 2>"$T/err"
is "$(cat "$T/out" "$T/err")" '' 'nor is a pane without the option'
printf '{}' | TMUX_PANE=%999 "$PW" hook inbox >"$T/out" 2>"$T/err"
is "$(cat "$T/out")" '' 'nor a pane that is not there'

# ---- the marker of the agent's own run --------------------------------------

exits 0 'a run with a marker of its own' \
	"$PW" start 7 --no-watch --marker ALL-DONE -- cat
export PANEWARD_ISSUE=7 PANEWARD_STATUS_DIR="$S"
"$PW" inbox write boss 'print ALL-DONE at the end' >/dev/null
exits 0 'an inbox in its pane' "$PW" inbox read boss
like "$(cat "$T/out")" 'print .*LL-DONE at the end' '... is shown'
unlike "$(cat "$T/out")" 'ALL-DONE' '... without it'
exits 0 'as JSON' "$PW" inbox list --json boss
unlike "$(cat "$T/out")" 'ALL-DONE' '... without it'
check '... though it says so' perl -MJSON::PP -ne '
	$last = $_; END { exit(decode_json($last)->{entry}{summary} ne
	    "print ALL-DONE at the end") }' "$T/out"
printf 'tasks: [{status: assigned, title: print ALL-DONE}]\n' |
	inbox_of ashigaru1
hook ashigaru1 ''
like "$(cat "$T/out")" 'print A LL-DONE' 'the hook breaks it up as well'

# ---- from anywhere ----------------------------------------------------------

# The scripts of docs/coming-from.md, as they stand there.
mkdir -p "$P/scripts" "$T/else"
sed -n 's/^   //; /^cat >scripts/,/^END/p' "$ROOT/docs/coming-from.md" |
	(cd "$P" && sh)
rm -r "$I"
PATH=${PW%/*}:$PATH
cd "$T/else" || exit
exits 0 "a message by the project's script, from elsewhere" \
	sh "$P/scripts/inbox_write.sh" roju_reports hello report worker1
like "$(cat "$I/roju_reports.yaml")" hello '... is in its inbox'
inbox_of ashigaru1 <<'END'
tasks:
  - {subtask_id: s1, status: assigned, description: go}
END
for root in "$P" "$T/else"; do
	echo '{}' | env CLAUDE_PROJECT_DIR="$root" \
		__STOP_HOOK_AGENT_ID=ashigaru1 \
		sh "$P/scripts/stop_hook_inbox.sh" >"$T/out"
	like "$(cat "$T/out")" 's1: go' 'the hook by its script has its mail'
done
echo '{"last_assistant_message":"task completed"}' |
	env CLAUDE_PROJECT_DIR="$P" __STOP_HOOK_AGENT_ID=ashigaru1 \
	"$PW" hook inbox >"$T/out"
like "$(cat "$T/out")" 's1: go' "so has the hook, in the agent's project"
is "$(notices roju_reports)" 2 '... and its notice is there'
is "$(ls -A "$T/else")" '' 'nothing is written elsewhere'
exits 0 'a first message in a folder' "$PW" inbox write boss hello
is "$(cat "$T/err")" "paneward: new inboxes in '$T/else'" 'names the folder'
exits 0 'another one' "$PW" inbox write boss hello
is "$(cat "$T/err")" '' 'does not'

# paneward makes no inboxes in a home folder, or in one that all users can write to.
mkdir -m 1777 "$T/public"
for folder in "$HOME" "$T/public"; do
	cd "$folder" || exit
	fails 2 "'$folder' is no project by itself: .*paneward.json" \
		'a message in a folder that is no project' \
		"$PW" inbox write boss hello
	hook ashigaru1 'task completed'
	like "$(cat "$T/err")" "'$folder' is no project by itself" \
		'... nor has a hook any'
	check '... and nothing is made' no test -e "$folder/queue"
	exits 0 'with a folder that is named' \
		env __STOP_HOOK_SCRIPT_DIR="$P" "$PW" inbox write boss hello
	exits 0 'to look, nothing is needed' "$PW" inbox list
done
unset PANEWARD_ISSUE PANEWARD_STATUS_DIR
for n in $(seq 51); do
	__STOP_HOOK_SCRIPT_DIR=$P "$PW" inbox write many "$n" 2>>"$T/many"
done
like "$(cat "$T/many")" "no journal in '$T/public/.*; the oldest notices stay" \
	'a notice that is pushed out there has no journal'
check '... and nothing is made for it' no test -e "$T/public/.worktrees"
cd "$P" || exit

done_testing
