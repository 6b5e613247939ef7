/*
 * lines.h - rows of other programs: a line of JSON each, by the key in it.
 *
 * A key is found in the line as text, without parsing, and kept as JSON has it:
 * JSON strings hold no quote of their own, so the member is found by its name.
 * The last one counts, so that a host cannot put one before ours.
 */
#ifndef PANEWARD_LINES_H
#define PANEWARD_LINES_H

#include "os/spawn.h"
#include "queue/row.h"

struct line {
	char  *key;
	char  *text;                    /* without a line feed */
	size_t len, size;               /* size: with all that belongs to it */
	unsigned round;                 /* in which it came last */
	bool   news;                    /* it differs from the one before */
	char  *note;                    /* its owner's; or NULL */
	struct row *row;                /* parsed by its owner; or NULL */
};

struct lines {
	struct line *line;
	size_t   n, bytes;
	unsigned round;                 /* counted by the owner */
};

/* False: the line has no key. */
bool lines_key(struct buf *key, const char *line, size_t len);

/* NULL: there is none.  likely is a place to try first. */
struct line *lines_find(const struct lines *, const char *key, size_t likely);
/* Sets the line of that key in this round. */
struct line *lines_set(struct lines *, const char *key, const char *text,
    size_t len, size_t likely);
/* The first that did not come in this round; or NULL. */
struct line *lines_old(const struct lines *);
/* NULL is fine. */
void lines_drop(struct lines *, struct line *);
void lines_release(struct lines *);

/* ---- a feed of them ------------------------------------------------------ */

/*
 * A child prints the rows of a queue and then each change, as `paneward status
 * --json --follow` does.
 *
 * A child that ends, falls silent, or prints something else is replaced after a
 * pause, which grows from a second to a minute, and its lines are dropped.  A
 * child ends with its standard input, and so with its feed.
 */

struct rowfeed {
	/* Set by the owner: */
	const char *const *argv;        /* borrowed */
	msec   answer;                  /* ms for the first line */
	size_t most;                    /* bytes of all lines */
	bool (*take)(void *, struct line *);    /* takes a new line; false: it
					   is no row.  NULL: any is */
	void  *context;                 /* for take */

	struct lines lines;             /* in the order of their coming */
	bool   whole;                   /* all have come once */
	bool   changed;                 /* until the owner clears it */
	struct buf why;                 /* failure of the last child, until
					   all lines have come again */
	msec   since;                   /* wall time of that */

	/* Private: */
	struct loop *loop;
	struct spawn spawn;             /* pid 0: no child runs */
	int    in;                      /* its input */
	unsigned misses;                /* children that failed, in series */
	msec   begun, minute;           /* of the child, and of the count */
	size_t bytes;                   /* in that minute */
	size_t had;                     /* bytes of a line's begin */
	struct buf key;
	struct loop_wait wait;          /* until the next child */
};

/* Begins the child; the feed must not move from now on. */
void rowfeed_begin(struct rowfeed *, struct loop *);
/* Ends the child and forgets everything, if it was begun. */
void rowfeed_end(struct rowfeed *);
/* Ends a child that failed. */
void rowfeed_fail(struct rowfeed *, const char *why, msec now);

/* ---- printing them: rowlines.c -------------------------------------------  */

/*
 * Prints each row that changes as a line.  The owner gives the whole list again
 * and again, each row as its line of JSON; for people a changed line is parsed.
 *
 * JSON comes in batches, each with an empty line behind it, which is also
 * printed after half a minute without a change.
 */

struct rowlines;

struct rowlines *rowlines_new(bool json, struct loop *);
void   rowlines_free(struct rowlines *);

/* Prints the row, unless it is the same as before. */
void   rowlines_row(struct rowlines *, const char *line, size_t len);
/* The list is whole: the other rows have left. */
void   rowlines_whole(struct rowlines *);

/* Ends the batch, if a whole list was given.  False: the output fails, or the
 * other end of standard output or input is gone. */
bool   rowlines_flush(struct rowlines *, msec now);

#endif
