/*
 * loop.h - the one place that waits: for descriptors, for times, for both.
 *
 * A wait calls its function in each round in which its descriptor has an event
 * or its time has come.  Its owner holds it by value, and must not move it
 * while it is in a loop.
 *
 * A round calls the waits for descriptors, then those for times, each in the
 * order of loop_add(): the end of a process that was added before its answer
 * comes first.  A function may add and drop waits; an added one waits for the
 * next round.
 */
#ifndef PANEWARD_OS_LOOP_H
#define PANEWARD_OS_LOOP_H

#include <poll.h>

#include "base/base.h"

typedef void loop_fn(void *context, msec now);

struct loop_wait {
	int      fd;                    /* -1: none */
	short    events;                /* poll()'s, of fd */
	msec     at;                    /* of clock_now(); CLOCK_NEVER: none */
	loop_fn *fn;                    /* NULL: the round ends, no more */
	void    *context;
	short    ready;                 /* poll()'s, while fn runs; 0: its time
					   has come */
	struct loop *loop;              /* NULL: it is in none */
};

/* Waits until the descriptor (-1: none) can be read. */
#define LOOP_WAIT(of, function, with) ((struct loop_wait){ .fd = (of), \
	.events = POLLIN, .at = CLOCK_NEVER, .fn = (function), \
	.context = (with) })

struct loop {
	struct loop_wait **waits;       /* NULL: dropped in this round */
	size_t n, room;
	struct pollfd *fds;             /* room for as many */
	msec   now;                     /* of this round */
};

#define LOOP_INIT { .waits = NULL }

void loop_release(struct loop *);

/* Also out of another loop. */
void loop_add(struct loop *, struct loop_wait *);
/* Does nothing to a wait in no loop. */
void loop_drop(struct loop_wait *);

/* -1 with errno.  Here and below, a signal ends it, too. */
int  loop_round(struct loop *, msec until);

/* ---- without a loop ------------------------------------------------------ */

enum { LOOP_ANY = 8 };

/* True: fd (may be -1) has an event. */
bool loop_await(int fd, short events, msec until);
/* The place of the first readable one, or -1. */
int  loop_await_any(const int *fds, size_t n, msec until);
#define loop_pause(time) loop_await(-1, 0, clock_now() + (time))

#endif
