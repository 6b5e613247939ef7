/*
 * keyword.h - has the agent said the word at which its loop ends?
 *
 * The log of a round is read once, from its first byte, in pieces, with the
 * scanner of the markers (lib/marker/marker.h): the word counts outside of code
 * blocks, in that spelling, not beside what says that it is only spoken of,
 * and not as part of a longer word.
 *
 * The prompt may name the word, and agents show their prompt; it may be a word
 * of the command line as well.  So a word in front of which stands what stands
 * before it there is an echo and does not count: the sentence, or the line, or
 * more, until there are letters enough to tell them from others.  Of fewer it
 * is an echo too if what is behind it agrees, or nothing else is before it on
 * its line.  Letters alone are compared, since terminals wrap and decorate, and
 * tools number lines.
 */
#ifndef PANEWARD_LOOP_KEYWORD_H
#define PANEWARD_LOOP_KEYWORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyword;

/* Can it be one?  See marker_set_init(). */
bool keyword_valid(const char *word);

/* Is there something before the word wherever the prompt names it, be it a
 * number where there is something behind it as well?  Where there is not, its
 * echo could not be told from the agent's own word. */
bool keyword_tellable(const char *word, const char *prompt, size_t len);

struct keyword *keyword_new(const char *word);
void keyword_free(struct keyword *);            /* NULL is fine */

/* The agent may show this text, which ends with a NUL behind len bytes. */
void keyword_echo(struct keyword *, const char *text, size_t len);

/*
 * Reads on, up to that place of the log or for 50 ms; from the beginning if it
 * was read beyond that already.  With settled set an unfinished line counts as
 * it stands.  True once the word was found, be it on the line of an echo.
 * *grown: there was something to read, and there may be more.
 */
bool keyword_read(struct keyword *, int log, uint64_t end, bool settled,
    bool *grown);

/* Does the word stand there and wait for what comes behind it? */
bool keyword_waits(const struct keyword *);

#endif
