#!/bin/sh
# An agent without an issue, named by its pane: explain, log, diff and history.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/clients.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
export PATH="$T/bin:$PATH"
panes=$HOME/.local/state/paneward/panes

tmux_start
git_project
git -C "$P" worktree add -q -b side "$T/side" 2>&1 | comment
echo new >"$T/side/file"
pane_run hand 'seq -f "line %g" 60; exec claude -e "sleep 1 while 1"' \
	-c "$T/side" -n work
pane_run shell 'exec sh -i'
pane=$(pane_tell hand '#{pane_id}')
server=$(pane_tell hand '#{pid}')
file=$HOME/.claude/projects/-p/s-1.jsonl
mkdir -p "${file%/*}"

# hook EVENT [MORE]: of the agent by hand.
hook() {
	printf '{"hook_event_name":"%s","session_id":"s-1","transcript_path":"%s"%s}' \
		"$1" "$file" "${2:-}" | env TMUX="$(pane_tell hand \
		'#{socket_path},#{pid},0')" TMUX_PANE="$pane" "$PW" hook record
}

is_listed() { "$PW" status --all | grep -q '^hand:work\.0 '; }
wait_until 5 is_listed

fails 1 "^paneward: nothing was recorded of 'hand:work.0': 'paneward watch \
--everywhere' does that$" history "$pane"
fails 0 "^== pane $pane, with its history ==" log "$pane"
is "$(grep -c '^line [0-9]*$' "$T/out")" 60 'and what tmux keeps of it'

{
	line 1 prompt 'Do it.'
	line 1 text 'First **this**.'
	line 1 text "Then \\u001b[2J$(marker 1).\\nAnd that."
} >"$file"
hook UserPromptSubmit
hook PermissionRequest ',"tool_name":"Bash","tool_input":{"command":"mkdir x"}'

# One agent, by each of its names.
for name in "$pane" "$server$pane" hand:work.0; do
	fails 0 '^verdict: asking, by hook: .*permission.*mkdir x' \
		explain "$name"
	is "$("$PW" log "$name" | sed '/^== pane/,$d')" \
		"== answers, from '$file' ==

First **this**.

Then ### TASK_COMPLETE_1###.
And that." 'with its answers, which move no terminal and report nothing'
	fails 0 '\+new' diff "$name"
done
"$PW" explain --json "$pane" >"$T/out"
is "$(perl -MJSON::PP -ne 'my $o = decode_json($_);
	print "$o->{detector} " if $o->{detector};
	print "$o->{verdict} $o->{source}" if $o->{verdict}' "$T/out")" \
	'signal hook transcript log capture process screen asking hook' \
	'explain has each detector as JSON'
fails 0 'file \| 1 \+' diff "$pane" -- --stat
"$PW" explain --save "$T/case" "$pane" >"$T/out"
check 'a case is saved' test -s "$T/case/transcript.jsonl"
is "$(pane_tell hand '#{pane_pipe}')$(find "$panes" -name "*output*")" 0 \
	'no pane log was made, nor a pipe opened'

# What a journal of panes has.
event() {
	printf '{"specversion":"1.0","id":"%s","source":"%s","type":"paneward.%s","subject":"%s","time":"2026-01-0%sT10:00:00Z","data":%s}\n' \
		"$1" "$panes" "$2" "$3" "$1" "$4"
}
{
	event 1 state "${pane#%}-$server" '{"state":"working","why":"by hand"}'
	event 2 state "9-$server" '{"state":"waiting","why":"another"}'
} >"$panes/journal.ndjson"
fails 0 'hand:work.0 +working +by hand' history "$pane"
unlike "$(cat "$T/out")" another 'without that of others'
is "$("$PW" history --json hand:work.0 | perl -MJSON::PP -ne \
	'print decode_json($_)->{data}{why}')" 'by hand' 'also as JSON'
"$PW" history --html "$T/page" "$pane"
like "$(cat "$T/page")" '<title>paneward history of hand:work\.0<' \
	'a page has its name'
