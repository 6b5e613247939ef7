#!/bin/sh
# cleanup.sh - the default hand-off: ends the run's pane, removes its work tree
# if nothing at all would be lost by that, then what the run left behind in the
# status directory.  The branch stays, always.
#
#	cleanup.sh [--dry-run] [--force]
#
# paneward calls it in the project, with the run in PANEWARD_* and the status
# record, one line of JSON, on standard input.  The options come from
# `paneward handoff ISSUE [--dry-run] [--force]`.
#
# The order is the promise:
#
#	1. Judge.  Where the work tree is refused nothing has changed, and the
#	   agent is still in its pane.
#	2. End the pane, that very one, and wait for its processes.
#	3. Judge again, since an agent works to its last moment; only then
#	   remove the work tree.  git does that, and looks once more itself.
#	4. Remove the run's files, last the note that a removal was begun.
#
# Killed at any point and called again, it does what is left.
#
# --force, which only a person gives, first saves what would be lost as a commit
# below refs/paneward/rescue/.  What cannot be saved is refused all the same.
#
# What lies in the work tree was written by an agent.  It is looked at from
# outside: git is told where its folder is rather than led there by a file in
# the work tree, and it runs no hooks.  What git takes for unmodified by the
# project's own conversions (line ends, filters) is unmodified here.
#
# The last line says what was done, or why not and what to do about it.
# Exit status: 0 done, 2 called wrongly, 77 refused, 1 failed, try again.

set -u
umask 077
LC_ALL=C
export LC_ALL
# The pane that is ended may be the one we were called from.
trap '' HUP PIPE

unset CDPATH TMUX TMUX_PANE
for name in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$name"
done
# No refreshed index is written while we only look; a commit is what it is.
GIT_OPTIONAL_LOCKS=0
GIT_NO_REPLACE_OBJECTS=1
GIT_TERMINAL_PROMPT=0
export GIT_OPTIONAL_LOCKS GIT_NO_REPLACE_OBJECTS GIT_TERMINAL_PROMPT

issue=${PANEWARD_ISSUE:-}
run=${PANEWARD_RUN:-}
pane=${PANEWARD_PANE:-}
socket=${PANEWARD_SOCKET:-}
status_dir=${PANEWARD_STATUS_DIR:-}
tree=${PANEWARD_WORKTREE:-}
root=${PANEWARD_WORKTREE_ROOT:-$PWD/.worktrees}
build_dirs=${PANEWARD_BUILD_DIRS:-}
dry_run=false
force=false

# ---- words ------------------------------------------------------------------

# Behind the cursor, a byte 1, stands what is known to be printable: ASCII and
# well-formed UTF-8 that neither controls a terminal nor turns its text round.
to_printable=$(printf '%b' '
s/\0342\0200[\0216\0217\0250-\0256]/?/g
s/\0342\0201[\0246-\0251]/?/g
s/^/\0001/
:next
s/\0001\\([ -~]\\{1,\\}\\)/\\1\0001/
t next
s/\0001\\(\0302[\0240-\0277]\\)/\\1\0001/
t next
s/\0001\\([\0303-\0337][\0200-\0277]\\)/\\1\0001/
t next
s/\0001\\([\0340-\0357][\0200-\0277]\\{2\\}\\)/\\1\0001/
t next
s/\0001\\([\0360-\0364][\0200-\0277]\\{3\\}\\)/\\1\0001/
t next
s/\0001[\0200-\0377]/?\0001/
t next
s/\0001$//')

printable() {
	{
		printf '%s' "$1" | tr '\000-\037\177' '[?*]'
		echo
	} | cut -b 1-1000 | sed "$to_printable"
}

say() {
	printable "$1"
}

called_wrongly() {
	say "cannot clean up: $1; see 'paneward handoff --help'" >&2
	exit 2
}

fail() {
	say "$1" >&2
	exit 1
}

# refuse WHY ADVICE, which may be given more of.
advice=
refuse() {
	say "cannot remove work tree '$tree': $1; $2, then run \
'paneward handoff $issue'${advice:+, $advice}" >&2
	exit 77
}

# lose WHAT ADVICE: would be lost, but can be saved by whoever asks for that.
lose() {
	if $force; then
		! $dry_run || $must_save || say "would save it first: $1"
		must_save=true
		return
	fi
	advice="or have it saved first by 'paneward handoff $issue --force'"
	refuse "$1" "$2"
}

# git's own words, on one line.
complaint() {
	tr '\n' ' ' <"$tmp/error" | sed 's/ $//'
}

pause() {
	sleep 0.1 2>/dev/null || sleep 1
}

# The real path of a folder.
real() {
	(cd -P -- "$1" 2>/dev/null && printf '%s\n' "$PWD")
}

# The same where only the folder it lies in has to be there.
real_place() {
	set -- "${1%/*}" "${1##*/}"
	set -- "$(real "${1:-/}")" "$2"
	[ -n "$1" ] && printf '%s\n' "${1%/}/$2"
}

# ---- how it was called ------------------------------------------------------

parse() {
	for option; do
		case $option in
		--dry-run) dry_run=true ;;
		--force)   force=true ;;
		*)         called_wrongly "unknown option '$option'" ;;
		esac
	done
}

