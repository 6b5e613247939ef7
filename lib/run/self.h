/*
 * self.h - the run that a command or a hook is part of.
 *
 * It is named by the environment that start made; else by the options of our
 * pane; else by the pane's name.  If the record's run lives in our pane, it is
 * the run.
 *
 * If only the issue is named, the record's run is presumed to be ours.
 * SELF_ALL presumes nothing in another pane than that run's: its caller records
 * events, and one without a run counts for the run that begins in our pane.
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
	bool unsure;                    /* the lookup failed: the run may have
					   an unknown marker */
};

/* How far to search. */
enum self_how {
	SELF_ENVIRONMENT = 1,
	SELF_OPTIONS,                   /* of the pane, too */
	SELF_ALL
};

void self_init(struct self *);          /* no run */

/*
 * root is a folder of the project, whose status directory counts unless
 * another one is named.  1: found; 0: there is none; -1 with the reason.
 * Release it in any case.
 */
int  self_find(struct self *, enum self_how, const char *root,
    struct buf *why);
/* The same by the status record with the agent's session (NULL: unknown), for
 * what runs where nothing above names it. */
int  self_find_session(struct self *, const char *root, const char *session,
    struct buf *why);
void self_release(struct self *);

#endif
