/*
 * utf8.h - characters in arbitrary bytes.
 *
 * Invalid input is no error: a byte at which no valid character begins is one
 * broken character.
 */
#ifndef PANEWARD_UTF8_H
#define PANEWARD_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* The size of the character at text, with its code point in *c (or NULL).  0:
 * the bytes are not valid UTF-8 (overlong, a surrogate, cut off). */
size_t utf8_decode(const char *text, size_t len, unsigned long *c);

bool utf8_valid(const char *text, size_t len);

/* The same for the character that ends at text + len. */
size_t utf8_decode_last(const char *text, size_t len, unsigned long *c);

/* Is it a letter, a digit or a combining mark, of any script?  Signs within an
 * emoji are none. */
bool utf8_letter(unsigned long c);

/* The number of leading bytes of visible ASCII or blanks, which are cheaper a
 * run at a time. */
size_t utf8_plain(const char *text, size_t len);

/* Does a terminal obey the character, or does it turn the direction of text? */
bool utf8_harmful(unsigned long c);

/* Adds a valid code point. */
void utf8_add(struct buf *, unsigned long c);

/* Copies the whole characters that fit, and a NUL. */
void utf8_fit(char *to, size_t size, const char *text, size_t len);

/* Adds at most max code points, with U+FFFD for each invalid byte. */
void utf8_add_valid(struct buf *, const char *text, size_t len, size_t max);
/* The same without the blanks at both ends. */
void utf8_add_shown(struct buf *, const char *text, size_t len, size_t max);

#endif
