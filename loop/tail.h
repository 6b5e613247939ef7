/*
 * tail.h - parts of a round's log as text: without control sequences, with a
 * line feed behind each line.
 */
#ifndef PANEWARD_LOOP_TAIL_H
#define PANEWARD_LOOP_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { TAIL_MAX = 16 << 10 };           /* bytes of the end */

/* Adds the part between two offsets of the log, as far as it can be read. */
void tail_add(struct buf *text, int log, uint64_t from, uint64_t to);

/* Adds the end of the log. */
void tail_read(struct buf *text, int log);

/* Adds the last line of a text that is not blank, made printable and cut to
 * that many columns. */
void tail_last_line(struct buf *, const struct buf *text, size_t columns);

#endif
