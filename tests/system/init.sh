#!/bin/sh
# paneward init: its hooks come into an agent's settings and go again, and
# nothing of the user's is touched, ever.
. "${0%/*}/lib.sh"

git_project
PROGRAM=$(cd "${PW%/*}" && pwd -P)/${PW##*/}
CLAUDE=$P/.claude/settings.json

# Everything below the project and its names, to be compared.
picture() {
	(cd "$P" && find . -path ./.git -prune -o -print | sort &&
		find . -path ./.git -prune -o -type f -exec cksum {} + | sort)
}

is_json() {
	perl -MJSON::PP -0777 -ne 'decode_json($_)' "$1"
}

# commands EVENT FILE: what settings of Claude's form run at an event.
commands() {
	perl -MJSON::PP -e '
		local $/;
		open my $file, "<", $ARGV[1] or exit;
		my $v = decode_json(<$file>);
		for my $group (@{$v->{hooks}{$ARGV[0]}}) {
			print "$_->{command} $_->{timeout}\n"
			    for @{$group->{hooks} // [$group]};
		}' "$1" "$2"
}

# ---- as a new user would -----------------------------------------------------

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

exits 0 'what would be added is shown' "$PW" init claude --print
like "$(cat "$T/out")" '^\+ +"StopFailure": \[' 'with an event'
is "$(head -n 1 "$T/out")" "changes in '$CLAUDE': $(grep -c '^+[^+]' \
	"$T/out") lines added, 1 removed" 'after how much it is'
like "$(cat "$T/out")" "^\+\+\+ $CLAUDE" 'and where it goes'
is "$(grep '^-[^-]' "$T/out")" '-    "PreToolUse": []' \
	'the only line to change is one that gets a comma'
is "$(cat "$T/err")" '' 'no word more'
is "$(picture)" "$before" 'and nothing is written'

exits 0 'it is added' "$PW" init claude
like "$(cat "$T/out")" '^\+ +"StopFailure": \[' 'and shown'
check 'what is there now is JSON' is_json "$CLAUDE"
is "$(commands Stop "$CLAUDE" | tr '\n' ';')" \
	"notify-send done ;$PROGRAM hook record 10;" \
	"behind the user's own hook comes ours, with ten seconds"
is "$(commands SessionStart "$CLAUDE")" "$PROGRAM hook record 10" \
	'sessions are recorded'
is "$(commands MessageDisplay "$CLAUDE")" '' 'pieces of messages are not'
is "$(commands SubagentStop "$CLAUDE")" '' 'nobody asked for a loop'
is "$(diff "$T/own.json" "$CLAUDE" | grep -c '^<')" 1 \
	'of the old lines one gets a comma, and no other is touched'
check 'the file was kept as it was' cmp "$T/own.json" \
	"$CLAUDE.paneward-backup"
is "$(stat -c %a "$CLAUDE" 2>/dev/null || stat -f %Lp "$CLAUDE")" 640 \
	'its mode stays'
cp "$CLAUDE" "$T/once.json"
exits 0 'a second time' "$PW" init claude
like "$(cat "$T/out")" '^nothing to change' 'nothing is to be done'
check 'nor is it' cmp "$T/once.json" "$CLAUDE"

exits 0 'the loop and the inbox come when they are asked for' \
	"$PW" init claude --loop --inbox
is "$(commands Stop "$CLAUDE" | sed "s|$PROGRAM||" | tr '\n' ';')" \
	'notify-send done ; hook record 10; hook inbox 10; hook loop 10;' \
	'at Stop'
is "$(commands SubagentStop "$CLAUDE")" "$PROGRAM hook loop 10" \
	'and the loop for sub-agents'
check 'what was kept is the old file still' cmp "$T/own.json" \
	"$CLAUDE.paneward-backup"
cp "$CLAUDE" "$T/all.json"
exits 0 'asked for less' "$PW" init claude
check 'it takes nothing away' cmp "$T/all.json" "$CLAUDE"

exits 0 'it is taken out again' "$PW" init claude --remove
like "$(cat "$T/out")" '^- +"StopFailure": \[' 'which is shown'
check 'and the file is byte for byte what it was' cmp "$T/own.json" "$CLAUDE"
is "$(picture)" "$before" 'and so is all the rest'
exits 0 'once more' "$PW" init claude --remove
is "$(picture)" "$before" 'nothing is there to go'

# ---- the hook of another tool ------------------------------------------------

cat >"$T/theirs.json" <<'END'
{
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [
        { "type": "command", "command": "bash scripts/stop_hook_inbox.sh" }
      ] },
      { "hooks": [ { "type": "command", "command": "my_stop_hook_inbox.sh" } ] }
    ]
  }
}
END
cp "$T/theirs.json" "$CLAUDE"
exits 2 'one that delivers messages already' "$PW" init claude --inbox
like "$(cat "$T/err")" \
	"its hook 'bash scripts/stop_hook_inbox.sh' delivers .* --replace" \
	'... is named'
