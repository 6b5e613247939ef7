#!/bin/sh
# Two issues at once, beside a Codex of the user, whose shared server would run
# the tools and hooks of both.
. "${0%/*}/lib.sh"

client codex
hooks
model '[ { "say": "I wait for a file.",
		"run": "until [ -e go ]; do sleep 0.1; done" },
	{ "run": "\"$PANEWARD\" signal complete" },
	{ "say": "I have reported it." },
	{ "say": "I finished the work.\n\n###TASK_COMPLETE_42###" } ]'
pane_run own "exec codex" -c "$P"
served() {
	pgrep -f -- '--managed-daemon' >/dev/null
}
wait_until "$LONG" served
begin 42
wait_until "$LONG" asked 1
begin 43
becomes 43 complete
is "$(record 43 source)" signal 'by its signal'
becomes 42 working
is "$(changes 42 complete)" 0 'the other one is not'
for issue in 42 43; do
	is "$(sed -n 's/.*"run":"\([^"]*\)".*/\1/p' "$S/.paneward/$issue.records" |
		sort -u)" "$(record $issue run)" "$issue has records of its own"
done
touch go
becomes 42 complete
told 42
exits 0 'the doctor looks' "$PW" doctor
like "$(cat "$T/out")" '^warning +shared server:' \
	"and warns of the user's server"
done_testing
