/*
 * sweep.h - what its tests know of a sweep.
 */
#ifndef PANEWARD_SWEEP_H
#define PANEWARD_SWEEP_H

#include "watcher/track.h"

struct visit {
	struct status record;
	struct server_pane pane;
	enum pane_life     life;
	struct server_pane claim;       /* another pane that may be the
					   issue's */
	bool   signal;                  /* A file has the name of its signal. */
	bool   past;                    /* A pane of an earlier run is there. */
	bool   due;                     /* A runner is to start. */
};

struct sweep {
	struct watch watch;             /* first: its address is the sweep's;
					   its servers have no loop, now is
					   the wall time of the begin */
	bool   dry_run;
	long   jobs, running;           /* runners, at most and now */
	struct site *site;
	struct visit *visits;
	size_t n;
	char **warned;                  /* servers with a warning, or NULL */
	int    status;                  /* of the program */
};

/* Takes no lock. */
bool visit_quiet(struct sweep *, struct visit *);

#endif
