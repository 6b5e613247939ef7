/*
 * loopreason.h - what an agent in a loop is told to go on with.
 *
 * It comes from channels and prompts that anybody may have written, and the
 * client shows it in the pane.  So no control bytes are in it, and no finished
 * marker of any issue (markerset.h): nothing of ours may be taken for a
 * report.
 */
#ifndef PANEWARD_LOOPREASON_H
#define PANEWARD_LOOPREASON_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

enum { LOOPREASON_MAX = 64 << 10 };     /* bytes that an agent is told */

/* Does the text hold a finished marker of any issue? */
bool loopreason_marker(const char *text, size_t len);

/*
 * Adds the text as it may be told; of one that is too long the end, from the
 * beginning of a line on, behind a line that says so.
 */
void loopreason_add(struct buf *, const char *text, size_t len);

/* Breaks up a marker of the user's own, wherever it stands. */
void loopreason_break(struct buf *, const char *marker);

#endif
