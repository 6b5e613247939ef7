/*
 * relay.h - an agent's own terminal inside of ours, where no pipe of the
 * place brings what it prints: everything is copied to the log and to our
 * terminal, and what is typed there to the agent.
 */
#ifndef PANEWARD_LOOP_RELAY_H
#define PANEWARD_LOOP_RELAY_H

#include <poll.h>
#include <stdbool.h>

enum { RELAY_POLLED = 2 };

struct relay {
	int master;                     /* -1: there is none */
	int log;
	int keys;                       /* our terminal, or -1 at its end */
	bool slow;                      /* it did not take everything in time */
};

#define RELAY_INIT { .master = -1, .log = -1, .keys = -1 }

/* Makes the terminal, as big as ours, and takes the log over: what the agent
 * is to have, for the caller to close.  -1 with errno. */
int  relay_open(struct relay *, int log);
/* Fills what there is to be waited for; without a relay nothing. */
void relay_poll(const struct relay *, struct pollfd [RELAY_POLLED]);
/* Copies what there is, and follows the size of our terminal. */
void relay_copy(struct relay *);
/* Copies the rest. */
void relay_end(struct relay *);

#endif
