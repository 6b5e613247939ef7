/*
 * presence.h - a run's record, compared with what the system has of it.
 *
 * A record has the last verdict.  Since then the machine may have restarted,
 * and a tmux server, a pane's process, an agent or a watcher may have ended.
 * Processes are found by pid and start, without a call of tmux.
 *
 * Nothing is judged here: whether an ended run left a report is found by the
 * next watch or sweep.
 */
#ifndef PANEWARD_PRESENCE_H
#define PANEWARD_PRESENCE_H

#include "base/clock.h"
#include "os/proc.h"
#include "run/status.h"

/* What records are compared with. */
struct presence {
	int         state_fd;           /* .paneward of their status directory;
					   -1: none was entered */
	msec        wall;               /* the time */
	msec        swept;              /* the end of the last sweep; 0: none */
	msec        followed;           /* when one watcher last had all issues;
					   0: never */
	bool        listed;             /* locks are known */
	char *const *locks;             /* issues that have a lock's file */
	char        boot[PROC_BOOT];
	struct proc server, last;       /* looked up last: runs share them */
};

void presence_init(struct presence *);
/* From now on it is about the records of this directory. */
void presence_enter(struct presence *, int state_fd);
/* The same with the issues that have a lock's file (lock.h) there, as argv_sort()
 * leaves them: the others are not looked up.  The list is used until
 * presence_leave(). */
void presence_locks(struct presence *, int state_fd, char *const *locks);
void presence_leave(struct presence *);

/*
 * Since when (wall time) did neither a watcher hold the record nor a sweep of
 * the last ten minutes judge it?  0: one did, or the run is over.
 */
msec presence_unwatched(const struct presence *, const struct status *);

/* Does the tmux server of its pane run, so that the pane may be there, if only
 * with what its process has left? */
bool presence_served(struct presence *, const struct status *);

/*
 * What has ended since the last verdict, as in "its tmux server has ended", of
 * a run that has not reported.  NULL: nothing is known to have ended.
 */
const char *presence_ended(struct presence *, const struct status *);

/* Does the agent's process run?  Without one, that of its pane? */
bool presence_alive(struct presence *, const struct status *);

#endif
