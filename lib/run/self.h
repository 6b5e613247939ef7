/*
 * self.h - the run that a command or a hook is itself a part of.
 *
 * The environment that start made says which; else the options of the pane
 * that we run in; else the pane's name; else the status record that names the
 * agent's session.  A record whose run lives in our pane says the run.
 */
#ifndef PANEWARD_SELF_H
#define PANEWARD_SELF_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/issue.h"
#include "run/status.h"
#include "run/statusdir.h"

struct self {
	char issue[ISSUE_MAX + 1];
	char run[RUN_ID_LEN + 1];       /* empty: unknown */
	struct statusdir dir;           /* fd -1: there is none */
	struct status record;           /* of this run, or empty */
	bool unsure;                    /* the lookup failed: the run may have a
					   marker that is not known */
};

/* How far to look. */
enum self_how {
	SELF_ENVIRONMENT,
	SELF_OPTIONS,                   /* of the pane, too */
	SELF_ALL
};

void self_init(struct self *);          /* no run */

/*
 * Finds it.  root is a folder of the project, whose status directory counts if
 * no other one is named; session, of SELF_ALL, the agent's or NULL.  1: found;
 * 0: there is none; -1 with the reason.  To be released in any case.
 */
int  self_find(struct self *, enum self_how, const char *root,
    const char *session, struct buf *why);
void self_release(struct self *);

#endif
