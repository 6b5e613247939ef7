/*
 * utf8.h - characters in bytes that may be anything.
 *
 * Invalid input is never an error here: where no valid character begins, one
 * byte is one broken character.
 */
#ifndef PANEWARD_UTF8_H
#define PANEWARD_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * The character at text, of which len bytes may be read: its size in bytes,
 * with the code point in *c (c may be NULL).  0 where the bytes are not valid
 * UTF-8 (overlong forms, surrogates and cut characters are not) or len is 0.
 */
size_t utf8_decode(const char *text, size_t len, unsigned long *c);

/* Does a terminal obey the character, or does it turn the direction of text? */
bool utf8_harmful(unsigned long c);

/* Adds a code point, which is no surrogate and at most U+10FFFF. */
void utf8_add(struct buf *, unsigned long c);

/*
 * Adds text as it is shown to people: blanks and tabs at both ends removed,
 * each invalid byte replaced by U+FFFD, at most max code points.
 */
void utf8_add_shown(struct buf *, const char *text, size_t len, size_t max);

#endif
