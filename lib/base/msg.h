/*
 * msg.h - what the program says on standard error.
 *
 * Each call writes one line, "paneward: text", with one write(2).  Control
 * bytes, bytes that are no UTF-8 and characters that turn the direction of
 * text are shown escaped, since names and texts from outside are part of what
 * is said.  The x forms leave out errno.
 *
 * fatal() and fatalx() end the program with EXIT_COULD_NOT; usage errors are
 * said with fatal_usage(), which ends it with EXIT_USAGE.  Library code calls
 * none of these.
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

/*
 * What fatal() and the others end the program with from now on:
 * there are callers who take every other status amiss.
 */
void msg_fatal_status(enum exit_status);

/*
 * Adds text from outside in a form that a terminal can be shown: the escaping
 * that the messages get.  For results on standard output too.
 */
void msg_escape(struct buf *, const char *text, size_t len);

#endif
