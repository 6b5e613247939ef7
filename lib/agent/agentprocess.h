/*
 * agentprocess.h - the agent in front of a terminal, by its process.
 *
 * Of the terminal's foreground group the first agent from the top counts.  A
 * process names itself, so reports of hooks count more.
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
	pid_t    decides;               /* the process that counts; 0: all in
					   front do */
	uint64_t seen;                  /* a hash of those */
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
	AGENTPROCESS_PROMPT             /* a shell, whose children get groups of
					   their own */
};

/* The kind of a process by its name and words (NULL: unknown), and its
 * agent. */
enum agentprocess_kind agentprocess_kind(const struct backends *,
    const char *name, char *const *words, const struct backend **backend);

/* May the command that tmux names for a pane be an agent? */
bool agentprocess_likely(const struct backends *, const char *command);

#endif
