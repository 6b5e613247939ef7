#!/bin/sh
# Mail that came while the agent worked is delivered where it would stop.
. "${0%/*}/lib.sh"

client claude
export __STOP_HOOK_AGENT_ID=karo-roju   # who reads the box roju_reports
hooks --inbox
model '[ { "say": "I wait for a file.",
		"run": "until [ -e go ]; do sleep 0.1; done" },
	{ "say": "I have nothing left to do." },
	{ "until": "answer", "say": "There is mail.",
		"run": "paneward inbox read roju_reports" },
	{ "say": "I have read it.\n\n###TASK_COMPLETE_42###" } ]'
begin 42
wait_until "$LONG" asked 1
exits 0 'a message is written meanwhile' \
	"$PW" inbox write roju_reports 'The tests of issue 7 fail.'
touch go
wait_until "$LONG" asked 3
becomes 42 working
touch answer
becomes 42 complete
like "$(sed -n 3p "$T/model.log")" 'The tests of issue 7 fail' \
	'the agent was told of it where it stopped'
like "$(sed -n 4p "$T/model.log")" 'The tests of issue 7 fail' \
	'and has read it'
check 'nothing is left unread' no grep -q 'read: false' \
	queue/inbox/roju_reports.yaml
is "$(wc -l <"$T/model.log")" 4 'with that it could stop'
is "$(journal 42 state | grep -c 'has ended without')" 0 \
	'and before that it never seemed to wait'
done_testing
