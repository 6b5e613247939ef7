/*
 * columns.h - text in the columns of a terminal.
 *
 * Terminals disagree on the width of joined characters.  So joiners, variation
 * selectors, skin tones and characters without a width are left out, and a
 * character of unknown width is "?".
 */
#ifndef PANEWARD_COLUMNS_H
#define PANEWARD_COLUMNS_H

#include <locale.h>

#include "base/buf.h"

/* Sets the character set of the environment; once, before columns_add(). */
#define columns_begin() setlocale(LC_CTYPE, "")
/* Is it UTF-8?  Otherwise all but ASCII is "?". */
bool columns_utf8(void);

enum { COLUMNS_ALL = 1 << 30 };

unsigned columns_of(const char *text);
/* Adds the text without control characters, cut to that many columns with an
 * ellipsis.  Returns the columns that it takes. */
unsigned columns_add(struct buf *, const char *text, unsigned most);
/* The same, filled up with blanks. */
void columns_pad(struct buf *, const char *text, unsigned width);

/* Of the terminal behind a descriptor; COLUMNS_ALL: it is none. */
unsigned columns_terminal(int fd);

#endif