check '... and nothing is changed' cmp "$T/theirs.json" "$CLAUDE"
exits 2 'it is only replaced by one that delivers' "$PW" init claude --replace
exits 2 'and not where none is known' "$PW" init codex --inbox --replace
exits 0 'the other hooks go beside it' "$PW" init claude
exits 2 'but not that one' "$PW" init claude --inbox
exits 0 'it is replaced' "$PW" init claude --inbox --replace
is "$(commands Stop "$CLAUDE" | sed "s|$PROGRAM||" | tr '\n' ';')" \
	'my_stop_hook_inbox.sh ; hook record 10; hook inbox 10;' \
	'... by ours, and another file of a longer name stays'
cp "$CLAUDE" "$T/with"
exits 0 'once more' "$PW" init claude --inbox --replace
check '... changes nothing' cmp "$T/with" "$CLAUDE"
exits 0 'it is taken out again' "$PW" init claude --remove
check '... and theirs is back, byte for byte' cmp "$T/theirs.json" "$CLAUDE"
is "$(cat "$T/err")" '' '... without a word'
"$PW" init claude --inbox --replace >/dev/null
sed 's/my_stop/our_stop/' "$CLAUDE" >"$T/changed"
cat "$T/changed" >"$CLAUDE"
exits 0 'in a file that was changed' "$PW" init claude --remove
is "$(commands Stop "$CLAUDE")" 'our_stop_hook_inbox.sh ' \
	'... only ours are taken out'
like "$(cat "$T/err")" "had the hook 'bash scripts/stop_hook_inbox.sh', and" \
	'... and what to put back is said'
cp "$T/own.json" "$CLAUDE"
chmod 640 "$CLAUDE"

# The hook runs as it is registered, and never harms.
"$PW" init claude >/dev/null
command=$(commands SessionStart "$CLAUDE")
exits 0 'the registered line runs in a shell' sh -c "${command% 10}"
is "$(cat "$T/out")" '' 'and answers nothing'
"$PW" init claude --remove >/dev/null

# ---- texts of every kind -----------------------------------------------------

# round DESCRIPTION: with the file $T/text as settings.
round() {
	cp "$T/text" "$CLAUDE"
	exits 0 "$1: added" "$PW" init claude --loop
	check "$1: it is JSON then" is_json "$CLAUDE"
	cp "$CLAUDE" "$T/with"
	"$PW" init claude --loop >/dev/null
	check "$1: once" cmp "$T/with" "$CLAUDE"
	exits 0 "$1: taken out" "$PW" init claude --remove
	check "$1: as before" cmp "$T/text" "$CLAUDE"
	is "$(picture)" "$(cp "$T/text" "$CLAUDE" && picture)" \
		"$1: nothing is left beside it"
}

printf '{\r\n\t"a": "\\u00e4",\r\n\t"hooks": {\r\n\t}\r\n}\r\n' >"$T/text"
round 'tabs and CR LF'
is "$(tr -d '\r' <"$T/with" | wc -c)" \
	"$(($(wc -c <"$T/with") - $(wc -l <"$T/with")))" \
	'every line ends in CR LF'
like "$(cat "$T/with")" "^		\"Stop\"" 'tabs indent it'
printf '{"a":{},"b":[1,2]}' >"$T/text"
round 'one line without an end'
is "$(wc -l <"$T/with" | tr -d ' ')" 0 'it stays one line'
printf '{\n    "a": 1\n}' >"$T/text"
round 'four blanks, no line feed at the end'
like "$(cat "$T/with")" '^    "hooks"' 'four blanks indent it'
printf '{ }' >"$T/text"
round 'an empty object with a blank'
: >"$T/text"
round 'an empty file'
printf '\n\n' >"$T/text"
round 'blank lines'
printf '{"hooks":{"Stop":[ ],"SessionEnd":[\n]}}\n' >"$T/text"
round 'empty lists'
printf '{"hooks":{"Stop":[{"hooks":[{"command":"/x/other hook record"}]}]}}' \
	>"$T/text"
round "somebody else's hook of that name"

for name in mypaneward paneward-2 panewardx; do
	printf '{"hooks":{"Stop":[{"hooks":[{"command":"/x/%s hook record"}]}]}}' \
		$name >"$T/text"
	round "a hook of $name, which is another program"
done

# What the user changed in the meantime stays.
cp "$T/own.json" "$CLAUDE"
"$PW" init claude >/dev/null
perl -pi -e 's/"opus"/"sonnet"/; s/1.50/2.50/' "$CLAUDE"
exits 0 'after a change of the user' "$PW" init claude --remove
sed 's/"opus"/"sonnet"/; s/1.50/2.50/' "$T/own.json" >"$T/want"
check 'all of his stays and all of ours goes' cmp "$T/want" "$CLAUDE"
check 'also what was kept' no test -e "$CLAUDE.paneward-backup"

# So does what he did where nothing of ours is any more, or is told apart only
# by its bytes.
printf '{ "a":1 }' >"$CLAUDE"
"$PW" init claude >/dev/null
printf '{\n  "a": 1\n}\n' >"$CLAUDE"
cp "$CLAUDE" "$T/want"
exits 0 'where the user took all out' "$PW" init claude --remove
check 'his file stays' cmp "$T/want" "$CLAUDE"
check 'what was kept goes' no test -e "$CLAUDE.paneward-backup"
for change in 's/992/993/' 's/1\.5/1.50/' 's/"b":/"b": /'; do
	printf '{"a":9007199254740992,"b":1.5,"hooks":{ }}' >"$T/text"
	cp "$T/text" "$CLAUDE"
	"$PW" init claude >/dev/null
	perl -pi -e "$change" "$CLAUDE"
	"$PW" init claude --remove >/dev/null
	sed "$change; s/{ }/{}/" "$T/text" >"$T/want"
	check "a change of his stays: $change" cmp "$T/want" "$CLAUDE"