# absolute NAME PATH
absolute() {
	case $2 in
	/*) ;;
	*) called_wrongly "PANEWARD_$1 is '$2', not an absolute path" ;;
	esac
}

check_call() {
	case $issue in
	'' | [!A-Za-z0-9]* | *[!A-Za-z0-9_-]*)
		called_wrongly "PANEWARD_ISSUE is '$issue', not an issue" ;;
	esac
	[ ${#issue} -le 64 ] ||
		called_wrongly "PANEWARD_ISSUE is '$issue', which is too long"
	case $run in
	*[!0-9a-f-]*) run= ;;
	esac
	[ ${#run} -eq 36 ] ||
		called_wrongly 'PANEWARD_RUN is not the id of a run'
	case $pane in
	'') ;;
	% | [!%]* | %*[!0-9]*)
		called_wrongly "PANEWARD_PANE is '$pane', not a pane's id" ;;
	*) absolute SOCKET "$socket" ;;
	esac
	absolute STATUS_DIR "$status_dir"
	[ -z "$tree" ] || absolute WORKTREE "$tree"
	absolute WORKTREE_ROOT "$root"
	each_build_dir check_build_dir
}

# Calls a function with each of the build directories, as long as it succeeds.
each_build_dir() {
	rest=$build_dirs:
	while [ -n "$rest" ]; do
		dir=${rest%%:*}
		rest=${rest#*:}
		dir=${dir%/}
		[ -z "$dir" ] || "$1" "$dir" || return 1
	done
}

check_build_dir() {
	case /$1/ in
	*//* | */../* | */./* | */.[gG][iI][tT]/*)
		called_wrongly "'$1' in PANEWARD_BUILD_DIRS is no folder \
within a work tree" ;;
	esac
}

# A slash at its end would follow a link.
trim_tree() {
	while [ "$tree" != "${tree%/}" ]; do
		tree=${tree%/}
	done
}

# A quote within a JSON text has a backslash before it, so no text passes for
# a key.
read_record() {
	record=
	[ -t 0 ] || record=$(cat)
	if [ -z "$record" ] && [ -f "$status_dir/.paneward/$issue.json" ]; then
		record=$(cat "$status_dir/.paneward/$issue.json")
	fi
	server=$(recorded server_pid)
	recorded_pane="$server $(recorded server_start) $pane \
$(recorded pane_pid)"
	pane_start=$(recorded pane_start)
}

# recorded KEY: a number of the record.
recorded() {
	printf '%s\n' "$record" |
		sed -n 's/.*[{,] *"'"$1"'" *: *\([0-9]\{1,\}\).*/\1/p'
}

record_is_ours() {
	printf '%s\n' "$record" | grep "[{,] *\"run\" *: *\"$run\"" >/dev/null
}

# ---- the pane ---------------------------------------------------------------

ask_tmux() {
	if command -v timeout >/dev/null 2>&1; then
		timeout 10 tmux -S "$socket" "$@"
	else
		tmux -S "$socket" "$@"
	fi
}

# Sets pane_pid, empty if the pane is gone or is not the run's: on another
# server, or with another process.
find_pane() {
	pane_pid=
	[ -n "$pane" ] && record_is_ours || return 0
	command -v tmux >/dev/null 2>&1 ||
		fail "cannot end pane $pane: no tmux in PATH, which is '$PATH'"
	if ! ask_tmux list-panes -a -F \
	    '#{pid} #{start_time} #{pane_id} #{pane_pid} #{pane_dead}' \
	    >"$tmp/panes" 2>"$tmp/error"; then
		expect_no_pane
		return 0
	fi
	while read -r pid start id process dead; do
		if [ "$pid $start $id $process" = "$recorded_pane" ] &&
		    { [ "$dead" = 1 ] || began_as_recorded "$process"; }; then
			pane_pid=$process
			return 0
		fi
	done <"$tmp/panes"
}

