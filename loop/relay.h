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

#include <stdbool.h>

struct relay {
	int source;                     /* to be polled; -1: closed */
	int log;
	int error;                      /* of the last write to it, or 0 */
	bool terminal;                  /* inside of ours */
	int keys;                       /* our terminal, to be polled; -1: at
					   its end, or none */
	bool slow;                      /* it has missed output */
};

#define RELAY_INIT { .source = -1, .log = -1, .keys = -1 }

/* Makes the pipe or the terminal, and owns the log from now on.  Returns the
 * agent's end, which the caller closes; -1 with errno. */
int  relay_open(struct relay *, int log, bool terminal);
/* Copies what is there, and follows the size of our terminal. */
void relay_copy(struct relay *);
/* Copies the rest, and closes: later output is lost. */
void relay_end(struct relay *);

#endif