done
printf '{}' >"$CLAUDE"
"$PW" init claude --remove >/dev/null
is "$(cat "$CLAUDE")" '{}' 'a file that never had ours stays'
: >"$CLAUDE"
exits 0 'an empty file that never had ours' "$PW" init claude --remove
check 'stays, too' test -f "$CLAUDE"

# What was kept belongs to one file, and not to the next of its name.
echo '{"model":"x","hooks":{"Stop":[]}}' >"$CLAUDE"
cp "$CLAUDE" "$T/want"
"$PW" init claude >/dev/null
rm "$CLAUDE"
exits 0 'without the file' "$PW" init claude --remove
like "$(cat "$T/err")" "json.paneward-backup' is left beside '$CLAUDE'" \
	'what was kept of it is named'
check 'and left' cmp "$T/want" "$CLAUDE.paneward-backup"
exits 0 'a new file' "$PW" init claude
check 'has nothing kept' no test -e "$CLAUDE.paneward-backup"
exits 0 'and goes again' "$PW" init claude --remove
check 'with all that it had' no test -e "$P/.claude"
mkdir "$P/.claude"

# A hook that the user has put beside ours, in its entry, stays.
printf '{}\n' >"$CLAUDE"
"$PW" init claude >/dev/null
perl -MJSON::PP -0777 -i -ne '
	my $v = decode_json($_);
	push @{$v->{hooks}{Stop}[0]{hooks}}, { type => "command",
	    command => "mine" };
	$v->{hooks}{SessionEnd}[0]{hooks}[0]{command} .= " --context note.md";
	print JSON::PP->new->pretty->canonical->encode($v)' "$CLAUDE"
exits 0 'with a hook of his in our entry' "$PW" init claude
like "$(cat "$T/out")" 'nothing to change' 'ours is there'
exits 0 'and goes' "$PW" init claude --remove
is "$(commands Stop "$CLAUDE")" 'mine ' 'his stays'
is "$(commands SessionEnd "$CLAUDE")" \
	"$PROGRAM hook record --context note.md 10" \
	'and so does one of ours to which he gave an option'

# A program that has moved.
mkdir -p "$T/a b/it's"
cp "$PW" "$T/a b/it's/paneward"
for folder in agents backends templates; do
	ln -s "$ROOT/$folder" "$T/a b/it's/$folder"
done
printf '{}\n' >"$CLAUDE"
exits 0 'a program in a folder with a blank and a quote' \
	"$T/a b/it's/paneward" init claude
command=$(commands Stop "$CLAUDE")
exits 0 'is quoted for the shell' sh -c "${command% 10}"
is "$(grep -c 'not found' "$T/err")" 0 'which finds it'
exits 0 'the moved program' "$PW" init claude
is "$(commands Stop "$CLAUDE")" "$PROGRAM hook record 10" \
	'takes the place of the old one'
exits 0 'and goes' "$T/a b/it's/paneward" init claude --remove
is "$(cat "$CLAUDE")" '{}' 'whoever takes it out'

# With options of the user's, only where it is gone.
printf '{"hooks":{"Stop":[{"command":"%s hook record --save F"}]}}' \
	'/nope/paneward' >"$CLAUDE"
"$PW" init claude >/dev/null
is "$(commands Stop "$CLAUDE")" "$PROGRAM hook record --save F " \
	"the user's options stay where the program is gone"
"$PW" init claude --remove >/dev/null
mkdir "$T/other" && cp "$PW" "$T/other/paneward"
printf '{"hooks":{"Stop":[{"command":"%s hook record --save F"}]}}' \
	"$T/other/paneward" >"$CLAUDE"
"$PW" init claude >/dev/null
is "$(commands Stop "$CLAUDE")" "$T/other/paneward hook record --save F " \
	'where it is there, it may be meant'
"$PW" init claude --remove >/dev/null
echo '{}' >"$CLAUDE"
"$PW" init claude --loop >/dev/null
sed "s|$PROGRAM|/nope/paneward|" "$CLAUDE" >"$T/moved"
cat "$T/moved" >"$CLAUDE"
"$PW" init claude >/dev/null
is "$(grep -c /nope/ "$CLAUDE")" 0 'a hook that is not asked for moves as well'
"$PW" init claude --remove >/dev/null

cp "$PW" "$T/a b/it's/paneward-2"
before=$(picture)
exits 2 'a program that is called otherwise' "$T/a b/it's/paneward-2" \
	init claude
like "$(cat "$T/err")" "known again by the name 'paneward'.*give it that" \
	'would not know its hooks again'
is "$(picture)" "$before" 'and puts none in'

# ---- several at the same time ------------------------------------------------

cp "$T/own.json" "$CLAUDE"
for _ in 1 2 3 4 5 6; do
	("$PW" init claude --loop >/dev/null 2>&1; echo $? >>"$T/statuses") &