# A process of the same number may be a later one.
began_as_recorded() {
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
	# The process's name, in parentheses, may hold anything.
	began=$(printf '%s\n' "${stat##*)}" | cut -d ' ' -f 21)
	case $pane_start in
	'' | 0 | "$began") ;;
	*) return 1 ;;
	esac
}

# Without a server, or a session on it, there is no pane.  A server that is
# silent, or does not let us in, still has it.
expect_no_pane() {
	case $(complaint) in
	'') echo 'no word for ten seconds' >"$tmp/error" ;;
	esac
	case $(complaint) in
	*'no server running'* | *'No such file'* | *'Connection refused'* | \
	*'Not a directory'* | *'server exited'* | *'lost server'* | \
	*'no current target'*) ;;
	*) fail "cannot end pane $pane: the tmux server at '$socket' does not \
answer ($(complaint)); wake it or end it" ;;
	esac
}

# The server looks and ends it in one go, so that nothing comes in between.
end_pane() {
	[ -n "$pane_pid" ] || return 0
	if $dry_run; then
		say "would end pane $pane"
		return
	fi
	ask_tmux if-shell -F -t "$pane" "#{==:#{pid} #{start_time} #{pane_id} \
#{pane_pid},$recorded_pane}" "kill-pane -t $pane" >/dev/null 2>&1
	tries=50
	find_pane
	while [ -n "$pane_pid" ]; do
		[ $tries -gt 0 ] ||
			fail "cannot end pane $pane: tmux does not close it"
		tries=$((tries - 1))
		pause
		find_pane
	done
	say "ended pane $pane"
}

# ---- processes in the work tree ---------------------------------------------

# Fills $tmp/inside with the processes whose current directory is in the work
# tree.  Status 1 where nobody can tell.
find_inside() {
	: >"$tmp/inside"
	if [ -e /proc/self/cwd ]; then
		find_inside_proc >"$tmp/inside"
	elif command -v lsof >/dev/null 2>&1; then
		lsof -w -d cwd -F pn 2>/dev/null | find_inside_lsof \
			>"$tmp/inside"
	else
		return 1
	fi
}

