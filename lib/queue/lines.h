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

#include "os/spawn.h"
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

/* ---- a feed of them ------------------------------------------------------ */

/*
 * A child that prints the rows of a queue and then each change, as
 * `paneward status --json --follow` does; rows are kept as lines.
 *
 * A child that ends, falls silent, or prints something else is begun again
 * after a pause, which grows from a second to a minute, and the lines of the one
 * before are gone.  A child lives no longer than its feed: it ends when its
 * standard input does.
 */

struct rowfeed {
	/* Its owner sets these, and then begins it: */
	const char *const *argv;        /* borrowed */
	msec   answer;                  /* ms for the first line */
	size_t most;                    /* bytes of all lines */
	bool (*take)(void *, struct line *);    /* a new one; false: it is no
					   row.  NULL: it may be any */
	void  *context;                 /* for take */

	struct lines lines;             /* in the order of their coming */
	bool   whole;                   /* all have come once */
	bool   changed;                 /* since its owner cleared it */
	struct buf why;                 /* the last child failed; empty: none
					   has since all came */
	msec   since;                   /* wall time; that */

	/* Private: */
	struct loop *loop;
	struct spawn spawn;             /* pid 0: no child runs */
	int    in;                      /* its input */
	unsigned misses;                /* children that failed, in series */
	msec   begun;                   /* the child, */
	msec   minute;                  /* the count of bytes begins, */
	size_t bytes;                   /* and is this */
	size_t had;                     /* bytes of a line's begin */
	struct buf key;
	struct loop_wait wait;          /* until the next child */
};

/* Begins the child, in that loop; the feed must not move from now on. */
void rowfeed_begin(struct rowfeed *, struct loop *);
/* Ends the child and forgets everything; one that was not begun is fine. */
void rowfeed_end(struct rowfeed *);
/* Ends the child: there is something wrong with it. */
void rowfeed_fail(struct rowfeed *, const char *why, msec now);

/* ---- printing them: rowlines.c -------------------------------------------  */

/*
 * Rows as lines on standard output, one for each row that changes.
 *
 * Its owner gives it the whole list, again and again, each row as its line of
 * JSON; it knows what it has printed of them.  For people it parses a line that
 * has changed.
 *
 * Lines in JSON come in batches, each with an empty line behind it, which is
 * also printed when nothing has changed for half a minute.
 */

struct rowlines;

/* In JSON, or as text for people; in a loop. */
struct rowlines *rowlines_new(bool json, struct loop *);
void   rowlines_free(struct rowlines *);

/* Prints the row, unless it is the same as before. */
void   rowlines_row(struct rowlines *, const char *line, size_t len);
/* The list is whole: the other rows have left. */
void   rowlines_whole(struct rowlines *);

/* Ends the batch, if a whole list was given since it began, or ever.  False: the
 * output fails, or the reader of standard output or the other end of standard
 * input is gone. */
bool   rowlines_flush(struct rowlines *, msec now);

#endif
