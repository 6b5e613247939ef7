/*
 * lock.h - one process acts on an issue at a time, by flock(2) on
 * .paneward/<issue>.lock.  The file is never removed, or two processes could
 * hold locks of one name.
 */
#ifndef PANEWARD_LOCK_H
#define PANEWARD_LOCK_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/base.h"

/* ms for an ended run's watcher to exit */
enum { LOCK_ENDING = 2000 };

struct lock {
	int      fd;                    /* -1: not held */
	pid_t    holder;                /* another process; 0: unknown */
	uint64_t holder_start;
};

#define LOCK_INIT { .fd = -1 }

/* 1: locked, 0: holder has it, -1 with errno. */
int  lock_take(struct lock *, int dir, const char *issue);
int  lock_await(struct lock *, int dir, const char *issue, msec patience);
/* Waits until another process holds it or, if it was ours, has since. */
bool lock_await_other(int dir, const char *issue, bool ours, msec patience);
/* Records us as holder of an inherited or returned lock. */
void lock_mark(const struct lock *);
void lock_release(struct lock *);

/* Is ours the lock that others take?  False with errno; EBUSY: it was replaced,
 * or its directory. */
bool lock_counts(const struct lock *, int dir, const char *issue);

#define lock_touch(l) futimens((l)->fd, NULL)

/* 1: another process holds it, 0, or -1 with errno.  *last (or NULL): when it
 * was held, or 0; the lock gets its last holder.  Trying would keep others out,
 * so a last holder that has ended, or is us, means 0. */
int  lock_look(struct lock *, int dir, const char *issue, msec *last);
#define lock_held(dir, issue, last) \
	lock_look(&(struct lock)LOCK_INIT, (dir), (issue), (last))

#endif
