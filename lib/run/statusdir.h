/*
 * statusdir.h - the folder in which agents and paneward meet.
 *
 * Two open directories: the status directory itself, where agents leave their
 * signals and the logs lie, and .paneward in it, which is ours.  Everything
 * in them is reached through these descriptors, so a directory that is moved
 * or replaced is noticed and not silently followed.
 */
#ifndef PANEWARD_STATUSDIR_H
#define PANEWARD_STATUSDIR_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "run/config.h"
#include "run/project.h"

struct statusdir {
	char *path;                     /* absolute */
	int   fd, state_fd;             /* the directory, its .paneward; -1 */
	uid_t owner;                    /* whose signals count */
	dev_t dev;                      /* which directory it is */
	ino_t ino;
};

#define STATUSDIR_INIT { .fd = -1, .state_fd = -1 }

/*
 * The path: option (may be NULL), else the configuration's (to which the
 * environment belongs), else <project>/.worktrees/.status.  Absolute; the
 * caller frees it.
 */
char *statusdir_path(const char *option, const struct config *,
    const struct project *);

/*
 * Opens the directory at path, which it takes over from the caller; with make
 * set it is made if it is missing, with all that belongs into it, and one of
 * our own that the group may write to is narrowed, and *narrowed set.  Refused
 * is what is a link, no directory, another user's, or writable by any
 * user.  -1 with the whole reason in *error; then nothing was made.
 * Without make a missing one is no error: fd stays -1, 0 is returned.  A
 * missing .paneward without make leaves state_fd at -1.
 */
int  statusdir_open(struct statusdir *, char *path, bool make,
    struct buf *error, bool *narrowed);
void statusdir_close(struct statusdir *);

/*
 * Is the directory the project's, or no project's, or that of one that is gone?
 * With claim set it is the project's from now on.  False: it is another
 * project's, whose root is in *other, for the caller to free.
 */
bool statusdir_ours(const struct statusdir *, const char *root, bool claim,
    char **other);

/* Calls take for every name in an open directory (fd, or own).  -1 with errno
 * where it cannot be read. */
int  statusdir_names(int dir, void (*take)(void *, const char *name), void *);

/* An empty file in .paneward: it was modified when the last sweep ended. */
#define STATUSDIR_SWEPT "sweep"

/* Is the directory at path still the one that is open? */
bool statusdir_current(const struct statusdir *);

/* Opens the directory that is at the path now, if it is another one.  True if
 * it did; otherwise the old one stays. */
bool statusdir_reopen(struct statusdir *, bool make);

#endif
