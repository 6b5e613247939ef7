/*
 * agentprocess.h - the known agent in front of a terminal, by its process.
 *
 * The processes of the terminal's foreground group are judged from the top
 * down: the first agent counts, its children are parts of it.  A process names
 * itself, so reports of hooks count more.  No tmux is run.
 */
#ifndef PANEWARD_AGENTPROCESS_H
#define PANEWARD_AGENTPROCESS_H

#include "agent/backend.h"

/* All zero: never looked at. */
struct agentprocess {
	const struct backend *backend;  /* borrowed; NULL: no agent that serves
					   a person */
	pid_t    pid;                   /* the agent's process, */
	uint64_t start;                 /* as proc.h has it, */
	msec     began;                 /* and as wall time */

	/* The last look. */
	pid_t    pane, foreground;
	uint64_t pane_start;
	pid_t    decides;               /* the one process that counts; 0: all
					   in front do, */
	uint64_t seen;                  /* which this is a hash of */
};

/* Looks at a pane's process; the backends are complete (backends_all()).
 * Command lines are read only after a change.  1: an agent is in front, 0:
 * none; -1 with errno. */
int  agentprocess_look(struct agentprocess *, const struct backends *,
    pid_t pane);

enum agentprocess_kind {
	AGENTPROCESS_OTHER,             /* its children may be agents */
	AGENTPROCESS_AGENT,
	AGENTPROCESS_ONCE,              /* an agent that asks no person */
	AGENTPROCESS_PROMPT             /* a shell at its prompt, whose children
					   get groups of their own */
};

/* The kind of a process with this name and these words (NULL: unknown), and its
 * agent. */
enum agentprocess_kind agentprocess_kind(const struct backends *,
    const char *name, char *const *words, const struct backend **backend);

/* May the command that tmux names for a pane be an agent? */
bool agentprocess_likely(const struct backends *, const char *command);

#endif
