/*
 * rowlines.h - rows as lines on standard output, one for each row that changes.
 *
 * Its owner gives it the whole list, again and again, each row as its line of
 * JSON; it knows what it has printed of them.  For people it parses a line that
 * has changed.
 *
 * Lines in JSON come in batches, each with an empty line behind it, which is
 * also printed when nothing has changed for half a minute.
 */
#ifndef PANEWARD_ROWLINES_H
#define PANEWARD_ROWLINES_H

#include "base/buf.h"
#include "os/loop.h"

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
