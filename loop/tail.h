/*
 * tail.h - the log of a round as text: without control sequences, a line feed
 * behind each line.
 */
#ifndef PANEWARD_LOOP_TAIL_H
#define PANEWARD_LOOP_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { TAIL_MAX = 16 << 10 };           /* bytes that are looked at */

/* Adds what stands between two places of the log.  -1 with errno. */
int tail_add(struct buf *text, int log, uint64_t from, uint64_t to);

/* Adds the end of the log. */
int tail_read(struct buf *text, int log);

/* Adds the last line of a text with something on it, as people may see it,
 * cut. */
void tail_last_line(struct buf *, const struct buf *text, size_t columns);

#endif
