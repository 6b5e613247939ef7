/*
 * notify.h - being told that a file or a directory has changed.
 *
 * On Linux the kernel tells (files-inotify.c); elsewhere, and where the kernel
 * has no watches left, somebody looks from time to time (files-stat.c).  Both
 * are only hints: whoever relies on them looks again at a slow tick, because
 * there are changes that nobody tells (a file system mounted over a directory,
 * a change made on another machine).
 *
 * What is watched is the object behind an open descriptor, not a name.
 */
#ifndef PANEWARD_NOTIFY_H
#define PANEWARD_NOTIFY_H

#include <stdbool.h>

#include "base/clock.h"

struct files;

enum files_change {
	FILES_ENTRY,            /* something happened to a directory's entry */
	FILES_CONTENT,          /* a file's content or link count changed */
	FILES_LOST              /* moved, removed, unmounted, or hints lost:
				   look at everything, watch again */
};

/* Called by files_read(); name is the entry's, or NULL: any of them. */
typedef void files_told(void *context, int watch, enum files_change,
    const char *name);

/* Never NULL.  Where the kernel cannot, it is made for looking, and
 * *without_kernel is set to why (an errno; 0: the kernel tells). */
struct files *files_new(int *without_kernel);
void files_free(struct files *);

/* To be polled for reading; -1 where files_read() must be called after each
 * files_period() instead, which may come to be so with any watch. */
int  files_fd(const struct files *);
msec files_period(const struct files *);

/*
 * Watches what fd is open on.  A number from 0, or -1 with errno (ENOSPC: the
 * kernel has no watches left, and is not asked again: from now on somebody has
 * to look).  fd may be closed afterwards.  Of a directory is
 * told what is made, closed after writing, or moved there; of one in which
 * everything that matters is put in its place by renaming, only that.
 */
int  files_watch_directory(struct files *, int fd);
int  files_watch_renames(struct files *, int fd);
int  files_watch_file(struct files *, int fd);
void files_unwatch(struct files *, int watch);

void files_read(struct files *, files_told *, void *context);

#endif
