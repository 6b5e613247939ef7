#!/bin/sh
# A list of issues with some at once, while everything of paneward is killed
# again and again, but for the parents of the agents: each issue is started
# once, no more than allowed are at work, and all of them end.
#
# SOAK in the environment: thirty issues, five at once, killed every two seconds.  Otherwise
# twelve, three at once, killed more often.
[ $# -gt 0 ] || set -- "${SOAK:-0}"
. "${0%/*}/../system/lib.sh"

if [ "$1" != 0 ]; then
	issues=30 most=5 pause=2 work=3
else
	issues=12 most=3 pause=0.7 work=1
fi

tmux_start
git config --global user.name test
git config --global user.email test@localhost
git init -q -b main
echo '{ "worktree_copy": [".env"], "worktree_setup": "cat file .env" }' \
	>.paneward.json
echo secret >.env
echo text >file

# A line as it begins, and one as it ends: "BEGIN ISSUE", "END ISSUE".
cat >agent <<END
#!/bin/sh
trap 'echo "END \$PANEWARD_ISSUE" >>"$T/work"' EXIT
echo "BEGIN \$PANEWARD_ISSUE" >>"$T/work"
cat .env >>"$T/copied"
sleep \$((\$1 * (PANEWARD_ISSUE % 3 + 1) / 2))
END
chmod +x agent
git add agent file .paneward.json
git commit -q -m first
seq "$issues" >"$T/list"

# kill_all: all of paneward, but for what agents and their logs live by.
kill_all() {
	# shellcheck disable=SC2009
	ps -axww -o pid= -o command= | grep -F -e "$T" | grep -F -e "$PW" |
		grep -v -e ' agent-run ' -e ' log-writer ' -e tmux >"$T/alive"
	while read -r pid _; do
		kill -KILL "$pid" 2>/dev/null && killed=$((killed + 1))
	done <"$T/alive"
}

# Each is killed at some time, like all else.
sweeps() {
	while [ ! -e "$T/over" ]; do
		"$PW" sweep --status-dir "$S"
		sleep 0.3
	done >"$T/swept" 2>&1
}

# The list is queued once, however often that is tried.
asked() {
	"$PW" start --from "$T/list" --at-once "$most" --new-worktree \
		--status-dir "$S" --base HEAD -- ./agent "$work" \
		>>"$T/asked" 2>&1
	grep -q 'queued already\|it is queued\|is alive\|already a\|there alre' \
		"$T/asked"
}

# progress: changes with each thing that is done.
progress() {
	wc -l <"$T/work"
	ls "$S/.paneward/queued" "$P"/.worktrees/issue-* 2>/dev/null
}

moved() {
	[ "$(progress)" != "$before" ]
}

ended() {
	[ "$(grep -c END "$T/work")" -ge "$issues" ]
}

killed=0
: >"$T/asked"
: >"$T/work"
sweeps &
until [ -e "$S/.paneward/queued" ] || asked; do
	:
done &
clock
until=$((now + 100 * 400))
stuck=0
while ! ended && [ "$now" -lt "$until" ]; do
	before=$(progress)
	sleep "$pause"
	kill_all
	stuck=$((stuck + 1))
	! moved || stuck=0
	# A busy machine needs longer for anything.
	if [ "$stuck" -eq 3 ]; then
		wait_until 60 moved
		stuck=0
	fi
	clock
done
: >"$T/over"
wait
check 'all end' ended || {
	"$PW" status --all --status-dir "$S"
	sort "$T/asked" "$T/swept" | uniq -c
} 2>&1 | comment
is "$(sort "$T/work" | grep -c BEGIN)" "$issues" 'each was started'
is "$(grep BEGIN "$T/work" | sort | uniq -d)" '' 'and only once'
check 'never more than may be were at work' test "$(awk '
	/BEGIN/ { if (++n > most) most = n }
	/END/ { n-- }
	END { print most }' "$T/work")" -le "$most"
is "$(grep -c secret "$T/copied")" "$issues" 'in whole work trees'
check 'nothing waits' eval '"$PW" sweep >"$T/swept" 2>&1;
	wait_until 10 no test -e "$S/.paneward/queued"'
check 'much was killed' test "$killed" -ge 5
done_testing
