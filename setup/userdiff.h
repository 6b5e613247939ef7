/*
 * userdiff.h - what changes in a file of the user's, for the terminal.
 */
#ifndef PANEWARD_SETUP_USERDIFF_H
#define PANEWARD_SETUP_USERDIFF_H

#include "setup/userfile.h"

/* Adds to files one line, of what changes in this file or that nothing does, and
 * to out the difference in the form of diff -u.  What a terminal must not be
 * sent is escaped.  Ends the program if diff fails. */
void userdiff_add(struct buf *files, struct buf *out, const struct userfile *);

/* Prints it. */
void userdiff_print(struct buf *);

#endif
