/*
 * msg.h - messages on standard error.
 *
 * Each call writes one line, "PROGRAM: text: reason", with one write(2); the x
 * forms without errno's reason.  Control bytes, invalid UTF-8 and turns of the
 * direction of text are escaped.
 *
 * Library code calls no fatal().  fatal_wrong(), whose text has the reason,
 * uses EXIT_USAGE if errno is 0: a file was read, and is wrong.
 */
#ifndef PANEWARD_MSG_H
#define PANEWARD_MSG_H

#include <errno.h>
#include <stdbool.h>
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

/* Asks a person at the terminal; without one, or with "y", true. */
bool msg_confirm(const char *question);

/* The name before each message, borrowed. */
void msg_program(const char *);
const char *msg_name(void);

/* An errno of ours: the format of a file of our own is newer than the known
 * one. */
enum { ENEWER = 1 << 20 };
/* Returns it; the last file is remembered for its reason. */
int msg_newer(const char *file, long long found, long long known);

/* strerror(), also for ENEWER and for EBADMSG, a damaged file of our own. */
const char *msg_reason(int error);

/* Replaces the exit status of all of them. */
void msg_fatal_status(enum exit_status);

/* A place before each text, as "issues.txt:7"; or NULL. */
void msg_at(const char *place);

/* Adds text from outside, escaped as in messages. */
#define msg_escape(out, text, len) msg_escape_but((out), (text), (len), "")
/* Leaves these control bytes. */
void msg_escape_but(struct buf *, const char *text, size_t len,
    const char *kept);

#endif
