#!/bin/sh
# What an agent reports, and what only looks like it, with nothing of paneward's
# in the client's settings.
. "${0%/*}/lib.sh"

client "$1"
. "$ROOT/tests/agents/reports.sh"
