#!/bin/sh
# Terminals that are attached to a tmux server are listed with its panes.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

counted() { "$PW" doctor 2>&1 | grep -Fq "answers, $1 panes, $2 clients"; }

tmux_start
check 'nothing is attached to a new server' counted 1 0
client_attach one keeper
check 'a terminal that is attached is listed' counted 1 1
pane_run other 'exec cat'
client_attach two other
soon 'and a second one' counted 2 2
tm detach-client -s keeper
wait_until 5 test -e "$T/one.detached"
check 'but not one that is detached' counted 2 1
done_testing
