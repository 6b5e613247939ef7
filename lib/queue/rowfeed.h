/*
 * rowfeed.h - a child that prints the rows of a queue and then each change, as
 * `paneward status --json --follow` does; rows are kept as lines (lines.h).
 *
 * A child that ends, falls silent, or prints something else is begun again
 * after a pause, which grows from a second to a minute, and the lines of the one
 * before are gone.  A child lives no longer than its feed: it ends when its
 * standard input does.
 */
#ifndef PANEWARD_ROWFEED_H
#define PANEWARD_ROWFEED_H

#include "os/loop.h"
#include "os/spawn.h"
#include "queue/lines.h"

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

#endif