unlike "$(cat "$T/page")" "${pane#%}-$server" 'and not that of its files'
is "$(PANEWARD_FLEET='{"servers":["nats://127.0.0.1:1"],"host":"here"}' \
	"$PW" history --all "$pane" 2>&1 >"$T/out"; echo $?)" 0 \
	'of all projects it has one journal; no fleet is asked for it'

# refused NAME REASON: by each of the commands.
refused() {
	for command in explain log diff history; do
		fails 1 "^paneward: cannot .* '$1': no agent is known by the \
name '$1': $2; 'paneward status --all' lists the agents" $command "$1"
	done
}
refused %99 'none of your tmux servers has that pane'
refused no:such.0 'none of your tmux servers has that pane'
[ "$(id -u)" = 0 ] || refused 1%0 "that tmux server is another user's"
refused "$(pane_tell shell '#{pane_id}')" \
	'no agent that paneward knows runs in that pane'
fails 1 'none of your tmux servers has that pane' answer %99
for option in --raw --follow --run=0123; do
	fails 1 "'paneward watch NAME --pane $pane' makes it" \
		log "$pane" $option
done
for command in handoff wait revive watch status; do
	fails 2 "'paneward watch NAME --pane $pane' makes it" $command "$pane"
done

# Wrong backends are named, and the others still work.
own=$HOME/.config/paneward/backends
mkdir "$own"
for pair in a-b b-c c-a d-none; do
	printf '{\n"extends": "%s" }\n' "${pair#*-}" >"$own/${pair%-*}.json"
done
fails 0 "/d.json' line 2: 'extends' is 'none': there is no \
backends/none.json; .*/c.json' line 2: 'extends' is 'a', which extends it" \
	status --all
like "$(cat "$T/out")" '^hand:work.0 ' 'the agents of the others are there'
fails 2 "/c.json' line 2: 'extends' is 'a'" init a
fails 2 "/d.json' line 2: 'extends' is 'none'" init d
fails 2 "/b.json' line 2: 'extends' is 'c'" start 9 --backend c
fails 1 "/d.json' line 2: .*correct it" doctor
rm -r "$own"

# A backend that is not installed, in any pane.
pane_run tried 'echo "May I go?"; exec cat'
wait_until 5 pane_shows tried 'May I go?'
printf '%s\n' '{ "screen": { "asking": ["^May I.*"], "ready": ["^> "],
	"empty": "go.\n" } }' >"$T/mine.json"
"$PW" explain "$(pane_tell tried '#{pane_id}')" --backend-file "$T/mine.json" \
	>"$T/out"
is "$(sed '1,/^verdict: asking, by screen/d' "$T/out")" "\
screen.asking 1    'May I go?'
screen.ready 1     no match
screen.empty       'go?'" 'its patterns are tried on any pane'
fails 1 "explain '%99': .*none of your" explain %99 --backend-file "$T/mine.json"

# The pane of an issue is that issue, from each folder.
"$PW" start 7 --no-watch --session s7 -- sh -c 'echo ours; exec cat' \
	>"$T/said" 2>&1
of_issue=$(record 7 tmux.pane)
cd / || exit 1
fails 0 '^verdict: working' explain "$of_issue"
fails 0 '^ours' log --raw "$of_issue"
fails 0 ' 7  ' history "$of_issue"
cd "$P" || exit 1

# The tab key.
is "$("$PW" completion targets | sort | xargs)" "$pane 7" \
	'panes are offered, and issues'
is "$(cd / && "$PW" completion targets)" "$pane" 'those of this project'
for command in explain log diff; do
	exits 0 "to $command" sh -c "'$PW' completion fish | grep -q \
\"__paneward_command $command' .*completion targets\""
done
is "$(cd / && "$PW" completion histories)" "$pane" 'and to history'

# A server that has no socket of the usual name.
tmux -L other -f /dev/null new-session -d -s issue-43 -x 80 -y 24 -c "$P" \
	'exec claude -e "sleep 1 while 1"'
wait_until 5 all_placed tmux -L other
fails 0 '^verdict: working' explain 43
tmux -L other kill-server

tm kill-session -t =hand
refused "$pane" 'none of your tmux servers has that pane'
done_testing
