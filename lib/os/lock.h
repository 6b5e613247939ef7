/*
 * lock.h - one process acts on an issue at a time.
 *
 * The lock is flock(2) on .paneward/<issue>.lock, so a crash leaves none
 * behind.  The file is never removed: two processes could then hold two locks
 * of one name.  It holds the pid of the last holder and when that process
 * started, which is only information: the lock itself decides.
 */
#ifndef PANEWARD_LOCK_H
#define PANEWARD_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

enum {
	LOCK_ENDING = 2000              /* ms that the watcher of a run which
					   has just been found over is given */
};

struct lock {
	int      fd;                    /* -1: not held */
	pid_t    holder;                /* who holds it if not we; 0: unknown */
	uint64_t holder_start;          /* see proc.h */
};

#define LOCK_INIT { .fd = -1 }

/*
 * Takes the lock of an issue without waiting; dir is the open .paneward.
 * 1: it is ours, 0: somebody else's (holder says whose), -1 with errno.
 */
int  lock_take(struct lock *, int dir, const char *issue);
/* The same, but the holder is given so many ms to end. */
int  lock_await(struct lock *, int dir, const char *issue, msec patience);
/* Says that we are the holder: of a lock that was inherited, or comes back
 * from somebody who had inherited it from us. */
void lock_mark(const struct lock *);
void lock_release(struct lock *);

/* Is it the lock that everybody else would take, and not that of a file that
 * was removed, or of a directory that was replaced? */
bool lock_counts(const struct lock *, int dir, const char *issue);

/* It is still held.  Told by its file's time, which lasts when the holder does
 * not; lock_release() does the same. */
void lock_touch(const struct lock *);

/*
 * Is it held?  *last, unless NULL, is when it was for certain (wall time; 0:
 * never).  Nothing is written to find that out, and where the last holder has
 * ended it is not tried: for that moment, another process could not take it.
 */
bool lock_held(int dir, const char *issue, msec *last);

#endif
