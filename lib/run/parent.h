/*
 * parent.h - the parent of an agent, which alone knows how it ended: agent-run
 * in the pane of a run, loop-agent in a session of a loop.
 *
 * The agent has a process group of its own, and begins once its process is
 * recorded (launch.h).  Where it has our terminal it is in front of that, and
 * goes on if it is stopped: no shell is here to bring it to the foreground.
 */
#ifndef PANEWARD_PARENT_H
#define PANEWARD_PARENT_H

#include "os/child.h"
#include "os/spawn.h"
#include "run/launch.h"

struct parent {
	int    terminal;                /* ours, which is the agent's; -1 */
	int    trap;                    /* readable once a signal came */
	struct child agent;
	struct launched now;            /* to be recorded */
	struct spawn_gated gated;
};

/* Ignores the keys of the terminal, and catches the signals of trap.h, which
 * parent_signal() returns.  -1 with errno. */
int  parent_catch(struct parent *, int terminal);

/* Makes the agent's process, which waits at its gate, with that input and
 * output.  Once now is recorded, parent_open() opens the gate.  -1 with
 * errno. */
int  parent_begin(struct parent *, const struct spawn_how *, int in, int out);
void parent_open(struct parent *);

/* The next signal that came; 0: none.  The caller waits for trap and for
 * agent.fd. */
int  parent_signal(struct parent *);

/* Reaps the agent; now says how it ended. */
void parent_end(struct parent *);

#endif
