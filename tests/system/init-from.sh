#!/bin/sh
# paneward init --from: another tool's configuration becomes the project's,
# each of its keys is accounted for, and no file of the user's is overwritten.
. "${0%/*}/lib.sh"

# value KEY...: of the new configuration.
value() {
	perl -MJSON::PP -0777 -e '
		open my $file, "<", shift or exit;
		my $v = decode_json(<$file> =~ s,^//.*\n\z,,mr);
		print join(" ", map { $v->{$_} // "none" } @ARGV), "\n"' "$C" "$@"
}

take() { "$PW" init --from pi-issue-runner "$@"; }

scenario 'their file is read, or refused by name' <<'END'
>>> git_project; C=$P/.paneward.json; Y=$P/.pi-runner.yaml
>>> gives 2 "no '.pi-runner.yaml' in '$P'" take
>>> fails 2 'known here \(pi-issue-runner\)' init --from ../pi-issue-runner
>>> gives 2 'not two' take claude; gives 2 'with --print alone' take --remove
END

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
  args: [--model, some-model]
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

scenario 'what their configuration becomes is shown, and written' <<'END'
>>> cp "$Y" "$T/theirs"; gives 0 '' take --print; test ! -e "$C"
>>> grep '^\.pi-runner' "$T/out" | cut -d : -f 2-
3: worktree.base_dir: becomes 'status_dir' and 'worktree_root'
~ 4: worktree.base_branch: .*
~ 5: worktree.copy_files: .*
~ 6: worktree.copy_dirs: .*
9: multiplexer.type: needs no key
~ 9: multiplexer.session_prefix: .*
~ 11: agent.type: .*
~ 12: agent.args: .*
~ 14: watcher.pr_merge_max_attempts: .*
~ 15: watcher.force_cleanup_on_timeout: .*
16: watcher.colour: not known
~ 19: hooks.on_success: .*
~ 21: workflows: no counterpart; .*
~ 25: unheard: .*
>>> like "$(cat "$T/out")" '^\+.*"backend": "claude"'; gives 0 '' take
>>> value backend status_dir worktree_root; grep worktree_copy "$C"
claude trees/.status trees
~ .*"worktree_copy": \[".env","secrets/key",".opencode"\].*
>>> value handoff
~ '.*/scripts'/merged.sh && exec '.*/scripts'/cleanup.sh "\$@"
>>> cmp "$Y" "$T/theirs" && fails 0 '' status
>>> "$PW" start 7 --no-watch -- sleep 300
~ 7: started in session project-issue-7, pane %\d+ \(run \S+\)
7: 'paneward attach 7' shows it
>>> test -e trees/.status/.paneward/7.json && fails 1 '' handoff 7 --dry-run
>>> unlike "$(cat "$T/out" "$T/err")" 'not found|No such file'
>>> cp "$C" "$T/once"; gives 0 "^nothing to change in '$C'" take
>>> cmp "$C" "$T/once"
>>> sed 's/: claude/: mine/' "$T/theirs" >"$Y"; gives 0 '' take
>>> value backend; like "$(cat "$T/out")" 'agent.type: no counterpart; write a backend'
pi
>>> sed 's/"pi"/"codex"/' "$C" >"$T/changed"; cat "$T/changed" >"$C"
>>> gives 2 "'$C' is left as it is: it was changed since" take
>>> cmp "$C" "$T/changed" && like "$(cat "$T/out")" '"backend": "pi"'
>>> echo '{ "backend": "codex" }' >"$C"
>>> gives 2 'paneward init did not write it' take
>>> is "$(cat "$C")" '{ "backend": "codex" }'
>>> rm "$C"; ln -s "$T/changed" "$C"; gives 2 'is a link' take
>>> cmp "$C" "$T/changed"
>>> rm "$C"; printf 'worktree:\n  base_dir: "open\n' >"$Y"
>>> gives 2 "cannot take over '.pi-runner.yaml': line [23]" take
>>> echo '- worktree' >"$Y"; gives 2 'it is no mapping' take
>>> printf 'worktree:\n  base_dir: [a]\n"\\e[1m": "x"\n' >"$Y"
>>> gives 0 'base_dir: not taken over; it is no text$' take
>>> unlike "$(cat "$T/out")" "$(printf '\033')"; value status_dir
none
>>> : >"$Y"; gives 0 '' take; value backend
pi
END
done_testing
