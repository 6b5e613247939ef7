/*
 * userfile.h - a file of the user's that init writes, changes or removes.
 *
 * It lies some folders below a root.  Neither these nor itself may be a link,
 * and it must be the user's alone: that is refused, with the reason.  What the
 * system does not allow ends the program.
 *
 * It is written to a hidden name beside it, synced and renamed.  That name is
 * fixed and used under a lock of the folder, so of those that were killed one
 * is left at the most, until the next one comes.
 */
#ifndef PANEWARD_SETUP_USERFILE_H
#define PANEWARD_SETUP_USERFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct userfile {
	char   *root, *folder, *name;   /* the folder is below the root */
	char   *path;                   /* all of it */
	size_t  had;                    /* so much of it was there */

	int     fd;                     /* of the folder; -1: not there */
	bool    there;
	struct buf before, after;       /* its text, and what it is to be */
	bool    stays;                  /* it is to be there */
	bool    cleared;                /* what a killed one left was there */
};

/* root and folder are taken over. */
void userfile_init(struct userfile *, char *root, char *folder,
    const char *name);

/* Fills in what it is now.  -1: refused, with the reason added to why. */
int  userfile_read(struct userfile *, struct buf *why);
/* A file of its folder.  1: read, 0: there is none, -1 as above. */
int  userfile_text(const struct userfile *, const char *name,
    struct buf *text, struct buf *why);

/* Is there a difference between what it is and what it is to be? */
bool userfile_changes(const struct userfile *);

/* Makes the folder if the file is to be there, and locks it.  Ends the program
 * if the file was changed since it was read. */
void userfile_begin(struct userfile *);
/* Puts a text in the place of that name, with the mode of the file.  Where that
 * fails, the folders that were made for it go. */
void userfile_put(const struct userfile *, const char *name,
    const struct buf *text);
/* False, with errno, where there is none. */
bool userfile_remove(const struct userfile *, const char *name);
/* Gives the lock back; removes the folders that are empty, if the file is not
 * to be there and was, or was begun. */
void userfile_end(struct userfile *);

#endif