done
wait
like "$(cat "$T/statuses")" '^0$' 'of several at the same time one is done'
is "$(grep -vc '^[03]$' "$T/statuses")" 0 'the others may have to try again'
exits 0 'once more' "$PW" init claude --loop
is "$(commands Stop "$CLAUDE" | sed "s|$PROGRAM||" | tr '\n' ';')" \
	'notify-send done ; hook record 10; hook loop 10;' \
	'each hook is there once'
"$PW" init claude --remove >/dev/null
check 'and what was there before is kept' cmp "$T/own.json" "$CLAUDE"
is "$(ls -A "$P/.claude")" settings.json 'and nothing else'

# ---- the skill ---------------------------------------------------------------

SKILL=$P/.claude/skills/reload/SKILL.md
TEMPLATE=$ROOT/templates/skills/reload/SKILL.md
before=$(picture)
exits 0 'how an agent restarts itself is shown' "$PW" init claude --reload \
	--print
like "$(cat "$T/out")" "^\+\+\+ $SKILL" 'with its place'
is "$(head -n 2 "$T/out" | cut -d : -f 1)" "changes in '$CLAUDE'
new file '$SKILL'" 'and a line for each file first'
is "$(picture)" "$before" 'and not written'
exits 0 'the skill is installed' "$PW" init claude --reload
sed '$d' "$SKILL" >"$T/skill"
check 'as it comes with paneward' cmp "$T/skill" "$TEMPLATE"
like "$(tail -n 1 "$SKILL")" '^<!-- paneward init wrote this file' \
	'with a line that says who wrote it'
like "$(commands Stop "$CLAUDE")" 'hook record' 'beside the hooks'
cp "$SKILL" "$T/skill"
exits 0 'a second time' "$PW" init claude --reload
is "$(grep -c '^nothing to change' "$T/out")" 2 'nothing is to be done'
check 'nor is it' cmp "$T/skill" "$SKILL"
exits 0 'asked for without it' "$PW" init claude
check 'it stays' cmp "$T/skill" "$SKILL"
exits 0 'it is taken out' "$PW" init claude --remove
like "$(cat "$T/out")" '^-# Restart yourself' 'which is shown'
is "$(picture)" "$before" 'and all is as it was'

# One that an older paneward wrote is written again.
rm "$T/a b/it's/templates"
cp -R "$ROOT/templates" "$T/a b/it's/templates"
sed 's/^# Restart yourself/# Begin again/' "$TEMPLATE" \
	>"$T/a b/it's/templates/skills/reload/SKILL.md"
"$T/a b/it's/paneward" init claude --reload >/dev/null
like "$(cat "$SKILL")" '^# Begin again' 'one of an older paneward'
exits 0 'is written again' "$PW" init claude --reload
check 'by the newer one' cmp "$T/skill" "$SKILL"
"$T/a b/it's/paneward" init claude --reload >/dev/null
exits 0 'or taken out' "$PW" init claude --remove
is "$(picture)" "$before" 'by it'

# One that a person has changed is his.
for change in 's/^# Restart yourself/# My own/' '$s/$/ and more/' '$a\
more'; do
	"$PW" init claude --reload >/dev/null
	sed "$change" "$SKILL" >"$T/changed" && cat "$T/changed" >"$SKILL"
	"$PW" init claude --remove >/dev/null 2>&1
	check 'one that was changed is not removed' cmp "$T/changed" "$SKILL"
	exits 2 'nor written again' "$PW" init claude --reload
	like "$(cat "$T/err")" \
		"'$SKILL' is left as it is: it was changed.*put in by hand" \
		'with the reason and what to do'
	check 'the text is printed' cmp "$T/out" "$TEMPLATE"
	check 'it stays' cmp "$T/changed" "$SKILL"
	is "$(commands Stop "$CLAUDE")" 'notify-send done ' \
		'and no hook was put in'
	exits 0 'all else is taken out' "$PW" init claude --remove
	like "$(cat "$T/err")" "'$SKILL' is left: it was changed.*by hand" \
		'with a word on the skill'
	rm -r "$P/.claude/skills"
done
mkdir -p "${SKILL%/*}" && echo mine >"$SKILL"
exits 2 "a skill of the user's own is refused" "$PW" init claude --reload
like "$(cat "$T/err")" 'paneward did not write it' 'with the reason'
exits 0 'it is none to be taken out' "$PW" init claude --remove
is "$(cat "$T/err")" '' 'nor worth a word'
is "$(cat "$SKILL")" mine 'and stays'
cp "$TEMPLATE" "$SKILL"
exits 0 'where it was put by other means' "$PW" init claude --reload
check 'it stays as it is' cmp "$TEMPLATE" "$SKILL"
"$PW" init claude --remove >/dev/null
check 'also when the rest goes' cmp "$TEMPLATE" "$SKILL"
rm -r "$P/.claude/skills"
mkdir "$T/shared" && ln -s "$T/shared" "$P/.claude/skills"
exits 2 'behind a link none is written' "$PW" init claude --reload
like "$(cat "$T/err")" "'skills' on the way to it is a link" 'for that reason'
exits 0 'nor is one looked for there' "$PW" init claude --remove
is "$(ls "$T/shared")" '' 'nothing is where it leads to'
rm "$P/.claude/skills"
is "$(picture)" "$before" 'all is as it was'
exits 2 'an agent without skills' "$PW" init gemini --reload
like "$(cat "$T/err")" 'Gemini CLI has no skills' 'is told so'
exits 2 'both to remove and to add' "$PW" init claude --remove --reload

