/*
 * self.h - the run that a command or a hook is part of.
 *
 * The environment that start made names it; else the options of our pane; else
 * the pane's name.  If the record's run lives in our pane, it is the run.  If
 * only the issue is known, the record's run is presumed to be ours; but
 * SELF_ALL, whose caller records events, presumes nothing in another pane.
 */
#ifndef PANEWARD_SELF_H
#define PANEWARD_SELF_H

#include "project/statusdir.h"
#include "run/status.h"

struct self {
	char issue[ISSUE_MAX + 1];
	char run[RUN_ID_LEN + 1];       /* empty: unknown */
	struct statusdir dir;           /* fd -1: there is none */
	struct status record;           /* of this run, or empty */
	bool unsure;                    /* a failed look may hide its marker */
};

/* How far to search. */
enum self_how {
	SELF_ENVIRONMENT = 1,
	SELF_OPTIONS,                   /* of the pane, too */
	SELF_ALL
};

void self_init(struct self *);          /* no run */

/* root is a folder of the project, whose status directory counts unless another
 * one is named.  1: found; 0: there is none; -1 with the reason.  Release it in
 * any case. */
int  self_find(struct self *, enum self_how, const char *root,
    struct buf *why);
/* The same by the status record with the agent's session (NULL: unknown). */
int  self_find_session(struct self *, const char *root, const char *session,
    struct buf *why);
void self_release(struct self *);

#endif
