/*
 * shell.h - the shells at whose prompt a command line can be typed.
 *
 * Only a line of our own is ever typed: a program and a few words.  Text from
 * outside is passed in files.
 */
#ifndef PANEWARD_SHELL_H
#define PANEWARD_SHELL_H

#include "base/base.h"

enum { SHELL_LINE = 3000 };             /* bytes; terminals take 4095 */

/* Is that the name of a known shell?  "-zsh" is one too. */
bool shell_known(const char *name);

/* Adds argv as a line for that shell.  False, with nothing added, if the shell
 * cannot quote a word or the line would be too long. */
bool shell_line(struct buf *, const char *shell, const char *const *argv);

#endif
