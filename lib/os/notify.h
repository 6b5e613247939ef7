/*
 * notify.h - changes of files and directories as something to wait for.
 *
 * On Linux the kernel reports them (notify-inotify.c); elsewhere, and if the
 * kernel has no watches left, they are compared from time to time
 * (notify-stat.c).  Both are hints: some changes are never reported (a file
 * system mounted over a directory), so callers check the directory at a path at
 * a slow tick as well, and, unless it is sure, everything in it.
 *
 * What is watched is the object behind an open descriptor, not a name.
 */
#ifndef PANEWARD_NOTIFY_H
#define PANEWARD_NOTIFY_H

#include <sys/stat.h>

#include "base/base.h"

struct notify {
	int  fd;                /* to be polled for reading; -1: notify_read()
				   is called after each period instead, which any
				   new watch may bring about */
	msec period;
	bool sure;              /* every change inside what is watched is
				   reported: nothing of it is on a file system
				   that another machine may change */
	struct notify_row {     /* of a system that needs them */
		int  fd;        /* our own; -1: a free row */
		bool directory;
		struct stat st;
	}   *rows;
	size_t count;
};

enum notify_change {
	NOTIFY_ENTRY,           /* something happened to a directory's entry */
	NOTIFY_CONTENT,         /* a file's content or link count changed */
	NOTIFY_LOST             /* moved, removed, unmounted, or hints lost:
				   check everything, watch again */
};

enum notify_what {
	NOTIFY_DIRECTORY,       /* what is made, closed after writing, or moved
				   there */
	NOTIFY_RENAMES,         /* only what is moved there */
	NOTIFY_FILE
};

/* Called by notify_read(); name is the entry's, or NULL: any of them. */
typedef void notify_fn(void *context, int watch, enum notify_change,
    const char *name);

/* Never NULL.  If the kernel cannot report changes, they are compared, and
 * *without_kernel is the reason (an errno; 0: the kernel reports them). */
struct notify *notify_new(int *without_kernel);
void notify_free(struct notify *);

/*
 * Watches what fd is open on; fd may be closed afterwards.  A number from 0, or
 * -1 with errno (ENOSPC: the kernel has no watches left; from now on files are
 * compared).
 */
int  notify_watch(struct notify *, int fd, enum notify_what);
void notify_unwatch(struct notify *, int watch);

void notify_read(struct notify *, notify_fn *, void *context);

#endif
