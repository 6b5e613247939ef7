/*
 * loop.h - the one place that waits, for descriptors and times.
 *
 * The owner holds a wait by value, and never moves it in a loop.  A round calls
 * the waits with an event, then those whose time has come, each in the order of
 * loop_add().  A function may add and drop waits; an added one begins with the
 * next round.
 */
#ifndef PANEWARD_OS_LOOP_H
#define PANEWARD_OS_LOOP_H

#include <poll.h>

#include "base/base.h"

typedef void loop_fn(void *context, msec now);

struct loop_wait {
	int      fd;                    /* -1: none */
	short    events;
	msec     at;                    /* CLOCK_NEVER: none */
	loop_fn *fn;                    /* NULL: only ends the round */
	void    *context;
	short    ready;                 /* while fn runs; 0: its time came */
	struct loop *loop;              /* or NULL */
};

#define LOOP_WAIT(of, function, with) ((struct loop_wait){ .fd = (of), \
	.events = POLLIN, .at = CLOCK_NEVER, .fn = (function), \
	.context = (with) })

struct loop {
	struct loop_wait **waits;       /* NULL: dropped */
	size_t n, room;
	struct pollfd *fds;
	msec   now;
};

#define LOOP_INIT { .waits = NULL }

void loop_release(struct loop *);

/* Leaves another loop. */
void loop_add(struct loop *, struct loop_wait *);
/* Ignores a wait in no loop. */
void loop_drop(struct loop_wait *);

/* -1 with errno.  A signal ends this and the waits below. */
int  loop_round(struct loop *, msec until);

enum { LOOP_ANY = 8 };

/* fd may be -1. */
bool loop_await(int fd, short events, msec until);
/* Index of the first readable, or -1. */
int  loop_await_any(const int *fds, size_t n, msec until);
#define loop_pause(time) loop_await(-1, 0, clock_now() + (time))

#endif
