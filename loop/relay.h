/*
 * relay.h - what an agent prints, on its way to the log.
 *
 * Through a pipe, where it has no terminal: the log itself would be cut by
 * whoever opens /dev/stderr anew.  Or from a terminal of its own inside of
 * ours, where the place has no pipe: then everything is copied to our terminal
 * as well, and what is typed there to the agent.
 */
#ifndef PANEWARD_LOOP_RELAY_H
#define PANEWARD_LOOP_RELAY_H

#include <poll.h>
#include <stdbool.h>

enum { RELAY_POLLED = 2 };

struct relay {
	int source;                     /* -1: there is none */
	int log;
	int error;                      /* of the last write to it, or 0 */
	bool terminal;                  /* inside of ours */
	int keys;                       /* our terminal, or -1 at its end */
	bool slow;                      /* it did not take everything in time */
};

#define RELAY_INIT { .source = -1, .log = -1, .keys = -1 }

/* Makes the pipe, and takes the log over: what the agent is to write to, for
 * the caller to close.  -1 with errno. */
int  relay_pipe(struct relay *, int log);

/* The same with a terminal, as big as ours, which the agent is to have. */
int  relay_terminal(struct relay *, int log);
/* Fills what there is to be waited for; without a relay nothing. */
void relay_poll(const struct relay *, struct pollfd [RELAY_POLLED]);
/* Copies what there is, and follows the size of our terminal. */
void relay_copy(struct relay *);
/* Copies what is left; whoever writes later has nobody who reads it. */
void relay_end(struct relay *);

#endif
