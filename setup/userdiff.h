/*
 * userdiff.h - what changes in a file of the user's, for the terminal.
 */
#ifndef PANEWARD_SETUP_USERDIFF_H
#define PANEWARD_SETUP_USERDIFF_H

#include "setup/userfile.h"

/* Adds the difference in the form of diff -u, or that nothing changes.  What a
 * terminal must not be sent is escaped.  Ends the program if diff fails. */
void userdiff_add(struct buf *, const struct userfile *);

/* Prints it. */
void userdiff_print(struct buf *);

#endif
