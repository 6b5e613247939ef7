/*
 * self.h - the run that a command or a hook is part of.
 *
 * The environment names it; else the options of our pane; else the pane's name.
 * If only the issue is known, the record's run is presumed ours; but SELF_ALL,
 * whose caller records events, presumes that in its own pane alone.
 */
#ifndef PANEWARD_SELF_H
#define PANEWARD_SELF_H

#include "project/statusdir.h"
#include "run/status.h"

struct self {
	char issue[ISSUE_MAX + 1];
	char run[RUN_ID_LEN + 1];       /* or empty */
	struct statusdir dir;
	struct status record;           /* of this run, or empty */
	bool unsure;                    /* a failed look may hide its marker */
};

enum self_how { SELF_ENVIRONMENT = 1, SELF_OPTIONS, SELF_ALL };

void self_init(struct self *);

/* root is a folder of the project.  1: found; 0: none; -1 with the reason.
 * Always release it. */
int  self_find(struct self *, enum self_how, const char *root,
    struct buf *why);
/* The same by the record with the agent's session (or NULL), here. */
int  self_find_session(struct self *, const char *session, struct buf *why);
void self_release(struct self *);

#endif
