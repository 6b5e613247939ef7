/*
 * sharedfile.h - a file in a project that people and other programs write, too,
 * maybe without the lock.  A link is not followed.
 */
#ifndef PANEWARD_SHAREDFILE_H
#define PANEWARD_SHAREDFILE_H

#include <sys/stat.h>

#include "base/base.h"

/* Opens a file and locks it, as file_lock().  It has that name. */
int sharedfile_lock(int dir, const char *name, int flags, msec patience);

/* The reason of an errno. */
const char *sharedfile_why(int error);

/* A missing file is all zero.  -1 with errno. */
int sharedfile_look(int dir, const char *name, struct stat *);

enum sharedfile_how {
	SHAREDFILE_SYNC = 1 << 0,       /* synced before it counts */
	SHAREDFILE_OWNER = 1 << 1       /* it must keep its owner and group */
};

/* Replaces the file that was seen, and keeps its mode, owner and group; a new
 * one gets the mode, less the umask.  The caller holds the lock.  -1 with
 * errno; ESTALE: the file has changed. */
int sharedfile_replace(int dir, const char *name, const struct stat *seen,
    mode_t mode, enum sharedfile_how, const struct buf *text);

#endif
