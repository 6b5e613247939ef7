#!/bin/sh
# paneward init --from: another tool's configuration becomes the project's,
# each of its keys is accounted for, and no file of the user's is overwritten.
. "${0%/*}/lib.sh"

git_project
C=$P/.paneward.json
Y=$P/.pi-runner.yaml

# value KEY: of the new configuration.
value() {
	perl -MJSON::PP -0777 -e '
		open my $file, "<", $ARGV[0] or exit;
		my $text = <$file>;
		$text =~ s,^//.*\n\z,,m;
		print decode_json($text)->{$ARGV[1]} // "none"' "$C" "$1"
}

fails() {
	want=$1
	text=$2
	description=$3
	shift 3
	exits "$want" "$description" "$@"
	like "$(cat "$T/err")" "$text" '... with the reason'
}

take() {
	"$PW" init --from pi-issue-runner "$@"
}

fails 2 "no '.pi-runner.yaml' in '$P'" 'a project without their file' take
fails 2 'known here \(pi-issue-runner\)' 'a tool that is not known' \
	"$PW" init --from ../pi-issue-runner
fails 2 'not both' 'an agent beside it' take claude
fails 2 'with --print alone' 'what it does not do' take --remove
fails 2 'takes an agent' 'neither' "$PW" init

cat >"$Y" <<'END'
# of a project that does not exist
worktree:
  base_dir: trees          # below the project
  base_branch: trunk
  copy_files: [.env, secrets/key]
  copy_dirs:
    - .opencode

multiplexer: {type: tmux, session_prefix: shop}
agent:
  type: claude
  args:
    - --model
    - some-model
watcher:
  pr_merge_max_attempts: 5
  force_cleanup_on_timeout: true
  colour: blue
hooks:
  on_start: ""
  on_success: |
    say "$PI_ISSUE_NUMBER"
workflows:
  small:
    steps: [implement, merge]
parallel:
unheard: 1
END
cp "$Y" "$T/theirs"
exits 0 'what would be written is shown' take --print
check '... and not written' test ! -e "$C"
grep '^\.pi-runner' "$T/out" >"$T/notes"
is "$(cut -d: -f2-3 "$T/notes")" '3: worktree.base_dir
4: worktree.base_branch
5: worktree.copy_files
6: worktree.copy_dirs
9: multiplexer.type
9: multiplexer.session_prefix
11: agent.type
12: agent.args
16: watcher.pr_merge_max_attempts
17: watcher.force_cleanup_on_timeout
18: watcher.colour
21: hooks.on_success
23: workflows
27: unheard' 'each key that is set has a line, and its place'
like "$(cat "$T/notes")" "base_dir: becomes 'status_dir' and 'worktree_root'\$" \
	'... what it becomes'
like "$(cat "$T/notes")" 'workflows: no counterpart; ' '... that it is lost'
like "$(cat "$T/notes")" 'multiplexer.type: needs no key$' '... that it is not'
like "$(cat "$T/notes")" 'watcher.colour: not known$' '... or what it is'
like "$(cat "$T/out")" '^\+.*"backend": "claude"' 'the difference is shown'

exits 0 'it is written' take
is "$(value backend)" claude 'the agent'
is "$(value status_dir)" trees/.status 'the status directory'
is "$(value worktree_root)" trees 'the folder of work trees'
like "$(cat "$C")" '"worktree_copy": \[".env","secrets/key",".opencode"\]' \
	'what is copied into them'
like "$(value handoff)" \
	"^'.*/scripts'/merged.sh && exec '.*/scripts'/cleanup.sh \"\\\$@\"\$" \
	'nothing is cleaned up before it is merged'
check 'their file is as it was' cmp "$Y" "$T/theirs"
exits 0 'it is a configuration' "$PW" status
check '... that is used' "$PW" start 7 --no-watch -- sleep 300
check '... for the status' test -e "$P/trees/.status/.paneward/7.json"
"$PW" handoff 7 --dry-run >"$T/out" 2>&1
unlike "$(cat "$T/out")" 'not found|No such file' '... and for the hand-off'

cp "$C" "$T/once"
exits 0 'once more' take
like "$(cat "$T/out")" "^nothing to change in '$C'" '... changes nothing'
check '... at all' cmp "$C" "$T/once"
sed 's/: claude/: mine/' "$T/theirs" >"$Y"
exits 0 'their file was changed' take
is "$(value backend)" pi 'its agent is what they run without a word'
like "$(cat "$T/out")" 'agent.type: no counterpart; write a backend' \
	'... which is said'

sed 's/"pi"/"codex"/' "$C" >"$T/changed"
cat "$T/changed" >"$C"
fails 2 "'$C' is left as it is: it was changed since" 'one that was changed' \
	take
check '... stays' cmp "$C" "$T/changed"
like "$(cat "$T/out")" '"backend": "pi"' '... and what would be in it is shown'
echo '{ "backend": "codex" }' >"$C"
fails 2 'paneward init did not write it' 'one of the user' take
is "$(cat "$C")" '{ "backend": "codex" }' '... stays'
rm "$C"
ln -s "$T/changed" "$C"
fails 2 'is a link' 'a link' take
check '... is not followed' cmp "$C" "$T/changed"
rm "$C"

printf 'worktree:\n  base_dir: "open\n' >"$Y"
fails 2 "cannot take over '.pi-runner.yaml': line [23]" 'what is no YAML' take
echo '- worktree' >"$Y"
fails 2 'it is no mapping' 'a list' take
printf 'worktree:\n  base_dir: [a]\n"\\e[1m": "x"\n' >"$Y"
exits 0 'a value of another kind' take
like "$(cat "$T/out")" 'base_dir: not taken over; it is no text$' '... is said'
unlike "$(cat "$T/out")" "$(printf '\033')" 'no control byte gets out'
is "$(value status_dir)" none '... and nothing is made of it'
: >"$Y"
exits 0 'an empty file' take
is "$(value backend)" pi '... is what they do without one'

done_testing
