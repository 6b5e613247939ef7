/*
 * presence.h - a run's record, compared with what the system has of it.
 *
 * A record says what was judged last.  Since then the machine may have been
 * restarted, and a tmux server, a pane's process, an agent or a watcher may have
 * ended.  Processes are known by pid and start, so that costs no call of tmux.
 *
 * Nothing is judged here: whether a run that has ended left a report is for the
 * next watch or sweep.
 */
#ifndef PANEWARD_PRESENCE_H
#define PANEWARD_PRESENCE_H

#include "base/clock.h"
#include "os/proc.h"
#include "run/status.h"

/* What all records of a status directory are compared with. */
struct presence {
	int         state_fd;           /* its .paneward */
	msec        wall;               /* the time */
	msec        swept;              /* when the last sweep ended; 0: never */
	char        boot[PROC_BOOT];
	struct proc server, last;       /* looked up last: runs share them */
};

void presence_init(struct presence *, int state_fd);

/*
 * Since when is the record unwatched: no watcher stands behind it, and no sweep
 * of the last ten minutes (wall time)?  0: it is not, or the run is over and
 * needs neither.
 */
msec presence_unwatched(const struct presence *, const struct status *);

/*
 * What has ended without being judged yet, as in "its tmux server has ended", of
 * a run that has not reported.  NULL: nothing has, as far as can be known.
 */
const char *presence_ended(struct presence *, const struct status *);

#endif
