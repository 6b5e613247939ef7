/*
 * still.h - what a pane shows at one moment, and a question to tmux whether it
 * shows it still.
 *
 * The question is a format, which tmux evaluates in the same step in which it
 * types: nothing that a program prints comes in between.  #{C/r:...} finds the
 * first line of the screen that a regular expression matches, so each line
 * becomes an expression, and the answer is its number.  tmux 3.0a and later
 * have that.
 *
 * tmux takes about 30 us for a row, in which it reads nothing, and more for a
 * long run of one sign, so that is an expression of its own.
 *
 * An expression holds ASCII letters, digits, and few other characters as they
 * are, and every other one of ASCII, "#" among them, as one class of them all.
 * So nothing that the screen shows is expanded as a format.
 */
#ifndef PANEWARD_STILL_H
#define PANEWARD_STILL_H

#include <stdbool.h>

#include "base/buf.h"
#include "tmux/paneref.h"

enum { TMUX_QUESTION = 14000 };         /* bytes; a call has 16,000 */

struct tmux_still {
	char  *facts;                   /* ids, size, cursor, what is in front */
	char  *rows;                    /* the screen, each with a line feed, */
	char  *colored;                 /* and the same with its sequences */
	bool   dead, mode, off, together, odd;  /* what keeps keys away */
};

/* The format of the facts; they are of the pane if it is that very one. */
const char *still_format(void);
/* Reads the facts, the rows and the rows with colors, in this order.  False: it
 * is something else. */
bool still_parse(struct tmux_still *, const char *answer,
    const struct pane_ref *);
void still_release(struct tmux_still *);

/* Why keys would not reach the program in front, or would reach others, too;
 * NULL: they reach it. */
const char *still_refuses(const struct tmux_still *);

/*
 * Adds the question about the rows from that one on.  False with the reason: a
 * row of letters or digits stands on the screen above, too, so that its change
 * might not be seen, unless twice allows that; or they are too many.
 */
bool still_question(const struct tmux_still *, size_t first, bool twice,
    struct buf *format, struct buf *why);

/* Rows of a screen; without any, stop is 0. */
struct still_span {
	size_t first, stop;             /* stop is behind the last one */
};

/* Adds a quick question about a few of the rows, for a moment after the other
 * one was answered.  False: nothing in them can be compared. */
bool still_quick(const struct tmux_still *, const struct still_span *, size_t n,
    struct buf *format);

#endif
