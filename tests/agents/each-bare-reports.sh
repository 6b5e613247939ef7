#!/bin/sh
# What an agent reports, and what only looks like it, with nothing of paneward's
# in the client's settings.
. "${0%/*}/lib.sh"

[ "$1" != kimi ] || skip_all 'only a hook names its session'
client "$1"
. "$ROOT/tests/agents/reports.sh"