# ---- where nothing was -------------------------------------------------------

rm -r "$P/.claude"
before=$(picture)
exits 0 'without a file one is made' "$PW" init claude
check 'which is JSON' is_json "$CLAUDE"
check 'there is nothing to keep' no test -e "$CLAUDE.paneward-backup"
exits 0 'and it goes' "$PW" init claude --remove
is "$(picture)" "$before" 'with its folder'
"$PW" init claude --reload >/dev/null
exits 0 'with the skill, too' "$PW" init claude --remove
is "$(picture)" "$before" 'and its folders'
mkdir "$P/.claude" && echo x >"$P/.claude/note"
"$PW" init claude >/dev/null
exits 0 'a folder in which something is' "$PW" init claude --remove
is "$(ls "$P/.claude")" note 'stays'
rm "$P/.claude/note"

# From a folder below and from a linked work tree it is the same file.
git -C "$P" worktree add -q "$P/.worktrees/issue-42-x" -b x
exits 0 'in a linked work tree' sh -c 'cd "$1" && "$2" init claude' - \
	"$P/.worktrees/issue-42-x" "$PW"
check "it is the project's file" test -f "$CLAUDE"
"$PW" init claude --remove >/dev/null

# ---- what is refused ---------------------------------------------------------

# refused STATUS REASON [ARGUMENT...]: nothing changes; the text is printed.
refused() {
	status=$1
	reason=$2
	shift 2
	before=$(picture)
	exits "$status" "refused: $reason" "$PW" init claude "$@"
	like "$(cat "$T/err")" "^paneward: .*$reason" 'with the reason'
	is "$(wc -l <"$T/err" | tr -d ' ')" 1 'in one line'
	is "$(picture)" "$before" 'and nothing is changed'
}

pasted() {
	like "$(cat "$T/out")" 'hook record' 'the text to paste is printed'
	check 'and is JSON' is_json "$T/out"
}

mkdir -p "$P/.claude"
printf '{\n  "a": 1,\n}\n' >"$CLAUDE"
refused 2 "line 3: unexpected '}'" && pasted
refused 2 "line 3: unexpected '}'" --print
refused 2 'line 3.*take out by hand' --remove
is "$(cat "$T/out")" '' 'there is nothing to paste'
printf '{\n  "a": 1 // one\n}\n' >"$CLAUDE"
refused 2 'line 2: a comment' && pasted
printf '{ /* "hooks": {} */ }\n' >"$CLAUDE"
refused 2 'line 1: a comment'
printf '[]' >"$CLAUDE"
refused 2 'no JSON object' && pasted
printf '{"hooks":[]}' >"$CLAUDE"
refused 2 "'hooks' is no JSON object"
printf '{"hooks":{"Stop":{}}}' >"$CLAUDE"
refused 2 "'hooks.Stop' is no list"
printf '{"a":1,"a":2}' >"$CLAUDE"
refused 2 'line 1'
printf '{"a":"\377"}' >"$CLAUDE"
refused 2 'not UTF-8'
printf '\357\273\277{}' >"$CLAUDE"
refused 2 'line 1'
printf '{"a":"x\000"}' >"$CLAUDE"
refused 2 'NUL'
printf '\000\000\000' >"$CLAUDE"
refused 2 'line 1' && pasted
perl -e 'print "{\"a\":\"", "x" x 1100000, "\"}"' >"$CLAUDE"
refused 2 'more than'
perl -e 'print "{\"a\":\"", "x" x (1048576 - 20), "\"}"' >"$CLAUDE"
refused 2 'it would have more than 1048576 bytes'
perl -e 'print "[" x 10000' >"$CLAUDE"
refused 2 'nested too deep'
printf '{"hooks":{"\033[31m":1}}' >"$CLAUDE"
refused 2 'line 1'
printf '{"hooks":{"\\u001b[31m":1}}' >"$CLAUDE"
refused 2 'x1b\[31m'

echo '{}' >"$T/elsewhere.json"
ln -sf "$T/elsewhere.json" "$CLAUDE"
refused 2 "'settings.json' is a link" && pasted
is "$(cat "$T/elsewhere.json")" '{}' 'nor is where it leads to'
rm "$CLAUDE" && mkdir "$CLAUDE"
refused 2 'no regular file'
rmdir "$CLAUDE" && mkfifo "$CLAUDE"
refused 2 'no regular file'
rm "$CLAUDE" && echo '{}' >"$CLAUDE" && ln "$CLAUDE" "$T/second"
refused 2 'several names'
rm "$T/second" "$CLAUDE" && rmdir "$P/.claude"
mkdir "$T/dot" && ln -s "$T/dot" "$P/.claude"
refused 2 "'.claude' on the way to it is a link"
is "$(ls "$T/dot")" '' 'nor is where it leads to'
rm "$P/.claude" && : >"$P/.claude"
refused 2 "'.claude' on the way to it"
rm "$P/.claude" && mkdir "$P/.claude" && echo '{}' >"$CLAUDE"
ln -s "$T/elsewhere.json" "$CLAUDE.paneward-backup"
refused 2 "backup' is a link"
rm "$CLAUDE.paneward-backup"
if [ "$(id -u)" -ne 0 ]; then
	chmod 500 "$P/.claude"
	refused 3 'cannot write'
	chmod 755 "$P/.claude"
	chmod 000 "$CLAUDE"
	refused 3 'cannot read'
	chmod 644 "$CLAUDE"
