#!/bin/sh
# Five rounds of pi -p, in tmux.
. "${0%/*}/lib.sh"
. "$ROOT/tests/agents/rounds.sh"

client pi
rounds --backend pi --session-manager tmux
done_testing
