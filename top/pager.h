/*
 * pager.h - the output of a command, in the pager of the user ($PAGER, else
 * less or more), which has the terminal until it ends.
 */
#ifndef PANEWARD_PAGER_H
#define PANEWARD_PAGER_H

#include "base/buf.h"

/* Runs the command in that folder (NULL: ours).  -1 with the reason. */
int pager_show(const char *const *argv, const char *cwd, struct buf *why);

#endif
