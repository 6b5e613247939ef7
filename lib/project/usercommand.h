/*
 * usercommand.h - a command of the user's own: the hand-off, the notification.
 *
 * A command is a list of words, run without a shell.  If the user wrote a text,
 * one plain word is a program, and anything else a line for sh -c, unchanged,
 * in which "$@" stands for the added options.  A program whose name has a slash
 * but does not begin with one is relative to the folder base.  No words are no
 * command.  jobenv.h describes its environment.
 */
#ifndef PANEWARD_USERCOMMAND_H
#define PANEWARD_USERCOMMAND_H

#include "base/buf.h"

/* NULL-ended, from a text or from words; the caller frees them with
 * argv_free(). */
char **usercommand_parse(const char *text, const char *base);
char **usercommand_words(const char *const *words, const char *base);

/* Can it be run?  -1 with the reason in *error: "'x.sh' is not executable".  Of
 * a line for the shell only a plain first word is checked. */
int    usercommand_check(char *const *words, struct buf *error);

/* The user's pager: $PAGER, else less or more.  If LESS is not set, less gets
 * these letters as its options.  The caller frees the words with
 * argv_free(). */
char **usercommand_pager(const char *less);

#endif
