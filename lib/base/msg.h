/*
 * msg.h - messages on standard error.
 *
 * Each call writes one line, "PROGRAM: text: reason", with one write(2).  The x
 * forms have no reason (errno).  Control bytes, invalid UTF-8 and characters
 * that turn the direction of text are escaped, since names and texts come from
 * outside.
 *
 * fatal() and fatalx() end the program with EXIT_COULD_NOT, fatal_usage() with
 * EXIT_USAGE.  fatal_wrong(), whose text has the reason, uses EXIT_USAGE if errno
 * is 0: a file is wrong, and was read.  Library code calls none of these.
 */
#ifndef PANEWARD_MSG_H
#define PANEWARD_MSG_H

#include <errno.h>
#include <stddef.h>

#include "base/exitstatus.h"

struct buf;

#define warn(...)        msg_warn(errno, __VA_ARGS__)
#define warnx(...)       msg_warn(0, __VA_ARGS__)
#define fatal(...)       msg_fatal(EXIT_COULD_NOT, errno, __VA_ARGS__)
#define fatalx(...)      msg_fatal(EXIT_COULD_NOT, 0, __VA_ARGS__)
#define fatal_no(...)    msg_fatal(EXIT_NO, 0, __VA_ARGS__)
#define fatal_usage(...) msg_fatal(EXIT_USAGE, 0, __VA_ARGS__)
#define fatal_wrong(...) msg_fatal(errno ? EXIT_COULD_NOT : EXIT_USAGE, 0, \
	__VA_ARGS__)

/* Error 0: the message has no reason. */
void msg_warn(int error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
_Noreturn void msg_fatal(enum exit_status, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the program after a failed allocation, and allocates nothing: one
 * write(2), and buffered output is dropped.  fatal() does so for ENOMEM. */
_Noreturn void fatal_memory(void);

/* The name that messages begin with, borrowed; "paneward" until it is set. */
void msg_program(const char *);
const char *msg_name(void);

/* Replaces the exit status of all of them. */
void msg_fatal_status(enum exit_status);

/* Begins each message with a place, as "issues.txt:7"; or NULL. */
void msg_at(const char *place);

/* Adds text from outside, escaped as in messages. */
void msg_escape(struct buf *, const char *text, size_t len);

#endif
