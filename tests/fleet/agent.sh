#!/bin/sh
# The agent: each event of the journals once and in order on the stream, the
# rows, and the sign of life; whatever ends or is away meanwhile.
# shellcheck disable=SC1091,SC2317,SC2329
. "${0%/*}/lib.sh"
. "$ROOT/tests/fleet/journals.sh"

# value BUCKET KEY
value() {
	on alpha "$BUILD/tests/fleet/dump" "KV_PANEWARD_$1" "$2" |
		cut -f 3
}

holds() { value "$1" "$2" | grep -q -- "$3"; }
lacks() { [ "$(value "$1" "$2")" = '' ]; }
says() { grep -q -- "$2" "$T/$1.out"; }

fleet_begin alpha beta
registered alpha
journal=$(journal_of alpha)
journal_add alpha 1 200
agent_start alpha
result_of 200 'what the journal has is sent'
journal_add alpha 201 300
result_of 300 'and what comes'
agent_kill
journal_add alpha 301 320
agent_start alpha
result_of 320 'after kill -9 it goes on where the stream is'

# As if the last event had been on its way while the store was another one.
last_alone() { [ "$(numbers alpha)" = 500 ]; }

has_all() {
	numbers alpha | sort -n >"$T/numbers"
	seq 500 | cmp -s - "$T/numbers"
}

scenario 'a server that is killed, forgets or is away gets every event once' <<'END'
>>> server_kill; journal_add alpha 321 400
>>> wait_until 20 says alpha 'cannot connect to'
>>> server_start; journal_add alpha 401 420
>>> result_of 420 'a killed server gets what came meanwhile'
>>> is "$(grep 'cannot connect to' "$T/alpha.out" | uniq -d)" ''
>>> server_stop; cp -R "$T/store" "$T/store.old"; server_start
>>> journal_add alpha 421 500; result_of 500 'more'; server_kill
>>> rm -rf "$T/store" && mv "$T/store.old" "$T/store"; server_start
>>> result_of 500 'a server that forgot what it had acknowledged gets it again'
>>> server_kill; server_wipe; server_start
>>> result_of 500 'a server without its store gets everything again'
>>> agent_kill; server_kill; server_wipe; server_start
>>> mv "$journal" "$T/whole"; tail -n 1 "$T/whole" >"$journal"
>>> agent_start alpha; wait_until 20 last_alone
>>> agent_kill; mv "$T/whole" "$journal"; agent_start alpha
>>> wait_until 20 has_all
>>> agent_kill; server_kill; server_wipe; server_start; agent_start alpha
>>> result_of 500 'and in order once more'; agent_kill; server_stop
>>> : >"$T/alpha.out"; agent_start alpha
>>> wait_until 5 says alpha 'cannot connect to .*no server'
>>> journal_add alpha 501 510; server_start
>>> result_of 510 'and gets what came meanwhile'
END

sent_but_one() {
	numbers alpha | tail -n 4 | tr '\n' ' ' | grep -qx '547 548 549 550 '
}

last_is() { [ "$(numbers alpha | tail -n 2 | tr '\n' ' ')" = "$1" ]; }

scenario 'whatever becomes of the journal, what comes is sent once' <<'END'
>>> tail -n 60 "$journal" >"$T/cut" && cat "$T/cut" >"$journal"
>>> journal_add alpha 511 520; result_of 520 'a journal that lost its head'
>>> head -n 40 "$journal" >"$T/cut" && mv "$T/cut" "$journal"
>>> journal_add alpha 521 530; result_of 530 'one that lost its tail'
>>> rm "$journal"; journal_add alpha 531 540
>>> result_of 540 'one that was removed'; printf '{"half' >>"$journal"
>>> journal_add alpha 541 541; sed -i '$d' "$journal"
>>> printf '{"half\n' >>"$journal"; journal_add alpha 541 545
>>> result_of 545 'half a line is no event'; : >"$T/alpha.out"
>>> journal_add alpha 546 546 1100000; journal_add alpha 547 550
>>> wait_until 10 says alpha 'is not sent'; wait_until 5 sent_but_one
>>> again=$(tail -n 1 "$journal"); printf '%s\n' "$again" >>"$journal"
>>> again=$(tail -n 4 "$journal" | head -n 1)
>>> printf '%s\n' "$again" >>"$journal"; journal_add alpha 551 551
>>> wait_until 5 last_is '550 551 '
END

# ---- a disk that is full ------------------------------------------------------

# The user's state, with the registry and the agent's own files.
small=$T/hosts/alpha/.local/state/paneward
mkdir "$T/small"
if mount -t tmpfs -o size=64k,mode=700 tmpfs "$T/small" 2>/dev/null; then
	trap 'umount -l "$small"; umount -l "$T/small"; fleet_end' EXIT
	cp -a "$small/." "$T/small"
	mount --bind "$T/small" "$small"
	cat /dev/zero >"$small/full" 2>/dev/null
	journal_add alpha 552 555
	wait_until 10 last_is '554 555 '
	result $? 'on a full disk the agent goes on'
	agent_kill
	journal_add alpha 556 560
	agent_start alpha
	wait_until 20 last_is '559 560 '
	result $? 'also after kill -9'
	rm "$small/full"
else
	skip 'on a full disk the agent goes on' 'only root can mount one'
fi

# tmux answers before; a pane without a directory belongs to no project.
placed() {
	[ "$(on alpha tmux display-message -p -t =issue-7: \
		'#{pane_current_path}#{pane_dead}')" != 0 ]
}

scenario 'a host'\''s rows and its sign of life come and go' <<'END'
>>> wait_until 5 holds HOSTS alpha '"host":"alpha"'
>>> on alpha tmux -f /dev/null new-session -d -s issue-7 'exec cat'
>>> wait_until 5 placed; on alpha paneward watch 7 >"$T/watch.out" 2>&1 &
>>> wait_until 10 holds ROWS 'alpha.*' '"issue":"7"'
>>> result $? 'its rows are' || comment <"$T/watch.out"
>>> wait_until 10 holds ROWS 'alpha.*' '"state":"working"'
>>> echo 'done' >"$(status_of alpha)/signal-complete-7"
>>> wait_until 10 holds ROWS 'alpha.*' '"state":"complete"'
>>> agent_kill; on alpha paneward forget 7 >/dev/null 2>&1
>>> on alpha tmux kill-server; agent_start alpha
>>> wait_until 10 lacks ROWS 'alpha.*'
>>> host_configure beta '"host": "alpha", "cert": "'"$certificates"'/alpha.pem",
... 	"key": "'"$certificates"'/alpha.key"'
>>> gives 2 "the name 'alpha' is that of" on beta "$FLEET" agent
>>> kill -TERM "$(agent_process alpha)"; wait_until 5 lacks HOSTS alpha
END
done_testing
