/*
 * loopreason.h - what an agent in a loop is told to go on with.
 *
 * Channels and prompts are untrusted text, and the client shows them in the
 * pane.  So the reason holds no control bytes and no finished marker of any
 * issue; the caller breaks up the run's own marker (defang.h).
 */
#ifndef PANEWARD_HOOK_LOOPREASON_H
#define PANEWARD_HOOK_LOOPREASON_H

#include <stddef.h>

#include "base/buf.h"

enum { LOOPREASON_MAX = 64 << 10 };     /* bytes of a text */

/*
 * Adds the text; of one longer than LOOPREASON_MAX the end, from the beginning
 * of a line on, behind a line that says so.
 */
void loopreason_add(struct buf *, const char *text, size_t len);

#endif
