/*
 * datafile.h - files that come with paneward, or the user's instead.
 *
 * Templates (folder agents) and backends (folder backends) are looked up in
 * four places; the first file found wins: the user's folder of configuration
 * (userfolder.h), the folder of the running program, so that a checkout works
 * uninstalled, ../share/paneward from there, and the data folder of the build.
 */
#ifndef PANEWARD_DATAFILE_H
#define PANEWARD_DATAFILE_H

#include "base/base.h"

/* The path of folder/name in the first place that has the file, readable or
 * not.  The caller frees it.  NULL with errno ENOENT if none has it, or if the
 * name is empty, begins with a dot or holds a slash. */
char *datafile_find(const char *folder, const char *name);

/* The same for a path below those places, of a file or a folder. */
char *datafile_path(const char *path);

/* The names of the files in the folder that end so, without that, in all
 * places, sorted, each once; for argv_free().  NULL with errno: 0 if there are
 * none, else why a place cannot be read. */
char **datafile_names(const char *folder, const char *suffix);

/*
 * A skill or a plugin: a file that only init writes.
 *
 * It is a template and a last line that names its author, with a sum of the
 * text above.  The sum tells a file that a person has changed from one that an
 * older paneward wrote.
 */

enum ownfile_origin {
	OWNFILE_FOREIGN,                /* init did not write it */
	OWNFILE_OURS,
	OWNFILE_CHANGED                 /* init did, and a person changed it */
};

/* Adds a template from a folder of data files.  -1 with the reason. */
int ownfile_template(struct buf *, const char *folder, const char *name,
    struct buf *why);
/* Adds the last line to the text. */
void ownfile_sign(struct buf *);

enum ownfile_origin ownfile_origin(const struct buf *);

#endif
