#!/bin/sh
# As hand.sh: the watcher of agents that a person started is killed again and again,
# and the agents end.
. "${0%/*}/hand.sh"

begin one three
round=0
scenario 'whenever the watcher is killed, no notice is doubled or lost' <<'END'
>>> while [ "$round" -lt 3 ]; do
... 	round=$((round + 1))
... 	[ $((round % 2)) -eq 0 ] || watch_kill
... 	asks one "job $round"
... 	works three
... 	[ $((round % 2)) -eq 0 ] && wait_until 10 recorded "$one" asking &&
... 		watch_kill
... 	watch_begin w --everywhere
... 	wait_until 10 noted "one:work.0 asking job $round"
... 	wait_until 10 recorded "$(key three)" working
... 	[ "$round" -eq 1 ] || watch_kill
... 	waits three
... 	[ "$round" -eq 1 ] || watch_begin w --everywhere
... 	wait_until 10 noted "three:work.0 waiting at its prompt" "$round"
... done
>>> let_pass
>>> is "$(sort "$T/notes" | uniq -d)" \
... 	'three:work.0 waiting at its prompt'
>>> grep -c '^one:work.0 asking job' "$T/notes"; grep -c '^three:' "$T/notes"
3
3
>>> client_attach reader three; asks three 'rm y'; three=$(key three)
>>> wait_until 10 test -s "$panes/$three.seen"
>>> is "$(grep -c 'rm y' "$T/notes")" 0
>>> tm detach-client -s =three; wait_until 10 test -e "$T/reader.detached"
END

# Its notice cannot be sent: no sweep does that later.
failed() { grep -q ' failed$' "$panes/$three.notice"; }

scenario 'an agent that ends leaves nothing, unless it was at work' <<'END'
>>> waits three; wait_until 10 recorded "$three" waiting
>>> run=$(record "$three" run); tm send-keys -t =three: C-c
>>> wait_until 10 no test -e "$panes/$three.json"
>>> like "$(journal "$three" run | tail -n 1)" \
... 	"\"run\":\"$run\",\"detail\":\"its agent was ended\""
>>> works three; pane_type three "claude $T/agent.pl $T three"
>>> wait_until 10 recorded "$three" working
>>> no test "$(record "$three" run)" = "$run"
>>> kill -KILL "$(record "$three" agent.pid)"
>>> dead='three:work.0 dead the agent ended, its status is unknown, without a report'
>>> wait_until 10 noted "$dead"; pane_type three "claude $T/agent.pl $T three"
>>> wait_until 10 recorded "$three" working
>>> is "$(grep -c "^three:work.0 dead" "$T/notes")" 1
>>> : >"$T/broken"; kill -KILL "$(record "$three" agent.pid)"
>>> wait_until 10 recorded "$three" dead; wait_until 10 failed
>>> pane_type three "claude $T/agent.pl $T three"
>>> wait_until 10 recorded "$three" working
>>> kill -KILL "$(record "$three" agent.pid)"
>>> wait_until 10 recorded "$three" dead; wait_until 10 failed
>>> watch_kill; rm "$T/broken"; watch_begin w --everywhere
>>> wait_until 10 noted "$dead" 2
END
done_testing
