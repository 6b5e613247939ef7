/*
 * sharedfile.h - a project's file that others write, too, maybe without the
 * lock.  Links are not followed.
 */
#ifndef PANEWARD_SHAREDFILE_H
#define PANEWARD_SHAREDFILE_H

#include <sys/stat.h>

#include "base/base.h"

/* Opens and locks, as file_lock().  The file still has that name. */
int sharedfile_lock(int dir, const char *name, int flags, msec patience);

const char *sharedfile_why(int error);

/* A missing file is all zero. */
int sharedfile_look(int dir, const char *name, struct stat *);

enum sharedfile_how {
	SHAREDFILE_SYNC = 1 << 0,
	SHAREDFILE_OWNER = 1 << 1       /* must keep owner, group */
};

/* Keeps the seen file's mode, owner and group; a new one gets mode, less the
 * umask.  The caller holds the lock.  ESTALE: it has changed. */
int sharedfile_replace(int dir, const char *name, const struct stat *seen,
    mode_t mode, enum sharedfile_how, const struct buf *text);

#endif
