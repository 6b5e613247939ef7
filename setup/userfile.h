/*
 * userfile.h - a file of the user's that init writes, changes or removes.
 *
 * It lies some folders below a root.  A file or folder that is a link, or a
 * file that is not the user's alone, is refused with the reason.  Any other
 * error of the system ends the program.
 *
 * The text is written to a hidden file beside it, synced and renamed.  That
 * file has a fixed name and is used under a lock of the folder, so interrupted
 * runs leave one at most, which the next run removes.
 */
#ifndef PANEWARD_SETUP_USERFILE_H
#define PANEWARD_SETUP_USERFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct userfile {
	char   *root, *folder, *name;   /* the folder is below the root */
	char   *path;                   /* all of it */
	size_t  had;                    /* length of the part that existed */

	int     fd;                     /* of the folder; -1: not there */
	bool    there;
	struct buf before, after;       /* its text, and the new one */
	bool    stays;                  /* it is to exist */
	bool    cleared;                /* it had an interrupted run's file */
};

/* Takes root and folder over. */
void userfile_init(struct userfile *, char *root, char *folder,
    const char *name);

/* Reads the file.  -1: refused, with the reason added to why. */
int  userfile_read(struct userfile *, struct buf *why);
/* Reads a file of its folder.  1: read, 0: there is none, -1 as above. */
int  userfile_text(const struct userfile *, const char *name,
    struct buf *text, struct buf *why);

/* Does the new text differ, or only one of the two exist? */
bool userfile_changes(const struct userfile *);

/* Makes the folder if the file is to exist, and locks it.  Ends the program if
 * the file has changed since it was read. */
void userfile_begin(struct userfile *);
/* Writes a file of that name, with the mode of the file.  If that fails, the
 * folders that were made for it are removed. */
void userfile_put(const struct userfile *, const char *name,
    const struct buf *text);
/* False, with errno, if there is none. */
bool userfile_remove(const struct userfile *, const char *name);
/* Releases the lock.  Removes the folders that are empty if the file is not to
 * exist and did, or was begun. */
void userfile_end(struct userfile *);

/* ---- what changes in it, for the terminal -------------------------------- */

/* Adds to files one line, of what changes in this file or that nothing does, and
 * to out the difference in the form of diff -u.  What a terminal must not be
 * sent is escaped.  Ends the program if diff fails. */
void userdiff_add(struct buf *files, struct buf *out, const struct userfile *);

/* Prints it. */
void userdiff_print(struct buf *);

#endif
