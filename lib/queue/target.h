/*
 * target.h - the agent that a word of the command line names.
 *
 * The word is an issue, "%5" for a pane, "4711%5" for that of the tmux server
 * with this pid, or the name that the queue shows ("api:1.0").
 */
#ifndef PANEWARD_TARGET_H
#define PANEWARD_TARGET_H

#include "project/context.h"
#include "queue/queue.h"

/* An issue of this project comes before those of others, a pane of our tmux
 * server before those of others.  NULL with the reason: none has that name, or
 * several have. */
struct row *target_row(const struct queue *, const struct context *,
    const char *name, struct buf *why);

/* The parts that a command reads. */
struct target_agent {
	const char *issue;              /* the name of its files in the context's
					   status directory */
	const char *pane;               /* "api:1.0": it has no issue, and that
					   directory is the user's "panes";
					   NULL: it has one */
	struct status record;           /* of one without an issue, which may be
					   in memory alone */
};

/* Opens the context of the agent that a command_agent() names: of a pane that
 * is an issue's, the issue's own; of NULL, that of the project.  If none has
 * that name, the program ends with "cannot ACT 'NAME': REASON". */
void target_open(struct target_agent *, struct context *, const char *act,
    const char *name, const char *status_dir);

#endif