else
	skip 'a folder that cannot be written to' 'root can'
fi

exits 2 'an agent that nobody knows' "$PW" init nonsense
like "$(cat "$T/err")" "'nonsense' is no agent.*claude, codex, cursor, gemini" \
	'the known ones are named'
exits 2 'a path is no agent' "$PW" init ../hooks/claude
mkdir "$HOME/.config/paneward/backends"
echo '{ "hooks": { "folder": "/x" } }' \
	>"$HOME/.config/paneward/backends/mine.json"
exits 2 "a backend of the user's own that is wrong" "$PW" init mine
like "$(cat "$T/err")" "mine.json' line 1: 'hooks.folder'" 'is named'
rm -r "$HOME/.config/paneward/backends"
exits 2 'no agent' "$PW" init
exits 2 'two agents' "$PW" init claude codex
exits 2 'both to show and to remove' "$PW" init claude --print --remove
exits 2 'both to remove and to add' "$PW" init claude --remove --loop
exits 2 'a loop where there can be none' "$PW" init gemini --loop
like "$(cat "$T/err")" "Gemini CLI has no hook for --loop" 'says why'
exits 2 'an inbox where there can be none' "$PW" init pi --inbox
rm -r "$P/.claude"

# What cannot be made is named, and what was made for nothing goes.
if [ "$(id -u)" -ne 0 ]; then
	chmod 500 "$P"
	exits 3 'a folder that cannot be made' "$PW" init codex
	chmod 755 "$P"
	like "$(cat "$T/err")" "cannot make the folder '.codex'" 'is named'
else
	skip 'a folder that cannot be made' 'root can'
fi
# shellcheck disable=SC2016
sh -c 'trap "" XFSZ; ulimit -f 0; "$1" init codex 2>&1' - "$PW" | cat \
	>"$T/said"
like "$(cat "$T/said")" 'cannot write a temporary file' 'where nothing fits'
check 'no folder stays behind' no test -e "$P/.codex"

# ---- every agent -------------------------------------------------------------

# The words that completion offers are the agents there are.
agents=$("$PW" init --help | sed -n 's,^Usage: .*options. \([^ ]*\).*,\1,p')
is "$(echo "$agents" | tr '|' '\n')" \
	"$(grep -l '"hooks": {' "$ROOT"/backends/*.json | while read -r file; do
		file=${file##*/}
		echo "${file%.json}"
	done | sort; echo tmux)" 'the help names the agents that there is a file for'

before=$(picture)
for agent in claude codex gemini cursor; do
	exits 0 "$agent: added" "$PW" init $agent
	cp "$T/out" "$T/first"
	exits 0 "$agent: again" "$PW" init $agent
	like "$(cat "$T/out")" 'nothing to change' "$agent: nothing more"
	exits 0 "$agent: taken out" "$PW" init $agent --remove
	is "$(picture)" "$before" "$agent: nothing is left"
done

"$PW" init codex --loop >/dev/null
is "$(commands Stop "$P/.codex/hooks.json" | sed 's/.*paneward//')" \
	' hook record 10
 hook loop 10' 'Codex: hooks.json, in seconds'
"$PW" init codex --remove >/dev/null
mkdir "$P/.gemini"
printf '{\n  "theme": "x"\n}\n' >"$P/.gemini/settings.json"
cp "$P/.gemini/settings.json" "$T/gemini"
"$PW" init gemini >/dev/null
is "$(commands AfterAgent "$P/.gemini/settings.json")" \
	"$PROGRAM hook record 10000" 'Gemini CLI: milliseconds'
is "$(commands Stop "$P/.gemini/settings.json")" '' 'and events of its own'
"$PW" init gemini --remove >/dev/null
check 'its settings come back' cmp "$T/gemini" "$P/.gemini/settings.json"
mkdir "$P/.cursor"
printf '{\n  "hooks": {}\n}\n' >"$P/.cursor/hooks.json"
cp "$P/.cursor/hooks.json" "$T/cursor"
"$PW" init cursor >/dev/null
like "$(cat "$P/.cursor/hooks.json")" '"version": 1' 'Cursor: a version'
is "$(commands stop "$P/.cursor/hooks.json")" "$PROGRAM hook record 10" \
	'and hooks without a list in the entry'
"$PW" init cursor --remove >/dev/null
check 'which goes again' cmp "$T/cursor" "$P/.cursor/hooks.json"
rm -r "$P/.gemini" "$P/.cursor"

# ---- the user's own settings -------------------------------------------------

before=$(picture)
homely=$(find "$HOME")
for agent in claude codex cursor gemini opencode pi; do
	exits 0 "$agent in the user's own settings" "$PW" init $agent --user
	exits 0 'and out of them' "$PW" init $agent --user --remove
	is "$(find "$HOME")" "$homely" 'with every folder that was made'
done
exits 0 "in the user's own settings" "$PW" init claude --user
is "$(picture)" "$before" 'the project stays as it is'
is "$(commands Stop "$HOME/.claude/settings.json")" "$PROGRAM hook record 10" \
	'they are in the home folder'
