/*
 * lines.h - rows of other programs: a line of JSON each, by the key in it.
 *
 * A key is found as text, without parsing, and kept as JSON has it: no JSON
 * string holds a bare quote.  The last one counts, so that a host cannot put
 * one before ours.
 */
#ifndef PANEWARD_LINES_H
#define PANEWARD_LINES_H

#include "os/spawn.h"
#include "queue/row.h"

struct line {
	char  *key, *text;
	size_t len, size;               /* of the text, and of all */
	unsigned round;                 /* in which it came last */
	bool   news;                    /* differs from the one before */
	char  *note;                    /* these are the owner's; or NULL */
	struct row *row;
};

struct lines {
	struct line *line;
	size_t   n, bytes;
	unsigned round;
};

bool lines_key(struct buf *key, const char *line, size_t len);

/* Tries the likely place first.  NULL: none. */
struct line *lines_find(const struct lines *, const char *key, size_t likely);
struct line *lines_set(struct lines *, const char *key, const char *text,
    size_t len, size_t likely);
/* A line that this round lacks; or NULL. */
struct line *lines_old(const struct lines *);
/* NULL is fine. */
void lines_drop(struct lines *, struct line *);
void lines_release(struct lines *);

/*
 * A child prints rows, then changes, as does `paneward status --json --follow`.
 * A child that ends, falls silent or prints something else loses its lines and
 * is replaced after a pause.  It ends with its standard input.
 */

struct rowfeed {
	/* Set by the owner: */
	const char *const *argv;        /* borrowed */
	msec   answer;
	size_t most;                    /* bytes of all lines */
	/* A new line; false: it is no row.  NULL: any is. */
	bool (*take)(void *, struct line *);
	void  *context;

	struct lines lines;
	bool   whole;                   /* all have come once */
	bool   changed;                 /* until the owner clears it */
	struct buf why;                 /* failure, until whole again */
	msec   since;                   /* wall time */

	/* Private: */
	struct loop *loop;
	struct spawn spawn;
	int    in;
	unsigned misses;
	msec   begun, minute;           /* minute: of the count of bytes */
	size_t bytes, had;              /* had: of an incomplete line */
	struct buf key;
	struct loop_wait wait;
};

/* The feed must not move from then on. */
void rowfeed_begin(struct rowfeed *, struct loop *);
void rowfeed_end(struct rowfeed *);
void rowfeed_fail(struct rowfeed *, const char *why, msec now);

/* ---- rowlines.c --------------------------------------------------------- */

/*
 * Prints changed rows, as JSON or for people.  The owner repeats the whole
 * list.  JSON batches end with an empty line, which also comes after half a
 * minute.
 */

struct rowlines;

/* As long as we run. */
struct rowlines *rowlines_new(bool json, struct loop *);

void   rowlines_row(struct rowlines *, const char *line, size_t len);
/* The list is whole: the other rows have left. */
void   rowlines_whole(struct rowlines *);

/* Ends the batch.  False: the output fails, or the peer of standard output or
 * input is gone. */
bool   rowlines_flush(struct rowlines *, msec now);

#endif
