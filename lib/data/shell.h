/*
 * shell.h - shells at whose prompt paneward can type.
 *
 * A typed line is our own: a program and a few words.  Files pass text from
 * outside.
 */
#ifndef PANEWARD_SHELL_H
#define PANEWARD_SHELL_H

#include "base/base.h"

enum { SHELL_LINE = 3000 };             /* bytes; terminals take 4095 */

/* Knows "-zsh", too. */
bool shell_known(const char *name);

/* Adds argv for that shell.  False, with nothing added: the shell cannot quote
 * a word, or the line is too long. */
bool shell_line(struct buf *, const char *shell, const char *const *argv);

#endif
