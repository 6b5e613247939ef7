/*
 * occupants.h - the processes whose current directory is in a folder.
 *
 * Processes of the run's pane end with it: those that descend from the pane's
 * process, are in its group or on its terminal.  They are remembered, so that
 * they are known after the pane was closed.  The tmux server and its pipes
 * keep the directory in which the server was started; since 3.7 each pipe
 * leads a group of its own.
 */
#ifndef PANEWARD_HANDOFF_OCCUPANTS_H
#define PANEWARD_HANDOFF_OCCUPANTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

struct occupants {
	pid_t  pane, server;            /* 0: none */
	struct buf ours;                /* pids seen as the pane's */
};

/*
 * The lowest process in the folder (a real path) that is neither of the pane
 * nor of the tmux server; 0: none.  -1 if the system does not tell.
 */
pid_t occupants_stranger(struct occupants *, const char *folder);

/* Did that process belong to the pane? */
bool  occupants_ours(const struct occupants *, pid_t);

#endif
