/*
 * tmuxconf.h - paneward's block in the user's tmux configuration.
 *
 * The block lies between two marks, and all in it is ours.  It is added behind
 * everything else, so that what it appends to is set before.  Without it, the
 * file is byte for byte what it was.
 */
#ifndef PANEWARD_SETUP_TMUXCONF_H
#define PANEWARD_SETUP_TMUXCONF_H

#include <stdbool.h>

#include "base/buf.h"

struct tmuxconf {
	const char *program;            /* the path of paneward */
	const char *key, *next_key;     /* for top and next; NULL: none */
	bool print, remove;
};

/* Shows what changes in the file, and changes it.  Ends the program if that
 * fails. */
void tmuxconf_change(const struct tmuxconf *);

/* Adds the lines of the block, without its marks.  -1 with the reason. */
int  tmuxconf_lines(const struct tmuxconf *, struct buf *lines,
    struct buf *why);

/* Puts the block into the text of a file (there: it exists), or in place of the
 * one in it; with lines NULL takes it out.  -1 with the reason: it
 * cannot be told where a block is. */
int  tmuxconf_edit(struct buf *text, bool there, const struct buf *lines,
    struct buf *why);

#endif