# No process is started for this.
find_inside_proc() (
	for process in /proc/[0-9]*; do
		# From elsewhere, so that we do not find ourselves.
		cd / || exit
		cd -P -- "$process/cwd" 2>/dev/null || continue
		case $PWD/ in
		"$real"/*) echo "${process#/proc/}" ;;
		esac
	done
)

find_inside_lsof() {
	while IFS= read -r line; do
		case $line in
		p*) process=${line#p} ;;
		n"$real" | n"$real"/*) echo "$process" ;;
		esac
	done
}

# Sets who, the first process that has no business in the work tree; status 1
# if there is none.  Those of the run's pane end with it: what descends from
# its process, is in its group or on its terminal; $tmp/ours remembers them.
# The tmux server and its pipes stand wherever it was once started; since 3.7
# each pipe leads a group of its own.
somebody_inside() {
	find_inside && [ -s "$tmp/inside" ] || return 1
	ps -A -o pid= -o ppid= -o pgid= -o tty= >"$tmp/processes" 2>/dev/null ||
		ps -o pid,ppid,pgid,tty >"$tmp/processes" 2>/dev/null
	awk -v top="$pane_pid" -v server="$server" '
		NR == FNR { inside[$1]; next }
		{ known = 1; parent[$1] = $2; group[$1] = $3; tty[$1] = $4 }
		function belongs(p) {
			return p == top || group[p] == top ||
			    (parent[p] in ours) ||
			    (tty[p] ~ /[a-z0-9]/ && tty[p] == tty[top])
		}
		function serves(p) {
			return server && (group[p] == server ||
			    (parent[group[p]] == server &&
			    tty[group[p]] !~ /[a-z0-9]/))
		}
		END {
			do {
				again = 0
				for (p in parent)
					if (top && !(p in ours) && belongs(p)) {
						ours[p]
						again = 1
					}
			} while (again)
			for (p in inside)
				if (!known || (p in parent) && !serves(p))
					print (p in ours ? "ours" : "other"), p
		}' "$tmp/inside" "$tmp/processes" >"$tmp/sorted"
	sed -n 's/^ours //p' "$tmp/sorted" >>"$tmp/ours"
	who=$(sed -n 's/^other //p' "$tmp/sorted" | sort -n | sed -n 1p)
	[ -n "$who" ]
}

# judge_processes SECONDS: refuses where somebody is still there after them.
judge_processes() {
	find_inside || say "not checked: whether a process has its current \
directory in '$tree', since there is neither /proc nor lsof"
	tries=$(($1 * 10))
	while somebody_inside; do
		[ $tries -gt 0 ] || tell_who
		tries=$((tries - 1))
		pause
	done
}

tell_who() {
	name=$(ps -o comm= -p "$who" 2>/dev/null)
	! grep -qx "$who" "$tmp/ours" || fail "cannot remove work tree '$tree' \
yet: process $who (${name:-?}) of the pane has not ended; it is tried again"
	refuse "process $who (${name:-?}) has its current directory there" \
		'end it or let it go elsewhere'
}

# ---- git --------------------------------------------------------------------

# git_at FOLDER ARGUMENT...: without what a repository may have run or hidden.
git_at() {
	at=$1
	shift
	git --git-dir="$at" -c core.hooksPath=/dev/null \
		-c core.fsmonitor=false -c core.untrackedCache=false \
		-c core.splitIndex=false \
		-c core.sparseCheckout=false -c core.ignoreCase=false \
		-c core.safecrlf=false "$@"
}

git_main() {
	git_at "$common" "$@"
}

git_tree() {
	git_at "$admin" --work-tree="$real" "$@"
}

# with_index FILE ARGUMENT...
with_index() (
	GIT_INDEX_FILE=$1
	export GIT_INDEX_FILE
	shift
	git_tree "$@"
)

# What git ended with NUL ends with a newline; newlines become a byte 1.
lines() {
	tr '\n\000' '\001\n'
}

# Sets common, the repository, and admin, its folder for the work tree; empty
# where there is none.  It is looked for in the project and, if bare, right
# beside it; the work tree itself is not asked.
find_admin() {
	common=
	admin=
	command -v git >/dev/null 2>&1 || return 0
	top=$(git rev-parse --git-common-dir 2>"$tmp/error")
	top=$(real "${top:-/dev/null}")
	for common in "$top" ./* ./.[!.]*; do
		[ -f "$common/HEAD" ] || continue
		common=$(real "$common")
		for admin in "$common"/worktrees/*; do
			! leads_to_tree || return 0
		done
	done
	common=$top
	admin=
}

leads_to_tree() {
	[ ! -L "$admin" ] && [ -f "$admin/gitdir" ] || return 1
	place=$(cat "$admin/gitdir")
	place=${place%/.git}
	case $place in
	/*) ;;
	*) place=$(real_place "$admin/$place") ;;
	esac
	[ "$place" = "$real" ] || [ "$place" = "$tree" ]
}

# What `git worktree list` knows, the main work tree first.
list_trees() {
	if git_main worktree list --porcelain -z >"$tmp/raw" 2>/dev/null; then
		lines <"$tmp/raw"
	else
		git_main worktree list --porcelain 2>/dev/null
	fi | sed -n 's/^worktree //p' >"$tmp/trees"
}

# ---- may it be removed? -----------------------------------------------------

# judge SECONDS: returns if the work tree, or what git remembers of one that
# vanished, can be removed without a loss; must_save tells whether it has to be
# saved before.  Changes nothing.
judge() {
	must_save=false
	present=false
	begun=false
	admin=
	[ -n "$tree" ] || return 0
	[ ! -L "$tree" ] || refuse 'it is a link' \
		'put back what was there, or remove the link'
	real=$(real_place "$tree") || real=$tree
	[ ! -f "$note" ] || [ "$(cat "$note")" != "$run $real" ] || begun=true
	find_admin
	if [ -e "$tree" ]; then
		[ -d "$tree" ] || refuse 'it is not a folder' 'move it away'
		present=true
		judge_place
	fi
	[ -n "$admin" ] || return 0
	judge_lock
	if $present; then
		judge_processes "$1"
		judge_repositories
		judge_folders
	fi
	# Of a removal that was cut short no more may be left than a name.
	[ -f "$admin/HEAD" ] || ! $begun || return 0
	judge_submodules
	judge_progress
	judge_commits
	judge_index
	! $present || judge_files
}

judge_place() {
	command -v git >/dev/null 2>&1 ||
		refuse "no git in PATH, which is '$PATH'" 'install it'
	[ -z "$common" ] || judge_main
	root_real=$(real "$root") ||
		refuse "there is no folder '$root'" 'set worktree_root'
	within=${real#"$root_real"/}
	[ "$within" != "$real" ] ||
		refuse "it does not lie below '$root'" \
		"set worktree_root, or remove it with 'git worktree remove'"
	[ "$(real "${tree%/"$within"}")" = "$root_real" ] ||
		refuse "a link leads to it, its real path is '$real'" \
		'remove the link'
	[ -n "$common" ] || refuse "git knows no project in '$PWD': \
$(complaint)" 'look at it and move it away'
	if [ -n "$admin" ] && grep -Fqx -e "$known" "$tmp/trees"; then
		judge_link
	else
		judge_unknown
	fi
}

# Of this one no folder and no removal by hand can be thought of.
judge_main() {
	list_trees
	known=$(printf '%s.' "$real" | tr '\n' '\001')
	known=${known%.}
	[ "$(sed -n 1p "$tmp/trees")" != "$known" ] ||
		refuse "it is the project's main work tree" \
		'let the run have a linked one'
}

# A removal may have been cut short when only folders were left.
judge_unknown() {
	admin=
	if $begun && [ -z "$(find "$tree" ! -type d 2>&1 | sed -n 1p)" ]; then
		return
	fi
	refuse "'git worktree list' does not know it" \
		"look at it and move it away, or try 'git worktree repair'"
}

# Its .git leads back, or else there is another repository, with work in it.
judge_link() {
	[ -e "$tree/.git" ] || ! $begun || return 0
	if [ -f "$tree/.git" ] && [ ! -L "$tree/.git" ]; then
		back=$(cat "$tree/.git")
		back=${back#gitdir: }
		case $back in
		/*) ;;
		*) back=$tree/$back ;;
		esac
		[ "$(real "$back")" != "$admin" ] || return 0
	fi
	refuse "its .git does not lead to '$admin'" \
		"look at it and try 'git worktree repair'"
}

judge_lock() {
	[ -e "$admin/locked" ] || return 0
	reason=
	[ ! -f "$admin/locked" ] || reason=$(cat "$admin/locked")
	refuse "it is locked${reason:+: '$reason'}" \
		"unlock it with 'git worktree unlock'"
}

# A repository within it has commits and files that no commit of ours could
# hold.  Of a path with a newline the first line decides.
judge_repositories() {
	(cd "$real" && find . -name '.[gG][iI][tT]' ! -path ./.git) \
		>"$tmp/found" 2>"$tmp/error" ||
		refuse "it cannot be searched: $(complaint)" 'make it readable'
	while IFS= read -r line; do
		found=${line#./}
		[ "$found" != "$line" ] || continue
		in_build_dir "$found" ||
			refuse "'${found%/.[gG][iI][tT]}' is a submodule, or \
another repository, whose work cannot be saved" 'push that and move it away'
	done <"$tmp/found"
}

# git would not stop half-way where a folder keeps what is in it.
judge_folders() {
	user=$(id -u)
	[ "$user" -ne 0 ] || return 0
	(cd "$real" && find . -type d \( -user "$user" ! -perm -300 -o \
		! -user "$user" ! -perm -030 ! -perm -003 \)) >"$tmp/found"
	while IFS= read -r line; do
		found=${line#./}
		in_build_dir "$found/" || refuse "nothing can be removed from \
its folder '$found'" 'make that writable'
	done <"$tmp/found"
}

# Those of its submodules lie in admin even when they are not checked out.  And
# for git a submodule's folder is empty, whatever there is in it.
judge_submodules() {
	for module in "$admin"/modules/*; do
		[ ! -e "$module" ] || refuse "it has submodules, whose commits \
in '$module' cannot be saved" 'push those and move that away'
	done
	{
		git_tree ls-files -s -z
		git_tree ls-tree -r -z HEAD
	} 2>/dev/null | lines | sed -n 's/^160000 [^	]*	//p' \
		>"$tmp/modules"
	odd=$(printf '\001')
	while IFS= read -r module; do
		found=$(ls -A "$real/$module" 2>/dev/null)
		[ "$module" = "${module#*"$odd"}" ] || found=$module
		[ -z "$found" ] || refuse "the folder of its submodule \
'$module' may have something in it" 'move that away'
	done <"$tmp/modules"
}

judge_progress() {
	while read -r name what; do
		[ ! -e "$admin/$name" ] ||
			lose "$what is in progress in it" 'finish or abort that'
	done <<-END
		rebase-merge a rebase
		rebase-apply a rebase or an 'am'
		MERGE_HEAD a merge
		CHERRY_PICK_HEAD a cherry-pick
		REVERT_HEAD a revert
		BISECT_LOG a bisection
		sequencer a cherry-pick or a revert
	END
}

# Sets head, empty for a branch that has no commit yet, and lone, the commits
# that are reached from here alone.
judge_commits() {
	find_head || refuse 'its HEAD cannot be read' 'repair that'
	find_lone || refuse "its commits cannot be read: $(complaint)" \
		'repair that'
	[ -n "$lone" ] || return 0
	commit=$(printf '%.12s' "$lone")
	title=$(git_main cat-file commit "$commit" 2>/dev/null |
		sed -n '/^$/{n;p;q;}')
	lose "its commit $commit, '$title', is on no branch" \
		"keep that with 'git branch NAME $commit'"
}

find_head() {
	head=$(git_tree rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null) &&
		return
	head=
	unborn=$(git_tree symbolic-ref -q HEAD 2>/dev/null) &&
		[ "$unborn" != "${unborn#refs/heads/}" ] &&
		! git_main show-ref -q --verify "$unborn" 2>/dev/null
}

# The work tree has a HEAD of its own with a log, and a few refs.  The log of a
# branch stays, so what was amended or reset there is not lost with the work
# tree; what a rebase tried out on its way is no work.
find_lone() {
	{
		echo "$head"
		for name in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD; do
			[ ! -f "$admin/$name" ] || cat "$admin/$name"
		done
	} >"$tmp/commits"
	find_unreached >"$tmp/lone" || return 1
	{
		git_tree for-each-ref --format='%(objectname)' refs/worktree \
			refs/bisect refs/rewritten
		head_log | sed '/^[^ ]* [^:]*rebase/d
			/^[^ ]* pull[^:]* ([a-z]*):/d
			s/ .*//'
	} >"$tmp/commits" 2>/dev/null
	find_unreached --single-worktree --reflog >>"$tmp/lone" || return 1
	lone=$(sort -u "$tmp/lone" | tr '\n' ' ')
	# shellcheck disable=SC2086
	[ -z "$lone" ] || lone=$(git_main merge-base --independent $lone |
		tr '\n' ' ')
}

