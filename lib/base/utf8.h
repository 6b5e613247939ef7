/*
 * utf8.h - characters in arbitrary bytes.
 *
 * Invalid input is no error: if no valid character begins at a byte, that byte
 * is one broken character.
 */
#ifndef PANEWARD_UTF8_H
#define PANEWARD_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Decodes the character at text, of which len bytes may be read: its size in
 * bytes, with the code point in *c (c may be NULL).  0 if the bytes are not
 * valid UTF-8 (overlong, a surrogate, cut off) or len is 0. */
size_t utf8_decode(const char *text, size_t len, unsigned long *c);

bool utf8_valid(const char *text, size_t len);

/* utf8_decode() for the character that ends at text + len. */
size_t utf8_decode_last(const char *text, size_t len, unsigned long *c);

/* Is it a letter, a digit or a combining mark, of any script?  A sign within an
 * emoji is none. */
bool utf8_letter(unsigned long c);

/* How many bytes at the beginning are visible ASCII, or blanks: what most text
 * is, and cheaper a run at a time. */
size_t utf8_plain(const char *text, size_t len);

/* Does a terminal obey the character, or does it turn the direction of text? */
bool utf8_harmful(unsigned long c);

/* Adds a code point, which is no surrogate and at most U+10FFFF. */
void utf8_add(struct buf *, unsigned long c);

/* Copies as much as has room, in whole characters, and ends it by a NUL. */
void utf8_fit(char *to, size_t size, const char *text, size_t len);

/* Adds text, at most max code points, with U+FFFD for each invalid byte. */
void utf8_add_valid(struct buf *, const char *text, size_t len, size_t max);
/* The same for people, without the blanks at both ends. */
void utf8_add_shown(struct buf *, const char *text, size_t len, size_t max);

#endif
