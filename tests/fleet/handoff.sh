#!/bin/sh
# A host lets another one hand off an issue, by ssh: a script that runs its words
# with that host's home.
# shellcheck disable=SC1091,SC2317,SC2329
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

fleet_begin alpha beta
registered alpha
registered beta
cat >"$T/hosts/beta/bin/ssh" <<END
#!/bin/sh
[ -e '$T/down' ] && { echo 'ssh: the net is down' >&2; exit 255; }
[ "\$1 \$2" = '-T alpha' ] || exit 255
shift 2
cd '$T/hosts/alpha' || exit
HOME=\$PWD TMUX_TMPDIR=\$PWD/tmux PATH=\$PWD/bin:\$PATH exec sh -c "\$*"
END
chmod +x "$T/hosts/beta/bin/ssh"
agent_start alpha
there() {
	on beta "$BUILD/tests/fleet/dump" KV_PANEWARD_HOSTS \
		"\$KV.PANEWARD_HOSTS.$1" | grep -q .
}
row() {
	on beta "$BUILD/tests/fleet/dump" KV_PANEWARD_ROWS \
		"\$KV.PANEWARD_ROWS.alpha.>" | grep -q "\"issue\":\"$1\""
}

wait_until 10 there alpha
exits 3 'a host that is not there is not asked' \
	on beta "$FLEET" handoff gamma:7
like "$(cat "$T/err")" "host 'gamma' is not there" 'with the reason'
exits 2 'nor an issue without a host' on beta "$FLEET" handoff 7
exits 1 'an issue that the host has not' on beta "$FLEET" handoff alpha:7
like "$(cat "$T/out")" '^alpha: no project there has it' 'has that result'

echo 'done' >"$(status_of alpha)/signal-complete-7"
on alpha paneward sweep >/dev/null 2>&1
host_configure alpha '' '"handoff": ["sh", "-c", "echo 7 >>'"$T"'/handed"]'
check 'its row comes' wait_until 20 row 7
exits 0 'an issue of it is handed off' on beta "$FLEET" handoff alpha:7
like "$(cat "$T/out")" '^alpha: 7 handed off' 'and it says so'
is "$(cat "$T/handed")" 7 'by the command of that host'
exits 0 'also with its project named' \
	on beta "$FLEET" handoff alpha:7 --project project
exits 0 'or its folder' on beta "$FLEET" handoff alpha:7 \
	--project "$T/hosts/alpha/project"
exits 1 'but not of another project' \
	on beta "$FLEET" handoff alpha:7 --project other
is "$(wc -l <"$T/handed")" 3 'so often it ran'

host_configure alpha '' '"handoff": ["sh", "-c", "exit 9"]'
exits 12 'a hand-off that fails has its status' \
	on beta "$FLEET" handoff alpha:7
: >"$T/down"
exits 3 'ssh that fails, that of what could not be done' \
	on beta "$FLEET" handoff alpha:7
is "$(cat "$T/out")" 'alpha: ssh: the net is down' 'with its reason'
rm "$T/down"

# ---- an issue of two projects ------------------------------------------------

cp -R "$T/hosts/alpha/project" "$T/hosts/alpha/o'ther one"
(
	home=$T/hosts/alpha
	cd "$home/o'ther one" || exit
	rm -rf .worktrees
	HOME=$home TMUX_TMPDIR=$home/tmux "$PW" signal --issue 7 complete
	HOME=$home TMUX_TMPDIR=$home/tmux "$PW" sweep
) >/dev/null 2>&1
host_configure alpha '' '"handoff": ["sh", "-c", "pwd >>'"$T"'/where"]'
both() {
	on beta "$FLEET" handoff alpha:7 | grep -q 'several projects have it'
}
check 'an issue of two projects is refused' wait_until 20 both
exits 0 'unless one is named' \
	on beta "$FLEET" handoff alpha:7 --project "o'ther one"
is "$(tail -n 1 "$T/where")" "$T/hosts/alpha/o'ther one" 'which hands it off'
done_testing
