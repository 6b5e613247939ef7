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
 * none of these but fatal_memory().
 */
#ifndef PANEWARD_MSG_H
#define PANEWARD_MSG_H

#include <stddef.h>

struct buf;

/* The exit status of every command (SPEC 5). */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_NO = 1,            /* the answer is no; watch, wait: error */
	EXIT_USAGE = 2,         /* used wrongly, or a wrong configuration */
	EXIT_COULD_NOT = 3,     /* the system or tmux failed */
	EXIT_ENDED = 10,        /* dead or gone without a report */
	EXIT_WAITING = 11,
	EXIT_HANDOFF = 12,      /* hand-off failed or was refused for good */
	EXIT_TIMEOUT = 124,
	EXIT_INTERRUPTED = 130  /* loop run: by a signal */
};

void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warnx(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
_Noreturn void fatalx(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
_Noreturn void fatal_usage(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/*
 * Ends the program when an allocation fails.  It allocates nothing itself: a
 * constant text, one write(2), and what is still buffered is dropped.
 */
_Noreturn void fatal_memory(void);

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
