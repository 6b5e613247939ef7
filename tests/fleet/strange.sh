#!/bin/sh
# A server that is not as the agent left it: a stream that was deleted, one that
# is full, and messages that are not paneward's.
# shellcheck disable=SC1091,SC2317,SC2329
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

stored() { on beta "$BUILD/tests/fleet/dump" "$1" "$2" | cut -f 1,3; }
forge() { on alpha "$BUILD/tests/fleet/forge" "$@" >"$T/said" 2>&1; }

finds() {
	on beta "$FLEET" doctor >"$T/doctor" 2>&1
	grep -Eq -e "$1" "$T/doctor"
}

# admin COMMAND...: as one who may do anything with the streams, from beta.
admin() {
	host_configure beta '"cert": "'"$certificates"'/admin.pem",
		"key": "'"$certificates"'/admin.key"'
	on beta "$@" >"$T/said" 2>&1
	host_configure beta
}

fleet_begin alpha beta
certify admin
server_stop
sed 's/^	PANEWARD {/&\n users: [ { user: "CN=admin" } ]/' "$T/server.conf" \
	>"$T/admin.conf" && mv "$T/admin.conf" "$T/server.conf"
server_start
registered alpha

# A project that is silent, while another host fills the stream.
# Ids of runs are random, so other numbers.
empty() {
	[ "$(numbers alpha)" = '' ] && [ "$(numbers beta | tail -n 1)" = 1150 ]
}

last() { [ "$(numbers alpha | tr '\n' ' ')" = "$1" ]; }

scenario 'a full stream drops the oldest events' <<'END'
>>> host_configure alpha '"keep_bytes": 1048576'; agent_start alpha
>>> journal_add alpha 1 20; result_of 20 'a project has events'
>>> registered beta; agent_start beta; journal_add beta 1001 1150 10000
>>> wait_until 30 empty; journal_add alpha 21 22; wait_until 10 last '21 22 '
>>> kill -KILL "$(agent_process alpha)"; wait_until 10 no agent_process alpha
>>> agent_start alpha; journal_add alpha 23 23; wait_until 10 last '21 22 23 '
>>> kill -TERM "$(agent_process beta)"
END

shows() {
	stored KV_PANEWARD_ROWS 'alpha.>' |
		grep -q '"issue":"1"'
}

scenario 'what is deleted is made again' <<'END'
>>> admin "$BUILD/tests/fleet/forge" send '$JS.API.STREAM.DELETE.PANEWARD' ''
>>> journal_add alpha 24 60
>>> result_of 60 'it is made again, and has all events'
>>> for bucket in HOSTS ROWS BACKLOG LEASES NOTICES; do
... 	admin "$BUILD/tests/fleet/forge" send \
... 		"\$JS.API.STREAM.DELETE.KV_PANEWARD_$bucket" ''
... done
>>> on alpha "$PW" start 1 --no-watch -- sleep 1000 >"$T/said" 2>&1
>>> wait_until 90 finds '^ok +hosts: host .alpha'; wait_until 20 shows
END

scenario 'what is no event, row or order is counted and left out' <<'END'
>>> forge send paneward.alpha.project.7 'no event'
>>> forge send '$KV.PANEWARD_ROWS.alpha.row' 'no row'
>>> forge send '$KV.PANEWARD_BACKLOG.repository.7' 'no order'
>>> on beta "$FLEET" history >"$T/out" 2>"$T/err"
>>> like "$(cat "$T/err")" 'skipped 1 messages that are no events'
>>> finds "^warning .*1 of 'KV_PANEWARD_ROWS' is not paneward's.*alpha.row"
>>> finds \
... 	"^warning .*1 of 'KV_PANEWARD_BACKLOG' is not paneward's.*repository.7"
>>> gives 0 '' on beta "$FLEET" backlog; journal_add alpha 61 61 1100000
>>> wait_until 30 finds "^warning .*host 'alpha' cannot send 1 lines"
END
done_testing
