#!/bin/sh
# paneward init: its hooks come into an agent's settings and go again, and
# nothing of the user's is touched, ever.
. "${0%/*}/lib.sh"

git_project
PROGRAM=$(cd "${PW%/*}" && pwd -P)/${PW##*/}
CLAUDE=$P/.claude/settings.json
KEPT=$CLAUDE.paneward-backup

# Everything below the project.
picture() {
	(cd "$P" && find . -path ./.git -prune -o -print | sort &&
		find . -path ./.git -prune -o -type f -exec cksum {} + | sort)
}

unchanged() { is "$(picture)" "$before"; }

is_json() { perl -MJSON::PP -0777 -ne 'decode_json($_)' "$1"; }

# hooks EVENT [FILE]: in a line, what settings of Claude's form run at an event.
hooks() {
	perl -MJSON::PP -e '
		local $/;
		open my $file, "<", $ARGV[1] or exit;
		my $v = decode_json(<$file>);
		for my $group (@{$v->{hooks}{$ARGV[0]}}) {
			push @hooks, join " ", $_->{command}, $_->{timeout} // ()
			    for @{$group->{hooks} // [$group]};
		}
		print join("; ", @hooks), "\n" if @hooks' "$1" \
		"${2:-$CLAUDE}" | sed "s|$PROGRAM |PW |g"
}

claude() { "$PW" init claude "$@"; }
init() { "$PW" init "$@" >"$T/out"; }
add() { init claude "$@"; }
take_out() { init claude --remove "$@"; }

# text FORMAT: is what the settings are.
text() {
	# shellcheck disable=SC2059
	printf "$1" >"$CLAUDE" && cp "$CLAUDE" "$T/text"
}

mkdir "$P/.claude"
cat >"$T/own.json" <<'END'
{
  "permissions": { "allow": ["Bash(make:*)"],   "deny": [] },
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [ { "type": "command", "command": "notify-send done" } ]
      }
    ],
    "PreToolUse": []
  },
  "number": 1.50
}
END
cp "$T/own.json" "$CLAUDE"
chmod 640 "$CLAUDE"
before=$(picture)

scenario 'what would be added is shown, and not written' <<'END'
>>> add --print; sed "1s/: $(grep -c '^+[^+]' "$T/out") /: N /p; d" "$T/out"
changes in '$T/project/.claude/settings.json': N lines added, 1 removed
>>> grep -e '^-[^-]' -e StopFailure -e '^+++' "$T/out"
+++ $T/project/.claude/settings.json
-    "PreToolUse": []
+    "StopFailure": [
>>> unchanged
END
scenario 'hooks come once, behind those of the user' <<'END'
>>> claude | grep StopFailure
+    "StopFailure": [
>>> is_json "$CLAUDE" && hooks Stop
notify-send done; PW hook record 10
>>> hooks SessionStart; hooks MessageDisplay; hooks SubagentStop
PW hook record 10
>>> diff "$T/own.json" "$CLAUDE" | grep '^<'
<     "PreToolUse": []
>>> cmp "$T/own.json" "$KEPT"; stat -c %a "$CLAUDE"
640
>>> cp "$CLAUDE" "$T/once.json"; claude | cut -d : -f 1
nothing to change in '$T/project/.claude/settings.json'
>>> cmp "$T/once.json" "$CLAUDE"
END
scenario 'the loop and the inbox are added on request; all goes at once' <<'END'
>>> add --loop --inbox; hooks Stop; hooks SubagentStop; cmp "$T/own.json" $KEPT
notify-send done; PW hook record 10; PW hook inbox 10; PW hook loop 10
PW hook loop 10
>>> cp "$CLAUDE" "$T/all.json"; add; cmp "$T/all.json" "$CLAUDE"
>>> take_out; grep StopFailure "$T/out"; cmp "$T/own.json" "$CLAUDE"; unchanged
-    "StopFailure": [
>>> take_out; unchanged
END

text '{"hooks": {"Stop": [
  { "matcher": "", "hooks": [{ "command": "bash scripts/stop_hook_inbox.sh" }]},
  { "hooks": [{ "command": "my_stop_hook_inbox.sh" }] }
]}}'
scenario 'a hook that delivers messages already is replaced on request' <<'END'
>>> add --inbox
paneward: '$T/project/.claude/settings.json' is left as it is: its hook 'bash scripts/stop_hook_inbox.sh' delivers messages already, and both would answer; with --replace ours takes its place
[2]
>>> cmp "$T/text" "$CLAUDE"
>>> add && ! add --inbox 2>/dev/null && add --inbox --replace && hooks Stop
my_stop_hook_inbox.sh; PW hook record 10; PW hook inbox 10
>>> cp "$CLAUDE" "$T/with"; add --inbox --replace; cmp "$T/with" "$CLAUDE"
>>> take_out; cmp "$T/text" "$CLAUDE"
>>> add --inbox --replace; sed -i 's/my_stop/our_stop/' "$CLAUDE"
>>> take_out; hooks Stop
paneward: '$T/project/.claude/settings.json' had the hook 'bash scripts/stop_hook_inbox.sh', and was changed since; if you want that hook back, put it in by hand
our_stop_hook_inbox.sh
END

