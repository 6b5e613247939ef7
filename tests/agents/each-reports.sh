#!/bin/sh
# What an agent reports, and what only looks like it, with paneward's hooks.
. "${0%/*}/lib.sh"

client "$1"
hooks
. "$ROOT/tests/agents/reports.sh"
