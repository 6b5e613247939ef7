/*
 * pick.h - the row that a word of the command line names.
 *
 * The word is an issue, "%5" for a pane, "4711%5" for that of the tmux server
 * with this pid, or the name that the queue shows ("api:1.0").
 */
#ifndef PANEWARD_PICK_H
#define PANEWARD_PICK_H

#include "project/context.h"
#include "queue/queue.h"

/* An issue of this project comes before those of others, a pane of our tmux
 * server before those of others.  NULL with the reason: none has that name, or
 * several have. */
struct row *pick_row(const struct queue *, const struct context *,
    const char *word, struct buf *why);

#endif
