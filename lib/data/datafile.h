/*
 * datafile.h - paneward's data files, which a user's file can replace.
 *
 * The first match wins: the user's folder (userfolder.h), the program's folder
 * (a checkout), ../share/paneward from there, the build's data folder.
 */
#ifndef PANEWARD_DATAFILE_H
#define PANEWARD_DATAFILE_H

#include "base/base.h"

/* Returns a path to free.  NULL with errno; ENOENT also for a name that is
 * empty, begins with a dot or has a slash. */
char *datafile_find(const char *folder, const char *name);

/* The same for any path; with folders set it may be a folder. */
char *datafile_path(const char *path, bool folders);

/* Returns each name once, sorted, without the suffix; for argv_free().  NULL:
 * errno is 0 if there are none. */
char **datafile_names(const char *folder, const char *suffix);

/*
 * A skill or plugin: a template and a last line, whose sum tells an edited file
 * from an older paneward's.
 */

enum ownfile_origin {
	OWNFILE_FOREIGN,                /* not written by init */
	OWNFILE_OURS,
	OWNFILE_CHANGED
};

/* -1 with the reason. */
int ownfile_template(struct buf *, const char *folder, const char *name,
    struct buf *why);
void ownfile_sign(struct buf *);

enum ownfile_origin ownfile_origin(const struct buf *);

#endif
