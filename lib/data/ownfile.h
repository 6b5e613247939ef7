/*
 * ownfile.h - a skill or a plugin: a file that only init writes.
 *
 * It is a template and a last line that names its author, with a sum of the
 * text above.  The sum tells a file that a person has changed from one that an
 * older paneward wrote.
 */
#ifndef PANEWARD_OWNFILE_H
#define PANEWARD_OWNFILE_H

#include "base/buf.h"

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
