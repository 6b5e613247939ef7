/*
 * lock.h - one process acts on an issue at a time.
 *
 * The lock is flock(2) on .paneward/<issue>.lock, so a crash leaves none
 * behind.  The file is never removed, or two processes could hold two locks of
 * one name.
 */
#ifndef PANEWARD_LOCK_H
#define PANEWARD_LOCK_H

#include <sys/stat.h>

#include "base/base.h"

/* ms for the watcher of a run that just ended to exit */
enum { LOCK_ENDING = 2000 };

struct lock {
	int      fd;                    /* -1: not held */
	pid_t    holder;                /* another process; 0: unknown */
	uint64_t holder_start;          /* see proc.h */
};

#define LOCK_INIT { .fd = -1 }

/* 1: locked, 0: another process holds it (holder), -1 with errno. */
int  lock_take(struct lock *, int dir, const char *issue);
/* Waits that many ms. */
int  lock_await(struct lock *, int dir, const char *issue, msec patience);
/* Waits that many ms until another process holds it, or if it was ours, has
 * held it since. */
bool lock_await_other(int dir, const char *issue, bool ours, msec patience);
/* Records us as holder of a lock that was inherited, or given back. */
void lock_mark(const struct lock *);
void lock_release(struct lock *);

/* Is ours the lock that others take?  False with errno; EBUSY: its file was
 * removed or the directory replaced. */
bool lock_counts(const struct lock *, int dir, const char *issue);

/* The file's time outlives the holder. */
#define lock_touch(l) futimens((l)->fd, NULL)

/* Does another process hold it?  1, 0, or -1 with errno.  *last (may be NULL)
 * is when it was last held, or 0.  A try would keep others out, so a last
 * holder that has ended, or is this process, means 0. */
int  lock_held(int dir, const char *issue, msec *last);

#endif
