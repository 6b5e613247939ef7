/*
 * lines.h - rows of other programs as they came: a line of JSON each, by the key
 * that is in it.
 *
 * A key is taken from the line as text, without parsing, and kept as JSON has
 * it: strings hold no quote of their own there, so the member is found by its
 * name.  The last one counts, so that a host cannot put one before ours.
 */
#ifndef PANEWARD_LINES_H
#define PANEWARD_LINES_H

#include "queue/row.h"

struct line {
	char  *key;
	char  *text;                    /* without a line feed */
	size_t len;
	size_t size;                    /* all its bytes */
	unsigned round;                 /* in which it came last */
	bool   news;                    /* it was not the same before */
	char  *note;                    /* its owner's; NULL */
	struct row *row;                /* once its owner has parsed it; NULL */
};

struct lines {
	struct line *line;
	size_t   n;
	size_t   bytes;                 /* of all */
	unsigned round;                 /* its owner counts them */
};

/* False: the line has no key. */
bool lines_key(struct buf *key, const char *line, size_t len);

/* NULL: there is none.  likely is a place to look at first; any will do. */
struct line *lines_find(const struct lines *, const char *key, size_t likely);
/* The line of that key is this one now, and came in this round. */
struct line *lines_set(struct lines *, const char *key, const char *text,
    size_t len, size_t likely);
/* The first that did not come in this round; NULL: all did. */
struct line *lines_old(const struct lines *);
/* NULL is fine. */
void lines_drop(struct lines *, struct line *);
void lines_release(struct lines *);

#endif
