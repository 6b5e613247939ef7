#!/bin/sh
# The same as each-bare, without hooks for the session: the client's transcript
# tells.
case $1 in
codex|gemini) echo '1..0 # SKIP in each-bare it has no hooks'; exit ;;
opencode)     echo '1..0 # SKIP its transcript cannot be found'; exit ;;
esac
# shellcheck disable=SC2034
alone=yes
. "${0%/*}/each-bare.sh"