# Do hooks come into the text, once, and go again?  $T/with has them.
round() {
	before=$(picture)
	add --loop && is_json "$CLAUDE" && cp "$CLAUDE" "$T/with" &&
		add --loop && cmp "$T/with" "$CLAUDE" && take_out && unchanged
}

scenario 'hooks come into any text and go again' <<'END'
>>> text '{\r\n\t"a": "\\u00e4",\r\n\t"hooks": {\r\n\t}\r\n}\r\n'; round
>>> grep -vc "$(printf '\r')" "$T/with"; grep '^		"Stop"' "$T/with" | wc -l
0
1
>>> text '{"a":{},"b":[1,2]}'; round; grep -c '$' "$T/with"; tail -c 1 "$T/with"
1
}
>>> text '{\n    "a": 1\n}'; round; grep '^ *"hooks": {' "$T/with"
    "hooks": {
>>> for text in '{ }' '' '\n\n' '{"hooks":{"Stop":[ ],"SessionEnd":[\n]}}\n'; do
... 	text "$text"; round
... done
>>> for name in other mypaneward paneward-2 panewardx; do
... 	text '{"hooks":{"Stop":[{"hooks":[{"command":"/'$name' hook record"}]}]}}'
... 	round
... done
END

# changed PERL: the user changes what he has, with hooks and without.
changed() {
	add
	perl -pi -e "$1" "$CLAUDE" "$T/text"
	take_out
}

scenario 'what the user changed meanwhile stays; all of ours goes' <<'END'
>>> cp "$T/own.json" "$CLAUDE"; cp "$CLAUDE" "$T/text"
>>> changed 's/"opus"/"sonnet"/; s/1.50/2.50/'; cmp "$T/text" "$CLAUDE"
>>> ls -A "$P/.claude"
settings.json
>>> text '{ "a":1 }'; add; text '{\n  "a": 1\n}\n'; take_out
>>> cmp "$T/text" "$CLAUDE"; ls -A "$P/.claude"
settings.json
>>> for change in 's/992/993/' 's/1\.5/1.50/' 's/"b":/"b": /'; do
... 	text '{"a":9007199254740992,"b":1.5,"hooks":{ }}'; changed "$change"
... 	sed 's/{ }/{}/' "$T/text" | cmp - "$CLAUDE"
... done
>>> for text in '{}' ''; do text "$text"; take_out; cmp "$T/text" "$CLAUDE"; done
END
scenario 'what was kept of a file is not taken for another of its name' <<'END'
>>> text '{"model":"x","hooks":{"Stop":[]}}\n'; add; rm "$CLAUDE"; take_out
paneward: 'settings.json.paneward-backup' is left beside '$T/project/.claude/settings.json', which is not there; rename it or remove it by hand
>>> cmp "$T/text" "$KEPT"
>>> add; ls -A "$P/.claude"
settings.json
>>> take_out; ls -A "$P"
.git
END
mkdir "$P/.claude"
scenario 'what the user put into our entry stays' <<'END'
>>> text '{}\n'; add; perl -MJSON::PP -0777 -i -ne '
... 	my $v = decode_json($_);
... 	push @{$v->{hooks}{Stop}[0]{hooks}}, { command => "mine" };
... 	$v->{hooks}{SessionEnd}[0]{hooks}[0]{command} .= " --context note.md";
... 	print JSON::PP->new->pretty->canonical->encode($v)' "$CLAUDE"
>>> claude | cut -d : -f 1
nothing to change in '$T/project/.claude/settings.json'
>>> take_out; hooks Stop; hooks SessionEnd
mine
PW hook record --context note.md 10
END

moved=$T/a\ b/it\'s
mkdir -p "$moved" "$T/other"
cp "$PW" "$moved/paneward"
cp "$PW" "$moved/paneward-2"
cp "$PW" "$T/other"
ln -s "$ROOT/agents" "$ROOT/backends" "$ROOT/templates" "$moved"
scenario 'a program that has moved takes the place of the old one' <<'END'
>>> text '{}\n'; "$moved/paneward" init claude >"$T/out"
>>> line=$(hooks Stop); sh -c "${line% 10}" && add && hooks Stop
paneward: hook record: the input is no JSON: line 1: it ends too early
PW hook record 10
>>> "$moved/paneward" init claude --remove >"$T/out"; cat "$CLAUDE"
{}
>>> add --loop; sed -i "s|$PROGRAM|/nope/paneward|" "$CLAUDE"; add
>>> hooks SubagentStop; grep -c /nope/ "$CLAUDE"; take_out
PW hook loop 10
0
>>> # With options of the user, only if it is gone.
>>> for program in "/nope/paneward" "$T/other/paneward"; do
... 	text '{"hooks":{"Stop":[{"command":"'$program' hook record --save F"}]}}'
... 	add; hooks Stop; take_out
... done
PW hook record --save F
$T/other/paneward hook record --save F
>>> before=$(picture); "$moved/paneward-2" init claude
paneward: init: hooks are known again by the name 'paneward'; this program is '$T/a b/it's/paneward-2', give it that name
[2]
>>> unchanged
END

cp "$T/own.json" "$CLAUDE"
for _ in 1 2 3 4 5 6; do
	(claude --loop >/dev/null 2>&1; echo $? >>"$T/statuses") &
done
wait
scenario 'of several at the same time one is done; the others may fail' <<'END'
>>> grep -qx 0 "$T/statuses"; grep -v '^[03]$' "$T/statuses"
[1]
>>> add --loop; hooks Stop
notify-send done; PW hook record 10; PW hook loop 10
>>> take_out; cmp "$T/own.json" "$CLAUDE"; ls -A "$P/.claude"
settings.json
END

SKILL=$P/.claude/skills/reload/SKILL.md
TEMPLATE=$ROOT/templates/skills/reload/SKILL.md
before=$(picture)
scenario 'the skill with which an agent restarts itself comes and goes' <<'END'
>>> add --reload --print; head -n 2 "$T/out"; grep '^+++ .*/SKILL' "$T/out"
~ changes in '.T/project/.claude/settings.json': [0-9]+ lines added, 1 removed
~ new file '.T/project/.claude/skills/reload/SKILL.md': [0-9]+ lines added, 0 removed
+++ $T/project/.claude/skills/reload/SKILL.md
>>> unchanged
>>> add --reload; diff "$TEMPLATE" "$SKILL" | sed 1d
~ > <!-- paneward init wrote this file, and may write it again: [0-9a-f]+ -->
>>> hooks SessionStart; cp "$SKILL" "$T/skill"
PW hook record 10
>>> claude --reload | cut -d : -f 1; cmp "$T/skill" "$SKILL"
nothing to change in '$T/project/.claude/settings.json'
nothing to change in '$T/project/.claude/skills/reload/SKILL.md'
>>> add; cmp "$T/skill" "$SKILL"
>>> take_out; grep '^-# ' "$T/out"; unchanged
-# Restart yourself
>>> # One that an older paneward wrote is written again, or taken out by it.
>>> rm "$moved/templates"; cp -RL "$ROOT/templates" "$moved"
>>> old=$moved/templates/skills/reload/SKILL.md; chmod u+w "$old"
>>> sed 's/^# Restart yourself/# Begin again/' "$TEMPLATE" >"$old"
>>> "$moved/paneward" init claude --reload >"$T/out"; grep '^# ' "$SKILL"
# Begin again
>>> add --reload; cmp "$T/skill" "$SKILL"
>>> "$moved/paneward" init claude --reload >"$T/out"; take_out; unchanged
END
for change in 's/^# Restart yourself/# My own/' '$s/$/ and more/' '$a\
more'; do
	scenario "a skill that was changed so is the user's: $change" <<'END'
>>> add --reload; sed -i "$change" "$SKILL"; cp "$SKILL" "$T/changed"
>>> take_out 2>/dev/null; cmp "$T/changed" "$SKILL"
>>> add --reload
paneward: '$T/project/.claude/skills/reload/SKILL.md' is left as it is: it was changed since paneward wrote it; add by hand what is printed above
[2]
>>> cmp "$T/out" "$TEMPLATE"; cmp "$T/changed" "$SKILL"; hooks Stop
notify-send done
>>> take_out
paneward: '$T/project/.claude/skills/reload/SKILL.md' is left: it was changed since paneward wrote it; remove it by hand
>>> rm -r "$P/.claude/skills"
END
done
scenario "a skill of the user's own is left alone" <<'END'
>>> mkdir -p "${SKILL%/*}"; echo mine >"$SKILL"
>>> add --reload
paneward: '$T/project/.claude/skills/reload/SKILL.md' is left as it is: paneward did not write it; add by hand what is printed above
[2]
>>> take_out; cat "$SKILL"
mine
>>> cp "$TEMPLATE" "$SKILL"; add --reload; cmp "$TEMPLATE" "$SKILL"
>>> take_out; cmp "$TEMPLATE" "$SKILL"
>>> rm -r .claude/skills; mkdir "$T/shared"; ln -s "$T/shared" .claude/skills
>>> add --reload
paneward: '$T/project/.claude/skills/reload/SKILL.md' is left as it is: 'skills' on the way to it is a link, or no folder; add by hand what is printed above
[2]
>>> take_out; ls "$T/shared"; rm .claude/skills; unchanged
END

rm -r "$P/.claude"
before=$(picture)
scenario 'a file is made where there was none, and goes with its folder' <<'END'
>>> add --reload; take_out; unchanged
>>> mkdir .claude; echo x >.claude/note; add; take_out; ls -A .claude
note
>>> # From a linked work tree it is the same file.
>>> rm .claude/note; git worktree add -q .worktrees/issue-42-x -b x
>>> (cd .worktrees/issue-42-x && add); hooks Stop; take_out
PW hook record 10
END

# refused STATUS REASON [ARGUMENT...]: in one line; nothing changes.
refused() {
	before=$(picture)
	status=$1
	reason=$2
	shift 2
	gives "$status" "^paneward: .*$reason" claude "$@"
	is "$(grep -c '' "$T/err") $(picture)" "1 $before" 'nothing is changed'
}

echo '{}' >"$T/elsewhere"
mkdir "$T/dot"
# What is done to good settings, why they are refused then, and arguments.
while IFS='|' read -r change reason more; do
	rm -rf "$P/.claude" && mkdir "$P/.claude" && echo '{}' >"$CLAUDE"
	eval "$change"
	# shellcheck disable=SC2086
	refused 2 "$reason" $more
	case $more in
	'') check 'JSON is printed' is_json "$T/out"
		check 'with the hooks' grep -q 'hook record' "$T/out" ;;
	--remove) is "$(cat "$T/out")" '' 'there is nothing to paste' ;;
	esac
