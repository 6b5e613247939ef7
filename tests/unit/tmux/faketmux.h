/*
 * faketmux.h - a script named tmux, first in PATH, which does what a test has
 * written for it with tmux_does().  What tmux itself does is tried by the
 * system tests.
 */
#ifndef PANEWARD_FAKETMUX_H
#define PANEWARD_FAKETMUX_H

#include "scratch.h"
#include "unit/fixture.h"

/* For an answer in the form of a query. */
#define FOUND_TOKEN "token=; last=; for word; do " \
	"[ \"$last\" != -F ] || : \"${token:=${word%% *}}\"; last=$word; " \
	"done; "
#define PANE(id) "echo \"$token v 42 1699999999 3.3a\n" \
	"$token p " id " \\$1 @2 4711 0 1 1700000000 ,\"; "

static inline void
tmux_does(const char *script)
{
	scratch_write("does", script);
}

/* It first notes its words, its environment, and that it was called. */
static inline void
tmux_fake(void)
{
	fake_program("tmux", "printf '%s\\n' \"$@\" >words\n"
	    "echo \"${TMUX-none} ${TMUX_PANE-none}\" >environment\n"
	    "echo call >>calls\n. ./does\n");
}

#endif