exits 0 'and go' "$PW" init claude --user --remove
check 'with their file' no test -e "$HOME/.claude/settings.json"
exits 0 'with the skill' "$PW" init claude --user --reload
check 'which is there as well' test -f "$HOME/.claude/skills/reload/SKILL.md"
exits 0 'and goes' "$PW" init claude --user --remove
check 'with its folders' no test -e "$HOME/.claude"
mkdir -p "$HOME/.claude" && echo x >"$HOME/.claude/note"
"$PW" init claude --user --reload >/dev/null
"$PW" init claude --user --remove >/dev/null
is "$(ls -A "$HOME/.claude")" note "the user's own folder stays"
rm -r "$HOME/.claude"
mkdir "$T/config"
exits 0 'where the agent looks for them' env CLAUDE_CONFIG_DIR="$T/config" \
	"$PW" init claude --user
check 'they are there' test -f "$T/config/settings.json"
env CLAUDE_CONFIG_DIR="$T/config" "$PW" init claude --user --reload >/dev/null
check 'and so is the skill' test -f "$T/config/skills/reload/SKILL.md"
ln -s config "$T/linked"
exits 0 'also behind a link that the variable names' \
	env CLAUDE_CONFIG_DIR="$T/linked/" "$PW" init claude --user --remove
is "$(ls -A "$T/config" "$T/linked")" "$T/config:

$T/linked:" 'from where they go'
exits 0 'in a folder that is not there yet' \
	env CLAUDE_CONFIG_DIR="$T/new/er" "$PW" init claude --user --reload
check 'it is made' test -f "$T/new/er/settings.json"
exits 0 'and taken out' \
	env CLAUDE_CONFIG_DIR="$T/new/er" "$PW" init claude --user --remove
check 'it goes' no test -e "$T/new/er"
exits 0 'just below the root' \
	env CLAUDE_CONFIG_DIR=/paneward-nowhere// \
	"$PW" init claude --user --print
like "$(cat "$T/out")" '^\+\+\+ /paneward-nowhere/settings.json' \
	'it is named so'
if [ "$(id -u)" -ne 0 ]; then
	mkdir -p "$T/closed/own" && chmod 311 "$T/closed"
	exits 0 'below a folder that only lets us through' \
		env CLAUDE_CONFIG_DIR="$T/closed/own" "$PW" init claude --user
	chmod 755 "$T/closed"
	check 'they are there, too' test -f "$T/closed/own/settings.json"
else
	skip 'below a folder that only lets us through' 'root sees into it'
fi
for folder in config ''; do
	exits 2 "a folder that hangs on the current one: '$folder'" \
		env CLAUDE_CONFIG_DIR="$folder" "$PW" init claude --user --print
	like "$(cat "$T/err")" \
		"CLAUDE_CONFIG_DIR is '$folder', which is no abs.* path" \
		'is refused'
done
is "$(find "$HOME")" "$homely" 'and nothing else is taken for it'

# ---- plugins -----------------------------------------------------------------

# plugin AGENT FILE
plugin() {
	before=$(picture)
	exits 0 "$1: what would be written is shown" "$PW" init "$1" --print
	is "$(picture)" "$before" "$1: and not written"
	exits 0 "$1: the plugin is written" "$PW" init "$1"
	like "$(cat "$P/$2")" "^const program = \"$PROGRAM\"" \
		"$1: with our path"
	unlike "$(cat "$P/$2")" '<<' "$1: no name is left open"
	exits 0 "$1: again" "$PW" init "$1"
	like "$(cat "$T/out")" 'nothing to change' "$1: nothing changes"
	exits 0 "$1: from another place" "$T/a b/it's/paneward" init "$1"
	like "$(cat "$P/$2")" "^const program = \"$T/a b/it's/" \
		"$1: it is written again"
	exits 0 "$1: taken away" "$PW" init "$1" --remove
	is "$(picture)" "$before" "$1: nothing is left"
	mkdir -p "$P/${2%/*}" && echo '// mine' >"$P/$2"
	before=$(picture)
	exits 2 "$1: a file of the user's is refused" "$PW" init "$1"
	like "$(cat "$T/err")" 'paneward did not write it' 'with the reason'
	like "$(cat "$T/out")" 'hook_event_name' 'and the text'
	exits 2 "$1: nor is it taken away" "$PW" init "$1" --remove
	is "$(picture)" "$before" "$1: it stays"
	rm "$P/$2"
	"$PW" init "$1" >/dev/null
	echo '// more' >>"$P/$2"
	before=$(picture)
	exits 2 "$1: one that the user changed is refused" "$PW" init "$1"
	like "$(cat "$T/err")" 'it was changed since.*put in by hand' \
		'with the reason'
	exits 0 "$1: nor is it taken away" "$PW" init "$1" --remove
	like "$(cat "$T/err")" "'$P/$2' is left: it was changed.*by hand" \
		'which is said'
	is "$(picture)" "$before" "$1: it stays, too"
	rm -r "${P:?}/${2%%/*}"
}

plugin opencode .opencode/plugins/paneward.js
plugin pi .pi/extensions/paneward.ts

