/*
 * keyword.h - has the agent printed the word that ends its loop?
 *
 * The log of a round is read once, in pieces, with the scanner of the markers
 * (marker/marker.h).  The word counts outside of code blocks, in the same
 * spelling, not beside words that only speak of it, and not as part of a
 * longer word.
 *
 * Agents show their prompt and their command line, which may hold the word.  An
 * occurrence that follows the same letters as there, ECHO_LETTERS of them, is
 * an echo and does not count.  Only letters are compared, since terminals wrap
 * and decorate, and tools number lines.
 */
#ifndef PANEWARD_LOOP_KEYWORD_H
#define PANEWARD_LOOP_KEYWORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyword;

enum {
	ECHO_LETTERS = 12,
	ECHO_LEAST = 8                  /* if the text begins there */
};

/* Can it be a keyword?  See marker_set_init(). */
bool keyword_valid(const char *word);

/* Do at least ECHO_LEAST letters stand before the word wherever the prompt
 * holds it?  Otherwise its echo could not be recognised. */
bool keyword_tellable(const char *word, const char *prompt, size_t len);

struct keyword *keyword_new(const char *word);
void keyword_free(struct keyword *);            /* NULL is fine */

/* The agent may show this text.  Where fewer letters than ECHO_LEAST stand
 * before the word, it is no echo. */
void keyword_echo(struct keyword *, const char *text, size_t len);

/*
 * Reads on, up to that offset of the log or for 50 ms; from the beginning if
 * the log has become shorter.  With settled set an unfinished line counts as
 * it is.  True once the word was found.  *grown: there was something to read,
 * and there may be more.
 */
bool keyword_read(struct keyword *, int log, uint64_t end, bool settled,
    bool *grown);

/* Is the word there, but may become part of something that does not count? */
bool keyword_waits(const struct keyword *);

#endif
