/*
 * revival.h - a run whose pane was lost, and what brings it back: as the same
 * run, in its session, with the same conversation.
 *
 * What has reported is left to the next watch or sweep, which records it.
 */
#ifndef PANEWARD_REVIVAL_H
#define PANEWARD_REVIVAL_H

#include <stdbool.h>

#include "project/context.h"
#include "run/status.h"
#include "tmux/servers.h"
#include "watcher/resume.h"

struct revival {
	/* Set by the caller, and borrowed: */
	const char *self;               /* the path of this program */
	const char *prompt;             /* NULL: none */
	struct backends *backends;
	struct context *context;
	const char *issue;
	bool   named;                   /* by a person */

	struct status record;
	struct servers servers;
	struct resume resume;
	char   dead[TMUX_ID];           /* its dead pane; "": none */
	bool   over;                    /* of no interest, unless named */
	struct buf why;                 /* it is left alone */
};

/* What the caller has set stays. */
void revival_release(struct revival *);

/* Reads the record and finds out what can be done, writing nothing.  False with
 * the reason in why if the run is left alone. */
bool revival_plan(struct revival *);

/* Does it, under the issue's lock, after another plan.  True if the agent runs;
 * else all is as before, and why has the reason. */
bool revival_run(struct revival *);

/* Reads the record again.  Has the agent ended since, without a report? */
bool revival_died(struct revival *);

#endif
