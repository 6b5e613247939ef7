/*
 * child.h - a process group that is awaited, or ended: SIGTERM, a time of
 * grace, SIGKILL.  Its leader is our child, or any process that runs since
 * start.
 */
#ifndef PANEWARD_CHILD_H
#define PANEWARD_CHILD_H

#include <sys/types.h>

#include "base/base.h"

struct child {
	pid_t    pid;                   /* leader of the group */
	uint64_t start;                 /* proc.h's unit; 0: not known */
	int      fd;                    /* readable at the leader's end; -1 */
	bool     whole;                 /* ends when the group is empty */
	bool     ours, reaped;          /* our child */
	int      status;                /* of waitpid(), once reaped */
	msec     kill_at;               /* CLOCK_NEVER: not asked to end */
};

/* Our child; child_other() is for any other process. */
void child_init(struct child *, pid_t);
void child_other(struct child *, pid_t, uint64_t start);

/* Reaps our leader only with whole set, to keep its number. */
bool child_ended(struct child *);

/* False at the deadline, or once wake (-1: none) is readable. */
bool child_wait(struct child *, int wake, msec deadline);

/* SIGTERM, and in every later call SIGKILL; sets kill_at. */
void child_stop(struct child *, msec grace);

/* Stops it, and kills the rest of the group. */
void child_end(struct child *, msec grace);

/* Closes fd; waits for our child and returns status. */
int  child_reap(struct child *);

/* And SIGCONT.  Safe in a signal handler. */
void child_signal(pid_t group, int signo);

#endif
