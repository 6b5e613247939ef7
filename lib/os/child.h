/*
 * child.h - waits for a process group, or ends it: SIGTERM, grace, SIGKILL.
 */
#ifndef PANEWARD_CHILD_H
#define PANEWARD_CHILD_H

#include <sys/types.h>

#include "base/base.h"

struct child {
	pid_t    pid;                   /* leads the group */
	uint64_t start;
	int      fd;                    /* readable at its end; or -1 */
	bool     whole;                 /* ends once the group is empty */
	bool     ours, reaped;          /* our child */
	int      status;                /* waitpid()'s, once reaped */
	msec     kill_at;               /* CLOCK_NEVER: not stopped */
};

void child_init(struct child *, pid_t);
void child_other(struct child *, pid_t, uint64_t start);

/* Reaps our child only with whole set, to keep the pid. */
bool child_ended(struct child *);

/* False at the deadline, or once wake (-1: none) is readable. */
bool child_wait(struct child *, int wake, msec deadline);

/* Sends SIGTERM, in later calls SIGKILL; sets kill_at. */
void child_stop(struct child *, msec grace);

/* Waits for the end, then kills the rest of the group. */
void child_end(struct child *, msec grace);

/* Closes fd; waits for our child. */
int  child_reap(struct child *);

/* Sends SIGCONT, too.  Safe in a signal handler. */
void child_signal(pid_t group, int signo);

#endif
