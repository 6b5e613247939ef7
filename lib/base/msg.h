/*
 * msg.h - messages on standard error.
 *
 * Each call writes one line, "paneward: text", with one write(2).  Control
 * bytes, invalid UTF-8 and characters that turn the direction of text are
 * escaped, since messages quote names and texts from outside.  The x forms omit
 * errno.
 *
 * fatal() and fatalx() end the program with EXIT_COULD_NOT, fatal_usage() with
 * EXIT_USAGE.  Library code calls none of these.
 */
#ifndef PANEWARD_MSG_H
#define PANEWARD_MSG_H

#include <stddef.h>

#include "base/exitstatus.h"

struct buf;

void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warnx(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
_Noreturn void fatalx(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
_Noreturn void fatal_usage(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Sets the exit status of fatal() and the others: some callers of paneward
 * treat any other status as worse. */
void msg_fatal_status(enum exit_status);

/* Adds text from outside, escaped as in messages, for terminals.  Also for
 * results on standard output. */
void msg_escape(struct buf *, const char *text, size_t len);

#endif
