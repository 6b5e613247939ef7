/*
 * shell.h - the shells whose prompt a command line can be typed at.
 *
 * Only a line of our own is ever typed: a program and a few words.  What
 * others have written goes through files.
 */
#ifndef PANEWARD_SHELL_H
#define PANEWARD_SHELL_H

#include <stdbool.h>

#include "base/buf.h"

enum { SHELL_LINE = 3000 };             /* bytes; terminals take 4095 */

/* Is that the name of a shell that we know?  "-zsh" is one as well. */
bool shell_known(const char *name);

/*
 * Adds argv as a line for that shell.  False, with nothing added, where it
 * cannot be given one of the words, or the line would be too long.
 */
bool shell_line(struct buf *, const char *shell, const char *const *argv);

#endif
