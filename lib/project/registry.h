/*
 * registry.h - the status directories of the user's projects: "projects" in the
 * user's folder of state (userfolder.h), an absolute path a line.
 *
 * It serves commands that show all projects: a failure to write it is silent,
 * and a directory that is missing in it comes back when a command uses it
 * again.
 */
#ifndef PANEWARD_REGISTRY_H
#define PANEWARD_REGISTRY_H

#include "project/statusdir.h"

/* Adds an open directory with its .paneward, unless it is in there.  Then those
 * drop out that are gone, or that statusdir_open() refuses. */
void registry_add(const struct statusdir *);

/* The paths of those that are there and that statusdir_open() does not refuse,
 * or could not look at, each directory once; or, unless there is set, all
 * lines.  For argv_free().  NULL with errno: 0 if there are none, else why they
 * cannot be read. */
char **registry_directories(bool there);

/* The name of the lock that `watch --everywhere` holds in the same folder. */
#define REGISTRY_LOCK "everywhere"
/* Does a process of the user hold it? */
bool registry_watched(void);

#endif