# The plugin form for Claude Code is what init registers.
is "$(perl -MJSON::PP -0777 -e '
	my ($data, $plugin) = map { open my $f, "<", $_ or die; local $/;
	    decode_json(<$f> =~ s{^\s*//.*$}{}mgr) } @ARGV;
	for my $hook (qw(record loop)) {
		my $events = $data->{hooks}{register}{$hook};
		for my $event (sort keys %$events) {
			my ($group) = grep { $_->{hooks}[0]{command} eq
			    "\"\${PANEWARD:-paneward}\" hook $hook" &&
			    ($_->{matcher} // "") eq $events->{$event} }
			    @{$plugin->{hooks}{$event}};
			print "$event $hook\n"
			    unless $group && $group->{hooks}[0]{timeout} == 10;
		}
	}' "$ROOT/backends/claude.json" \
	"$ROOT/templates/claude-plugin/hooks/hooks.json")" '' \
	"Claude Code's plugin has the hooks that init registers"

# What the plugins tell, with an agent that is none: node runs their handlers.
command -v node >/dev/null || {
	skip 'what the plugins tell' 'node is not here'
	done_testing
}
"$PW" init opencode >/dev/null
exits 0 'pi: the plugin is written once more' "$PW" init pi
like "$(cat "$T/out")" 'asks whether a project with a .pi is trusted' \
	'and what pi asks for it is said'
mkdir "$T/stub"
cat >"$T/stub/paneward" <<END
#!/bin/sh
[ "\$*" = 'hook record' ] && cat >>'$T/told' && echo >>'$T/told'
END
chmod +x "$T/stub/paneward"
for file in .opencode/plugins/paneward.js .pi/extensions/paneward.ts; do
	sed "s|^const program = .*|const program = \"$T/stub/paneward\"|" \
		"$P/$file" >"$T/stub/${file##*/}.mjs"
done

cat >"$T/stub/opencode.mjs" <<'END'
import { Paneward } from "./paneward.js.mjs"
const plugin = await Paneward()
const send = (type, properties) => plugin.event({ event: { type, properties } })
await send("session.created", { info: { id: "s" } })
await send("session.created", { info: { id: "h", parentID: "s" } })
await send("session.status", { sessionID: "s", status: { type: "busy" } })
await send("session.status", { sessionID: "s", status: { type: "busy" } })
await send("message.updated", { info: { id: "u", role: "user" } })
await send("message.part.updated", { part: { id: "1", messageID: "u",
  sessionID: "s", type: "text", text: "a question" } })
await send("message.updated", { info: { id: "m", role: "assistant" } })
await send("message.part.updated", { part: { id: "1", messageID: "m",
  sessionID: "s", type: "text", text: "half" } })
await send("message.part.updated", { part: { id: "1", messageID: "m",
  sessionID: "s", type: "text", text: "whole" } })
await send("permission.asked", { id: "p", sessionID: "s", permission: "bash",
  metadata: { command: "ls" } })
await send("permission.replied", { requestID: "p", sessionID: "s" })
await plugin["tool.execute.before"]({ tool: "bash", sessionID: "s",
  callID: "c" }, { args: { command: "echo x" } })
await plugin["tool.execute.after"]({ tool: "bash", sessionID: "s",
  callID: "c" }, { output: "x" })
await send("session.idle", { sessionID: "h" })
await send("session.idle", { sessionID: "s" })
await send("session.idle", { sessionID: "s" })
await send("session.status", { sessionID: "s", status: { type: "busy" } })
await send("session.error", { sessionID: "s", error: { name: "APIError",
  data: { statusCode: 429, message: "slow down" } } })
await send("session.idle", { sessionID: "s" })
await send("session.idle", { sessionID: "s" })
await send("session.status", { sessionID: "s", status: { type: "busy" } })
await send("message.updated", { info: { id: "n", role: "assistant" } })
await send("message.part.updated", { part: { id: "1", messageID: "n",
  sessionID: "s", type: "text", text: "cut o" } })
await send("session.error", { sessionID: "s",
  error: { name: "MessageAbortedError" } })
await send("session.idle", { sessionID: "s" })
await send("session.idle", { sessionID: "s" })
await send("nonsense", undefined)
await plugin.event({})
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
	exits 0 "$1: its handlers run" node "$T/stub/$1.mjs"
	perl -MJSON::PP -ne 'next unless /\S/; my $v = decode_json($_);
		print join(" ", $v->{hook_event_name}, map { $_ // "-" }
		    $v->{session_id}, $v->{error}, $v->{tool_name},
		    $v->{tool_input}{command}, $v->{tool_response}{stdout},
		    $v->{last_assistant_message} // $v->{delta}), "\n"' \
		"$T/told" >"$T/said-so"
}

told opencode
is "$(cat "$T/said-so")" 'SessionStart s - - - - -
UserPromptSubmit s - - - - -
MessageDisplay s - - - - whole
PostToolUse s - Bash echo x x -
Stop s - - - - -
UserPromptSubmit s - - - - -
StopFailure s rate_limit - - - slow down
UserPromptSubmit s - - - - -
Stop s - - - - -' \
	'opencode: it tells of the main session'
told pi
is "$(cat "$T/said-so")" 'SessionStart s - - - - -
UserPromptSubmit s - - - - -
PostToolUse s - Bash echo x x -
Stop s - - - - whole
StopFailure s rate_limit - - - 429 slow down
Stop - - - - - -
SessionEnd s - - - - -' 'pi: it tells of the turns'

done_testing
