#!/bin/sh
# scripts/cleanup.sh, the default hand-off: what it is told, which panes and files
# of a run it removes, a dry run, and what it has saved; scripts/merged.sh, the
# gate before it.  The other cleanup-*.sh try it on work trees in every state.
. "${0%/*}/lib.sh"
. "$ROOT/tests/system/trees.sh"

# cleans STATUS [REGEX [OPTION...]]: it ends so, and says such a line.
cleans() {
	want=$1
	regex=${2-}
	shift $(($# < 2 ? $# : 2))
	cleanup "$@"
	is "$status" "$want"
	[ "$regex" = '' ] || like "$(cat "$T/told")" "$regex"
}

begin_tree
for wrong in ISSUE= ISSUE=../../x 'ISSUE=$(touch pwn)' ISSUE=-x RUN= \
    RUN=../x 'PANE=%1;kill-server' PANE=1 STATUS_DIR=x WORKTREE=x \
    WORKTREE_ROOT=x BUILD_DIRS=../x BUILD_DIRS=/x BUILD_DIRS=a/.. \
    BUILD_DIRS=. BUILD_DIRS=.git; do
	gives 2 . env PANEWARD_ISSUE=1 PANEWARD="$PW" PANEWARD_RUN="$run" \
		PANEWARD_STATUS_DIR="$S" "PANEWARD_$wrong" "$CLEANUP"
done
check 'nothing of it was executed' no test -e pwn
fails 2 'takes one step' cleanup --check --check

scenario 'of a run remain its record, lock, signal and log' <<'END'
>>> cleans 2 '' --all; begin_tree
>>> begin_run --worktree "$tree" --session shared -- "$T/agent"
>>> other=$(tm new-window -d -P -F '#{pane_id}' -t shared: 'tail -f /dev/null')
>>> : >"$S/signal-complete-$issue"; wait_until 5 test -e "$S/.paneward/$issue.pipe"
>>> echo other >"$S/output-999.log"; echo said >>"$S/output-$issue.log"
>>> cleans 0; no pane_lives
>>> test "$(tm list-panes -s -t shared -F '#D')" = "$other"
>>> cd "$S"; echo *; echo $(cd .paneward; ls * | sed "s/$run/RUN/"); cd "$P"
output-999.log signal-complete-2
2.json 2.lock journal.ndjson project logs: 2-RUN.log.gz
END

mkdir "$T/shut"
script shut/tmux <<'END'
echo "error connecting to $3 (Permission denied)" >&2
exit 1
END

# A server that does not let us in still has its panes.
scenario 'the pane of another run, and a tree with a process, are left alone' <<'END'
>>> begin_tree; begin_run -- "$T/agent"; tree=; mine=$record
>>> tm pipe-pane -t "$pane"
>>> sed "s/$run/00000000-0000-4000-8000-000000000000/" "$mine" >"$T/record.other"
>>> record=$T/record.other; cleans 0; pane_lives; record=$mine
>>> tm respawn-pane -k -t "$pane" "$T/agent"; cleans 0; pane_lives
>>> prepare clean "$T/agent"
>>> tm respawn-pane -k -c "$tree" -t "$pane" "$T/agent"; wait_until 5 all_placed
>>> cleans 77 'current directory'
>>> # A process that leaves by itself, like the git of a prompt, is waited for.
>>> begin_tree; (cd "$tree" && : >"$T/there" && exec sleep 1) &
>>> wait_until 5 test -e "$T/there"; cleans 0; no test -e "$tree"
>>> # Without the pane's end its agent is like any other process.
>>> prepare clean "$T/agent"; gives 77 '' env PANEWARD_ISSUE="$issue" \
... 	PANEWARD_RUN="$run" PANEWARD_PANE="$pane" PANEWARD_SOCKET="$socket" \
... 	PANEWARD_STATUS_DIR="$S" PANEWARD_WORKTREE="$tree" \
... 	PANEWARD_WORKTREE_ROOT="$root" "$PW" cleanup --remove-tree
>>> test -e "$tree/two"; usual=$PATH; PATH=$T/shut:$PATH
>>> cleans 1 'does not answer .*Permission denied'; PATH=$usual
>>> test -e "$tree/two"; cleans 0
END

script late <<END
trap 'sleep 0.5; echo last words >late; exit' HUP
: >'$T/trapped'
while :; do sleep 0.1; done
END

# The current directory of the server is in the work tree, as are its pipes; those
# of tmux 3.7 and later lead groups of their own.
scenario 'the last words of an agent are waited for; a tmux server is not' <<'END'
>>> prepare clean "$T/late"; wait_until 5 test -e "$T/trapped"
>>> cleans 77 "untracked file 'late'"; cat "$tree/late"; begin_tree
last words
>>> other() { tmux -L other -f /dev/null "$@"; }
>>> pane=$(cd "$tree" && other new-session -d -P -F '#{pane_id}' "$T/agent")
>>> other pipe-pane -t "$pane" 'cat >/dev/null' ';' \
... 	new-window -c "$T" 'tail -f /dev/null' ';' pipe-pane \
... 	'exec perl -e "setpgrp; exec q(cat)" >/dev/null'
>>> wait_until 5 all_placed other
>>> socket=$(other display-message -p '#{socket_path}')
>>> printf '{"run":"%s","tmux":%s}\n' "$run" "$(other display-message -p -t "$pane" \
... '{"server_pid":#{pid},"server_start":#{start_time},"pane_pid":#{pane_pid}}')" \
... 	>"$record"
>>> cleans 0; other list-panes -a | wc -l; other kill-server
1
>>> begin_tree; pane=%1; socket=$T/no-server; cleans 0
END

mkdir "$T/theirs"
scenario 'no link is followed, and no log of another run is removed' <<'END'
>>> begin_tree; tree=; echo precious >"$T/precious"
>>> ln -s "$T/precious" "$S/output-$issue.log"; mkdir "$S/output-$issue.log.1"
>>> cleans 0; cat "$T/precious"; ls -d "$S/output-$issue."*
precious
$T/project/.worktrees/.status/output-10.log.1
>>> echo log >"$S/output-$issue.log"
>>> sed 's/"run":"/&f/' <"$record" >"$T/record.other"; record=$T/record.other
>>> cleans 0; cat "$S/output-$issue.log"; begin_tree; tree=; S=$T/status
log
>>> mkdir "$S"; ln -s "$T/theirs" "$S/.paneward"
>>> echo theirs >"$T/theirs/$issue.agent"; cleans 1; cat "$T/theirs/$issue.agent"
theirs
>>> S=$P/.worktrees/.status
END

everything() {
	find "$P" ! -path "*/objects/*" ! -type d -exec cksum {} + | sort
	find "$P" -type d | sort
	git for-each-ref
	tm list-panes -a
}

# dry STATE STATUS REGEX [OPTION...]: it says what would be done, and does nothing.
dry() {
	prepare "$1" "$T/agent"
	: >"$S/output-$issue.log.1"
	everything >"$T/all.before"
	cleans "$2" "$3" --dry-run ${4:+"$4"}
	everything | cmp "$T/all.before" -
}

# The main work tree never lies below the root of the others.
scenario 'a dry run tells each thing; the main work tree is refused' <<'END'
>>> dry clean 0 "^would end pane %[0-9]+\$"
>>> like "$(cat "$T/told")" "would remove work tree '$tree'"
>>> like "$(cat "$T/told")" "would remove .*output-$issue.log.1"
>>> dry ignored 77 "ignored file 'notes.tmp'"
>>> dry modified 0 "would save it first.*modified file 'two'" --force; begin_tree
>>> tree=$P; cleans 77 'main work tree.*let the run have a linked one' --force
END

scenario 'all is saved in one commit: of branch, index and a lone commit' <<'END'
>>> prepare left; state_staged_only; write 'new file'; write notes.tmp
>>> write build/a.o; cleans 0 '' --force
>>> ref=$(git for-each-ref --format='%(refname)' "refs/paneward/rescue/$issue")
>>> echo "$ref" | grep -Ec "^refs/[a-z/]*/$issue/[0-9]{8}T[0-9]{6}Z-${run%%-*}$"
1
>>> grep -c "git worktree add --detach FOLDER $ref" "$T/told"
1
>>> git worktree add -q --detach "$T/back" "$ref"; cd "$T/back"
>>> echo $(cat notes.tmp 'new file' | sed "s/$issue/N/"; ls); cd "$P"
issue N, notes.tmp issue N, new file new file notes.tmp src two
>>> test "$(git rev-parse "$ref^1")" = "$(git rev-parse "$branch")"
>>> git show "$ref^2:two" | tail -n 1 | sed "s/$issue/N/"
issue N, two
>>> test "$(git rev-parse "$ref^3")" = "$(cat "$T/worthy")"
END

scenario 'no hook of a repository is run' <<'END'
>>> for hook in post-index-change reference-transaction post-checkout \
... 	pre-commit; do
... 	printf '#!/bin/sh\ntouch "%s"\n' "$T/pwn" >"$P/.git/hooks/$hook"
... 	chmod +x "$P/.git/hooks/$hook"
... done
>>> begin_tree; state_staged_only; rm -f "$T/pwn"
>>> git config core.fsmonitor "touch '$T/pwn'; true"; cleans 77; cleans 0 '' --force
>>> no test -e "$T/pwn"; git config --unset core.fsmonitor; rm "$P/.git/hooks"/*
END

scenario "cron's environment is enough, a bare repository and none are fine" <<'END'
>>> begin_tree; gives 0 '' env -i PATH=/usr/bin:/bin HOME="$HOME" PANEWARD="$PW" \
... 	PANEWARD_ISSUE="$issue" PANEWARD_RUN="$run" PANEWARD_STATUS_DIR="$S" \
... 	PANEWARD_WORKTREE="$tree/" "$CLEANUP"
>>> no test -e "$tree"; git clone -q --bare "$P" "$T/bare/.bare"; cd "$T/bare"
>>> issue=$((issue + 1)); tree=$T/bare/issue-$issue; root=$T/bare
>>> git --git-dir=.bare worktree add -q -b "$branch-bare" "$tree"
>>> write notes.tmp; cleans 77; rm "$tree/notes.tmp"; cleans 0
>>> git --git-dir=.bare worktree list | wc -l; root=$T/plain/.worktrees
1
>>> tree=$root/it; mkdir -p "$tree"; cd "$T/plain"; cleans 77; tree=; cleans 0
>>> cd "$P"
END

mkdir "$T/gh" "$T/bare-path"
script gh/gh <<'END'
printf '%s\n' "$*" >"$T/gh.args"
cat "$T/gh.says"
exit "$(cat "$T/gh.status")"
END
for name in tr cut; do
	ln -s "$(command -v $name)" "$T/bare-path/$name"
done

# Status, branch, the status and words of gh, and what is said.
while IFS='|' read -r want branch gh_status gh_says words; do
	echo "$gh_status" >"$T/gh.status"
	printf '%b\n' "$gh_says" >"$T/gh.says"
	rm -f "$T/gh.args"
	exits "$want" "the gate of '$branch': $words" env PATH="$T/gh:$PATH" \
		PANEWARD_BRANCH="$branch" "$ROOT/scripts/merged.sh"
	like "$(cat "$T/err")" "^$words\$" 'with what to do'
	is "$(cat "$T/gh.args" 2>"$T/said")" \
		"${gh_says:+pr view --json state,mergedAt -- $branch}" \
		'the branch is data; another one is not passed on'
done <<'END'
0|work|0|{"mergedAt":"2026-01-02T03:04:05Z","state":"MERGED"}|
0|work|0|{\n"state":"MERGED"}|
75|work|0|{"mergedAt":null,"state":"OPEN"}|.* is still open; it is asked again
77|work|0|{ "state": "CLOSED" }|.*closed without a merge; reopen it, [ -~]+
75|work|1|no pull requests found for branch "work"|.*no pull .* yet; open one
75|work|1|connect: no route\033[2J\nto host|.*no route[ -~]+; see [ -~]+
75|work|0|what?|.*answered something else; is it too old\?
77|--repo=theirs/x|0||.*something else; rename the branch
77|12|0||.*something else; rename the branch
77||0||.*the run has no branch; run [ -~]+
END
scenario 'without gh it is not yet; the record is left to the next command' <<'END'
>>> gives 75 '' env PATH="$T/bare-path" PANEWARD_BRANCH=work /bin/sh \
... 	"$ROOT/scripts/merged.sh"
>>> echo '{"state":"MERGED"}' >"$T/gh.says"; echo 0 >"$T/gh.status"
>>> echo record | PATH=$T/gh:$PATH PANEWARD_BRANCH=work sh -c '"$1" && cat' - \
... 	"$ROOT/scripts/merged.sh"
record
END
done_testing
