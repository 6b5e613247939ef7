#!/bin/sh
# The agent reports by a command, with what start put into its environment.
. "${0%/*}/lib.sh"

client claude
hooks
model '[ { "run": "\"$PANEWARD\" signal complete" },
	{ "say": "I have reported it." } ]'
begin 42
becomes 42 complete
is "$(record 42 source)" signal 'by the signal'
is "$(changes 42 complete)" 1 'once'
done_testing