done <<'END'
text '{\n  "a": 1,\n}\n'|line 3: unexpected '}'
text '{\n  "a": 1,\n}\n'|line 3: unexpected '}'|--print
text '{\n  "a": 1,\n}\n'|line 3.*take out by hand|--remove
text '{\n  "a": 1 // one\n}\n'|line 2: a comment
text '[]'|no JSON object
text '{"hooks":[]}'|'hooks' is no JSON object
text '{"hooks":{"Stop":{}}}'|'hooks.Stop' is no list
text '{"a":"\377"}'|not UTF-8
text '\357\273\277{}'|line 1
text '{"hooks":{"\\u001b[31m":1}}'|x1b\[31m
perl -e 'print "{\"a\":\"", "x" x 1100000, "\"}"' >"$CLAUDE"|more than
perl -e 'print "{\"a\":\"", "x" x 1048556, "\"}"' >"$CLAUDE"|more than 1048576
ln -sf "$T/elsewhere" "$CLAUDE"|'settings.json' is a link
rm "$CLAUDE"; mkdir "$CLAUDE"|no regular file
rm "$CLAUDE"; mkfifo "$CLAUDE"|no regular file
rm -f "$T/second"; ln "$CLAUDE" "$T/second"|several names
rm -r .claude; ln -s "$T/dot" .claude|'.claude' on the way to it is a link
rm -r .claude; : >.claude|'.claude' on the way to it
ln -s "$T/elsewhere" "$KEPT"|backup' is a link|--inbox
END
is "$(cat "$T/elsewhere"; ls "$T/dot")" '{}' 'no link is followed'
rm -r "$P/.claude"

mkdir "$HOME/.config/paneward/backends"
echo '{ "hooks": { "folder": "/x" } }' \
	>"$HOME/.config/paneward/backends/mine.json"
fails 2 "'nonsense' is no agent.*\(claude, codex, copilot, cursor" init nonsense
fails 2 'is no agent' init ../hooks/claude
fails 2 "mine.json' line 1: 'hooks.folder'" init mine
fails 2 'takes an agent, or tmux' init
fails 2 'takes an agent, or tmux' init claude codex
fails 2 'takes --print or --remove, not both' init claude --print --remove
fails 2 'takes everything out' init claude --remove --loop
fails 2 'takes everything out' init claude --remove --reload
fails 2 '--replace goes with --inbox' init claude --replace
fails 2 'no hook is known here' init codex --inbox --replace
fails 2 'Gemini CLI has no hook for --loop' init gemini --loop
fails 2 'Gemini CLI has no skills' init gemini --reload
fails 2 'pi has no hook for --inbox' init pi --inbox
rm -r "$HOME/.config/paneward/backends"

before=$(picture)
scenario 'each agent has a form and units of its own' <<'END'
>>> for agent in claude codex gemini cursor copilot qwen; do
... 	init $agent; "$PW" init $agent | cut -d : -f 1
... 	init $agent --remove; unchanged
... done
nothing to change in '$T/project/.claude/settings.json'
nothing to change in '$T/project/.codex/hooks.json'
nothing to change in '$T/project/.gemini/settings.json'
nothing to change in '$T/project/.cursor/hooks.json'
nothing to change in '$T/project/.github/copilot/settings.json'
nothing to change in '$T/project/.qwen/settings.json'
>>> # Where nothing fits no folder stays behind.
>>> sh -c 'trap "" XFSZ; ulimit -f 0; "$1" init codex 2>&1' - "$PW" | cat
paneward: cannot write a temporary file: File too large
>>> unchanged; init codex --loop; hooks Stop .codex/hooks.json
PW hook record 10; PW hook loop 10
>>> init codex --remove; mkdir .gemini .cursor
>>> echo '{ "theme": "x" }' >.gemini/settings.json
>>> printf '{\n  "hooks": {}\n}\n' >.cursor/hooks.json; before=$(picture)
>>> init gemini; init cursor; hooks AfterAgent .gemini/settings.json
PW hook record 10000
>>> hooks Stop .gemini/settings.json; hooks stop .cursor/hooks.json
PW hook record 10
>>> grep version .cursor/hooks.json; init gemini --remove; init cursor --remove
  "version": 1
>>> unchanged; rm -r .gemini .cursor
END

before=$(picture)
homely=$(find "$HOME")
as_it_was() { is "$(find "$HOME")" "$homely"; }

# user FOLDER [ARGUMENT...]
user() (
	export CLAUDE_CONFIG_DIR="$1"
	shift
	add --user "$@"
)

mkdir "$T/config"
ln -s config "$T/linked"
scenario "in the user's own settings hooks come and go" <<'END'
>>> for agent in claude codex copilot cursor gemini opencode pi qwen; do
... 	init $agent --user; init $agent --user --remove; as_it_was
... done
>>> add --user --reload; hooks Stop "$HOME/.claude/settings.json"
PW hook record 10
>>> (cd "$HOME/.claude" && echo *); take_out --user; as_it_was
settings.json skills
>>> mkdir "$HOME/.claude"; echo x >"$HOME/.claude/note"; add --user --reload
>>> take_out --user; ls -A "$HOME/.claude"
note
>>> rm -r "$HOME/.claude"; user "$T/config" --reload
>>> (cd "$T/config" && echo * skills/*)
settings.json skills skills/reload
>>> user "$T/linked/" --remove; ls -A "$T/config"; test -L "$T/linked"
>>> user "$T/new/er" --reload; (cd "$T/new/er" && echo *)
settings.json skills
>>> user "$T/new/er" --remove; find "$T/new"
$T/new
>>> user /paneward-nowhere// --print; grep '^+++' "$T/out"
+++ /paneward-nowhere/settings.json
>>> user config --print
paneward: init: CLAUDE_CONFIG_DIR is 'config', which is no absolute path; make it absolute, or unset it
[2]
>>> user '' --print 2>&1 | cut -d , -f 1
paneward: init: CLAUDE_CONFIG_DIR is ''
>>> as_it_was; unchanged
END
if [ "$(id -u)" -ne 0 ]; then
	mkdir -p "$P/.claude" "$T/closed/own"
	echo '{}' >"$CLAUDE"
	chmod 500 "$P/.claude"
	refused 3 'cannot write'
	chmod 755 "$P/.claude"
	chmod 000 "$CLAUDE"
	refused 3 'cannot read'
	rm -r "$P/.claude"
	chmod 500 "$P"
	fails 3 "cannot make the folder '.codex'" init codex
	chmod 755 "$P"
	chmod 311 "$T/closed"
	user "$T/closed/own"
	chmod 755 "$T/closed"
	check 'below a folder that only lets us through there are hooks' \
		test -f "$T/closed/own/settings.json"
else
	skip 'what cannot be read or written' 'root can'
fi

for plugin in opencode:.opencode/plugins/paneward.js \
    pi:.pi/extensions/paneward.ts; do
	agent=${plugin%%:*}
	plugin=${plugin#*:}
	before=$(picture)
	scenario "$agent: its plugin comes and goes; the user's own stays" <<'END'
>>> init $agent --print; unchanged; init $agent
>>> sed -n "/^const program =/s|$PROGRAM|PW|p; /<</p" "$plugin"
const program = "PW"
>>> "$PW" init $agent | grep -o 'nothing to change'
nothing to change
>>> "$moved/paneward" init $agent >"$T/out"; grep '^const program =' "$plugin"
const program = "$T/a b/it's/paneward"
>>> init $agent --remove; unchanged
>>> mkdir -p "${plugin%/*}"; echo '// mine' >"$plugin"; before=$(picture)
>>> init $agent
~ paneward: '.T/project/[^']*' is left as it is: paneward did not write it; add by hand what is printed above
[2]
>>> grep -q hook_event_name "$T/out"; "$PW" init $agent --remove >/dev/null 2>&1
[2]
>>> unchanged; rm "$plugin"; init $agent; echo '//' >>"$plugin"
>>> before=$(picture); init $agent
~ paneward: '.T/project/[^']*' is left as it is: it was changed since paneward wrote it; add by hand what is printed above
[2]
>>> init $agent --remove
~ paneward: '.T/project/[^']*' is left: it was changed since paneward wrote it; remove it by hand
>>> unchanged; rm -r "${plugin%%/*}"
END
done

# settled FILE: the hooks in it, in a line.
settled() {
	perl -MJSON::PP -0777 -ne 'print JSON::PP->new->canonical->encode(
		decode_json($_)->{hooks})' "$1" |
		sed "s|$PROGRAM|"'\\"${PANEWARD:-paneward}\\"|g'
}
add --loop
is "$(settled "$ROOT/templates/claude-plugin/hooks/hooks.json")" \
	"$(settled "$CLAUDE")" "Claude Code's plugin has the hooks of init"

# What the plugins tell, with an agent that is none: node runs their handlers.
command -v node >/dev/null ||
	{ skip 'what the plugins tell' 'node is not here' && done_testing; }
"$PW" init opencode >/dev/null
like "$("$PW" init pi)" 'asks whether a project with a .pi is trusted' \
	'what pi asks for its plugin is said'
mkdir "$T/stub"
script stub/paneward <<END
[ "\$*" = 'hook record' ] && cat >>'$T/told' && echo >>'$T/told'
END
for file in .opencode/plugins/paneward.js .pi/extensions/paneward.ts; do
	sed "s|^const program = .*|const program = \"$T/stub/paneward\"|" \
		"$P/$file" >"$T/stub/${file##*/}.mjs"
done

cat >"$T/stub/opencode.mjs" <<'END'
import { Paneward } from "./paneward.js.mjs"
const plugin = await Paneward()
const send = (type, properties) => plugin.event({ event: { type, properties } })
const of = (type, more) => send("session." + type, { sessionID: "s", ...more })
const idle = () => of("idle")
const busy = () => of("status", { status: { type: "busy" } })
const by = (id, role) => send("message.updated", { info: { id, role } })
const part = (messageID, text) => send("message.part.updated", { part:
  { id: "1", messageID, sessionID: "s", type: "text", text } })
const call = { tool: "bash", sessionID: "s", callID: "c" }
const before = (args) => plugin["tool.execute.before"](call, { args })
const after = (output) => plugin["tool.execute.after"](call, { output })
const error = (name, data) => of("error", { error: { name, data } })
const steps = [
  [send, "session.created", { info: { id: "s" } }],
  [send, "session.created", { info: { id: "h", parentID: "s" } }],
  [busy], [busy], [by, "u", "user"], [part, "u", "a question"],
  [by, "m", "assistant"], [part, "m", "half"], [part, "m", "whole"],
  [send, "permission.asked", { id: "p", sessionID: "s", permission: "bash",
    metadata: { command: "ls" } }],
  [send, "permission.replied", { requestID: "p", sessionID: "s" }],
  [before, { command: "echo x" }], [after, "x"],
  [send, "session.idle", { sessionID: "h" }], [idle], [idle],
  [busy], [error, "APIError", { statusCode: 429, message: "slow down" }],
  [idle], [idle],
  [busy], [by, "n", "assistant"], [part, "n", "cut o"],
  [error, "MessageAbortedError"], [idle], [idle],
  [send, "nonsense", undefined], [plugin.event, {}],
]
for (const [step, ...words] of steps) await step(...words)
END
cat >"$T/stub/pi.mjs" <<'END'
import extension from "./paneward.ts.mjs"
const on = {}
extension({ on: (name, handler) => (on[name] = handler) })
const ctx = { sessionManager: { getSessionFile: () => "/x/s.jsonl",
  getSessionId: () => "other" } }
const message = (text, more) => ({ role: "assistant",
  content: [{ type: "text", text }], ...more })
await on.session_start({}, ctx)
await on.agent_start({}, ctx)
await on.tool_result({ toolName: "bash", input: { command: "echo x" },
  content: [{ type: "text", text: "x" }] }, ctx)
await on.tool_result({ toolName: "read", content: [] }, ctx)
await on.agent_end({ messages: [message("old"), message("whole")] }, ctx)
await on.agent_end({ messages: [message("", { stopReason: "error",
  errorMessage: "429 slow down" })] }, ctx)
await on.agent_end({}, undefined)
await on.session_shutdown({}, ctx)
END

# told NAME: the events that the stub was told, with what counts of them.
told() {
	rm -f "$T/told"
	node "$T/stub/$1.mjs"
	perl -MJSON::PP -ne 'next unless /\S/; my $v = decode_json($_);
		print join(" ", $v->{hook_event_name}, map { $_ // "-" }
		    $v->{session_id}, $v->{error}, $v->{tool_name},
		    $v->{tool_input}{command}, $v->{tool_response}{stdout},
		    $v->{last_assistant_message} // $v->{delta}), "\n"' \
		"$T/told"
}

scenario 'opencode tells of the main session, pi of its turns' <<'END'
>>> told opencode
SessionStart s - - - - -
UserPromptSubmit s - - - - -
MessageDisplay s - - - - whole
PreToolUse s - Bash echo x - -
PostToolUse s - Bash echo x x -
Stop s - - - - -
UserPromptSubmit s - - - - -
StopFailure s rate_limit - - - slow down
UserPromptSubmit s - - - - -
Stop s - - - - -
>>> told pi
SessionStart s - - - - -
UserPromptSubmit s - - - - -
PostToolUse s - Bash echo x x -
Stop s - - - - whole
StopFailure s rate_limit - - - 429 slow down
Stop - - - - - -
SessionEnd s - - - - -
END

# ---- backends ---------------------------------------------------------------

backends=$HOME/.config/paneward/backends
own() { (cd "$backends" 2>/dev/null && ls -A && cat -- *); }
bundle() {
	printf '{ "backends": {\n"a": {"extends": "b"},\n%s }}\n' "$1" >"$T/set"
}
b='"b": { "command": "b" }'
bundle "$b"
sum=$(sha256sum "$T/set" | cut -d ' ' -f 1)
cp "$ROOT/backends/shell.json" "$T/codex.json"

scenario 'all backends of a file are installed behind the difference, or none' <<'END'
>>> "$PW" init --backends "$T/set" --print | grep -v '^---'
new file '$T/home/.config/paneward/backends/a.json': 1 lines added, 0 removed
new file '$T/home/.config/paneward/backends/b.json': 1 lines added, 0 removed
+++ $T/home/.config/paneward/backends/a.json
@@ -0,0 +1 @@
+{"extends": "b"}
+++ $T/home/.config/paneward/backends/b.json
@@ -0,0 +1 @@
+{ "command": "b" }
>>> "$PW" init --backends "$T/set" --sha256 "${sum}0"
~ paneward: init: nothing is installed: the SHA-256 sum of .* is [0-9a-f]{64}, not .*
[2]
>>> for wrong in '"../b": {}' '"b": {}, "../c": {}' '"b": []' '"b": {"hooks": {"fil": 1}}' '"b": {"extends": "a"}'; do
... bundle "$wrong"; "$PW" init --backends "$T/set"; done
paneward: init: nothing is installed: '$T/set' line 2: 'extends' is 'b': there is no backends/b.json
paneward: init: nothing is installed: cannot use '$T/set': '../c' is no name of a backend: letters, digits, '-' and '_'
paneward: init: nothing is installed: '$T/set' line 3: it is not an object
paneward: init: nothing is installed: '$T/set' line 3: unknown key 'hooks.fil' (did you mean 'file'?)
paneward: init: nothing is installed: '$T/set' line 3: 'extends' is 'a', which extends it
[2]
>>> mkdir -p "$backends" && ln -s /etc/passwd "$backends/b.json"
>>> bundle "$b"; "$PW" init --backends "$T/set"
paneward: init: nothing is installed: 'b.json' is a link, and none is followed
[2]
>>> ls -A "$backends"; rm "$backends/b.json"
b.json
>>> "$PW" init --backends "$T/set" --sha256 "$sum" --yes >"$T/out" && own
a.json
b.json
{"extends": "b"}
{ "command": "b" }
>>> "$PW" init --backends "$T/set" | sed 's/ in .*//'
nothing to change
nothing to change
>>> "$PW" init --backends "$ROOT/backends/codex.json" | sed 's/ in .*//'
nothing to change
>>> "$PW" init --backends "$T/codex.json" | sed -n '2s|.*/b|b|p'
backends/codex.json
>>> cmp "$T/codex.json" "$backends/codex.json"; rm -r "$backends"
END
done_testing
