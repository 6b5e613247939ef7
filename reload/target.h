/*
 * target.h - whose restart it is: the pane, the run that lives in it, and
 * which of its processes is the agent.
 */
#ifndef PANEWARD_RELOAD_TARGET_H
#define PANEWARD_RELOAD_TARGET_H

#include <stdbool.h>

#include "chain/backend.h"
#include "os/proc.h"
#include "run/context.h"
#include "run/launch.h"
#include "run/restart.h"

struct target {
	struct context context;
	char   key[RELOAD_KEY];
	bool   issue;                   /* the key is one, with a run */
	struct status  record;          /* of it */
	struct pane_ref   place;
	bool   here;                    /* we run in that pane, for its agent */
	char  *path;                    /* where the agent is, without links */
	char   command[64];             /* the name of what is in front */
	unsigned alike;                 /* other panes with the same in front,
					   in the same project */
	struct proc agent;
	enum reload_shape shape;
	struct proc shell;              /* of RELOAD_IN_SHELL */
	char   shell_name[24];
	struct launch  launch;          /* of RELOAD_STARTED; argv NULL: not
					   known */
	struct backend backend;
};

/*
 * Finds it: in the pane with that id, or NULL: in our own.  What is missing
 * ends the program.
 */
void target_find(struct target *, const char *pane, const char *status_dir);

#endif
