/*
 * linediff.h - how two texts differ, line by line, for people.
 *
 * Like diff -u, three lines around each change; what a terminal should not
 * be shown is escaped, tabs excepted.
 */
#ifndef PANEWARD_SETUP_LINEDIFF_H
#define PANEWARD_SETUP_LINEDIFF_H

#include "base/buf.h"

/* Adds nothing if the texts are the same.  A text of NULL is a file that is
 * not there. */
void linediff(struct buf *out, const char *name, const struct buf *before,
    const struct buf *after);

#endif
