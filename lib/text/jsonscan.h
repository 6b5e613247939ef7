/*
 * jsonscan.h - is a text JSON, token by token, and on which line is what.
 *
 * jsonscan_next() gives one token after the other, as long as they are good and
 * in a good order, JSONSCAN_END last.  Where comments are allowed, blanks are
 * made of them on the way, so that the scan's text is JSON when the end is
 * reached, and every line has kept its number.  Of the escapes of a NUL and of
 * half a surrogate pair it makes \ufffd.
 *
 * What is refused is told by JSONSCAN_BAD, with line and reason filled.
 * Nothing calls itself here, and time is linear in the size of the text.
 */
#ifndef PANEWARD_JSONSCAN_H
#define PANEWARD_JSONSCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { JSONSCAN_DEPTH = 64 };

enum jsonscan_token {
	JSONSCAN_BAD = -1,
	JSONSCAN_START,                 /* nothing was read yet */
	JSONSCAN_KEY,
	JSONSCAN_STRING,
	JSONSCAN_PLAIN,                 /* a number or a word */
	JSONSCAN_OPEN,                  /* { or [ */
	JSONSCAN_CLOSE,
	JSONSCAN_COLON,
	JSONSCAN_COMMA,
	JSONSCAN_END
};

struct jsonscan {
	char    *text;                  /* ended by a NUL that is not in len */
	size_t   len, at;
	bool     comments;              /* are allowed: of both kinds of C */
	size_t   from;                  /* where the last token begins */
	unsigned line;                  /* and on which line; from 1 */
	enum jsonscan_token last;
	char     open[JSONSCAN_DEPTH];  /* brackets still to be closed */
	unsigned depth;
	char     reason[64];
};

/* Copies the text. */
void jsonscan_init(struct jsonscan *, const char *text, size_t len,
    bool comments);
/* Takes the bytes over: the buffer is empty then. */
void jsonscan_take(struct jsonscan *, struct buf *text, bool comments);
void jsonscan_release(struct jsonscan *);

enum jsonscan_token jsonscan_next(struct jsonscan *);
void jsonscan_rewind(struct jsonscan *);

/*
 * Writes what a good string means, of which len bytes stand between its quotes,
 * ended by a NUL.  That is never longer: to may be the string itself, or lie
 * before it.
 */
void jsonscan_meaning(char *to, const char *string, size_t len);

/* Does a value begin with the token?  A key is none. */
bool jsonscan_value(enum jsonscan_token);

#endif