# Each commit that HEAD was at, with what it was moved by.
head_log() {
	if [ -f "$admin/logs/HEAD" ]; then
		sed -n 's/^[0-9a-f]* \([0-9a-f]*\) [^	]*	/\1 /p' \
			"$admin/logs/HEAD"
	elif [ -n "$head" ]; then
		git_tree log -g --no-show-signature --format='%H %gs' HEAD --
	fi
}

# find_unreached OPTION...: of $tmp/commits and what they descend from, those
# that no branch, tag, remote or rescue has, nor what the options add.
find_unreached() {
	sort -u "$tmp/commits" |
		git_main cat-file --batch-check='%(objectname) %(objecttype)' |
		sed -n 's/ commit$//p' >"$tmp/there"
	[ -s "$tmp/there" ] || return 0
	git_main rev-list --stdin --not --branches --tags --remotes \
		'--glob=refs/paneward/rescue/*' "$@" \
		<"$tmp/there" 2>"$tmp/error"
}

# The index may hold what is neither in HEAD nor in a file.
judge_index() {
	staged=false
	[ -f "$admin/index" ] || return 0
	[ -z "$(git_tree ls-files -u)" ] || refuse 'it has unmerged files' \
		'resolve or discard them'
	git_tree diff-index --cached --quiet --ignore-submodules=none \
		"${head:-$(git_main hash-object -t tree /dev/null)}" -- \
		2>"$tmp/error"
	case $? in
	0) ;;
	1) staged=true ;;
	*) refuse "its index cannot be read: $(complaint)" 'repair that' ;;
	esac
	$present || ! $staged || lose 'something is staged in it' \
		"remove it with 'git worktree remove'"
}

