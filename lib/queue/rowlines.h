/*
 * rowlines.h - rows as lines on standard output, one for each row that changes.
 *
 * Lines in JSON come in batches, each with an empty line behind it, which is
 * also printed when nothing has changed for half a minute.
 */
#ifndef PANEWARD_ROWLINES_H
#define PANEWARD_ROWLINES_H

#include "os/loop.h"
#include "queue/row.h"

struct rowlines;

/* In JSON, or as text for people; in a loop. */
struct rowlines *rowlines_new(bool json, struct loop *);
void   rowlines_free(struct rowlines *);

/* Prints the row, unless its line is the same as before.  likely is how many
 * rows are before it, if it stands where it stood; any number will do. */
void   rowlines_row(struct rowlines *, const struct row *, size_t likely);
/* The row of that key has left, or all those that were not given to
 * rowlines_row() since the last call. */
void   rowlines_left(struct rowlines *, const char *key);
void   rowlines_left_others(struct rowlines *);

/* Ends the batch.  False: the output fails, or the reader of standard output or
 * the other end of standard input is gone. */
bool   rowlines_flush(struct rowlines *, msec now);
/* Are both ends there? */
bool   rowlines_read(const struct rowlines *);

#endif
