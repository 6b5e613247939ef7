/*
 * columns.h - text in the columns of a terminal.
 *
 * No two terminals agree on how wide joined characters are.  So what is shown
 * is simpler than the text: joiners, variation selectors, skin tones and
 * characters without a width are left out, and a character of unknown width is
 * "?".
 */
#ifndef PANEWARD_COLUMNS_H
#define PANEWARD_COLUMNS_H

#include <locale.h>

#include "base/buf.h"

/* Takes the character set from the environment; once, before columns_add(). */
#define columns_begin() setlocale(LC_CTYPE, "")
/* Is it UTF-8?  Otherwise every other character than ASCII is "?". */
bool columns_utf8(void);

enum { COLUMNS_ALL = 1 << 30 };

/* The columns of the whole text. */
unsigned columns_of(const char *text);
/* Adds what of the text fits into so many columns, with an ellipsis if it was
 * cut, and without control characters.  Returns the columns that it takes. */
unsigned columns_add(struct buf *, const char *text, unsigned most);
/* The same, and fills the columns up with blanks. */
void columns_pad(struct buf *, const char *text, unsigned width);

/* The columns of the terminal behind a descriptor; COLUMNS_ALL: it is none. */
unsigned columns_terminal(int fd);

#endif
