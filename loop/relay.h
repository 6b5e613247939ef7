/*
 * relay.h - copies an agent's output to the log.
 *
 * An agent without a terminal writes to a pipe: with the log itself as standard
 * error, opening /dev/stderr would truncate it.  In zellij the agent has a
 * terminal of its own inside ours: its output is copied to ours, too, and keys
 * typed there to the agent.
 */
#ifndef PANEWARD_LOOP_RELAY_H
#define PANEWARD_LOOP_RELAY_H

#include <poll.h>
#include <stdbool.h>

enum { RELAY_POLLED = 2 };

struct relay {
	int source;                     /* -1: closed */
	int log;
	int error;                      /* of the last write to it, or 0 */
	bool terminal;                  /* inside of ours */
	int keys;                       /* our terminal, or -1 at its end */
	bool slow;                      /* it has missed output */
};

#define RELAY_INIT { .source = -1, .log = -1, .keys = -1 }

/* Makes the pipe, and owns the log from now on.  Returns the agent's end, which
 * the caller closes; -1 with errno. */
int  relay_pipe(struct relay *, int log);

/* The same with a terminal for the agent, as big as ours. */
int  relay_terminal(struct relay *, int log);
/* Fills in what to poll; without a relay nothing. */
void relay_poll(const struct relay *, struct pollfd [RELAY_POLLED]);
/* Copies what is there, and follows the size of our terminal. */
void relay_copy(struct relay *);
/* Copies the rest, and closes: later output is lost. */
void relay_end(struct relay *);

#endif
