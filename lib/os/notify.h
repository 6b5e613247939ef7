/*
 * notify.h - waits for changes of files and directories.
 *
 * Reports are hints: a mount over a directory has none.  A slow tick checks the
 * path again and, unless notify is sure, everything in it.  A watch is on an
 * object, not a name.
 */
#ifndef PANEWARD_NOTIFY_H
#define PANEWARD_NOTIFY_H

#include <sys/stat.h>

#include "base/base.h"

struct notify {
	int  fd;                /* -1, maybe after a watch: call notify_read()
				   each period */
	msec period;
	bool sure;              /* reports all changes */
	struct notify_row {
		int  fd;        /* -1: a free row */
		bool directory;
		struct stat st;
	}   *rows;
	size_t count;
};

enum notify_change {
	NOTIFY_ENTRY,           /* a directory's entry */
	NOTIFY_CONTENT,         /* a file's content or link count */
	NOTIFY_LOST             /* check everything, watch again */
};

enum notify_what {
	NOTIFY_DIRECTORY,       /* made, closed after writing, moved there */
	NOTIFY_RENAMES,         /* moved there */
	NOTIFY_FILE
};

/* name is NULL for any entry. */
typedef void notify_fn(void *context, int watch, enum notify_change,
    const char *name);

/* *without_kernel: 0, or why the kernel cannot report. */
struct notify *notify_new(int *without_kernel);
void notify_free(struct notify *);

/* -1 with errno; ENOSPC: from now on files are compared. */
int  notify_watch(struct notify *, int fd, enum notify_what);
void notify_unwatch(struct notify *, int watch);

void notify_read(struct notify *, notify_fn *, void *context);

#endif
