/*
 * datafile.h - files that come with paneward, or the user's instead.
 *
 * The first file found wins: in the user's folder of configuration
 * (userfolder.h), the folder of the running program (a checkout),
 * ../share/paneward from there, or the data folder of the build.
 */
#ifndef PANEWARD_DATAFILE_H
#define PANEWARD_DATAFILE_H

#include "base/base.h"

/* A path to be freed; NULL with errno; ENOENT also if the name is empty, begins
 * with a dot or has a slash. */
char *datafile_find(const char *folder, const char *name);

/* The same for any path, maybe of a folder. */
char *datafile_path(const char *path, bool folders);

/* Names without the suffix, in all places, sorted, each once; for argv_free().
 * NULL with errno: 0: none, else a place cannot be read. */
char **datafile_names(const char *folder, const char *suffix);

/*
 * A skill or a plugin: a template and a last line of init, with a sum that
 * tells an edited file from one of an older paneward.
 */

enum ownfile_origin {
	OWNFILE_FOREIGN,                /* init did not write it */
	OWNFILE_OURS,
	OWNFILE_CHANGED                 /* a person changed init's file */
};

/* Adds a data file.  -1 with the reason. */
int ownfile_template(struct buf *, const char *folder, const char *name,
    struct buf *why);
/* Adds the last line to the text. */
void ownfile_sign(struct buf *);

enum ownfile_origin ownfile_origin(const struct buf *);

#endif
