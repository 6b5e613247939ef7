/*
 * usercommand.h - a command of the user's own: the hand-off, the notification
 * (SPEC 6).
 *
 * A command is a list of words, run without a shell.  Where the user wrote a
 * text, one plain word is a program, and anything else a line for sh -c, left
 * as it is, in which "$@" stands for the options that are added.  A program
 * whose name has a slash and does not begin with one is looked for in the
 * folder base.  No words at all are no command.
 * What a command is told, jobenv.h says.
 */
#ifndef PANEWARD_USERCOMMAND_H
#define PANEWARD_USERCOMMAND_H

#include "base/buf.h"

/* NULL-ended, from a text or from words; the caller frees them with
 * argv_free(). */
char **usercommand_parse(const char *text, const char *base);
char **usercommand_words(const char *const *words, const char *base);

/* The text of which usercommand_parse() makes the same words; the caller
 * frees it.  NULL where no text does. */
char  *usercommand_text(char *const *words);

/*
 * Can it be run?  -1 with the reason in *error: "'x.sh' is not executable".
 * Of a line for the shell only the first word is looked at, if it is plain.
 */
int    usercommand_check(char *const *words, struct buf *error);

#endif
