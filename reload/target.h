/*
 * target.h - what is restarted: the pane, the run in it, and which of its
 * processes is the agent.
 */
#ifndef PANEWARD_RELOAD_TARGET_H
#define PANEWARD_RELOAD_TARGET_H

#include <stdbool.h>

#include "backend/backend.h"
#include "os/proc.h"
#include "project/context.h"
#include "run/launch.h"
#include "run/restart.h"

struct target {
	struct context context;
	char   key[RELOAD_KEY];
	bool   issue;                   /* the key is one, with a run */
	struct status  record;          /* of it */
	struct reload  r;               /* its place and shape are found */
	bool   here;                    /* the agent itself has called us */
	char  *path;                    /* the agent's directory; no links */
	char   command[64];             /* the name of the process in front */
	unsigned alike;                 /* other panes of the project with that
					   command in front */
	struct proc agent;
	struct launch  launch;          /* of RELOAD_STARTED; argv NULL: not
					   known */
	struct backend backend;
};

/* Ends the program; the agent is left alone. */
#define target_refuse(...) fatalx("cannot restart the agent: " __VA_ARGS__)

/*
 * Finds it in the pane with that id; NULL: in our own.  Ends the program if
 * something is missing.  It must be empty before.
 */
void target_find(struct target *, const char *pane, const char *status_dir);

#endif
