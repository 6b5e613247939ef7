/*
 * sweep.h - what its tests know of a sweep.
 */
#ifndef PANEWARD_SWEEP_H
#define PANEWARD_SWEEP_H

#include <stdbool.h>

#include "watcher/track.h"

struct visit {
	struct status record;           /* as it was when the sweep began, then
					   as its turn has left it */
	bool   signal;                  /* a file has the name of its signal */
	struct server_pane pane;        /* the pane that the record names */
	enum pane_life     life;        /* of it */
	struct server_pane claim;       /* another pane that may be the issue's;
					   its pane is NULL: none */
	bool   past;                    /* a pane of an earlier run is there */
	bool   quiet;                   /* nothing is to be done */
	bool   due;                     /* a runner is to be started */
};

struct sweep {
	struct watch watch;             /* first, since its address is that of
					   the sweep; its servers have no
					   loop, its now is the wall time of
					   the begin */
	bool   dry_run;
	long   jobs;
	const char *status_dir;         /* the option */
	struct site *site;
	struct visit *visits;
	size_t n;
	char **warned;                  /* servers with a warning, or NULL */
	int    status;                  /* the exit status */
	long   running;                 /* runners */
};

/* Is it known without a lock or a file that nothing is to be done? */
bool visit_quiet(struct sweep *, struct visit *);
/* Judges it and acts on the verdict; sets due if a hand-off is to run. */
void visit_run(struct sweep *, struct visit *);
/* Runs the hand-offs that are due, and waits for all of them. */
void jobs_run(struct sweep *);

#endif
