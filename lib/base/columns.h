/*
 * columns.h - text in the columns of a terminal.
 *
 * Terminals disagree on joined characters, so joiners, variation selectors and
 * skin tones are left out; a character of unknown width is "?".
 */
#ifndef PANEWARD_COLUMNS_H
#define PANEWARD_COLUMNS_H

#include <locale.h>

#include "base/buf.h"

/* Once, before columns_add(). */
#define columns_begin() setlocale(LC_CTYPE, "")
/* Otherwise all but ASCII is "?". */
bool columns_utf8(void);

enum { COLUMNS_ALL = 1 << 30 };

unsigned columns_of(const char *text);
/* Adds the text without controls, cut with an ellipsis.  Returns columns. */
unsigned columns_add(struct buf *, const char *text, unsigned most);
/* The same, padded. */
void columns_pad(struct buf *, const char *text, unsigned width);

/* COLUMNS_ALL: it is no terminal. */
unsigned columns_terminal(int fd);

#endif
