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

there() {
	on beta "$BUILD/tests/fleet/dump" KV_PANEWARD_HOSTS "$1" |
		grep -q .
}

row() {
	on beta "$BUILD/tests/fleet/dump" KV_PANEWARD_ROWS "alpha.>" |
		grep -q "\"issue\":\"$1\""
}

scenario 'an issue of another host is handed off by its command' <<'END'
>>> chmod +x "$T/hosts/beta/bin/ssh"; agent_start alpha
>>> wait_until 10 there alpha
>>> gives 3 "host 'gamma' is not there" on beta "$FLEET" handoff gamma:7
>>> gives 2 '' on beta "$FLEET" handoff 7
>>> gives 1 '^alpha: no project there has it' on beta "$FLEET" handoff alpha:7
>>> echo 'done' >"$(status_of alpha)/signal-complete-7"
>>> on alpha paneward sweep >/dev/null 2>&1
>>> host_configure alpha '' '"handoff": ["sh", "-c", "echo 7 >>'"$T"'/handed"]'
>>> wait_until 20 row 7
>>> gives 0 '^alpha: 7 handed off' on beta "$FLEET" handoff alpha:7
>>> is "$(cat "$T/handed")" 7
>>> gives 0 '' on beta "$FLEET" handoff alpha:7 --project project
>>> gives 0 '' on beta "$FLEET" handoff alpha:7 --project \
... 	"$T/hosts/alpha/project"
>>> gives 1 '' on beta "$FLEET" handoff alpha:7 --project other
>>> is "$(wc -l <"$T/handed")" 3
>>> host_configure alpha '' '"handoff": ["sh", "-c", "exit 9"]'
>>> gives 12 '' on beta "$FLEET" handoff alpha:7
>>> : >"$T/down"; gives 3 '' on beta "$FLEET" handoff alpha:7
>>> is "$(cat "$T/out")" 'alpha: ssh: the net is down'; rm "$T/down"
END

cp -R "$T/hosts/alpha/project" "$T/hosts/alpha/o'ther one"
(
	home=$T/hosts/alpha
	cd "$home/o'ther one" || exit
	rm -rf .worktrees
	HOME=$home TMUX_TMPDIR=$home/tmux "$PW" signal --issue 7 complete
	HOME=$home TMUX_TMPDIR=$home/tmux "$PW" sweep
) >/dev/null 2>&1
both() {
	on beta "$FLEET" handoff alpha:7 | grep -q 'several projects have it'
}

scenario 'of two projects one has to be named' <<'END'
>>> host_configure alpha '' '"handoff": ["sh", "-c", "pwd >>'"$T"'/where"]'
>>> wait_until 20 both
>>> gives 0 '' on beta "$FLEET" handoff alpha:7 --project "o'ther one"
>>> is "$(tail -n 1 "$T/where")" "$T/hosts/alpha/o'ther one"
END
done_testing
