/*
 * guest.h - other programs that have the terminal until they end.
 */
#ifndef PANEWARD_GUEST_H
#define PANEWARD_GUEST_H

#include "base/buf.h"

/* Runs the program, whose standard input is in.  -1 with the reason, in its own
 * words if it has any: it failed. */
int guest_run(const char *const *argv, int in, struct buf *why);

/* Shows the output of a command, run in that folder (NULL: ours), in the user's
 * pager: $PAGER, else less or more.  -1 with the reason. */
int guest_page(const char *const *argv, const char *cwd, struct buf *why);

#endif