# Looked at twice.  An index made anew from HEAD has no flags and no times that
# could hide a change.  Whether a file that is missing should be there only
# git's own index knows.
judge_files() {
	rm -f "$tmp/index" "$tmp/files"
	with_index "$tmp/index" read-tree "${head:---empty}" 2>"$tmp/error" ||
		refuse "its commit cannot be read: $(complaint)" 'repair that'
	with_index "$tmp/index" status --porcelain=v1 -z --no-renames \
		--untracked-files=all --ignored=matching \
		--ignore-submodules=none >"$tmp/raw" 2>"$tmp/error"
	judge_status $?
	lines <"$tmp/raw" | sed '/^ D /d' | name_files
	git_tree status --porcelain=v1 -z --no-renames --untracked-files=no \
		--ignore-submodules=none >"$tmp/raw" 2>"$tmp/error"
	judge_status $?
	# Of a removal that was cut short files are missing.
	$begun && without='/^ D /d' || without=
	lines <"$tmp/raw" | sed "$without" | name_files
	[ -s "$tmp/files" ] || return 0
	others=$(($(sed 's/^[a-z]* //' "$tmp/files" | sort -u | wc -l) - 1))
	[ $others -gt 0 ] && others=" and $others more" || others=
	lose "it has the $(sed -n 1p "$tmp/files")$others" \
		"commit, move or discard what 'git status --ignored' shows"
}

