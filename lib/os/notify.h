/*
 * notify.h - changes of files and directories as something to wait for.
 *
 * Reports are hints: some changes are never reported (a file system mounted
 * over a directory), so callers check the directory at a path at a slow tick
 * as well, and, unless it is sure, everything in it.  A watch is on an object,
 * not on a name.
 */
#ifndef PANEWARD_NOTIFY_H
#define PANEWARD_NOTIFY_H

#include <sys/stat.h>

#include "base/base.h"

struct notify {
	int  fd;                /* to be polled; -1 (also after any watch): call
				   notify_read() after each period */
	msec period;
	bool sure;              /* reports all changes */
	struct notify_row {     /* of a system that needs them */
		int  fd;        /* our own; -1: a free row */
		bool directory;
		struct stat st;
	}   *rows;
	size_t count;
};

enum notify_change {
	NOTIFY_ENTRY,           /* an entry of a directory */
	NOTIFY_CONTENT,         /* a file's content or link count */
	NOTIFY_LOST             /* check everything, watch again */
};

enum notify_what {
	NOTIFY_DIRECTORY,       /* made, closed after writing, moved there */
	NOTIFY_RENAMES,         /* moved there */
	NOTIFY_FILE
};

/* name is the entry's, or NULL: any of them. */
typedef void notify_fn(void *context, int watch, enum notify_change,
    const char *name);

/* *without_kernel: 0, or why the kernel reports nothing. */
struct notify *notify_new(int *without_kernel);
void notify_free(struct notify *);

/* A number, or -1 with errno; ENOSPC: from now on files are compared. */
int  notify_watch(struct notify *, int fd, enum notify_what);
void notify_unwatch(struct notify *, int watch);

void notify_read(struct notify *, notify_fn *, void *context);

#endif
