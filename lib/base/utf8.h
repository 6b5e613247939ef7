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

/* The size of a character, with its code point in *c (or NULL).  0: overlong, a
 * surrogate, or cut off. */
size_t utf8_decode(const char *text, size_t len, unsigned long *c);

bool utf8_valid(const char *text, size_t len);

size_t utf8_decode_last(const char *text, size_t len, unsigned long *c);

/* A letter, a digit or a combining mark, but no sign within an emoji. */
bool utf8_letter(unsigned long c);

/* Leading bytes of visible ASCII or blanks. */
size_t utf8_plain(const char *text, size_t len);

/* A control, or a turn of the direction of text. */
bool utf8_harmful(unsigned long c);

void utf8_add(struct buf *, unsigned long c);

/* Copies the whole characters that fit, and a NUL. */
void utf8_fit(char *to, size_t size, const char *text, size_t len);

/* Adds at most max code points, with U+FFFD for each invalid byte. */
void utf8_add_valid(struct buf *, const char *text, size_t len, size_t max);
/* The same, trimmed. */
void utf8_add_shown(struct buf *, const char *text, size_t len, size_t max);

#endif
