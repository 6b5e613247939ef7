/*
 * agentprocess.h - the known agent that runs in front of a terminal, by its
 * process: no tmux is run, and nothing has to be adopted.
 *
 * "process" in a backend's file has the names of its program.  The processes
 * of the terminal's foreground group are judged from the top down; the first
 * that is an agent is the one, those that it began are its parts.  Their names
 * are what they say of themselves, so what hooks report counts more.
 */
#ifndef PANEWARD_AGENTPROCESS_H
#define PANEWARD_AGENTPROCESS_H

#include "agent/backend.h"

/* What a pane's process has in front; all zero is one that was never looked
 * at. */
struct agentprocess {
	const struct backend *backend;  /* borrowed from the backends; NULL: no
					   agent, or one that serves no
					   person */
	pid_t    pid;                   /* the agent's process, */
	uint64_t start;                 /* as proc.h has it, */
	msec     began;                 /* and as wall time */

	/* What the last look saw. */
	pid_t    pane, foreground;
	uint64_t pane_start;
	pid_t    decides;               /* while it is the same, all is; 0: any
					   process in front does */
	uint64_t seen;                  /* a hash of those */
};

/* Looks at a pane's process; the backends are complete (backends_all()).
 * Command lines are only read after a change.  1 if an agent is in front,
 * 0 if none is, -1 with errno. */
int  agentprocess_look(struct agentprocess *, const struct backends *,
    pid_t pane);

enum agentprocess_kind {
	AGENTPROCESS_OTHER,             /* an agent may be among what it
					   began */
	AGENTPROCESS_AGENT,
	AGENTPROCESS_ONCE,              /* an agent, which asks no person */
	AGENTPROCESS_PROMPT             /* a shell at its prompt: what it
					   begins gets a group of its own */
};

/* What a process is, by its name and its words (NULL: not known); which agent,
 * in *backend. */
enum agentprocess_kind agentprocess_kind(const struct backends *,
    const char *name, char *const *words, const struct backend **backend);

/* May an agent be in front of a pane, as the name of the program says that tmux
 * has of it?  An agent may have another name, too. */
bool agentprocess_likely(const struct backends *, const char *command);

#endif
