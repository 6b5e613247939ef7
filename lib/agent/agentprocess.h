/*
 * agentprocess.h - the first agent, from the top, in the foreground group of a
 * terminal.  A process names itself, so reports of hooks count more.
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

/* Reads command lines only after a change; the backends are complete
 * (backends_all()).  1: an agent is in front, 0: none; -1 with errno. */
int  agentprocess_look(struct agentprocess *, struct backends *, pid_t pane);

enum agentprocess_kind {
	AGENTPROCESS_OTHER,             /* its children may be agents */
	AGENTPROCESS_AGENT,
	AGENTPROCESS_ONCE,              /* an agent that asks no person */
	AGENTPROCESS_PROMPT             /* a shell; its children get groups */
};

/* Words may be NULL: unknown. */
enum agentprocess_kind agentprocess_kind(const struct backends *,
    const char *name, char *const *words, const struct backend **backend);

/* "@scope/name" behind the last node_modules/ of a path, for free(); or NULL. */
char *agentprocess_package(const char *path);

/* The backend of any program in front that is no other's, or NULL. */
extern const char *agentprocess_tried;

/* May tmux mean an agent by that command? */
bool agentprocess_likely(const struct backends *, const char *command);

#endif
