/*
 * child.h - a process group whose end is awaited, or brought about: SIGTERM,
 * a time of grace, SIGKILL.
 *
 * Its leader is our child, or a process that runs since start.  Both kinds of
 * signal go to the whole group, and wake it if it is stopped.
 */
#ifndef PANEWARD_CHILD_H
#define PANEWARD_CHILD_H

#include <sys/types.h>

#include "base/base.h"

struct child {
	pid_t    pid;                   /* leader of the group */
	uint64_t start;                 /* proc.h's unit; 0: not known */
	int      fd;                    /* readable at the leader's end; -1 */
	bool     ours;                  /* our child, to be reaped */
	bool     whole;                 /* over when the group is empty */
	bool     reaped;
	int      status;                /* once reaped, as waitpid() gives it */
	msec     kill_at;               /* CLOCK_NEVER: not asked to end */
};

/* Our child; child_other() is for a process that is not. */
void child_init(struct child *, pid_t);
void child_other(struct child *, pid_t, uint64_t start);

/* A leader that is our child stays a zombie until child_reap(), so that its
 * number is no other group's.  With whole set it is reaped here: the rest of
 * the group keeps the number. */
bool child_ended(struct child *);

/* Waits until it has ended: true.  False at the deadline, or once wake (-1:
 * none) is readable. */
bool child_wait(struct child *, int wake, msec deadline);

/* SIGTERM, and in every later call SIGKILL; kill_at is when that is due. */
void child_stop(struct child *, msec grace);

/* Stops it, waits for its end, and kills what is left of the group. */
void child_end(struct child *, msec grace);

/* Closes fd; of our child, waits for the leader and returns status. */
int  child_reap(struct child *);

/* A signal for a group, and SIGCONT.  Safe in a signal handler. */
void child_signal(pid_t group, int signo);

#endif
