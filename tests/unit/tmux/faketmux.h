/*
 * faketmux.h - a script named tmux, first in PATH, which does what a test has
 * written for it with tmux_does().  What tmux itself does is tried by the
 * system tests.
 */
#ifndef PANEWARD_FAKETMUX_H
#define PANEWARD_FAKETMUX_H

#include "base/alloc.h"
#include "scratch.h"

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
	char *path = xasprintf("%s/bin:%s", scratch, getenv("PATH"));
	char *script = xasprintf("#!/bin/sh\n"
	    "printf '%%s\\n' \"$@\" >%s/words\n"
	    "echo \"${TMUX-none} ${TMUX_PANE-none}\" >%s/environment\n"
	    "echo call >>%s/calls\n. %s/does\n", scratch, scratch, scratch,
	    scratch);

	scratch_write("bin/tmux", script);
	ok(chmod(scratch_path("bin/tmux"), 0700) == 0);
	setenv("PATH", path, 1);
	free(script);
	free(path);
}

#endif