# What git warns of it has not looked at.
judge_status() {
	[ "$1$(cat "$tmp/error")" = 0 ] ||
		refuse "git cannot look at it: $(complaint)" 'repair that'
}

# Writes the lines of a status down for people, but what may be lost.
name_files() {
	while IFS= read -r line; do
		file=${line#???}
		case $line in
		'!! '*)
			! in_build_dir "$file" || continue
			kind=ignored ;;
		'?? '*) kind=untracked ;;
		?D*)    kind=deleted ;;
		' '*)   kind=modified ;;
		*)      kind=staged ;;
		esac
		printf "%s file '%s'\n" "$kind" "$file"
	done >>"$tmp/files"
}

in_build_dir() {
	looked_for=$1
	! each_build_dir is_not_there
}

is_not_there() {
	case $looked_for in
	"$1"/*) return 1 ;;
	esac
}

# ---- saving it --------------------------------------------------------------

# Makes one commit of everything: the files as they are, but what is ignored in
# a build directory; with HEAD, the index if it has more, and every commit that
# would be lost as its parents.  Its ref is the last step.
rescue() {
	save_files || not_saved
	files=$saved
	set --
	[ -z "$head" ] || set -- -p "$head"
	if $staged; then
		save_index || not_saved
		[ "$saved" = "$files" ] || set -- "$@" -p "$(
			commit_tree "$saved" ${head:+-p "$head"} \
			-m "Issue $issue: what was staged")"
	fi
	for commit in $lone; do
		[ "$commit" = "$head" ] || set -- "$@" -p "$commit"
	done
	commit=$(commit_tree "$files" "$@" -m "Issue $issue: rescued

Everything that was in its work tree, ignored files included, before that was
removed on request.  The first parent is what was checked out there.  Others
are what was staged, and commits that were on no branch.") || not_saved
	first=refs/paneward/rescue/$issue/$(date -u +%Y%m%dT%H%M%SZ)-${run%%-*}
	ref=$first
	number=1
	while git_main show-ref -q --verify "$ref"; do
		number=$((number + 1))
		ref=$first-$number
	done
	git_main update-ref "$ref" "$commit" '' 2>"$tmp/error" || not_saved
	say "saved everything as $ref: see 'git show --stat $ref', have it \
back with 'git worktree add --detach FOLDER $ref'"
}

not_saved() {
	refuse "it could not be saved: $(complaint)" 'repair that'
}

# Each sets saved, a tree object.
save_files() {
	if ! $present; then
		saved=$(git_main rev-parse -q --verify "$head^{tree}" \
			2>"$tmp/error")
		! $staged || save_index
		return
	fi
	set -- ':(top)'
	rest=$build_dirs:
	while [ -n "$rest" ]; do
		dir=${rest%%:*}
		rest=${rest#*:}
		[ -z "$dir" ] || set -- "$@" ":(top,exclude,literal)${dir%/}"
	done
	with_index "$tmp/index" add -A >"$tmp/error" 2>&1 &&
		with_index "$tmp/index" add -A -f -- "$@" >"$tmp/error" 2>&1 &&
		saved=$(with_index "$tmp/index" write-tree 2>"$tmp/error")
}

save_index() {
	cp "$admin/index" "$tmp/staged" 2>"$tmp/error" &&
		saved=$(with_index "$tmp/staged" write-tree 2>"$tmp/error")
}

commit_tree() (
	GIT_AUTHOR_NAME=paneward
	GIT_AUTHOR_EMAIL=paneward@localhost
	GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME
	GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
	export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL
	export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
	git_main commit-tree "$@" 2>"$tmp/error"
)

# ---- removing it ------------------------------------------------------------

remove_tree() {
	[ -n "$tree" ] || return 0
	if ! $present && [ -z "$admin" ]; then
		say "work tree '$tree' is gone already"
		return
	fi
	if $dry_run; then
		say "would remove work tree '$tree'${build_dirs:+, what is \
ignored in its build directories included}"
		return
	fi
	if [ -n "$admin" ]; then
		! $must_save || rescue
		write_note
		! $begun || mend
		clear_build_dirs
		git_remove
	else
		find "$tree" -depth -type d -exec rmdir {} \;
	fi
	[ ! -e "$tree" ] || fail "cannot remove work tree '$tree': it is still \
there: $(complaint)"
	say "removed work tree '$tree'"
}

# Tells who finds the work tree in pieces that this is our doing.
write_note() {
	{
		[ ! -L "${note%/*}" ] && [ ! -d "$note" ] &&
		mkdir -p "${note%/*}" && rm -f "$note.new" &&
		(set -C && printf '%s %s\n' "$run" "$real" >"$note.new") &&
		mv -f "$note.new" "$note"
	} 2>"$tmp/error" ||
		fail "cannot write '$note': $(complaint); work tree '$tree' \
stays"
}

# A removal was cut short: what it took is put back, so that the next one is
# like any other.  Nothing that is there is written over.
mend() {
	$present || return 0
	[ -e "$tree/.git" ] ||
		(set -C && printf 'gitdir: %s\n' "$admin" >"$tree/.git")
	git_tree checkout-index -a -q 2>/dev/null
}

# They come first, since git does not stop half-way where something in them
# resists.  Those that hold a tracked file are left to git.
clear_build_dirs() {
	! $present || each_build_dir clear_build_dir
}

clear_build_dir() {
	[ "$(real "$real/$1")" = "$real/$1" ] || return 0
	[ -z "$(git_tree ls-files -- ":(top,literal)$1")" ] || return 0
	[ -z "$(with_index "$tmp/index" ls-files -- ":(top,literal)$1")" ] ||
		return 0
	rm -rf -- "${real:?}/$1" 2>"$tmp/error" ||
		fail "cannot remove build directory '$1' of '$tree': \
$(complaint)"
}

# Without --force git looks once more itself, in the same moment.
git_remove() {
	if $must_save; then
		save_files && [ "$saved" = "$files" ] ||
			fail "cannot remove work tree '$tree' yet: it changed \
while it was saved"
		git_main worktree remove --force -- "$real" 2>"$tmp/error"
	else
		git_main worktree remove -- "$real" 2>"$tmp/error"
	fi || fail "cannot remove work tree '$tree': $(complaint)"
}

# ---- what the run left ------------------------------------------------------

# Never the status record, which says that all this is done, nor the lock, the
# journal or a signal.
remove_files() {
	if ! record_is_ours; then
		say "left the files of issue $issue: its status record is not \
that of run $run"
		return
	fi
	for folder in "$status_dir" "$status_dir/.paneward"; do
		[ ! -L "$folder" ] || fail "cannot remove the run's files: \
'$folder' is a link"
	done
	wait_for_log
	for file in "output-$issue.log" "output-$issue.log.1" \
	    ".paneward/$issue.watch.log" ".paneward/$issue.records" \
	    ".paneward/$issue.agent" ".paneward/$issue.pipe" \
	    ".paneward/$issue.command" ".paneward/$issue.reload" \
	    ".paneward/$issue.reload.log"; do
		remove_file "$file"
		remove_file "$file.old"
	done
	remove_file ".paneward/$issue.removing.new"
	remove_file ".paneward/$issue.removing"
}

# The writer of the log ends with the pane, and has its last lines until then.
wait_for_log() {
	tries=20
	while [ -f "$status_dir/.paneward/$issue.pipe" ] &&
	    read -r owner writer _ <"$status_dir/.paneward/$issue.pipe" &&
	    [ "$owner" = "$run" ] && kill -0 "$writer" && [ $tries -gt 0 ]
	do
		! $dry_run || return
		tries=$((tries - 1))
		pause
	done
} 2>/dev/null

remove_file() {
	path=$status_dir/$1
	[ -e "$path" ] || [ -L "$path" ] || return 0
	if [ -d "$path" ] && [ ! -L "$path" ]; then
		say "left '$path': it is a folder"
	elif $dry_run; then
		say "would remove '$path'"
	else
		rm -f -- "$path" 2>"$tmp/error" ||
			fail "cannot remove '$path': $(complaint)"
	fi
}

# ---- the order --------------------------------------------------------------

parse "$@"
check_call
trim_tree
note=$status_dir/.paneward/$issue.removing
tmp=$(mktemp -d "${TMPDIR:-/tmp}/paneward.XXXXXX") ||
	fail 'cannot make a temporary folder'
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
: >"$tmp/error"
: >"$tmp/ours"

read_record
exec </dev/null

find_pane
if [ -n "$pane_pid" ] || $dry_run; then
	judge 0
else
	# The pane may have been ended by an attempt that was killed then.
	judge 3
fi
if [ -n "$pane_pid" ]; then
	end_pane
	$dry_run || judge 10
fi
remove_tree
remove_files
$dry_run || say "cleaned up issue $issue"
